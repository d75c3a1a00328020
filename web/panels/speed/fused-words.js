/** The tables and the sentences of the one pass over the keys. */
import { block, numbersRow, paragraph } from '../../page/layout.js';
import { html } from '../../plot/dom.js';
import { fixed, scientific, short } from '../../plot/format.js';
import { SPAN } from './fused-compute.js';
import { STEPS } from './state.js';
import { D } from './ways.js';

/** @typedef {ReturnType<typeof import('./fused-compute.js').follow>} Found */

const RESULTS = /** @type {const} */ ([
  ['lse', 'log of the sum of e^score'],
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
    html('span', { class: 'fused-keys' }, `${i * SPAN + 1} to ${(i + 1) * SPAN}`),
    cell(span.max, 'fused-wide'),
    cell(sums.max),
    i ? cell(sums.old) : html('td', {}, '–'),
    cell(sums.own),
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
    ...[0, 1].map((c) =>
      row(
        `output, ${c ? '2nd' : '1st'} of ${D} numbers`,
        here.output[c],
        double.output[c],
        single.output[c],
      ),
    ),
    ...RESULTS.map(([key, name]) => row(name, here[key], double[key], single[key])),
  ];
}

/** Span `at` in words. @param {Found['steps']} steps @param {number} at */
export function sentence(steps, at) {
  const { span, sums } = steps[at];
  const keys = `Keys ${at * SPAN + 1} to ${(at + 1) * SPAN}`;
  if (!at)
    return (
      `The first span is read: ${keys.toLowerCase()}. Their largest score is ${short(span.max)}, ` +
      'and the sums begin with them. Press “next span” to read on.'
    );
  const end = at === STEPS - 1 ? ' That was the last key, and the results follow.' : '';
  const before = steps[at - 1].sums.max;
  return sums.max > before
    ? `${keys} have a larger score: ${short(span.max)}, above the ${short(before)} so far. ` +
        `So the old sums are multiplied by ${short(sums.old)}, and the new ones added.${end}`
    : `${keys} have no larger score: ${short(span.max)}, below the ${short(before)} so far. ` +
        `So the new sums are multiplied by ${short(sums.own)}, and added to the old.${end}`;
}

/** The price of the statistics, and the differences to the kernel. */
export function about() {
  const price = paragraph(
    'look-key',
    `A key costs ${2 * D} products: ${D} for its score, and ${D} for its value. The entropy, the ` +
      'commitment and the other results need three more, of the score and the weight. So no key ' +
      'is read again for them.',
  );
  price.dataset.depth = 'understand';
  const differs = paragraph(
    'look-key',
    'Here every sum is float64, one key after the other. The wasm code keeps scores and weights ' +
      'as float32. It adds the weights of a span in sixteen chains, which are sums side by side. ' +
      'It adds values and statistics in blocks of 128 keys, and joins spans in float64. A sum ' +
      'for the variance is kept, too, and not shown. Up to five queries go through a span ' +
      'together. A story on this page has fewer than 512 words, so each of its looks is one span.',
  );
  differs.dataset.depth = 'doubt';
  return block('fused-about', price, differs);
}
