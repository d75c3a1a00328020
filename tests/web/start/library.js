/**
 * For functions in a page: the library, and parts of panels that are compared with it. They import
 * it as web/bundled/library.js.
 */
export { init } from '../../../src/js/index.js';
export { loadModel } from '../../../src/js/model/index.js';
export { Pass } from '../../../src/js/model/run/pass.js';
export { shuffle } from '../../../web/panels/lab/shuffle.js';
export { PROMPT } from '../../../web/panels/look/state.js';
export { mostTelling, Story } from '../../../web/panels/look/writing/story.js';
