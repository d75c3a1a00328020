/** Targets of speed with two threads. */
import { FUSED, onThreads } from '../limits/names.js';
import { sharesOf } from '../measure.js';
import { median } from '../spread.js';
import { leadOf } from './lead.js';
import { NOISE } from './verdicts.js';

/**
 * @param {any} results
 * @param {ReturnType<import('./measured.js').figures>} measured
 * @param {ReturnType<import('./verdicts.js').verdicts>} verdicts
 */
export function threadTargets(results, { find, faster, worst, title }, { line, atLeast }) {
  for (const n of [512, 1024, 2048]) {
    const id = `prefill-12-12-${n}-64`;
    const limits = find(id, 'clearhead relaxed, 2 threads')?.limits;
    const loops = limits?.[onThreads(FUSED, 2)]?.map((share, turn) => limits[FUSED][turn] / share);
    // A second thread makes the limit's loop less than 2 times as fast where neighbours have the
    // other core. The gain is measured in the same turns.
    const gained = loops && median(loops);
    const enough = loops ? Math.min(1.9, 0.95 * gained) : 1.9;
    const show = (x) =>
      `${x.toFixed(2)} (the limit itself ${gained?.toFixed(2) ?? 'not measured'})`;
    line(
      '2 threads against 1',
      title(id),
      '≥ 1.9, or 0.95 of the gain of the limit',
      faster(id, 'clearhead relaxed, 2 threads', 'clearhead relaxed'),
      (x) => x >= enough,
      show,
    );
  }
  {
    const id = 'prefill-12-12-512-64';
    const rows = results.threads?.[id] ?? [];
    const shares = rows
      .filter(
        (row) => row.threads === 2 && row.seconds && /^clearhead (relaxed|simd)$/.test(row.name),
      )
      .map((row) => median(sharesOf(row, FUSED)));
    atLeast(
      '2 threads, of the fused limit of both',
      title(id),
      0.76,
      shares.length ? Math.max(...shares) : null,
      ' (102 of 134 GFLOP/s)',
    );
    atLeast(
      '2 threads, against the best peer with two',
      title(id),
      1,
      leadOf(rows),
      ' times as fast',
    );
  }
  const [lost, where] = worst((c) =>
    faster(c.id, 'clearhead relaxed, 2 threads', 'clearhead relaxed'),
  );
  atLeast('2 threads are not slower', `worst: ${where || 'of all'}`, NOISE, lost);
}
