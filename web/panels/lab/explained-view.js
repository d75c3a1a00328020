/** The two pictures of one word: its chance after each layer, and the parts of its score. */
import { headName } from '../../../src/js/model/inside/head-name.js';
import { html } from '../../plot/dom.js';
import { fixed, percent } from '../../plot/format.js';
import { sumOfParts } from './explain.js';

/** @typedef {import('./explain.js').Explained} Explained */
/** @typedef {{ name: string, value: number }} Part */

/** Where the word of the explanation is. */
export const WHOSE = {
  first: 'The word is one of the first story. The model with your changes reads that story.',
  changed: 'The word is one of the story with your changes, and the same model reads it.',
};

export const quoted = (/** @type {string} */ text) =>
  `‘${text.trim() || text.replace(/\n/g, '↵') || '∅'}’`;
const points = (/** @type {number} */ x) => fixed(x, 2);

/** @param {Explained} explained */
export function lensTable({ word, layers }) {
  return html(
    'table',
    { class: 'lab-lens' },
    html(
      'caption',
      {},
      `The chance of ${quoted(word.text)} if the model ended after a layer, and the best word then`,
    ),
    html('tbody', {}, ...layers.map(lensRow)),
  );
}

/** @param {Explained['layers'][number]} row @param {number} layer */
function lensRow({ probability, guess }, layer) {
  const bar = html('span', { class: 'lab-chance' });
  bar.style.setProperty('--p', String(probability));
  return html(
    'tr',
    {},
    html('th', { scope: 'row' }, `after layer ${layer}`),
    html('td', { class: 'lab-chance-cell', 'data-value': probability }, bar, percent(probability)),
    html(
      'td',
      { 'data-value': guess.probability },
      `${quoted(guess.text)} ${percent(guess.probability)}`,
    ),
  );
}

/** The bars: a row for each layer, a column for each head. @param {Explained} explained */
export function ledgerTable({ ledger }) {
  const { embedding, feedForward, biases, rounding, rest } = ledger;
  const heads = ledger.heads.length / feedForward.length;
  const sizes = [...partsOf(ledger).map(({ value }) => value), rounding, rest].map(Math.abs);
  const [largest, second, third] = sizes.sort((a, b) => b - a);
  const cell = (/** @type {number} */ value, kind = 'lab-part') => {
    const bar = html('span', { class: value < 0 ? 'lab-bar below' : 'lab-bar' });
    bar.style.setProperty('--part', String(Math.abs(value) / largest || 0));
    return html(
      'td',
      { class: kind, 'data-value': value, title: points(value) },
      bar,
      html(
        'span',
        { class: Math.abs(value) >= (third ?? second) ? 'lab-value' : 'visually-hidden' },
        points(value),
      ),
    );
  };
  const single = (/** @type {string} */ name, /** @type {number} */ value) =>
    html('tr', {}, html('th', { scope: 'row' }, name), cell(value), filler(heads));
  const rows = Array.from(feedForward, (value, layer) =>
    html(
      'tr',
      {},
      html('th', { scope: 'row' }, `layer ${layer}`),
      ...Array.from(ledger.heads.subarray(layer * heads, (layer + 1) * heads), (each) =>
        cell(each),
      ),
      cell(value + biases[layer], 'lab-part lab-feed'),
    ),
  );
  return html(
    'table',
    { class: 'lab-ledger' },
    html(
      'caption',
      {},
      'A bar is the share of one part of the model in these points: upwards for the word, ' +
        'downwards against it. A head brings news from other words. Behind the heads of a layer ' +
        'is a feed-forward, which works on the last word read alone. The last rows are what ' +
        'rounding adds.',
    ),
    html(
      'thead',
      {},
      html(
        'tr',
        {},
        html('td', {}),
        html('th', { scope: 'colgroup', colspan: heads }, 'heads'),
        html('th', { scope: 'col', rowspan: 2 }, 'feed-forward'),
      ),
      html('tr', {}, html('td', {}), ...Array.from({ length: heads }, numberOf(heads))),
    ),
    html(
      'tbody',
      {},
      single('last word read', embedding),
      ...rows,
      ...(pushOf(ledger) ? [single('your push', pushOf(ledger))] : []),
      ...(rounding ? [single('rounded to 8 bits', rounding)] : []),
      single('the rest', rest),
    ),
  );
}

/** The number of a head over its column. Of many heads only some are named. */
const numberOf =
  (/** @type {number} */ heads) => (/** @type {unknown} */ _, /** @type {number} */ h) =>
    html(
      'th',
      { scope: 'col' },
      html(
        'span',
        { class: h % Math.ceil(heads / 16) ? 'visually-hidden' : 'lab-number' },
        String(h),
      ),
    );

const filler = (/** @type {number} */ heads) => html('td', { colspan: heads });

const sum = (/** @type {ArrayLike<number>} */ list) =>
  Array.from(list).reduce((total, each) => total + each, 0);

/** A push is all that changes the stream itself here. @param {Explained['ledger']} ledger */
const pushOf = ({ interventions }) => sum(interventions);

/** @param {Explained['ledger']} ledger @returns {Part[]} */
function partsOf(ledger) {
  const { embedding, heads, feedForward, biases } = ledger;
  const per = heads.length / feedForward.length;
  return [
    { name: 'The last word read', value: embedding },
    ...Array.from(heads, (value, i) => ({
      name: `Head ${headName({ layer: Math.floor(i / per), head: i % per })}`,
      value,
    })),
    ...Array.from(feedForward, (value, layer) => ({
      name: `The feed-forward of layer ${layer}`,
      value: value + biases[layer],
    })),
    ...(pushOf(ledger) ? [{ name: 'Your push', value: pushOf(ledger) }] : []),
  ];
}

/**
 * The lead of the word, and the part that does most for it, or against it where it trails.
 * @param {Explained} explained
 */
export function leadSentence({ word, rival, ledger, score }) {
  const parts = partsOf(ledger);
  const sign = score < 0 ? -1 : 1;
  const best = parts.reduce((a, b) => (sign * b.value > sign * a.value ? b : a));
  const strong = (/** @type {number} */ x) =>
    html('strong', { 'data-value': x }, points(Math.abs(x)));
  const pair = ledger.tokens.length > 1 && rival;
  return [
    `${quoted(word.text)} `,
    ...(pair
      ? [score < 0 ? 'trails ' : 'leads ', `${quoted(rival.text)} by `, strong(score), ' points. ']
      : ['scores ', score < 0 ? '−' : '', strong(score), ' points. ']),
    `${best.name} does most ${score < 0 ? 'against' : 'for'} it, with `,
    best.value < 0 ? '−' : '',
    strong(best.value),
    sign * best.value > sign * score ? ', and others take some of it back.' : '.',
  ];
}

/** The sum in figures. @param {Explained} explained */
export function sumSentence({ ledger, score }) {
  const feed = sum(ledger.feedForward) + sum(ledger.biases);
  const rest = score - sumOfParts(ledger);
  const named = [
    `${points(ledger.embedding)} of the last word read`,
    `${points(sum(ledger.heads))} of the heads`,
    `${points(feed)} of the feed-forwards`,
    ...(pushOf(ledger) ? [`${points(pushOf(ledger))} of your push`] : []),
    ...(ledger.rounding ? [`${points(ledger.rounding)} of rounding to 8 bits`] : []),
    `a rest of ${points(rest)}`,
  ];
  return `In rounded numbers, ${points(score)} = ${named.join(' + ')}.`;
}
