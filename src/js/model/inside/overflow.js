/** Interventions whose numbers are each finite, but make the stream exceed float32. */
import { refuse } from '../../errors.js';

/** @typedef {import('./entries.js').Entry} Entry */

/** @param {Float32Array} numbers */
const largest = (numbers) => numbers.reduce((max, x) => Math.max(max, Math.abs(x)), 0);

/** The largest number that an entry multiplies by, adds or puts in place. @param {Entry} entry */
function sizeOf(entry) {
  if (entry.kind === 'gain') return Math.abs(entry.gain);
  if (entry.kind === 'add') return Math.abs(entry.gain) * largest(entry.vector);
  return entry.kind === 'replace' ? largest(entry.data) : 0;
}

/**
 * Refuses logits that are not finite, and names the entry with the largest number. Entries with
 * numbers up to 1 are not the reason.
 * @param {Float32Array} logits
 * @param {readonly Entry[]} entries
 */
export function checkLogits(logits, entries) {
  let finite = 0;
  while (finite < logits.length && logits[finite] - logits[finite] === 0) finite++;
  if (finite === logits.length) return;
  const sizes = entries.map(sizeOf);
  const size = Math.max(...sizes);
  if (size > 1)
    refuse(
      'RANGE',
      `interventions[${sizes.indexOf(size)}]`,
      `of numbers up to ${size.toPrecision(3)}, and logits overflow`,
      'numbers that leave all logits finite',
    );
}
