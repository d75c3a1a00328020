/**
 * docs/induction.svg: the curves of curves.json.
 *
 *   node training/induction/chart.js
 */
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { headName } from '../../src/js/model/inside/head-name.js';
import { CONFIG, THRESHOLD } from './recipe.js';

const [WIDTH, HEIGHT] = [360, 190];
const [LEFT, TOP, RIGHT, BOTTOM] = [40, 30, 12, 26];
const GAP = 16;
const NOTES = 42;

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600 }
  .small { font-size: 11px; fill: #57606a }
  .end { text-anchor: end }
  .middle { text-anchor: middle }
  .axis { stroke: #d0d7de }
  .threshold { stroke: #24292f; stroke-dasharray: 3 3 }
  .line { fill: none; stroke: #9aa4b0; stroke-width: 1; opacity: 0.6 }
  .previous { stroke: #c2570c; stroke-width: 2; opacity: 1 }
  .induction, .loss { stroke: #0b6bcb; stroke-width: 2; opacity: 1 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .small { fill: #9da7b1 }
    .axis { stroke: #3d444d }
    .threshold { stroke: #e6edf3 }
    .line { stroke: #59636e }
    .previous { stroke: #ff9b50 }
    .induction, .loss { stroke: #4aa3ff }
  }`;

const number = (/** @type {number} */ x) => String(Number(x.toFixed(1)));

/** A round number at or above x, to end an axis. @param {number} x */
function roundUp(x) {
  const size = 10 ** Math.floor(Math.log10(x));
  return [1, 2, 4, 5, 10].map((part) => part * size).find((end) => end >= x) ?? x;
}

/**
 * One set of axes with lines.
 * @param {object} panel
 * @param {string} panel.title
 * @param {{ kind: string, values: number[] }[]} panel.lines
 * @param {number} [panel.end] of the axis
 * @param {number} [panel.mark] a value with a dashed line
 * @param {number[]} steps
 */
function picture({ title, lines, end, mark }, steps) {
  const top = end ?? roundUp(Math.max(...lines.flatMap(({ values }) => values)));
  const last = steps[steps.length - 1];
  const x = (/** @type {number} */ step) => LEFT + (step / last) * (WIDTH - LEFT - RIGHT);
  const y = (/** @type {number} */ value) =>
    HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  const across = (/** @type {number} */ value, /** @type {string} */ kind) =>
    `<path class="${kind}" d="M${LEFT} ${number(y(value))}H${WIDTH - RIGHT}"/>`;
  const label = (/** @type {number} */ value) =>
    `<text class="small end" x="${LEFT - 6}" y="${number(y(value) + 4)}">${value}</text>`;
  const under = (/** @type {number} */ step) =>
    `<text class="small middle" x="${number(x(step))}" y="${HEIGHT - 8}">${step}</text>`;
  const path = (/** @type {{ kind: string, values: number[] }} */ { kind, values }) => {
    const places = values.map((value, i) => `${number(x(steps[i]))} ${number(y(value))}`);
    return `<path class="line ${kind}" d="M${places.join('L')}"/>`;
  };
  return [
    `<text class="title" x="${LEFT}" y="16">${title}</text>`,
    ...[0, top / 2, top].flatMap((value) => [across(value, 'axis'), label(value)]),
    ...[0, last / 2, last].map(under),
    ...(mark === undefined ? [] : [across(mark, 'threshold')]),
    ...lines.map(path),
  ].join('\n');
}

/**
 * @param {{ machine: string, runs: { formed: { seconds: number } | null }[],
 *   points: Record<string, any>[] }} curves
 */
export function chart({ points }) {
  const steps = points.map(({ step }) => step);
  const last = points[points.length - 1];
  const best = (/** @type {number[]} */ scores) => scores.indexOf(Math.max(...scores));
  const [previous, induction] = [best(last.previousToken), best(last.induction)];
  const kinds = new Map([
    [previous, 'previous'],
    [induction, 'induction'],
  ]);
  /** One line a head, the two that are named above the others. @param {string} score */
  const heads = (score) =>
    Array.from({ length: CONFIG.layers * CONFIG.heads }, (_, head) => ({
      kind: kinds.get(head) ?? '',
      values: points.map((point) => point[score][head]),
    })).sort((a, b) => a.kind.length - b.kind.length);
  const loss = [{ kind: 'loss', values: points.map((point) => point.loss) }];
  const panels = [
    { title: 'loss on unseen sequences, in nats', lines: loss },
    { title: 'induction score', lines: heads('induction'), end: 1, mark: THRESHOLD },
    { title: 'ρ = KL(p‖u), in nats', lines: heads('rho') },
    { title: 'χ = Var(z) under the weights', lines: heads('chi') },
  ].map((panel, i) => {
    const [x, y] = [(i % 2) * (WIDTH + GAP), Math.floor(i / 2) * (HEIGHT + GAP)];
    return `<g transform="translate(${x} ${y})">\n${picture(panel, steps)}\n</g>`;
  });
  const name = (/** @type {number} */ head) =>
    `head ${headName({ layer: Math.floor(head / CONFIG.heads), head: head % CONFIG.heads })}`;
  const below = 2 * HEIGHT + GAP;
  const line = (
    /** @type {number} */ at,
    /** @type {string} */ kind,
    /** @type {string} */ words,
  ) =>
    `<path class="line ${kind}" d="M${LEFT} ${below + at - 4}h24"/>` +
    `<text class="small" x="${LEFT + 32}" y="${below + at}">${words}</text>`;
  const [width, height] = [2 * WIDTH + GAP, below + NOTES];
  const title = 'A previous-token head and an induction head form while a model is trained';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" \
width="${width}" height="${height}" role="img" aria-label="${title}">
<style>${STYLE}
</style>
${panels.join('\n')}
${line(16, 'previous', `${name(previous)}, which looks at the token before`)}
${line(34, 'induction', `${name(induction)}, which looks behind the last occurrence of its token`)}
</svg>
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const curves = JSON.parse(readFileSync(new URL('curves.json', import.meta.url), 'utf8'));
  writeFileSync(new URL('../../docs/induction.svg', import.meta.url), chart(curves));
}
