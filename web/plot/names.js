/**
 * Places for names beside dots. Of twelve directions, a name takes the one where it covers the
 * smallest part of dots and lines. Each part outside of the picture, or on another name, counts 20
 * times.
 */

/** @typedef {{ x: number, y: number, r: number }} Dot */
/** @typedef {Dot & { text: string, wide?: number }} Named wide: the measured width of its text */
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
/** Between a dot and its name. */
export const GAP = 5;
/** Between two names. */
const APART = 2;
/** A name goes to the nearest free direction, and one that has none covers little. */
const DIRECTIONS = Array.from({ length: 12 }, (_, i) => ((i % 2 ? -1 : 1) * Math.ceil(i / 2)) / 6);
const WORST = 20;
/** A name goes a pixel farther from its dot, or covers that many more square pixels. */
const FARTHER = 8;
/** A line is that many boxes. */
const PIECES = 12;

/**
 * A box for each name: in the direction away from the middle, or else nearby.
 * @param {readonly Named[]} named the first ones choose first
 * @param {object} picture
 * @param {number} picture.width @param {number} picture.height
 * @param {readonly Line[]} [picture.lines] @param {readonly Dot[]} [picture.marks] without names
 * @param {{ x: number, y: number }} [picture.middle] that of all dots, if it is left out
 * @param {readonly number[]} [picture.gaps] that a name may leave to its dot, the best one first
 * @returns {Box[]}
 */
export function placeNames(
  named,
  { width, height, lines = [], marks = [], gaps = [GAP], ...more },
) {
  const dots = [...named, ...marks].map(({ x, y, r }) => boxAround(x, y, 2 * r, 2 * r));
  const fixed = [...dots, ...lines.flatMap(piecesOf)];
  const middle = more.middle ?? {
    x: average(named.map(({ x }) => x)),
    y: average(named.map(({ y }) => y)),
  };
  const frame = { left: 0, right: width, top: 0, bottom: height };
  /** @type {Box[]} */
  const placed = [];
  const costOf = (/** @type {Box} */ box) => {
    const sum = (/** @type {readonly Box[]} */ others) =>
      others.reduce((total, other) => total + overlap(box, other), 0);
    const area = (box.right - box.left) * (box.bottom - box.top);
    return sum(fixed) + WORST * (sum(placed.map(grown)) + area - overlap(box, frame));
  };
  for (const dot of named) {
    const outward = Math.atan2(dot.y - middle.y, dot.x - middle.x);
    const choices = gaps.flatMap((gap) =>
      DIRECTIONS.map((half) => {
        const box = beside(dot, outward + Math.PI * half, gap);
        return { box, cost: costOf(box) + FARTHER * (gap - gaps[0]) };
      }),
    );
    placed.push(choices.reduce((best, next) => (next.cost < best.cost ? next : best)).box);
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

/**
 * The box of a name in a direction from its dot.
 * @param {Named} dot @param {number} angle @param {number} gap
 */
function beside({ x, y, r, text, wide }, angle, gap) {
  const width = wide || LETTER * text.length;
  const [across, down] = [Math.cos(angle), Math.sin(angle)];
  return boxAround(
    x + across * (r + gap + width / 2),
    y + down * (r + gap + LINE / 2),
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

/** @param {Box} box @returns {Box} */
const grown = ({ left, right, top, bottom }) => ({
  left: left - APART,
  right: right + APART,
  top: top - APART,
  bottom: bottom + APART,
});

/** The area that two boxes share. @param {Box} a @param {Box} b */
const overlap = (a, b) =>
  Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) *
  Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));

/** @param {readonly number[]} numbers */
const average = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
