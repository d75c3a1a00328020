/** The report of clearhead inspect as tables of at most 80 columns. */
import { padded, shortened } from './columns.js';
import { counted, harmless } from './model-file.js';

/**
 * @typedef {import('./inspect.js').Report} Report
 * @typedef {import('./inspect.js').Likely} Likely
 */

/** Of a large model those heads alone are shown that reach a threshold. */
const MAX_HEADS = 64;
/** The largest parts of a ledger that are listed. */
const PARTS = 12;
/** Columns of a token, and of a score. */
const WORD = 13;
const SCORE = 11;

/** @param {Report} report */
export function inWords({ prompt, tokens, next, definitions, heads, lens, ledger, ablation }) {
  const sections = [
    [
      `${quoted(prompt, 64)}, ${counted(tokens.length, 'token')}`,
      `goes on with ${listed(next.slice(0, 3))}`,
    ],
    ...(ablation
      ? [ablationTable(ablation, ledger, next)]
      : [headTable(definitions, heads), lensTable(lens), ledgerTable(ledger)]),
  ];
  return `${sections
    .map((lines) => lines.map((line) => harmless(line).trimEnd()).join('\n'))
    .join('\n\n')}\n`;
}

/** A text in quotes. @param {string} text @param {number} width columns, at most */
const quoted = (text, width) => shortened(harmless(JSON.stringify(text)), width);
/** A token in quotes. @param {string} text */
const word = (text) => quoted(text, WORD);
/** @param {Likely[]} tokens */
const listed = (tokens) =>
  tokens.map(({ text, probability }) => `${word(text)} ${probability.toFixed(3)}`).join(', ');
/** With digits after the point, and a minus where they are not all zero. @param {number} x */
function fixed(x, /** @type {number} */ digits) {
  const text = Math.abs(x).toFixed(digits);
  return x < 0 && Number(text) > 0 ? `−${text}` : text;
}
/** @param {number} x */
const signed = (x) => fixed(x, 3).replace(/^\d/, '+$&');

/**
 * @param {Report['definitions']} definitions
 * @param {Report['heads']} heads
 */
function headTable(definitions, heads) {
  const names = /** @type {(keyof Report['definitions'])[]} */ (Object.keys(definitions));
  const threshold = (/** @type {keyof Report['definitions']} */ name) =>
    /** @type {{ threshold: number }} */ (definitions[name]).threshold;
  const shown = heads.length > MAX_HEADS ? heads.filter(({ labels }) => labels.length) : heads;
  const row = (/** @type {string} */ head, /** @type {string[]} */ cells) =>
    `${head.padEnd(10)}${cells.map((cell) => cell.padStart(SCORE)).join('')}`;
  const cell = (/** @type {number | undefined} */ score, /** @type {number} */ limit) =>
    score === undefined || Number.isNaN(score)
      ? '- '
      : `${fixed(score, 2)}${score >= limit ? '*' : ' '}`;
  return [
    'Scores of heads, as layer.head; * where a score reaches its threshold',
    row(
      '',
      names.map((name) => `${name} `),
    ),
    row(
      'threshold',
      names.map((name) => `${threshold(name).toFixed(2)} `),
    ),
    ...shown.map(({ layer, head, scores }) =>
      row(
        `${layer}.${head}`,
        names.map((name) => cell(scores[name], threshold(name))),
      ),
    ),
    ...(shown.length < heads.length
      ? [`${counted(heads.length - shown.length, 'head')} without a * not shown (--json has all)`]
      : []),
  ];
}

/** @param {Report['lens']} lens */
const lensTable = (lens) => [
  'Logit lens of the last position: the likeliest next tokens after each layer',
  ...lens.map(
    (row, layer) =>
      `${String(layer).padEnd(4)}${row
        .slice(0, 3)
        .map(
          ({ text, probability }) => `  ${probability.toFixed(3)} ${padded(word(text), WORD + 2)}`,
        )
        .join('')}`,
  ),
];

/** @param {Report['ledger']} ledger */
function ledgerTable({ text, logit, embedding, heads, feedForward, biases, ...of }) {
  const sum = (/** @type {number[]} */ numbers) => numbers.reduce((a, b) => a + b, 0);
  const parts = [
    ...heads.flatMap((row, layer) =>
      row.map((value, head) => ({ name: `head ${layer}.${head}`, value })),
    ),
    ...feedForward.map((value, layer) => ({ name: `feed-forward ${layer}`, value })),
  ].sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  const line = (/** @type {string} */ name, /** @type {number} */ value) =>
    `  ${name.padEnd(20)}${signed(value).padStart(9)}`;
  const { difference, allowed, holds } = of.identity;
  return [
    `Ledger of ${word(text)}: its logit ${logit.toFixed(3)} as a sum`,
    line('embedding', embedding),
    line('heads', sum(heads.flat())),
    line('feed-forward', sum(feedForward)),
    line('biases', sum(biases)),
    line('rounded last input', of.rounding),
    line('rest', of.rest),
    `  the sum is off by ${difference.toExponential(1)}, rounding allows ` +
      `${allowed.toExponential(1)}: ${holds ? 'it holds' : 'it does NOT hold'}`,
    `The largest of its ${counted(parts.length, 'part')}`,
    ...parts.slice(0, PARTS).map(({ name, value }) => line(name, value)),
  ];
}

/**
 * @param {NonNullable<Report['ablation']>} ablation
 * @param {Report['ledger']} ledger
 * @param {Likely[]} next
 */
function ablationTable(ablation, { text }, next) {
  const { next: without, before, after } = ablation;
  const same = without[0].token === next[0].token;
  return [
    shortened(harmless(titleOf(ablation)), 80),
    `  before   ${listed(next.slice(0, 3))}`,
    `  after    ${listed(without.slice(0, 3))}`,
    `  the log-probability of ${word(text)} changes by ${signed(after - before)}: ` +
      `the answer ${same ? 'stays' : 'changes'}`,
  ];
}

/** Which changes were made. @param {NonNullable<Report['ablation']>} ablation */
function titleOf({ file, interventions = [], heads }) {
  const out = heads.every(({ gain }) => gain === 0);
  const names = heads.map(
    ({ layer, head, gain }) =>
      `${layer}.${head}${out ? '' : gain === 'mean' ? ' at its mean' : ` times ${gain}`}`,
  );
  const all = heads.length > 1 ? 'heads' : 'head';
  if (file !== undefined && !interventions.length && !heads.length)
    return `Without a change: the list in ${file} is empty`;
  const parts = [
    interventions.length && `with ${counted(interventions.length, 'change')} of ${file}`,
    heads.length && `${out ? 'without' : 'with'} ${all} ${names.join(', ')}`,
  ];
  return parts.filter(Boolean).join(', and ').replace(/^w/, 'W');
}
