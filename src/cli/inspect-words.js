/** The report of clearhead inspect as tables of at most 80 columns. */
import { headName } from '../js/model/inside/head-name.js';
import { padded, shortened } from './columns.js';
import { fixed, quoted, signed, WORD, word } from './inspect-cells.js';
import { ledgerTables } from './inspect-ledger.js';
import { counted, harmless } from './model-file.js';

/**
 * @typedef {import('./inspect-report.js').Report} Report
 * @typedef {import('./inspect-report.js').Likely} Likely
 */

/** Of a large model those heads alone are shown that reach a threshold. */
const MAX_HEADS = 64;
/** Columns of a score. */
const SCORE = 11;

/** @param {Report} report @param {number} top lines of each list of parts */
export function inWords(report, top) {
  const { prompt, tokens, position, next, ablation, definitions, heads, lens } = report;
  const place = position < tokens.length - 1 && ` behind ${word(tokens[position].text)}`;
  const sections = [
    [
      `${quoted(prompt, 64)}, ${counted(tokens.length, 'token')}`,
      `goes on${place ? `${place}, token ${position},` : ''} with ${listed(next.slice(0, 3))}`,
    ],
    ...(ablation ? [ablationTable(ablation, report, next)] : []),
    ...(!ablation && definitions && heads ? [headTable(definitions, heads)] : []),
    ...(!ablation && lens
      ? [lensTable(lens, place ? `token ${position}` : 'the last position')]
      : []),
    ...(ablation ? [] : ledgerTables(report, top)),
  ];
  return `${sections
    .map((lines) => lines.map((line) => harmless(line).trimEnd()).join('\n'))
    .join('\n\n')}\n`;
}

/** @param {Likely[]} tokens */
const listed = (tokens) =>
  tokens.map(({ text, probability }) => `${word(text)} ${probability.toFixed(3)}`).join(', ');
/**
 * @param {NonNullable<Report['definitions']>} definitions
 * @param {NonNullable<Report['heads']>} heads
 */
function headTable(definitions, heads) {
  const names = /** @type {(keyof typeof definitions)[]} */ (Object.keys(definitions));
  const threshold = (/** @type {keyof typeof definitions} */ name) =>
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
        headName({ layer, head }),
        names.map((name) => cell(scores[name], threshold(name))),
      ),
    ),
    ...(shown.length < heads.length
      ? [`${counted(heads.length - shown.length, 'head')} without a * not shown (--json has all)`]
      : []),
  ];
}

/** @param {NonNullable<Report['lens']>} lens @param {string} place */
const lensTable = (lens, place) => [
  `Logit lens of ${place}: the likeliest next tokens after each layer`,
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

/**
 * @param {NonNullable<Report['ablation']>} ablation
 * @param {Pick<Report, 'token' | 'against'>} of
 * @param {Likely[]} next
 */
function ablationTable(ablation, { token: { text }, against }, next) {
  const { next: without, before, after, heads, logit, part } = ablation;
  const same = without[0].token === next[0].token;
  const which = heads.length > 1 ? 'these heads' : 'this head';
  return [
    shortened(harmless(titleOf(ablation)), 80),
    `  before   ${listed(next.slice(0, 3))}`,
    `  after    ${listed(without.slice(0, 3))}`,
    `  the log-probability of ${word(text)} changes by ${signed(after - before)}: ` +
      `the answer ${same ? 'stays' : 'changes'}`,
    `  its ${against ? `lead over ${word(against.text)}` : 'logit'} ${fixed(logit.before, 3)} ` +
      `changes by ${signed(logit.after - logit.before)}`,
    ...(part === undefined ? [] : [`  the part of ${which} in the ledger is ${signed(part)}`]),
  ];
}

/** Which changes were made. @param {NonNullable<Report['ablation']>} ablation */
function titleOf({ file, interventions = [], heads }) {
  const named = (/** @type {string} */ how, /** @type {typeof heads} */ list) =>
    list.length && `${how} ${list.length > 1 ? 'heads' : 'head'} ${list.map(gained).join(', ')}`;
  if (file !== undefined && !interventions.length && !heads.length)
    return `Without a change: the list in ${file} is empty`;
  const parts = [
    interventions.length && `with ${counted(interventions.length, 'change')} of ${file}`,
    named(
      'without',
      heads.filter(({ gain }) => gain === 0),
    ),
    named(
      'with',
      heads.filter(({ gain }) => gain !== 0),
    ),
  ];
  return parts.filter(Boolean).join(', and ').replace(/^w/, 'W');
}

/** A head and its gain. @param {NonNullable<Report['ablation']>['heads'][number]} of */
function gained({ gain, ...head }) {
  const how = gain === 'mean' ? ' at its mean' : gain ? ` times ${gain}` : '';
  return `${headName(head)}${how}`;
}
