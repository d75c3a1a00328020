/** The results in words and aligned columns. */
import { MEMORY, cases, unit } from './cases.js';
import { FUSED } from './limits/names.js';
import { sharesOf } from './measure.js';
import { median } from './spread.js';
import { leadOf } from './targets/lead.js';

/**
 * Columns padded to their widest; numbers to the right.
 * @param {string[][]} rows
 * @param {string} sides one letter a column: l or r
 */
export function aligned(rows, sides) {
  const widths = [...sides].map((_, at) =>
    Math.max(...rows.map((row) => [...(row[at] ?? '')].length)),
  );
  const pad = (text, at) => {
    const fill = ' '.repeat(widths[at] - [...text].length);
    return sides[at] === 'l' ? text + fill : fill + text;
  };
  return rows
    .map((row) =>
      row
        .map((text, at) => (at === row.length - 1 && sides[at] === 'l' ? text : pad(text, at)))
        .join('  '),
    )
    .join('\n');
}

const titled = (title, rows, sides) => `${title}\n${aligned(rows, sides)}\n`;
const number = (x) => (x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x.toFixed(2));
const place = (row, main) => (row.engine === main ? row.name : `${row.name} (${row.engine})`);

export function heading({ node, browser, machine, options }) {
  const relaxed = node.relaxed ? 'with relaxed SIMD' : 'without relaxed SIMD';
  const rounds = `${options.rounds} rounds${options.quick ? ', quick' : ''}`;
  const engines = `${node.engine} (V8 ${node.v8}, ${relaxed}), ${browser.name ?? browser.why}`;
  const where = `${machine.cpu}, ${machine.cores} cores, load ${machine.load} when it began`;
  return [
    `Clearhead against its peers: ${engines}`,
    `${where}; ${rounds}; everybody takes a turn in each round`,
  ].join('\n');
}

/**
 * One case with all contenders. Columns are the median of all rounds, the interquartile range and
 * the best round. Then come the share of the limit (median and best) and the error.
 */
export function caseBlock(c, rows, main) {
  const units = (row) => (row.role === 'limit' ? row.unit : unit(c));
  const lines = rows.map((row) => {
    const name = `  ${place(row, main)}`;
    if (row.why) return [name, '–', '', '', '', '', row.why];
    const { median, low, high, best, samples } = row.speed;
    const range = samples > 1 ? `${number(low)}–${number(high)}` : 'once';
    const share = row.share
      ? [row.share.median, row.share.best].map((x) => x.toFixed(2))
      : ['', ''];
    const notes = [units(row)];
    if (row.role === 'limit') notes.push(row.form);
    else notes.push(`${number(row.milliseconds.median)} ms`, `error ${row.error.toExponential(0)}`);
    return [name, number(median), range, number(best), ...share, notes.join(', ')];
  });
  const head = ['', 'median', 'middle half', 'best', 'of limit', 'at best', ''];
  return `${c.title}\n${aligned([head, ...lines], 'lrrrrrl')}\n`;
}

/**
 * Of tfjs and ORT with keys and values that each call brings, as a cache that grows does; in
 * brackets where they are constants.
 */
const COLUMNS = [
  ['naive JS', /^naive/],
  ['jax-js', /^jax/],
  ['tfjs', /^tfjs$/, /^tfjs, .*constant/],
  ['ORT', /^onnxruntime (?!.*constant)/, /^onnxruntime .*constant/],
  ['LiteRT', /^LiteRT/],
  ['simd', /^clearhead simd$/],
  ['relaxed', /^clearhead relaxed$/],
];

/**
 * One line a case: the median of each, and the fastest of ORT's operators. The machine's limit is
 * that of fused multiply-adds.
 */
export function summary(results) {
  const lines = [['', ...COLUMNS.map(([name]) => name), 'limit', 'of limit', 'best peer ×', '']];
  for (const c of cases) {
    const rows = results.cases[c.id]?.filter(
      (row) => row.speed && !/threads/.test(row.engine + row.name),
    );
    if (!rows || c.section === 'limits') continue;
    const own = (row) => row.engine === results.node.engine || /^LiteRT/.test(row.name);
    const fastest = (pattern) =>
      Math.max(
        ...rows.filter((row) => pattern.test(row.name) && own(row)).map((row) => row.speed.median),
      );
    const ours = rows
      .filter((row) => own(row) && /^clearhead (simd|relaxed)$/.test(row.name))
      .sort((a, b) => b.speed.median - a.speed.median)[0];
    const show = (x) => (Number.isFinite(x) ? number(x) : '–');
    const both = (x, constant) =>
      show(x) + (Number.isFinite(constant) ? ` (${show(constant)})` : '');
    const lead = leadOf(rows);
    const share = ours && median(sharesOf(ours, FUSED));
    lines.push([
      c.title,
      ...COLUMNS.map(([, pattern, constant]) =>
        both(fastest(pattern), constant ? fastest(constant) : NaN),
      ),
      show(ours && ours.speed.median / share),
      share?.toFixed(2) ?? '–',
      lead ? lead.toFixed(1) : '–',
      unit(c),
    ]);
  }
  const browser = results.browser.name ?? 'no browser';
  const title =
    `Medians (LiteRT in ${browser}, the others in ${results.node.engine}; one thread; ` +
    'in brackets K and V as constants)';
  return titled(title, lines, 'lrrrrrrrrrrl');
}

/** Memory, cold start and download. */
export function freshTables({ memory, cold, size, node }) {
  const parts = [];
  const name = (row) => `  ${place(row, node.engine)}`;
  const megabytes = (x) => (x === undefined || x === null ? '' : `${(x / 2 ** 20).toFixed(2)} MB`);
  for (const { id, title } of MEMORY) {
    const rows = memory
      ?.filter((row) => row.id === id)
      .map((row) => [name(row), megabytes(row.bytes), megabytes(row.wasm), row.why ?? '']);
    if (rows?.length)
      parts.push(
        titled(
          `memory beyond inputs and output, ${title}`,
          [['', 'process', 'wasm', ''], ...rows],
          'lrrl',
        ),
      );
  }
  const time = ({ median, low, high, best }) => [
    `${number(median)} ms`,
    `${number(low)}–${number(high)}`,
    `best ${number(best)}`,
  ];
  if (cold) {
    const rows = cold.map((row) => [
      name(row),
      ...(row.why ? ['–', '', row.why] : time(row.milliseconds)),
    ]);
    const title = 'import to first result, 12 heads, 128×128, fresh process or page';
    parts.push(titled(title, [['', 'median', 'middle half', ''], ...rows], 'lrrl'));
  }
  const kilobytes = (x) => (x ? `${(x / 1024).toFixed(1)} KB` : '–');
  if (size) {
    const rows = size.map((row) => [`  ${row.name}`, kilobytes(row.bytes), row.why ?? '']);
    parts.push(titled('download before the first attention, brotli', rows, 'lrl'));
  }
  return parts.join('\n');
}

export function targetTable(lines) {
  const met = { true: 'yes', false: 'NO', null: '–' };
  const count = (value) => lines.filter((line) => line.met === value).length;
  const rows = lines.map(({ target, where, wanted, measured, met: ok }) => [
    `  ${target}`,
    where,
    wanted,
    measured,
    met[String(ok)],
  ]);
  const title =
    `Targets: ${count(true)} met, ${count(false)} not, ` +
    `${count(null)} not measured in this run`;
  return titled(title, [['', '', 'wanted', 'measured', 'met'], ...rows], 'lllrl');
}
