/** A bar in two parts for every query of the large map. */
import { svg } from '../../plot/dom.js';
import { short } from '../../plot/format.js';
import { linear } from '../../plot/scale.js';

/** @typedef {import('./pinned.js').Row} Row */
/** @typedef {{ left: number, top: number, width: number, height: number, side: number }} Place */

/**
 * ρ + H = log n. Where the cells are weights times lengths of values, the length of the output and
 * the rest of their sum.
 * @param {readonly Row[]} rows
 * @param {{ products: boolean, at: Place, current: number }} how side: of a cell
 */
export function budgetBars(rows, { products, at, current }) {
  const { left, top, width, height, side } = at;
  const { parts, largest, names } = products ? sumsOf(rows, width) : commitmentsOf(rows, width);
  const x = linear([0, largest || 1], [left, left + width]);
  let spent = '';
  let open = '';
  parts.forEach(([part, whole], i) => {
    if (!Number.isFinite(part)) return;
    const y = top + i * side;
    const h = Math.max(0.5, side - Math.min(2, side * 0.25));
    const cut = x.at(Math.max(0, part));
    spent += `M${left},${y}H${cut}v${h}H${left}Z`;
    open += `M${cut},${y}H${x.at(whole)}v${h}H${cut}Z`;
  });
  const here = top + (current + 0.5) * side - 4;
  const group = svg(
    'g',
    {},
    svg('path', { d: open, class: 'bar-open' }),
    svg('path', { d: spent, class: 'bar-spent' }),
    svg('path', { d: `M${left - 8},${here}l6,4l-6,4Z`, class: 'here' }),
    ...Object.entries(names).map(([depth, name]) =>
      svg('text', { x: left, y: top - 26, class: 'axis-name', 'data-depth': depth }, name),
    ),
    svg('text', { x: left, y: top - 7, 'data-depth': 'understand' }, '0'),
    svg('line', { x1: left, x2: left, y1: top, y2: top + height, class: 'axis' }),
  );
  if (largest > 0)
    group.append(
      svg(
        'text',
        { x: left + width, y: top - 7, 'text-anchor': 'end', 'data-depth': 'understand' },
        short(largest),
      ),
    );
  return group;
}

/** @typedef {{ parts: number[][], largest: number, names: Record<string, string> }} Budgets */

/** @param {readonly Row[]} rows @param {number} width @returns {Budgets} */
function commitmentsOf(rows, width) {
  const longest = Math.max(...rows.map((row) => row.n));
  return {
    parts: rows.map(({ kl, n }) => [kl, Math.log(Math.max(1, n))]),
    largest: Math.log(Math.max(1, longest)),
    names: {
      understand: longest < 2 ? 'log 1 = 0' : width < 60 ? 'ρ + H' : 'ρ + H = log n',
      look: longest < 2 ? 'no choice' : width < 60 ? 'narrow' : 'how narrow',
    },
  };
}

/** @param {readonly Row[]} rows @param {number} width @returns {Budgets} */
const sumsOf = (rows, width) => ({
  parts: rows.map(({ output, sum }) => [output, sum]),
  largest: Math.max(0, ...rows.map(({ sum }) => sum).filter(Number.isFinite)),
  names: { understand: width < 60 ? 'Σ p‖v‖' : '‖o‖ ≤ Σ p‖v‖', look: 'row sums' },
});
