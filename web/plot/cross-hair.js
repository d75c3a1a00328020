/** The cross-hair of a map: the row and the column of a cell, and the cell itself. */
import { svg } from './dom.js';

/**
 * @param {{ i: number, j: number }} cell @param {{ rows: number, cols: number }} map
 * @param {number} side of a cell, in CSS pixels @param {boolean} locked
 */
export function crossHair({ i, j }, { rows, cols }, side, locked) {
  const [W, H] = [side * cols, side * rows];
  // Around the row and the column, or through them where they are thin.
  const outline = `M0,${i * side}h${W}m0,${side}h${-W}M${j * side},0v${H}m${side},0v${-H}`;
  const through = `M0,${(i + 0.5) * side}h${W}M${(j + 0.5) * side},0v${H}`;
  const d = side < 4 ? through : outline;
  const box = { x: j * side - 1, y: i * side - 1, width: side + 2, height: side + 2 };
  return svg(
    'g',
    { class: `map-cross${locked ? ' locked' : ''}` },
    side >= 6 && svg('path', { d, class: 'halo' }),
    svg('path', { d, class: 'line' }),
    svg('rect', { ...box, class: 'cell-halo' }),
    svg('rect', { ...box, class: 'cell' }),
  );
}
