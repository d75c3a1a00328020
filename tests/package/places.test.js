/** The code in places that differ from a page or Node: charsets, and parts that are missing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createContext, runInContext } from 'node:vm';
import { transformSync } from 'esbuild';
import { loadModel } from '../../src/js/model/index.js';
import { tinyGguf } from '../support/models/tiny-models.js';
import { classicScript, readWithoutCharset } from '../support/package/bundle.js';
import { bytes, files, read } from '../support/package/repository.js';

const kernels = (name) => bytes(`src/js/engine/${name}.simd.wasm`);
const classic = await classicScript(
  "export { init } from './index.js'; export { loadModel } from './model/index.js'",
);

/** The exports of a classic script, in a context with the given globals. */
function run(script, globals = {}) {
  const context = createContext({ WebAssembly, ...globals });
  runInContext(script, context);
  return runInContext('clearhead', context);
}

const WEB = {
  AbortController,
  AbortSignal,
  Blob,
  Response,
  URL,
  fetch,
  setTimeout,
};

describe('no character outside ASCII', () => {
  test('is in a string, a template or a regular expression of src/js', () => {
    for (const file of files('src/js', /\.js$/)) {
      const { code } = transformSync(read(file), { charset: 'utf8', minify: true });
      assert.deepEqual(code.match(/.{0,20}[^\0-\x7f].{0,20}/g), null, file);
    }
  });

  test('is in a bundle, so a page without a charset reads the same ids and text', async () => {
    const { loadModel: load, init } = run(readWithoutCharset(classic), WEB);
    const ours = await loadModel(tinyGguf());
    const engine = await init({ layers: true, wasm: kernels('model') }).catch((error) => error);
    const theirs = await load(tinyGguf(), { engine });

    const ids = ours.tokenizer.encode('ab ba c\u00e9');
    assert.deepEqual([...theirs.tokenizer.encode('ab ba c\u00e9')], ids);
    assert.equal(theirs.tokenizer.decode(ids), ours.tokenizer.decode(ids));
    assert.equal(theirs.tokenizer.decode(ids).trim().slice(0, 5), 'ab ba');
  });
});

describe('a place that lacks something', () => {
  const missing = (error, code, words) => {
    assert.equal(error.name, 'ClearheadError', error.stack);
    assert.equal(error.code, code);
    assert.match(error.message, words);
  };

  test('where a script knows no address of its own is told of clearhead/inline', async () => {
    const { init } = run(readWithoutCharset(classic), WEB);
    missing(await init().catch((error) => error), 'ENV', /clearhead\/inline/);
  });

  test('where import() is forbidden, attention runs and the rest is refused by name', async () => {
    // a module whose import() stays: a context without a loader refuses it
    const split = await classicScript("export { init } from './index.js'", {
      external: ['./layers/index.js', './theory/index.js', './engine/threads.js'],
    });
    const { init } = run(readWithoutCharset(split), { ...WEB, SharedArrayBuffer });
    const engine = await init({ wasm: kernels('attn'), threads: 2 });
    const one = Float32Array.of(3);
    assert.deepEqual([...engine.attention(one, one, one, { headDim: 1 }).output], [3]);
    assert.match(engine.info.why, /threads\.js did not load.*clearhead\/inline/);
    const remedy = /did not load.*clearhead\/inline/;
    missing(await engine.theory.catch((error) => error), 'NET', remedy);
    missing(await init({ layers: true }).catch((error) => error), 'NET', remedy);
  });

  test('where there is nothing but WebAssembly, a model runs on bytes', async () => {
    const { init, loadModel: load } = run(readWithoutCharset(classic));
    const engine = await init({ layers: true, wasm: kernels('model') });
    const model = await load(tinyGguf(), { engine });
    assert.equal(model.tokenizer.decode(model.tokenizer.encode('ab ba')), 'ab ba');
    for await (const { text } of model.generate('ab', { maxTokens: 2 }))
      assert.equal(typeof text, 'string');
  });
});
