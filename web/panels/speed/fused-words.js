/** The tables and the sentences of the fused pass. */
import { block, numbersRow, paragraph } from '../../page/layout.js';
import { html } from '../../plot/dom.js';
import { fixed, scientific, short } from '../../plot/format.js';
import { SPAN } from './fused-compute.js';
import { STEPS } from './state.js';
import { D } from './ways.js';

/** @typedef {ReturnType<typeof import('./fused-compute.js').follow>} Found */

const RESULTS = /** @type {const} */ ([
  ['lse', 'log of the sum of exponentials'],
  ['entropy', 'entropy'],
  ['kl', 'commitment'],
  ['expectedScore', 'mean score'],
  ['variance', 'variance of the score'],
]);

/** @param {Found['steps'][number]} step @param {number} i @param {boolean} here */
export function spanRow({ span, sums }, i, here) {
  const cell = (/** @type {number} */ value, name = '') =>
    html('td', { 'data-value': value, class: name || null }, short(value, 5));
  const row = numbersRow(
    `${i * SPAN + 1} to ${(i + 1) * SPAN}`,
    cell(span.max, 'fused-wide'),
    cell(sums.max),
    i ? cell(sums.old) : html('td', {}, '–'),
    cell(sums.own, 'fused-wide'),
    cell(sums.sum),
    cell(sums.moment, 'fused-wide'),
  );
  if (here) row.setAttribute('aria-current', 'step');
  return row;
}

/** @param {Found} found */
export function resultRows({ here, double, single }) {
  const row = (
    /** @type {string} */ name,
    /** @type {number} */ a,
    /** @type {number} */ b,
    /** @type {number} */ c,
  ) => {
    const cell = (/** @type {number} */ value, /** @type {string} */ text, wide = true) =>
      html('td', { 'data-value': value, class: wide ? 'fused-wide' : null }, text);
    return numbersRow(
      name,
      cell(a, fixed(a, 10), false),
      cell(b, fixed(b, 10)),
      cell(Math.abs(a - b), scientific(Math.abs(a - b)), false),
      cell(c, fixed(c, 7)),
      cell(Math.abs(a - c), scientific(Math.abs(a - c))),
    );
  };
  return [
    ...RESULTS.map(([key, name]) => row(name, here[key], double[key], single[key])),
    ...[0, 1].map((c) =>
      row(`output, number ${c}`, here.output[c], double.output[c], single.output[c]),
    ),
  ];
}

/** Span `at` in words. @param {Found['steps']} steps @param {number} at */
export function sentence(steps, at) {
  const { span, sums } = steps[at];
  const keys = `Keys ${at * SPAN + 1} to ${(at + 1) * SPAN} have a largest score of`;
  const end = at === STEPS - 1 ? ' That was the last key, and all results follow.' : '';
  if (!at) return `${keys} ${short(span.max)}. The sums begin with them.${end}`;
  const before = steps[at - 1].sums.max;
  return sums.max > before
    ? `${keys} ${short(span.max)}, above the ${short(before)} of before. ` +
        `So the old sums are multiplied by ${short(sums.old)}, and theirs are added.${end}`
    : `${keys} ${short(span.max)}, below the ${short(before)} of before. ` +
        `So their sums are multiplied by ${short(sums.own)}, and added to the old ones.${end}`;
}

/** The price of the statistics, and the differences to the kernel. */
export function about() {
  const price = paragraph(
    'look-key',
    `A key costs ${2 * D} products for its score and its value. The statistics add three, of ` +
      'the score and the weight that are there. So no key is read for them.',
  );
  price.dataset.depth = 'understand';
  const differs = paragraph(
    'look-key',
    'Here every sum is float64, one key after the other. The wasm code keeps scores and weights ' +
      'as float32 and adds the weights of a span in sixteen chains. Values and statistics are ' +
      'added in blocks of 128 keys, and spans are merged in float64. The spread of the scores, ' +
      'for their variance, goes along and is not shown. Up to five queries go through a span ' +
      'together. A story here has fewer than 512 words, so each of its rows is one span.',
  );
  differs.dataset.depth = 'doubt';
  return block('fused-about', price, differs);
}
