/** The figures of a run that targets ask for. Each is null where it was not measured. */
import { caseOf, cases } from '../cases.js';
import { FUSED } from '../limits/names.js';
import { sharesOf, timesFaster } from '../measure.js';
import { median } from '../spread.js';

/** @param {any} results */
export function figures(results) {
  const { engine } = results.node;
  const rowsOf = (id) => results.cases[id] ?? [];
  const find = (id, name, where = engine) =>
    rowsOf(id).find((row) => row.name === name && row.engine === where && row.seconds);
  const measured = cases.filter((c) => c.section !== 'limits' && rowsOf(c.id).length);

  /** Share of the machine's limit for one thread with multiply-adds of that kind. */
  const share = (id, name, limit) => {
    const row = find(id, name);
    return row?.limits[limit] ? median(sharesOf(row, limit)) : null;
  };
  /** Both builds are compared with fused multiply-adds, the fastest arithmetic of the machine. */
  const best = (id, of = (name) => share(id, name, FUSED)) => {
    const both = ['clearhead relaxed', 'clearhead simd'].map(of).filter((x) => x !== null);
    return both.length ? Math.max(...both) : null;
  };
  /** The same, or the share of multiply, then add where the engine cannot fuse. */
  const allowed = (id) =>
    best(id, (name) => {
      const row = find(id, name);
      const shares = row ? sharesOf(row, FUSED) : [];
      return shares.length ? median(shares) : null;
    });
  /** How many times as fast a is as b in a case. */
  const faster = (id, a, b) => {
    const ratio = timesFaster(find(id, a), find(id, b));
    return ratio && ratio.median;
  };
  /** The worst of all measured cases, and which it is. */
  const worst = (value) => {
    const all = measured
      .map((c) => [value(c), c.title])
      .filter(([x]) => x !== null && x !== undefined && !Number.isNaN(x));
    return all.sort((a, b) => a[0] - b[0])[0] ?? [null, ''];
  };
  const title = (id) => caseOf(id).title;
  return { rowsOf, find, share, best, allowed, faster, worst, title };
}
