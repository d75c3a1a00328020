/** The lines that say of each target whether it was reached. */

/** Two medians closer than that are the same on a machine others use too. */
export const NOISE = 0.97;

/**
 * @typedef {{ target: string, where: string, wanted: string, measured: string, met: boolean | null
 *   }} Line met is null if it was not measured
 */

/** Collects lines. */
export function verdicts() {
  /** @type {Line[]} */
  const lines = [];
  const line = (target, where, wanted, value, met, show = (x) => x.toFixed(2)) => {
    const none = value === null || value === undefined || Number.isNaN(value);
    lines.push({
      target,
      where,
      wanted,
      measured: none ? 'not measured in this run' : show(value),
      met: none ? null : met(value),
    });
  };
  const atLeast = (target, where, wanted, value, note = '', show) =>
    line(target, where, `≥ ${wanted}${note}`, value, (x) => x >= wanted, show);
  const atMost = (target, where, wanted, value, unit, show) =>
    line(target, where, `≤ ${wanted}${unit}`, value, (x) => x <= wanted, show);
  return { lines, line, atLeast, atMost };
}
