/** Paints the map of one head on a canvas. A pixel shows one weight, or a few in a long story. */
import { isDark, pixelTable } from '../../plot/colour.js';
import { extent, pixelOf, place, pooledLine } from './shade.js';

/** @typedef {import('./writing/story.js').Story} Story */
/** @typedef {import('./writing/story.js').Head} Head */

/**
 * How large the maps of a story are.
 * @param {Story} story @param {number} width of a map on the page
 * @returns {{ side: number, pixels: number, dots: number }} along the side: tokens, pixels, and
 *   the largest number of pixels
 */
export function sizeOf(story, width) {
  const side = extent(Math.max(story.tokens.length, 16));
  const dots = Math.max(16, Math.round((width || 64) * (devicePixelRatio || 1)));
  return { side, pixels: Math.min(side, dots), dots };
}

// the page reads its pixels back, to check them
const contextOf = (/** @type {HTMLCanvasElement} */ canvas) =>
  canvas.getContext('2d', { willReadFrequently: true });

/**
 * Makes a canvas empty. It keeps its pixels, as the browser needs long for others.
 * @param {HTMLCanvasElement} canvas @param {number} dots along its side
 */
export function empty(canvas, dots) {
  const same = canvas.width === dots && canvas.height === dots;
  if (same) contextOf(canvas)?.clearRect(0, 0, dots, dots);
  else Object.assign(canvas, { width: dots, height: dots });
}

/**
 * Paints the rows from one token on.
 * @param {HTMLCanvasElement} canvas
 * @param {Story} story @param {Head} head
 * @param {{ side: number, pixels: number }} size the pixels are those at the upper left
 * @param {number} from
 */
export function paintRows(canvas, story, head, { side, pixels }, from) {
  const context = contextOf(canvas);
  if (!context || from >= story.rows) return;
  const top = pixelOf(from, pixels, side);
  const bottom = pixelOf(story.rows - 1, pixels, side);
  const colours = pixelTable('weights', isDark());
  const image = context.createImageData(pixels, bottom - top + 1);
  const dots = new Uint32Array(image.data.buffer);
  const line = new Float32Array(pixels);
  for (let y = top; y <= bottom; y++) {
    pooledLine(story, head, y, pixels, side, line);
    const at = (y - top) * pixels;
    for (let x = 0; x < pixels && !(line[x] < 0); x++)
      dots[at + x] = colours[Math.round(255 * place(line[x]))];
  }
  context.putImageData(image, 0, top);
}
