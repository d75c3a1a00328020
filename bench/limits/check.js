/**
 * Whether the limits are limits: no contender of a round may be faster than the limit that ran
 * beside it. If one is, the forms of that limit are too slow, and every share of it is too high.
 */
import { caseOf } from '../cases.js';
import { APART, DOTS, FUSED, READ, onThreads } from './names.js';

/**
 * @typedef {{ where: string, round: number, name: string, engine: string, limit: string,
 *   share: number }} Passed share: above 1, the time that the limit needs by that of the contender
 */

/**
 * Limits of multiplication that no correct measurement exceeds. The fastest of them counts. A build
 * whose products are apart cannot fuse. Nobody knows how a peer multiplies.
 */
function multiplications({ name, role, integers }) {
  if (role === 'peer') return [FUSED, APART];
  if (integers) return [...DOTS, FUSED, APART];
  return / simd\b/.test(name) ? [APART] : [FUSED];
}

/**
 * A row must multiply and read, so the limit that needs longer counts.
 * @param {any} row
 * @param {number} round
 * @returns {{ limit: string, share: number }[]} that limit, or none if no limit ran beside it
 */
function closest(row, round) {
  const shares = (/** @type {string[]} */ limits) =>
    limits
      .filter((limit) => row.limits[limit]?.[round] !== undefined)
      .map((limit) => ({ limit, share: row.limits[limit][round] }))
      .sort((a, b) => a.share - b.share);
  const [multiply] = shares(multiplications(row).map((limit) => onThreads(limit, row.threads)));
  const candidates = multiply ? [multiply, ...shares([READ])] : [];
  return candidates.sort((a, b) => b.share - a.share).slice(0, 1);
}

/**
 * @param {any} results of a run
 * @returns {Passed[]} empty if the limits are limits
 */
export function passedLimits({ cases, threads = {} }) {
  const passed = [];
  for (const [id, rows] of [...Object.entries(cases), ...Object.entries(threads)])
    for (const row of rows.filter(({ role, why }) => role !== 'limit' && !why))
      row.seconds.forEach((_, at) => {
        const { name, engine } = row;
        for (const { limit, share } of closest(row, at))
          if (share > 1)
            passed.push({ where: caseOf(id).title, round: at + 1, name, engine, limit, share });
      });
  return passed;
}

/** A line for each. @param {Passed[]} passed */
export const complaints = (passed) =>
  passed.map(
    ({ where, round, name, engine, limit, share }) =>
      `${where}, round ${round}: the limit “${limit}” is too low, ` +
      `for ${name} (${engine}) reached ${share.toFixed(3)} of it`,
  );
