/** Starts the workers, and knows the model's address. The build of the site replaces this file. */

/** @param {string} path @param {string} name */
const start = (path, name) => new Worker(new URL(path, import.meta.url), { type: 'module', name });

export const startLab = () => start('lab-worker.js', 'lab');
export const startModel = () => start('../../src/js/worker/host.js', 'model');
export const startTrainer = () => start('../../src/js/train/worker/train-host.js', 'trainer');
export const ownModel = () => new URL('../model/stories-Q8_0.gguf', import.meta.url);
