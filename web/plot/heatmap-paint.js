/** The cells of a map of weights, one pixel each. */
import { isDark, NAN_COLOUR, table } from './colour.js';

const NAN_BYTES = [1, 3, 5].map((at) => parseInt(NAN_COLOUR.slice(at, at + 2), 16));

/**
 * Paints a map, each pixel for pool × pool cells.
 * @param {CanvasRenderingContext2D} context
 * @param {import('./heatmap.js').MapData} data
 * @param {number} pool
 * @param {number} w
 * @param {number} h
 * @returns {number[][]} the pixels that are NaN
 */
export function paintCells(context, data, pool, w, h) {
  const { rows, cols, weights, counts, masked, scale } = data;
  const colours = table(scale.ramp, isDark());
  const image = context.createImageData(w, h);
  const { data: bytes } = image;
  const nans = [];
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) {
      // Of a pooled block the largest weight is shown: a mean would hide a lone bright cell.
      let bestI = -1;
      let best = -1;
      for (let i = y * pool; i < Math.min(rows, (y + 1) * pool); i++) {
        for (let j = x * pool; j < Math.min(cols, (x + 1) * pool); j++) {
          if (masked(i, j)) continue;
          const p = Math.abs(weights[i * cols + j]);
          if (bestI < 0 || p > best || Number.isNaN(p)) {
            bestI = i;
            best = p;
          }
        }
      }
      if (bestI < 0) continue;
      const t = scale.t(scale.value(best, counts[bestI]));
      const at = 4 * (y * w + x);
      const finite = Number.isFinite(best);
      const c = 3 * Math.round(255 * Math.min(1, Math.max(0, t)));
      for (let part = 0; part < 3; part++)
        bytes[at + part] = finite ? colours[c + part] : NAN_BYTES[part];
      bytes[at + 3] = 255;
      if (!finite) nans.push([x, y]);
    }
  }
  context.putImageData(image, 0, 0);
  return nans;
}
