/**
 * Places for names beside dots. Of twelve directions, a name takes the one where it covers the
 * smallest part of other names, dots and lines. Each part outside of the picture counts 20 times.
 */

/** @typedef {{ x: number, y: number, r: number }} Dot */
/**
 * @typedef {object} Line
 * @property {{ x: number, y: number }} from @property {{ x: number, y: number }} to
 * @property {number} thick
 */
/** @typedef {{ left: number, right: number, top: number, bottom: number }} Box */

/** The usual width of a bold letter of 13 pixels. */
export const LETTER = 7.6;
/** The height of a line of such letters. */
const LINE = 17;
const GAP = 5;
/** A name goes to the nearest free direction, and one that has none covers little. */
const DIRECTIONS = Array.from({ length: 12 }, (_, i) => ((i % 2 ? -1 : 1) * Math.ceil(i / 2)) / 6);
const OUTSIDE = 20;
/** A line is that many boxes. */
const PIECES = 12;

/**
 * A box for each name: in the direction away from the middle of all dots, or else nearby.
 * @param {readonly (Dot & { text: string })[]} named the first ones choose first
 * @param {{ width: number, height: number, lines?: readonly Line[] }} picture
 * @returns {Box[]}
 */
export function placeNames(named, { width, height, lines = [] }) {
  const dots = named.map(({ x, y, r }) => boxAround(x, y, 2 * r, 2 * r));
  const fixed = [...dots, ...lines.flatMap(piecesOf)];
  const middle = { x: average(named.map(({ x }) => x)), y: average(named.map(({ y }) => y)) };
  /** @type {Box[]} */
  const placed = [];
  for (const dot of named) {
    const outward = Math.atan2(dot.y - middle.y, dot.x - middle.x);
    const boxes = DIRECTIONS.map((half) => beside(dot, outward + Math.PI * half));
    const costs = boxes.map((box) => {
      const covered = [...fixed, ...placed].reduce((sum, other) => sum + overlap(box, other), 0);
      const area = (box.right - box.left) * (box.bottom - box.top);
      const inside = overlap(box, { left: 0, right: width, top: 0, bottom: height });
      return covered + OUTSIDE * (area - inside);
    });
    placed.push(boxes[costs.indexOf(Math.min(...costs))]);
  }
  return placed;
}

/** Boxes along a line. @param {Line} line */
const piecesOf = ({ from, to, thick }) =>
  Array.from({ length: PIECES }, (_, i) => {
    const part = (i + 0.5) / PIECES;
    const [x, y] = [from.x + part * (to.x - from.x), from.y + part * (to.y - from.y)];
    return boxAround(x, y, thick, thick);
  });

/** The box of a name in a direction from its dot. @param {Dot & { text: string }} dot */
function beside({ x, y, r, text }, /** @type {number} */ angle) {
  const width = LETTER * text.length;
  const [across, down] = [Math.cos(angle), Math.sin(angle)];
  return boxAround(
    x + across * (r + GAP + width / 2),
    y + down * (r + GAP + LINE / 2),
    width,
    LINE,
  );
}

/**
 * @param {number} x @param {number} y @param {number} width @param {number} height
 * @returns {Box}
 */
const boxAround = (x, y, width, height) => ({
  left: x - width / 2,
  right: x + width / 2,
  top: y - height / 2,
  bottom: y + height / 2,
});

/** The area that two boxes share. @param {Box} a @param {Box} b */
const overlap = (a, b) =>
  Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) *
  Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));

/** @param {readonly number[]} numbers */
const average = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
