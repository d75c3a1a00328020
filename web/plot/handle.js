/** Something in a figure that a hand or the arrow keys can move along a line. */
import { setAttributes, svg } from './dom.js';
import { draggable } from './drag.js';

/**
 * @param {object} options
 * @param {string} options.label
 * @param {string} [options.name] of its class
 * @param {number} options.min @param {number} options.max
 * @param {number} options.step of an arrow key; Shift makes ten of it, and a Page key does too
 * @param {(x: number, y: number) => number} options.under the value under a pointer
 * @param {(value: number) => void} options.move
 * @param {...Element} children drawn around the origin
 */
export function handle({ label, name = '', min, max, step, under, move }, ...children) {
  const group = svg(
    'g',
    {
      class: `handle ${name}`,
      tabindex: 0,
      role: 'slider',
      'aria-label': label,
      'aria-valuemin': min,
      'aria-valuemax': max,
    },
    svg('circle', { r: 14, class: 'target' }),
    ...children,
  );
  const inside = (/** @type {number} */ value) => Math.min(max, Math.max(min, value));
  let now = min;
  group.addEventListener('keydown', (event) => {
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    const pages = { PageUp: 10, PageDown: -10 }[event.key];
    const end = { Home: min, End: max }[event.key];
    if (steps === undefined && pages === undefined && end === undefined) return;
    event.preventDefault();
    const by = (pages ?? (steps ?? 0) * (event.shiftKey ? 10 : 1)) * step;
    move(inside(end ?? Math.round((now + by) / step) * step));
  });
  draggable(group, (x, y) => move(inside(under(x, y))));
  return {
    element: group,
    /** @param {number} x @param {number} y @param {number} value @param {string} [words] */
    place(x, y, value, words = String(value)) {
      now = value;
      setAttributes(group, {
        transform: `translate(${x},${y})`,
        'aria-valuenow': value,
        'aria-valuetext': words,
      });
    },
  };
}
