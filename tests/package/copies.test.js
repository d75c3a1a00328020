/** Objects of one copy of this package that are given to another, as bundles of two entries do. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { init } from '../../src/js/index.js';
import { loadModel } from '../../src/js/model/index.js';
import { exists, root } from '../support/package/repository.js';

const folder = mkdtempSync(join(tmpdir(), 'clearhead-copy-'));
after(() => rmSync(folder, { recursive: true }));
cpSync(join(root, 'src/js'), join(folder, 'js'), { recursive: true });
cpSync(join(root, 'package.json'), join(folder, 'package.json'));

const copy = await import(pathToFileURL(join(folder, 'js/index.js')).href);
const ch = await init({ layers: true, variant: 'simd' });
const other = await copy.init({ layers: true, variant: 'simd' });
const one = Float32Array.of(1);
const sizes = { headDim: 1, capacity: 1 };

const refused = (what) => ({
  name: 'ClearheadError',
  code: 'ARG',
  message: new RegExp(`is ${what} of another copy of clearhead \\(import both from one entry\\); `),
});

test('an engine of another copy is named so', async () => {
  await assert.rejects(loadModel(new Uint8Array(8), { engine: other }), refused('an engine'));
});

test('a tensor of another copy is named so', () => {
  const tensor = other.tensor([1]);
  assert.throws(() => ch.attention(tensor, one, one, { headDim: 1 }), refused('a tensor'));
  assert.throws(() => ch.silu(one, { out: tensor }), refused('a tensor'));
});

test('a cache and its methods of another copy are named so', () => {
  const cache = other.kvCache(sizes);
  assert.throws(() => ch.attend(one, cache), refused('a KV cache'));
  const layer = ch.multiHead({ q: one, k: one, v: one, o: one }, { modelDim: 1, heads: 1 });
  assert.throws(() => layer.forward(one, { cache }), refused('a KV cache'));
  const { append } = ch.kvCache(sizes);
  assert.throws(() => append.call(cache, one, one), {
    message: /append is called on a KV cache of another copy of clearhead/,
  });
});

test('an object of this copy in a wrong place is named without that', async () => {
  await assert.rejects(loadModel(new Uint8Array(8), { engine: ch.tensor([1]) }), {
    message: /^engine is a tensor; expected/,
  });
  assert.throws(() => ch.attend(one, ch.tensor([1])), {
    message: 'cache is a tensor; expected a KV cache',
  });
});

for (const name of ['clearhead', 'clearhead-model'].filter((one) => exists(`dist/${one}.js`)))
  test(`dist/${name}.js refuses stand-ins, which have no private fields there`, async () => {
    const dist = await import(pathToFileURL(join(root, `dist/${name}.js`)).href);
    const made = await dist.init({ variant: 'simd', layers: name === 'clearhead-model' });
    const cache = made.kvCache(sizes);
    const refusedHere = { code: 'ARG', message: /(is|called on) a proxy or heir of a KV cache; / };
    for (const standIn of [new Proxy(cache, {}), Object.create(cache)]) {
      assert.throws(() => made.attend(one, standIn), refusedHere);
      assert.throws(() => cache.append.call(standIn, one, one), refusedHere);
    }
    assert.throws(() => ch.attend(one, cache), refused('a KV cache'));
    cache.append(one, one);
    cache.dispose();
    assert.throws(() => cache.length, { code: 'DISPOSED' });
  });
