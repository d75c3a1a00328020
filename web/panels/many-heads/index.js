/**
 * Attention as it runs: H query heads over G key/value dictionaries, every weight visible, five
 * statements checked.
 */
import { button, numberField, options, slider, temperature, toggle } from '../../page/controls.js';
import { mayRead } from '../../math/oracle.js';
import { KIND_NAMES, weightScale } from '../../plot/colour-scale.js';
import { html, setText } from '../../plot/dom.js';
import { short } from '../../plot/format.js';
import { Legend } from '../../plot/legend.js';
import { onWidth } from '../../plot/width.js';
import { onFrame } from '../../page/frames.js';
import { cacheSentence } from './caches.js';
import { Checks } from './checks.js';
import { codeOf } from './code.js';
import { settingOf } from './compute.js';
import { HeadsGrid } from './grid.js';
import { groupSlider } from './groups.js';
import { Pinned } from './pinned.js';
import { statsOf, weightsOf } from './saved.js';
import { describe, inWords } from './words.js';

/** @typedef {import('./compute.js').MachineState} MachineState */

/** @type {import('../../page/panels.js').Build} */
export async function build(root, { lab, state }) {
  const { heads, picture } = await show(root, lab, state);
  const setting = () => ({ ...settingOf(state), head: state.head.value });
  return {
    state: () => ({ ...setting(), ...statsOf(heads()) }),
    code: () => codeOf(setting()),
    exports: { csv: () => weightsOf(heads()), png: () => picture },
  };
}

/**
 * @param {HTMLElement} root @param {import('../../page/lab.js').Lab} lab
 * @param {MachineState} state
 */
async function show(root, lab, state) {
  const tableHost = html('div', { class: 'map-table', hidden: true });
  const checks = new Checks(lab);
  const legend = new Legend();
  /** @type {import('./worker.js').Heads | undefined} */
  let latest;
  /** The numbers on show belong to other settings, and new ones are on their way. */
  let outdated = true;
  /** @type {import('../../plot/heatmap.js').MapData[]} */
  let maps = [];
  let cell = { h: state.head.value, i: 0, j: 0 };
  let width = 0;
  let rested = false;

  const locked = () => state.at.value.length === 2;
  const move = (/** @type {number} */ h, /** @type {number} */ i, /** @type {number} */ j) => {
    if (!locked()) point({ h, i, j });
  };
  const lock = (/** @type {number} */ h, /** @type {number} */ i, /** @type {number} */ j) => {
    const same = locked() && cell.h === h && cell.i === i && cell.j === j;
    state.head.set(h);
    state.at.set(same ? [] : [i, j]);
    point({ h, i, j });
  };
  const release = () => {
    state.at.set([]);
    point(cell);
  };
  const say = (/** @type {number} */ h, /** @type {number} */ i, /** @type {number} */ j) =>
    maps[h] ? `${grid.heads[h].map.label}. ${describe(maps[h], i, j)}` : '';
  const grid = new HeadsGrid({ move, lock, release, locked, describe: say, tableHost });
  const pinned = new Pinned({
    move: (i, j) => move(cell.h, i, j),
    lock: (i, j) => lock(cell.h, i, j),
    release,
    locked,
    describe: (i, j) => say(cell.h, i, j),
    tableHost,
    page: (step) => {
      move((cell.h + step + maps.length) % maps.length, cell.i, cell.j);
      pinned.map.say();
    },
  });

  /** @param {{ h: number, i: number, j: number }} next */
  const point = (next) => {
    if (!latest) return;
    const { H, n, stats, lse } = latest;
    const h = Math.min(next.h, H - 1);
    const i = Math.min(next.i, n - 1);
    const j = Math.min(next.j, n - 1);
    const fresh = h !== cell.h || pinned.data !== maps[h];
    cell = { h, i, j };
    grid.cross(cell, locked());
    if (fresh) {
      const rows = Array.from({ length: n }, (_, r) => h * n + r).map((at) => ({
        n: stats.n[at],
        entropy: stats.entropy[at],
        kl: stats.kl[at],
        lse: lse[at],
      }));
      pinned.show(maps[h], grid.heads[h].map.label, rows, large.clientWidth, cell, locked());
    } else pinned.point(cell, locked());
    legend.mark(
      { weight: maps[h].weights[i * n + j], count: stats.n[h * n + i] },
      state.causal.value || state.reach.value < n - 1 ? undefined : n,
    );
  };

  const G = groupSlider(state);
  const T = temperature(state.T, (value) => `T ${short(value)}`);
  const reach = slider(state.reach, {
    label: 'Window: positions to each side',
    min: 0,
    max: 256,
    say: (value) => (value >= state.n.value - 1 ? 'open' : `${value} to each side`),
  });
  const large = html('div', { class: 'machine-left' }, pinned.element);
  const note = html('p', { class: 'figure-note' });
  const caches = html('p', { class: 'figure-note caches-note' });
  const statements = html(
    'div',
    { class: 'statements' },
    ...checks.all.map((each) => each.element),
  );
  const more = html(
    'details',
    { class: 'more' },
    html('summary', {}, 'sizes, window, data'),
    html(
      'div',
      { class: 'controls' },
      reach.element,
      numberField(state.H, { label: 'query heads H', min: 1, max: 32 }),
      numberField(state.n, { label: 'positions n', min: 1, max: 256 }),
      numberField(state.d, { label: 'head size d', min: 1, max: 256 }),
      options(state.kind, 'Data', { patterns: 'patterns', normal: 'independent' }),
      numberField(state.seed, { label: 'seed', min: 0, max: 4294967295 }),
      button('another seed', () => state.seed.set((state.seed.value + 1) % 4294967296)),
      numberField(state.poison, { label: 'a NaN in KV 0, key (−1: none)', min: -1, max: 255 }),
    ),
  );
  root.replaceChildren(
    html('div', { class: 'controls' }, G.element, T.element, toggle(state.causal, 'causal')),
    grid.element,
    note,
    caches,
    html(
      'div',
      { class: 'machine-detail' },
      large,
      html(
        'div',
        { class: 'machine-right' },
        pinned.readout,
        legend.element,
        options(state.colour, 'Colour', KIND_NAMES),
        more,
      ),
    ),
    tableHost,
    statements,
  );

  const compute = async () => {
    // the old heads are not drawn with the new head or cell
    latest = undefined;
    const found = await lab.ask('many-heads', 'heads', [settingOf(state)]);
    if (!found) return;
    latest = found;
    outdated = false;
    draw();
  };
  const draw = () => {
    if (!width || !latest || outdated) return;
    const { H, G: groups, n, T, mask, weights, stats, rho, entropy } = latest;
    const hidden = Uint8Array.from(
      { length: n * n },
      (_, at) => +!mayRead(Math.floor(at / n), at % n, mask),
    );
    const masked = (/** @type {number} */ i, /** @type {number} */ j) => hidden[i * n + j] === 1;
    const parts = Array.from({ length: H }, (_, h) => ({
      weights: weights.subarray(h * n * n, (h + 1) * n * n),
      cols: n,
      counts: stats.n.subarray(h * n, (h + 1) * n),
    }));
    const scale = weightScale(state.colour.value, parts);
    maps = parts.map((part) => ({ ...part, rows: n, masked, scale }));
    grid.show({ maps, G: groups, rho, entropy }, width);
    setText(note, inWords(latest));
    caches.replaceChildren(...cacheSentence(H, groups));
    const pooled =
      pinned.map.pool > 1
        ? ` Of each ${pinned.map.pool} × ${pinned.map.pool} cells the largest weight is shown.`
        : '';
    const nan = rho.some(Number.isNaN) ? ' Green: NaN.' : '';
    let zeros = 0;
    for (let at = 0; at < weights.length; at++)
      if (weights[at] === 0 && !hidden[at % (n * n)]) zeros++;
    const hatched = hidden.includes(1) ? 'Hatched: masked, weight exactly 0.' : '';
    const under = zeros
      ? ` Not hatched, painted as 0: ${zeros} weights too small for float32.`
      : '';
    legend.show(scale, hatched + under + nan + pooled);
    if (!rested) {
      // Where nobody has pointed yet: two thirds down, at the key that query reads most.
      const i = Math.floor(0.66 * n);
      const h = Math.min(cell.h, H - 1);
      cell = { h, i, j: Math.max(0, stats.argmax[h * n + i]) };
      rested = true;
    }
    if (locked())
      cell = { h: Math.min(state.head.value, H - 1), i: state.at.value[0], j: state.at.value[1] };
    point(cell);
    void checks.check(latest.id, { heads: grid.heads, scale, T });
  };
  const settings = [
    state.H,
    state.G,
    state.n,
    state.d,
    state.T,
    state.causal,
    state.reach,
    state.seed,
    state.kind,
    state.poison,
  ];
  for (const signal of settings) signal.on(() => void (outdated = true));
  onFrame(settings, () => void compute());
  onFrame([state.colour, state.head, state.at], draw);
  state.head.on((h) => void (cell = { ...cell, h }));
  root.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && locked()) release();
  });
  document.addEventListener('themechange', draw);
  onWidth(root, (now) => {
    width = now;
    draw();
  });
  for (const each of checks.all) each.wait();
  await compute();
  const heads = () => {
    if (!latest || outdated) throw new Error('the new heads are not there yet');
    return latest;
  };
  return { heads, picture: pinned.map.canvas };
}
