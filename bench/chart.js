/**
 * docs/bench.svg, the chart of docs/performance.md: for each case the speed of each library. The
 * width is the limit of the machine.
 *
 *   node bench/chart.js [RESULTS.json]     default bench/results/latest.json
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { caseOf, unit } from './cases.js';
import { FUSED } from './limits/names.js';
import { sharesOf } from './measure.js';
import { median } from './spread.js';

const SHOWN = [
  'prefill-12-12-512-64',
  'prefill-12-12-2048-64-causal',
  'prefill-9-3-512-64-causal',
  'decode-9-3-1024-64',
  'decode-32-8-4096-64',
];
const LIBRARIES = [
  ['clearhead', /^clearhead (relaxed|simd)$/],
  ['LiteRT.js', /^LiteRT/],
  ['onnxruntime-web', /^onnxruntime (?!.*constant)/],
  ['tfjs', /^tfjs$/],
  ['jax-js', /^jax/],
  ['naive JS', /^naive/],
];
const WIDTH = 760;
const LEFT = 130;
const RIGHT = 90;
const BAR = 13;
const GAP = 4;
const TITLE = 30;
const BELOW = 14;

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600 }
  .small { fill: #57606a }
  .bar { fill: #9aa4b0 }
  .ours { fill: #0b6bcb }
  .limit { stroke: #24292f; stroke-dasharray: 3 3 }
  .spread { stroke: #24292f }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .small { fill: #9da7b1 }
    .bar { fill: #59636e }
    .ours { fill: #4aa3ff }
    .limit, .spread { stroke: #e6edf3 }
  }`;

const escape = (text) =>
  text.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c] ?? c);
const text = (x, y, words, attributes = '') =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${escape(words)}</text>`;

/**
 * The fastest row of each library with keys and values that each call brings, as those of a cache
 * that grows; LiteRT's only home is the browser, everybody else is shown in Node.
 */
function fastest(rows, main) {
  return LIBRARIES.map(([name, pattern]) => {
    const all = rows.filter(
      (row) => row.speed && pattern.test(row.name) && (row.engine === main || name === 'LiteRT.js'),
    );
    return { name, row: all.sort((a, b) => b.speed.median - a.speed.median)[0] };
  }).filter(({ row }) => row);
}

/** One case, from y down: its height and its picture. */
function panel(c, rows, main, y) {
  const bars = fastest(rows, main);
  const own = bars.find(({ name }) => name === 'clearhead')?.row;
  const shares = own ? sharesOf(own, FUSED) : [];
  const limit = shares.length
    ? own.speed.median / median(shares)
    : Math.max(...bars.map(({ row }) => row.speed.high));
  const x = (speed) => LEFT + Math.min(1, speed / limit) * (WIDTH - LEFT - RIGHT);
  const parts = [
    text(LEFT, y + 18, `${c.title}, ${unit(c)}`, 'class="title"'),
    text(x(limit) + 6, y + 18, `limit ${limit.toFixed(0)}`, 'class="small"'),
  ];
  const bottom = y + TITLE + bars.length * (BAR + GAP);
  parts.push(
    `<line x1="${x(limit)}" x2="${x(limit)}" y1="${y + 8}" y2="${bottom}" class="limit"/>`,
  );
  for (const [at, { name, row }] of bars.entries()) {
    const top = y + TITLE + at * (BAR + GAP);
    const { median, low, high } = row.speed;
    const width = Math.max(1, x(median) - LEFT).toFixed(1);
    const kind = name === 'clearhead' ? 'ours' : 'bar';
    parts.push(
      text(LEFT - 8, top + BAR - 2, name, 'text-anchor="end"'),
      `<rect x="${LEFT}" y="${top}" width="${width}" height="${BAR}" class="${kind}"/>`,
      `<path d="M${x(low).toFixed(1)},${top + BAR / 2}H${x(high).toFixed(1)}" class="spread"/>`,
      text(x(high) + 6, top + BAR - 2, median < 10 ? median.toFixed(1) : median.toFixed(0)),
    );
  }
  return { height: bottom + BELOW - y, picture: parts.join('\n') };
}

/** @param {any} results of run.js */
export function chart(results) {
  let y = 0;
  const panels = SHOWN.filter((id) => results.cases[id]).map((id) => {
    const { height, picture } = panel(caseOf(id), results.cases[id], results.node.engine, y);
    y += height;
    return picture;
  });
  const where = `${results.node.engine}, LiteRT.js in ${results.browser.name ?? 'no browser'}`;
  const notes = [
    `Medians and interquartile ranges on one thread; ${results.machine.cpu}; ${where}.`,
    'A causal prefill counts the half that is needed; in decoding each call brings ' +
      'keys and values that are no constants.',
    'The limit is the machine’s own, measured in the same rounds.',
  ];
  notes.forEach((note, line) => panels.push(text(8, y + 16 + 16 * line, note, 'class="small"')));
  const height = y + 8 + 16 * notes.length;
  const title = 'Speed of attention in JavaScript, one thread, beside the limit of the machine';
  const size = `viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${title}">
<style>${STYLE}
</style>
${panels.join('\n')}
</svg>
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const from = process.argv[2] ?? fileURLToPath(new URL('results/latest.json', import.meta.url));
  const to = new URL('../docs/bench.svg', import.meta.url);
  mkdirSync(new URL('.', to), { recursive: true });
  writeFileSync(to, chart(JSON.parse(readFileSync(from, 'utf8'))));
  console.log(`${fileURLToPath(to)} from ${from}`);
}
