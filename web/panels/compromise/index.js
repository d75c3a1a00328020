/** III, compromise: softmax is the best of all compromises of score and entropy. */
import { temperature } from '../../page/controls.js';
import { exampleOf } from '../../math/example.js';
import { compromise } from '../../math/roads.js';
import { besideWords, controlsRow, paragraph, verdicts } from '../../page/layout.js';
import { html, setText } from '../../plot/dom.js';
import { fixed, short } from '../../plot/format.js';
import { followTemperature } from '../../page/row.js';
import { onFrame } from '../../page/frames.js';
import { Statement } from '../../page/statement.js';
import { codeOf } from './code.js';
import { divergence, fallShort, lse, objective, path, threeOf } from './compute.js';
import { inside, Triangle } from './triangle.js';

const GAP = 'Both numbers say how far the dot falls short. They are computed in two ways.';
const MEANING =
  'The entropy of the dot is the sum of its three shares, each times ln(1 / share). Its ' +
  'divergence has ln(share / share of softmax) instead.';
/** Where other keys are merged: T·lse of them is the largest ⟨p, z⟩ + T·H(p) that they can have. */
const MERGED = ' The rest counts as one word, and its score is the best sum of its own words.';
const COLD = 0.02;
const HOT = 200;
/** From cold to hot in equal factors, with the temperatures that get a mark. */
const TEMPERATURES = [
  ...new Set([
    ...Array.from({ length: 81 }, (_, i) => COLD * (HOT / COLD) ** (i / 80)),
    ...[0.2, 0.5, 1, 2, 5],
  ]),
].sort((a, b) => a - b);

const statements = () => ({
  short: new Statement({
    id: 'C15',
    claim: 'the gap to the top is T times the divergence from it',
    allowance:
      'Both sides by the route that knows no exponential, and by the library. ' +
      'Allowed: u·(16 + 8B)·(max|z| + T·log 3 + the gap), B = max|z|/T.',
    oracles: [compromise, objective, divergence],
  }),
  climb: new Statement({
    id: 'C16',
    claim: 'a climb to the top that knows no exponential ends at softmax',
    allowance: 'Allowed per weight: u·(16 + 8B)·w, B = max|z|/T.',
    oracles: [compromise],
  }),
  merge: new Statement({
    id: 'C15-merge',
    claim: 'all other keys as one change nothing at the top',
    allowance: 'T·lse of all scores is T·lse of the merged ones. Allowed as theory.h derives it.',
    oracles: [lse],
  }),
});

/** @type {import('../../page/panels.js').Build} */
export async function build(root, { engine: load, state, row, keys }) {
  const engine = await load();
  const checks = statements();
  const triangle = new Triangle(([a, b]) =>
    state.dot.set([Number(a.toFixed(3)), Number(b.toFixed(3))]),
  );
  const sentence = paragraph('sentence');
  const sides = html('dl', { class: 'two-sides' });
  const gap = html('dd');
  const price = html('dd');
  sides.append(
    html('div', {}, html('dt', {}, 'Below the best sum by'), gap),
    html('div', {}, html('dt', {}, 'Temperature × divergence'), price),
  );
  const meaning = paragraph('remark');
  const T = temperature(state.T, (value) => `T ${short(value)}`, { min: 0.05, max: 20 });
  root.replaceChildren(
    besideWords(
      triangle.element,
      sentence,
      sides,
      paragraph('remark', GAP),
      meaning,
      controlsRow(T.element),
    ),
    verdicts(checks),
  );

  const followed = [followTemperature(row, state.T)];
  let example = exampleOf(row.value, keys);
  let way = path(engine, example, TEMPERATURES);
  /** @type {ReturnType<typeof fallShort>} */
  let found;
  const point = () => {
    const [a, b] = state.dot.value;
    return { T: state.T.value, mix: inside([a, b, 1 - a - b]) };
  };
  const draw = () => {
    const { T: temperatureNow, mix } = point();
    const { names, z, merged } = threeOf(engine, example, temperatureNow);
    found = fallShort(engine, { z, T: temperatureNow, p: mix });
    triangle.show({ mix, names, z, T: temperatureNow, found, path: way });
    setText(meaning, example.scores.length > names.length ? MEANING + MERGED : MEANING);
    const best = names
      .map((name, j) => `${name} ${fixed(100 * found.top[j], 1)}\u202f%`)
      .join(', ');
    setText(sentence, `The best compromise at T = ${short(temperatureNow)}, rounded: ${best}.`);
    for (const [place, value] of /** @type {const} */ ([
      [gap, found.sides.gap],
      [price, found.sides.price],
    ])) {
      place.dataset.value = String(value);
      setText(place, fixed(value, 4));
    }
    checks.short.show({ ...found.short, data: { gap: found.gap, kl: found.kl } });
    checks.climb.show({ ...found.climb, data: { top: found.top.join(' ') } });
    checks.merge.show(merged);
  };
  onFrame([state.T, state.dot], draw);
  onFrame([row], () => {
    example = exampleOf(row.value, keys);
    way = path(engine, example, TEMPERATURES);
    draw();
  });
  document.addEventListener('themechange', draw);
  draw();
  return {
    followed,
    state: () => ({ words: example.words, scores: example.scores, ...found }),
    code: () => codeOf({ ...threeOf(engine, example, state.T.value), ...point() }),
    exports: { svg: () => triangle.picture },
  };
}
