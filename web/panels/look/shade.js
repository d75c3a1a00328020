/** Weights as shades, and maps of weights in few pixels. It computes numbers and paints nothing. */

/** @typedef {import('./writing/story.js').Story} Story */
/** @typedef {import('./writing/story.js').Head} Head */

/** Shades of the first frame, which has no canvas; 0 is the paper. */
export const SHADES = 6;

/** A box for each shade, side by side in a picture of this size. */
export const SCALE = {
  width: 15 * SHADES + 14,
  height: 12,
  boxes: Array.from({ length: SHADES + 1 }, (_, level) => {
    return { x: 15 * level + 0.5, y: 0.5, width: 13, height: 11 };
  }),
};

/** A weight's place on the ramp. Small weights are many, so the scale is a square root. */
export const place = (/** @type {number} */ weight) => Math.sqrt(Math.min(1, Math.max(0, weight)));

/** @param {number} weight @returns {number} 0 … SHADES */
export const shade = (weight) => Math.round(SHADES * place(weight));

const EXTENTS = [16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512];

/** Tokens along the side of a map: it grows in few steps, and pictures stay put between them. */
export const extent = (/** @type {number} */ tokens) =>
  EXTENTS.find((size) => size >= tokens) ?? tokens;

/**
 * One line of pixels of a map. A pixel that stands for several weights shows the largest: a mean
 * would hide a thin line. Pixels above the diagonal, and of rows that are not known, are −1.
 * @param {Story} story @param {Head} head
 * @param {number} y @param {number} pixels along the side
 * @param {number} side tokens along the side
 * @param {Float32Array} line (pixels)
 */
export function pooledLine(story, head, y, pixels, side, line) {
  line.fill(-1);
  const [top, bottom] = tokensOf(y, pixels, side);
  for (let i = top; i < Math.min(bottom, story.rows); i++) {
    const row = story.row(head, i);
    for (let j = 0; j <= i; j++) {
      const x = Math.floor((j * pixels) / side);
      if (!(row[j] <= line[x])) line[x] = row[j];
    }
  }
}

/** The first token of a pixel, and the first of the next one. */
const tokensOf = (
  /** @type {number} */ y,
  /** @type {number} */ pixels,
  /** @type {number} */ side,
) => [Math.ceil((y * side) / pixels), Math.ceil(((y + 1) * side) / pixels)];

/** The pixel of a token. */
export const pixelOf = (
  /** @type {number} */ i,
  /** @type {number} */ pixels,
  /** @type {number} */ side,
) => Math.floor((i * pixels) / side);

/**
 * The map as horizontal strokes of width 1, for SVG: one path for each shade. Steps are relative,
 * which is shorter.
 * @param {Story} story @param {Head} head
 * @returns {string[]} SHADES + 1 of them; that of the paper is empty
 */
export function mapPaths(story, head) {
  const paths = Array.from({ length: SHADES + 1 }, () => ({ d: '', x: 0, y: 0 }));
  for (let i = 0; i < story.rows; i++) {
    const row = story.row(head, i);
    for (let j = 0; j <= i;) {
      const level = shade(row[j]);
      let end = j + 1;
      while (end <= i && shade(row[end]) === level) end++;
      const path = paths[level];
      if (level) {
        const down = i - path.y;
        path.d += path.d ? `m${j - path.x}${down < 0 ? '' : ' '}${down}` : `M${j} ${i}.5`;
        path.d += `h${end - j}`;
        Object.assign(path, { x: end, y: i });
      }
      j = end;
    }
  }
  return paths.map(({ d }) => d);
}
