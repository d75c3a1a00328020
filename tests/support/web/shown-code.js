/** Runs the code that the page shows, in Node with the library. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { pathToFileURL } from 'node:url';
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
