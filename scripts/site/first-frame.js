/** Lets the model write the first story while the site is built, and puts it into the page. */
import { brotliCompressSync } from 'node:zlib';
import { init } from '../../src/js/index.js';
import { loadModel } from '../../src/js/model/index.js';
import { tellFirst } from '../../web/panels/look/first.js';
import { firstFrame } from '../../web/panels/look/frame.js';
import { PROMPT } from '../../web/panels/look/state.js';

/** Sizes to try, of the prompt and the story behind it. A map grows with the square of its size. */
const TOKENS = [64, 56, 48, 40, 32, 24];
/** Bytes of a frame at most, compressed. */
const LARGEST = 10000;
const EMPTY = '<div id="look-panel" class="panel"></div>';

/** @param {string} page @param {Uint8Array} file the model */
export async function withFirstFrame(page, file) {
  if (page.split(EMPTY).length !== 2) throw new Error(`index.html must have ${EMPTY} once`);
  const engine = await init({ layers: true, variant: 'simd' });
  const model = await loadModel(file, { engine });
  let frame = '';
  for (const tokens of TOKENS) {
    const { story, head, i } = tellFirst(model, { prompt: PROMPT, tokens });
    frame = firstFrame(story, head, i);
    if (brotliCompressSync(frame).length <= LARGEST) break;
  }
  model.dispose();
  return page.replace(EMPTY, () => `<div id="look-panel" class="panel look">${frame}</div>`);
}
