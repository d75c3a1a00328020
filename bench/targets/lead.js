/** Ours beside its peers. */
import { timesFaster } from '../measure.js';

/**
 * How many times as fast as the fastest peer we are, each peer compared with us in its own engine
 * and with its own threads.
 */
export function leadOf(rows) {
  const leads = rows
    .filter((row) => row.role === 'peer' && row.seconds)
    .map((peer) => {
      const ours = rows.filter(
        (row) =>
          row.role === 'ours' &&
          row.engine === peer.engine &&
          row.seconds &&
          /^clearhead (relaxed|simd)$/.test(row.name),
      );
      return Math.max(...ours.map((row) => timesFaster(row, peer)?.median ?? -Infinity));
    })
    .filter(Number.isFinite);
  return leads.length ? Math.min(...leads) : null;
}
