/** The names of the keys at the circle: none on another one, however near their keys are. */
import { svg } from '../../plot/dom.js';
import { GAP, placeNames } from '../../plot/names.js';

/** @typedef {{ x: number, y: number, r: number, share: number, text: string }} KeyDot */
/** @typedef {{ x: number, y: number, r: number }} Mark */

/** A name without a free place beside its key goes farther, a line of text at a time. */
const GAPS = [GAP, ...[1, 2, 3, 4, 5].map((lines) => GAP + 17 * lines)];

/**
 * A box for each name, in pixels of the screen.
 * @param {readonly (KeyDot & { wide?: number })[]} dots wide: the width of the name
 * @param {Mark} query @param {number} side of the picture
 */
export function placeKeyNames(dots, query, side) {
  // the larger shares choose first
  const order = [...dots.keys()].sort((a, b) => dots[b].share - dots[a].share);
  const placed = placeNames(
    order.map((j) => dots[j]),
    {
      width: side,
      height: side,
      middle: { x: side / 2, y: side / 2 },
      marks: [query],
      lines: dots.map((dot) => ({ from: query, to: dot, thick: 12 * dot.share })),
      gaps: GAPS,
    },
  );
  return dots.map((_, j) => placed[order.indexOf(j)]);
}

/**
 * The name of each key, and a line to a name that lies farther from its key than the others.
 * @param {readonly KeyDot[]} dots @param {Mark} query
 * @param {{ texts: readonly SVGElement[], side: number, zoom: number }} picture texts that have the
 *   names; dots and the side in units of the picture, of which zoom make a pixel
 * @returns {SVGElement[]} the lines, one for each key
 */
export function nameKeys(dots, query, { texts, side, zoom }) {
  const pixels = (/** @type {Mark} */ { x, y, r }) => ({ x: x / zoom, y: y / zoom, r: r / zoom });
  const named = dots.map((dot, j) => {
    const text = /** @type {SVGTextElement} */ (texts[j]);
    return { ...dot, ...pixels(dot), wide: text.getComputedTextLength() / zoom };
  });
  return placeKeyNames(named, pixels(query), side / zoom).map((box, j) => {
    const { x, y, r } = named[j];
    texts[j].setAttribute('x', String((zoom * (box.left + box.right)) / 2));
    texts[j].setAttribute('y', String(zoom * (box.bottom - 4)));
    const near = {
      x: Math.min(box.right, Math.max(box.left, x)),
      y: Math.min(box.bottom, Math.max(box.top, y)),
    };
    const far = Math.hypot(near.x - x, near.y - y) > r + 2 * GAP;
    const ends = { x1: zoom * x, y1: zoom * y, x2: zoom * near.x, y2: zoom * near.y };
    return svg('line', { ...ends, class: 'name-line', display: far ? 'inline' : 'none' });
  });
}
