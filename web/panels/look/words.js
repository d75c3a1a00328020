/** The sentences of the look. Their numbers are rounded, and `data-value` has all digits. */

/** @typedef {import('./story.js').Story} Story */
/** @typedef {import('./story.js').Head} Head */

/** The part of a whole as “20 %”, never 0 % of something or 100 % of less. @param {number} p */
export function percent(p) {
  if (p > 0 && p < 0.01) return '< 1 %';
  if (p < 1 && p > 0.99) return '> 99 %';
  return `${Math.round(100 * p)} %`;
}

/** A token as it stands in a sentence. @param {Story} story @param {number} j */
export function tokenName(story, j) {
  const text = story.tokens[j].text.trim();
  if (text) return `‘${text}’`;
  if (j === 0) return 'the start';
  return /\n/.test(story.tokens[j].text) ? 'a new line' : 'a space';
}

/** Where a token lies, seen from token i. @param {number} i @param {number} j */
export function distance(i, j) {
  if (i === j) return 'the word itself';
  return i - j === 1 ? 'just before' : `${i - j} back`;
}

/**
 * A token as the space before it and the word, so that only the word is shaded.
 * @param {string} text
 */
export function spaced(text) {
  const [space] = /^\s*(?=\S)/.exec(text) ?? [''];
  return { space, word: text.slice(space.length) };
}

/** @param {Head} head */
export const headName = ({ layer, head }) => `${layer}.${head}`;

/**
 * The largest weight of a row, and its place in the text.
 * @param {Story} story @param {Head} head @param {number} i
 * @param {boolean} rest whether the first token is left out
 */
export function largest(story, head, i, rest) {
  const row = story.shown(head, i, rest);
  let best = rest && i > 0 ? 1 : 0;
  for (let j = best + 1; j < row.length; j++) if (row[j] > row[best]) best = j;
  return { j: best, weight: row[best] };
}

/**
 * The live sentence, in parts: text, or a number with its value.
 * @param {Story} story @param {Head} head @param {number} i @param {boolean} rest
 * @returns {(string | { strong: string, value?: number })[]}
 */
export function sentence(story, head, i, rest) {
  const { j, weight } = largest(story, head, i, rest);
  const at = ['At ', { strong: tokenName(story, i) }, `, head ${headName(head)} `];
  if (Number.isNaN(weight)) return [...at, 'looks at nothing but the start.'];
  const place = i === j || j === 0 ? '' : `, ${distance(i, j)}`;
  const target = i === j ? 'that word itself' : tokenName(story, j);
  return [
    ...at,
    'puts ',
    { strong: percent(weight), value: weight },
    ' on ',
    { strong: target },
    `${place}.`,
  ];
}

/**
 * How many heads look sharply: ρ/log n above a half.
 * @param {Story} story @param {number} i @param {boolean} rest
 */
export const sharpHeads = (story, i, rest) =>
  story.all().filter((head) => story.sharpness(head, i, rest) > 0.5).length;

/** @param {readonly (string | { strong: string })[]} parts */
export const plain = (parts) =>
  parts.map((part) => (typeof part === 'string' ? part : part.strong)).join('');
