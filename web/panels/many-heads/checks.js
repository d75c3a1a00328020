/**
 * Shows the statements of this panel. The worker compares the kernels with the oracle, which is
 * plain and slow. This file compares their numbers with the pixels and captions on the screen.
 */
import { attentionRow, bitsThatDiffer, mayRead } from '../../math/oracle.js';
import { scientific } from '../../plot/format.js';
import { orGiveUp, wait } from '../../page/layout.js';
import { Statement } from '../../page/statement.js';
import { lengthOf, outputOfDisplayed, statisticsOf, undecided } from './rows.js';
import { colourOfWeight, lookAt } from './seen.js';

/** @typedef {NonNullable<Awaited<ReturnType<typeof import('./worker.js').check>>>} Found */
/** @typedef {import('./seen.js').Pictures} Pictures */

/** Milliseconds after which a reader is told that a verdict is on its way. */
const LATE = 100;

export class Checks {
  /** @param {import('../../page/lab.js').Lab} lab */
  constructor(lab) {
    this.lab = lab;
    /** The heads that were asked about last, and those whose verdicts are shown. */
    this.asked = 0;
    this.shown = 0;
    /** @type {Found | undefined} */
    this.found = undefined;
    /** @type {Pictures | undefined} */
    this.pictures = undefined;
    const rule =
      'Allowed per element: ε·Σ p|v|·(4 + 2A), A = max over the keys of Σ|q·k|·scale/T, ' +
      'ε = 2⁻²³. At T = 0 and ∞ A is 0. At T = 0 rows are left out where rounding decides.';
    this.C2 = new Statement({
      id: 'C2',
      claim: 'the wasm code, in one fused pass, gives the numbers of textbook loops',
      allowance: rule,
      oracles: [attentionRow, mayRead, undecided],
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
    this.values = new Statement({
      id: 'values',
      claim: 'no output is longer than its row’s sum of weights times lengths of values',
      allowance:
        'The lengths ‖v‖ and the sums Σ p·‖v‖ of displayed weights p are those of other loops. ' +
        'Allowed: 2⁻⁵²·(n + d + 4)·Σ p·‖v‖, and ε·(4 + n)·Σ p·‖v‖ beyond the bound, ε = 2⁻²³.',
      oracles: [lengthOf],
    });
    this.seen = new Statement({
      id: 'seen',
      claim: 'the pixels and the captions are those of these heads',
      allowance:
        'Read back from the screen: the first column of every map, and the means below it. ' +
        'Allowed: one step of 255 on the colour scale, and the allowance above for the means.',
      oracles: [colourOfWeight],
    });
    this.all = [this.C2, this.C3, this.C4, this.C5, this.C6, this.C7, this.values, this.seen];
  }

  /**
   * The verdicts of the heads on the screen. Where only the pictures are new, only they are read.
   * @param {number} id of the heads @param {Pictures} pictures
   */
  async check(id, pictures) {
    this.pictures = pictures;
    if (this.found && this.shown === id) return this.drawnCheck(this.found, pictures);
    if (this.asked === id) return;
    this.asked = id;
    const late = setTimeout(() => wait(this.all), LATE);
    const answer = this.lab.ask('many-heads', 'check', [id]).finally(() => clearTimeout(late));
    const told = answer.then((found) => found && this.asked === id && this.show(id, found));
    await orGiveUp(this.all, told);
  }

  /** @param {number} id @param {Found} found */
  show(id, found) {
    this.shown = id;
    this.found = found;
    const { rows } = found;
    const poisoned = found.poisoned
      ? `; ${found.poisoned} of ${rows} rows read the NaN and are NaN on both sides`
      : '';
    const decided = found.undecided
      ? `; ${found.undecided} of ${rows} rows are left out, as rounding decides their best key`
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
    const { fused, sums, picture, values } = found;
    const lost = found.undecided ? 'no row is left to compare' : 'every row is NaN';
    this.C2.show({
      ...fused,
      ...unlessEmpty(fused.compared, lost, closest(fused)),
      claim: this.C2.claim + poisoned + decided,
      data: { max: fused.max, poisoned: found.poisoned, undecided: found.undecided },
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
    this.values.show({
      ...values,
      ...unlessEmpty(
        found.sums.compared,
        lost,
        `closest to its limit: ${scientific(values.measured)}, ` +
          `allowed ${scientific(values.allowed)}`,
      ),
    });
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
    this.shareCheck(found.shared);
    if (this.pictures) this.drawnCheck(found, this.pictures);
  }

  /** @param {Found} found @param {Pictures} pictures */
  drawnCheck({ statistics, means, column, lengths }, pictures) {
    const lost = { verdict: /** @type {const} */ ('none'), text: 'every row is NaN' };
    this.C7.show({ ...statistics, ...(statistics.compared ? {} : lost) });
    const seen = lookAt(pictures, { means, column, lengths });
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

  /** @param {Found['shared']} shared */
  shareCheck({ share, different, empty, numbers }) {
    this.C6.show({
      verdict: empty ? 'none' : undefined,
      claim:
        share === 1
          ? 'one head for each set of keys is MHA: H separate single-head calls give the same bits'
          : `sharing copies nothing: MHA with each set of keys repeated ${share} times ` +
            'gives the same bits',
      measured: different,
      allowed: 0,
      text: empty ? 'every number is NaN' : `${different} of ${numbers} numbers differ`,
      data: { numbers },
    });
  }
}
