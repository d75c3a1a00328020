/** Runs the code that the page shows, in Node with the library. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Store } from '../../../web/page/state.js';
import { letters } from './letters.js';

const source = new URL('../../../src/js/', import.meta.url);
const PACKAGE = {
  clearhead: new URL('index.js', source),
  'clearhead/model': new URL('model/index.js', source),
  'clearhead/train': new URL('train/index.js', source),
  './recipe.js': new URL('../../../training/induction/recipe.js', import.meta.url),
};

/** Runs code as a module beside the model's file, and returns all that it prints. */
export function running() {
  let folder;
  let count = 0;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clearhead-code-'));
    for (const name of ['stories-Q8_0.gguf', 'model.gguf'])
      await writeFile(join(folder, name), letters());
  });
  after(() => rm(folder, { recursive: true }));
  return async (t, code) => {
    const lines = [];
    const { mock } = t.mock.method(console, 'log', (...line) => void lines.push(line));
    const path = join(folder, `${++count}.mjs`);
    await writeFile(
      path,
      code.replace(/from '([^']+)'/g, (_, name) => `from '${PACKAGE[name]}'`),
    );
    await import(pathToFileURL(path).href);
    mock.restore();
    return lines;
  };
}

/** The code of a panel, and its settings: those of the beginning, but for the changes. */
export async function panel(id, changes = {}) {
  const { codeOf } = await import(`../../../web/panels/${id}/code.js`);
  const { state } = await import(`../../../web/panels/${id}/state.js`);
  const signals = state(new Store());
  for (const [name, value] of Object.entries(changes)) signals[name].set(value);
  const values = Object.fromEntries(
    Object.entries(signals).map(([name, { value }]) => [name, value]),
  );
  return { codeOf, signals, values };
}
