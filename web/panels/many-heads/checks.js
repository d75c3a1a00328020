/**
 * The statements of the machine. The oracle is slow on purpose, so it runs in slices between
 * frames, and only for the state that is on the screen: a newer state ends the older check.
 */
import { attentionRow, bitsThatDiffer, mayRead } from '../../math/oracle.js';
import { scientific } from '../../plot/format.js';
import { Statement } from '../../page/statement.js';
import { checkRow, fresh, outputOfDisplayed, statisticsOf } from './rows.js';
import { colourOfWeight, lookAt } from './seen.js';

/** @typedef {import('../../page/engine.js').Engine} Engine */
/** @typedef {import('../../../src/js/types.d.ts').AttentionOptions} AttentionOptions */
/** @typedef {import('./seen.js').Pictures} Pictures */
/**
 * @typedef {object} Run
 * @property {number} H
 * @property {number} G
 * @property {number} n
 * @property {number} d
 * @property {number} T
 * @property {{ causal: boolean, reach: number }} mask
 * @property {Float32Array} q
 * @property {Float32Array} k
 * @property {Float32Array} v
 * @property {AttentionOptions} options
 * @property {Float32Array} output of the fused pass, which formed no weights
 * @property {Float32Array} weights of a second pass, the ones displayed
 * @property {{ kl: Float32Array, entropy: Float32Array }} stats of every row
 * @property {Float32Array} lse
 */

const SLICE = 10;
const LARGE = 2e6;

export class Checks {
  /** @param {Engine} engine */
  constructor(engine) {
    this.engine = engine;
    this.turn = 0;
    const rule =
      'Allowed per element: ε·Σ p|v|·(4 + 2A), A = max over the keys of Σ|q·k|·scale/T, ε = 2⁻²³.';
    this.C2 = new Statement({
      id: 'C2',
      claim: 'the fused kernel gives what textbook loops give',
      allowance: rule,
      oracles: [attentionRow, mayRead],
    });
    this.C3 = new Statement({
      id: 'C3',
      claim: 'every row of weights sums to 1',
      allowance:
        'Allowed: u·(4 + n), n the keys the row may read, u = 2⁻²⁴. ' +
        'The sum itself is taken in float64.',
      oracles: [mayRead],
    });
    this.C4 = new Statement({
      id: 'C4',
      claim: 'displayed weights times values are the fused output, which formed no weights',
      allowance: `${rule} Twice, for the two passes.`,
      oracles: [outputOfDisplayed],
    });
    this.C5 = new Statement({
      id: 'C5',
      claim: 'masked weights are exactly 0',
      allowance: 'Allowed: none. Counted: masked cells with any other value.',
      oracles: [mayRead],
    });
    this.C6 = new Statement({
      id: 'C6',
      claim: '',
      allowance: 'Allowed: none. Counted: outputs that differ in any bit.',
      oracles: [bitsThatDiffer],
    });
    this.C7 = new Statement({
      id: 'C7-heads',
      claim: 'ρ, H and log-sum-exp of every row are those of its weights',
      allowance: 'Allowed: ε·(4 + 2A)·(1 + log n), and ε·|lse| for the log-sum-exp, ε = 2⁻²³.',
      oracles: [attentionRow, statisticsOf],
    });
    this.seen = new Statement({
      id: 'seen',
      claim: 'the pixels and the captions are those of these heads',
      allowance:
        'Read back from the screen: the first column of every map, and the means below it. ' +
        'Allowed: one step of 255 on the colour scale, and the allowance above for the means.',
      oracles: [colourOfWeight],
    });
    this.all = [this.C2, this.C3, this.C4, this.C5, this.C6, this.C7, this.seen];
  }

  /** @param {Run} run @param {Pictures} pictures as they are on the screen */
  async check(run, pictures) {
    const turn = ++this.turn;
    const found = fresh(run.H, run.n);
    if (run.H * run.n * run.n * run.d > LARGE) {
      // While the reader's hand moves, the picture goes first.
      for (const statement of this.all) statement.wait();
      await new Promise((resume) => setTimeout(resume, 150));
      if (turn !== this.turn) return;
    }
    let started = performance.now();
    for (let h = 0; h < run.H; h++) {
      for (let i = 0; i < run.n; i++) {
        checkRow(run, h, i, found);
        if (performance.now() - started < SLICE) continue;
        for (const statement of this.all) statement.wait();
        await new Promise((resume) => setTimeout(resume));
        if (turn !== this.turn) return;
        started = performance.now();
      }
    }
    const rows = run.H * run.n;
    const poisoned = found.poisoned
      ? `; ${found.poisoned} of ${rows} rows read the NaN and are NaN on both sides`
      : '';
    const closest = (/** @type {typeof found.fused} */ { max, measured, allowed }) =>
      `max |ΔO| ${scientific(max)}; closest to its limit: ${scientific(measured)}, ` +
      `allowed ${scientific(allowed)}`;
    // Where every row reads the NaN no number is left to compare, and where nothing is masked no
    // cell: that is no success.
    const unlessEmpty = (
      /** @type {number} */ compared,
      /** @type {string} */ otherwise,
      /** @type {string} */ text,
    ) => (compared ? { text } : { verdict: /** @type {const} */ ('none'), text: otherwise });
    const { fused, sums, picture } = found;
    const lost = 'every row is NaN';
    this.C2.show({
      ...fused,
      ...unlessEmpty(fused.compared, lost, closest(fused)),
      claim: this.C2.claim + poisoned,
      data: { max: fused.max, poisoned: found.poisoned },
    });
    this.C3.show({
      ...sums,
      ...unlessEmpty(
        sums.compared,
        lost,
        `measured ${scientific(sums.measured)}, allowed ${scientific(sums.allowed)}`,
      ),
      claim: this.C3.claim + (found.poisoned && sums.compared ? ' (NaN rows aside)' : ''),
    });
    this.C4.show({ ...picture, ...unlessEmpty(picture.compared, lost, closest(picture)) });
    this.C5.show({
      measured: found.leaks,
      allowed: 0,
      ...unlessEmpty(
        found.maskedCells,
        'no cell is masked',
        `${found.leaks} of ${found.maskedCells} masked cells differ from 0`,
      ),
      data: { cells: found.maskedCells },
    });
    this.shareCheck(run);
    this.drawnCheck(found, pictures);
  }

  /** @param {ReturnType<typeof fresh>} found @param {Pictures} pictures */
  drawnCheck({ statistics, means, column }, pictures) {
    const lost = { verdict: /** @type {const} */ ('none'), text: 'every row is NaN' };
    this.C7.show({ ...statistics, ...(statistics.compared ? {} : lost) });
    const seen = lookAt(pictures, { means, column });
    const small = pictures.heads.some(({ map }) => map.pool > 1);
    const unread = {
      verdict: /** @type {const} */ ('none'),
      text: small ? 'cells are smaller than pixels' : 'the first key has no weights',
    };
    this.seen.show({
      measured: seen.steps,
      allowed: 1,
      ratio: Math.max(seen.steps, seen.captions),
      text: `${seen.pixels} pixels and ${seen.numbers} captions read back`,
      data: { pixels: seen.pixels, numbers: seen.numbers, captions: seen.captions },
      ...(seen.pixels ? {} : unread),
    });
  }

  /** @param {Run} run */
  shareCheck({ H, G, n, d, q, k, v, options, output }) {
    const share = H / G;
    const size = n * d;
    const apart = new Float32Array(output.length);
    let claim = 'one head per dictionary is MHA: H separate single-head calls give the same bits';
    if (share === 1) {
      for (let h = 0; h < H; h++) {
        const part = (/** @type {Float32Array} */ x) => x.slice(h * size, (h + 1) * size);
        apart.set(
          this.engine.attention(part(q), part(k), part(v), { ...options, heads: 1, kvHeads: 1 })
            .output,
          h * size,
        );
      }
    } else {
      claim =
        `sharing copies nothing: MHA with each dictionary repeated ${share} times ` +
        'gives the same bits';
      const repeat = (/** @type {Float32Array} */ x) => {
        const all = new Float32Array(H * size);
        for (let h = 0; h < H; h++)
          all.set(
            x.subarray(Math.floor(h / share) * size, (Math.floor(h / share) + 1) * size),
            h * size,
          );
        return all;
      };
      apart.set(this.engine.attention(q, repeat(k), repeat(v), { ...options, kvHeads: H }).output);
    }
    const different = bitsThatDiffer(output, apart);
    const empty = different === 0 && output.every(Number.isNaN);
    this.C6.show({
      verdict: empty ? 'none' : undefined,
      claim,
      measured: different,
      allowed: 0,
      text: empty ? 'every number is NaN' : `${different} of ${output.length} numbers differ`,
      data: { numbers: output.length },
    });
  }
}
