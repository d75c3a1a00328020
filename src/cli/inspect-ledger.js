/** The ledger of clearhead inspect, its sources, and the sweep over heads, in 80 columns. */
import { headName } from '../js/model/inside/head-name.js';
import { padded } from './columns.js';
import { fixed, quoted, signed, word } from './inspect-cells.js';
import { counted } from './model-file.js';

/** @typedef {import('./inspect-report.js').Report} Report */

/** Columns of a source: its part, position and token. */
const SOURCE = 21;

const sum = (/** @type {number[]} */ numbers) => numbers.reduce((a, b) => a + b, 0);

/** @param {string} name @param {number} value */
const line = (name, value) => `  ${name.padEnd(20)}${signed(value).padStart(9)}`;

/**
 * Of each head.
 * @template T
 * @param {T[][]} rows by layer
 */
const byHead = (rows) =>
  rows.flatMap((row, layer) =>
    row.map((value, head) => ({ layer, head, name: headName({ layer, head }), value })),
  );

/** The largest come first. @param {{ value: number }} a @param {{ value: number }} b */
const larger = (a, b) => Math.abs(b.value) - Math.abs(a.value);

/** @param {Report} report @param {number} top lines of each list */
export function ledgerTables({ ledger, tokens, token, against, sweep, next }, top) {
  if (!ledger) return [];
  return [
    ledgerTable(ledger, against, top),
    ...(ledger.sources ? [sourceTable(ledger, ledger.sources, tokens, top)] : []),
    ...(sweep ? [sweepTable(sweep, { token, against, next }, top)] : []),
  ];
}

/**
 * @param {NonNullable<Report['ledger']>} ledger
 * @param {Report['against']} against
 * @param {number} top
 */
function ledgerTable({ text, logit, embedding, heads, feedForward, biases, ...of }, against, top) {
  const parts = [
    ...byHead(heads).map(({ name, value }) => ({ name: `head ${name}`, value })),
    ...feedForward.map((value, layer) => ({ name: `feed-forward ${layer}`, value })),
  ].sort(larger);
  const { difference, allowed, holds } = of.identity;
  const name = against ? `${word(text)} against ${word(against.text)}` : word(text);
  return [
    `Ledger of ${name}: its ${against ? 'lead' : 'logit'} ${fixed(logit, 3)} as a sum`,
    line('embedding', embedding),
    line('heads', sum(heads.flat())),
    line('feed-forward', sum(feedForward)),
    line('biases', sum(biases)),
    line('rounded last input', of.rounding),
    line('rest', of.rest),
    `  the sum is off by ${difference.toExponential(1)}, rounding allows ` +
      `${allowed.toExponential(1)}: ${holds ? 'it holds' : 'it does NOT hold'}`,
    `The largest of its ${counted(parts.length, 'part')}`,
    ...parts.slice(0, top).map(({ name, value }) => line(name, value)),
  ];
}

/**
 * @param {NonNullable<Report['ledger']>} ledger
 * @param {number[][][]} sources
 * @param {Report['tokens']} tokens
 * @param {number} top
 */
function sourceTable({ heads }, sources, tokens, top) {
  const source = (/** @type {number} */ value, /** @type {number} */ position) => {
    const place = `${signed(value)} ${position}:`;
    return padded(` ${place}${quoted(tokens[position].text, SOURCE - 2 - place.length)}`, SOURCE);
  };
  return [
    'Sources of the largest heads: part, position and token',
    ...byHead(heads)
      .sort(larger)
      .slice(0, top)
      .map(({ layer, head, name, value }) => {
        const parts = sources[layer][head].map((each, position) => ({ value: each, position }));
        const shown = parts.sort(larger).slice(0, 3);
        const cells = shown.map((each) => source(each.value, each.position)).join('');
        return `  ${name.padEnd(6)}${signed(value).padStart(8)} ${cells}`;
      }),
  ];
}

/**
 * @param {NonNullable<Report['sweep']>} sweep
 * @param {Pick<Report, 'token' | 'against' | 'next'>} of
 * @param {number} top
 */
function sweepTable({ changes, answers, base }, { token, against, next }, top) {
  const all = byHead(changes).sort(larger);
  return [
    against
      ? `Without each head alone: the lead ${fixed(base, 3)} of ${word(token.text)} changes by`
      : `Without each head alone: the log-probability ${fixed(base, 3)} of ` +
        `${word(token.text)} changes by`,
    ...all.slice(0, top).map(({ layer, head, name, value }) => {
      const answer = answers[layer][head];
      const other = answer.token === next[0].token ? '' : `  goes on with ${word(answer.text)}`;
      return `${line(name, value)}${other}`;
    }),
    ...(all.length > top
      ? [
          `  the other ${counted(all.length - top, 'head')} by at most ` +
            Math.abs(all[top].value).toFixed(3),
        ]
      : []),
  ];
}
