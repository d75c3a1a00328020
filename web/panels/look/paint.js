/** Paints the map of one head on a canvas. A pixel shows one weight, or a few in a long story. */
import { isDark, table } from '../../plot/colour.js';
import { extent, pixelOf, place, pooledLine } from './shade.js';

/** @typedef {import('./story.js').Story} Story */
/** @typedef {import('./story.js').Head} Head */

/**
 * How large the maps of a story are on a canvas of some width.
 * @param {Story} story @param {HTMLCanvasElement} canvas
 * @returns {{ side: number, pixels: number }} along the side: tokens, and pixels of the canvas
 */
export function sizeOf(story, canvas) {
  const side = extent(Math.max(story.tokens.length, 16));
  const width = (canvas.clientWidth || 64) * (devicePixelRatio || 1);
  return { side, pixels: Math.min(side, Math.max(16, Math.round(width))) };
}

/**
 * Paints the rows from one token on.
 * @param {HTMLCanvasElement} canvas
 * @param {Story} story @param {Head} head
 * @param {{ side: number, pixels: number }} size
 * @param {number} from
 */
export function paintRows(canvas, story, head, { side, pixels }, from) {
  const context = canvas.getContext('2d');
  if (!context || from >= story.rows) return;
  const top = pixelOf(from, pixels, side);
  const bottom = pixelOf(story.rows - 1, pixels, side);
  const colours = table('weights', isDark());
  const image = context.createImageData(pixels, bottom - top + 1);
  const line = new Float32Array(pixels);
  for (let y = top; y <= bottom; y++) {
    pooledLine(story, head, y, pixels, side, line);
    for (let x = 0; x < pixels; x++) {
      if (line[x] < 0) continue;
      const c = 3 * Math.round(255 * place(line[x]));
      const at = 4 * ((y - top) * pixels + x);
      image.data.set([colours[c], colours[c + 1], colours[c + 2], 255], at);
    }
  }
  context.putImageData(image, 0, top);
}
