/** Reads the screen back: are the pixels and captions those of the weights they stand for? */
import { isDark, table } from '../../plot/colour.js';

/** @typedef {import('../../plot/heatmap.js').Heatmap} Heatmap */
/** @typedef {import('../../plot/colour-scale.js').ColourScale} ColourScale */
/**
 * @typedef {object} Pictures
 * @property {readonly { map: Heatmap, caption: HTMLElement }[]} heads
 * @property {ColourScale} scale
 * @property {number} T
 */

/** Of a mean over rows in float32, relative to log n or to 1. */
const ALLOWED = 2 ** -17;

/**
 * The step of the scale, from 0 to 255, that a weight belongs to.
 * @param {number} weight
 * @param {number} count keys its row may read
 * @param {{ value: (weight: number, count: number) => number, t: (value: number) => number }} scale
 */
export function colourOfWeight(weight, count, scale) {
  const place = scale.t(scale.value(weight, count));
  return Math.round(255 * Math.min(1, Math.max(0, place)));
}

/**
 * How far a painted colour is from a step of its ramp, in steps. The nearest steps are tried first.
 * @param {ArrayLike<number>} pixel r, g, b @param {Uint8ClampedArray} colours @param {number} step
 */
function stepsOff(pixel, colours, step) {
  const is = (/** @type {number} */ at) =>
    [0, 1, 2].every((c) => Math.abs(colours[3 * at + c] - pixel[c]) <= 1);
  let off = 0;
  while (off < 256 && !is(step - off) && !is(step + off)) off++;
  return off;
}

/**
 * @param {Pictures} pictures
 * @param {Pick<ReturnType<typeof import('./rows.js').fresh>, 'means' | 'column' | 'lengths'>} truth
 */
export function lookAt({ heads, scale, T }, { means, column, lengths }) {
  const colours = table(scale.ramp, isDark());
  const found = { steps: 0, pixels: 0, captions: 0, numbers: 0 };
  heads.forEach(({ map, caption }, h) => {
    const { data } = map;
    if (!data) return;
    const { rows } = data;
    for (const name of /** @type {const} */ (['rho', 'entropy'])) {
      const told = Number(caption.dataset[name]);
      const mean = name === 'rho' ? means[h].kl : means[h].entropy;
      if (Number.isNaN(mean) && Number.isNaN(told)) continue;
      found.numbers++;
      const allowed = ALLOWED * (1 + (T > 0 ? 1 / T : 0)) * (1 + Math.log(rows));
      const off = Math.abs(told - mean) / allowed;
      found.captions = Number.isNaN(off) ? Infinity : Math.max(found.captions, off);
    }
    const context = map.canvas.getContext('2d');
    if (map.pool > 1 || !context) return;
    const pixels = context.getImageData(0, 0, 1, rows).data;
    for (let i = 0; i < rows; i++) {
      const weight = column[h * rows + i] * (scale.kind === 'value' ? lengths[h * rows] : 1);
      // masked cells are left out of the picture, and NaN has a colour of its own
      if (data.masked(i, 0) || !Number.isFinite(weight)) continue;
      found.pixels++;
      const step = colourOfWeight(weight, data.counts[i], scale);
      const pixel = pixels.subarray(4 * i, 4 * i + 4);
      found.steps = Math.max(found.steps, stepsOff(pixel, colours, step));
    }
  });
  return found;
}
