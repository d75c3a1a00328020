/** The sentences and the table of one key. */
import { numbersRow } from '../../page/layout.js';
import { html } from '../../plot/dom.js';
import { fixed, percent, short } from '../../plot/format.js';

/** @typedef {import('./why-compute.js').Look} Look */
/** @typedef {ReturnType<typeof import('./why-compute.js').partsOf>} Parts */

const points = (/** @type {number} */ x) => fixed(x, 2);
const strong = (/** @type {number} */ value, text = points(value)) =>
  html('strong', { 'data-value': value }, text);

/** The key, its score and its weight. @param {Look} look @param {number} j @param {Parts} parts */
export const scored = ({ words, query, head, weights }, j, { score }) => [
  `Seen from ‘${query}’, ‘${words[j]}’ has a score of `,
  strong(score),
  ' and ',
  strong(weights[j], percent(weights[j])),
  ` of the look${head ? ` of ${head}` : ''}.`,
];

/** The channel that does most, the sum, and the score. @param {Look} look @param {Parts} parts */
export function summed({ q, scale }, { bars, dot, score }) {
  const largest = bars.reduce((best, x, c) => (Math.abs(x) > Math.abs(bars[best]) ? c : best), 0);
  const isRoot = Math.abs(scale * Math.sqrt(q.length) - 1) < 1e-6;
  const root = isRoot ? `, one over the root of ${q.length},` : '';
  const way = bars[largest] < 0 ? 'most against it' : 'most for it';
  return (
    'A query and a key are lists of numbers. A place in these lists is a channel. Each bar is ' +
    'the product of the two numbers of a channel. ' +
    `Channel ${largest} does ${way}, with ${points(bars[largest])}. ` +
    `All ${q.length} add up to ${points(dot)}. Times ${short(scale)}${root} this is the score, ` +
    `${points(score)}. These numbers are rounded, and those below, too.`
  );
}

/** Beside the mean key of the look: nearer or farther, longer or shorter. @param {Parts} parts */
export function compared({ split, mean }) {
  const nearer = split.distance - mean.distance;
  const longer = split.key - mean.key;
  const more = (/** @type {number} */ x) => `${points(Math.abs(x))} ${x < 0 ? 'less' : 'more'}`;
  const total = nearer + longer;
  return [
    'The keys of this look have a mean score of ',
    strong(mean.score),
    `. This one has ${more(total)}: ${more(nearer)} as it lies `,
    `${nearer < 0 ? 'farther from' : 'nearer to'} the query, and ${more(longer)} as it is `,
    `${longer < 0 ? 'shorter' : 'longer'}.`,
    nearer * longer < 0 && Math.abs(total) >= 0.01
      ? ` Its ${nearer * total < 0 ? 'length' : 'distance'} decides.`
      : '',
  ];
}

/** The rows of the table of lengths and distance. @param {Parts} parts */
export function splitRows({ split, mean, score }) {
  const cell = (/** @type {number} */ x) => html('td', { 'data-value': x }, points(x));
  const names = /** @type {const} */ ([
    ['query', 'half the query’s squared length'],
    ['key', 'half the key’s squared length'],
    ['distance', 'minus half the squared distance'],
    ['score', 'their sum'],
  ]);
  return [
    ...names.map(([part, name]) => numbersRow(name, cell(split[part]), cell(mean[part]))),
    numbersRow('the bars, added up', cell(score), html('td')),
  ];
}

/** The picture in words. @param {Look} look @param {number} j @param {Parts} parts */
export function inWords({ words, query }, j, { bars, dot }) {
  const ranked = Array.from(bars, (x, c) => ({ x, c }))
    .sort((a, b) => Math.abs(b.x) - Math.abs(a.x))
    .slice(0, 3)
    .map(({ x, c }) => `channel ${c} ${points(x)}`);
  return (
    `Products of ${bars.length} channels of ‘${query}’ and ‘${words[j]}’, which add up to ` +
    `${points(dot)}. The largest: ${ranked.join(', ')}.`
  );
}
