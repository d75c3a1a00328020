/** Objects that a program drops without disposing of them give their memory back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { init } from '../../src/js/index.js';
import { memories } from '../../src/js/engine/memory.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const LIMIT = 2 ** 31;

/** Makes five hundred and keeps none; the collector can run between two turns. */
async function makeAndDrop(make) {
  for (let i = 0; i < 500; i++) {
    make();
    await turn();
  }
}

test('five hundred dropped caches of 16 MB do not fill the memory', async () => {
  const ch = await init();
  await makeAndDrop(() => ch.kvCache({ kvHeads: 8, headDim: 64, capacity: 4096 }));
  assert.ok(memories.get(ch).buffer.byteLength < LIMIT);
});

test('five hundred dropped tensors of 5 MB do not fill the memory', async () => {
  const ch = await init();
  await makeAndDrop(() => ch.tensor([5 * 2 ** 18]));
  assert.ok(memories.get(ch).buffer.byteLength < LIMIT);
});

test('five hundred dropped layers of 5 MB do not fill the memory', async () => {
  const ch = await init({ layers: true });
  const weights = new Float32Array(5 * 2 ** 18);
  await makeAndDrop(() => ch.linear(weights, { inputs: 2 ** 9 }));
  assert.ok(memories.get(ch).buffer.byteLength < LIMIT);
});

test('`using` disposes of tensors, caches, layers and engines', async () => {
  const ch = await init({ layers: true });
  const linear = ch.linear(new Float32Array(4), { inputs: 2 });
  const things = [ch.tensor([4]), ch.kvCache({ headDim: 4, capacity: 4 }), linear];
  for (const thing of things) thing[Symbol.dispose]();
  assert.throws(() => things[0].data, { code: 'DISPOSED' });
  assert.throws(() => things[1].length, { code: 'DISPOSED' });
  assert.throws(() => linear.forward(new Float32Array(2)), { code: 'DISPOSED' });
  assert.equal(typeof ch[Symbol.dispose], 'function');
});

test('fields that say how much memory is read and written cannot be set', async () => {
  const ch = await init({ layers: true });
  const linear = ch.linear(new Float32Array(4), { inputs: 2 });
  const cache = ch.kvCache({ headDim: 4, capacity: 4 });
  for (const [object, field] of [
    [ch.tensor([4]), 'length'],
    [ch.tensor([4]), 'dtype'],
    [cache, 'headDim'],
    [cache, 'kvHeads'],
    [cache, 'capacity'],
    [linear, 'inputs'],
    [linear, 'outputs'],
  ]) {
    assert.throws(() => (object[field] = 4096), TypeError, field);
    assert.throws(() => Object.defineProperty(object, field, { value: 4096 }), TypeError, field);
  }
});

test('the threads of a dropped engine end', async () => {
  const workers = () => process.report.getReport().workers.length;
  const before = workers();
  await (async () => {
    const ch = await init({ threads: 2 });
    assert.equal(workers(), before + 1, ch.info.why);
  })();
  for (let looks = 0; looks < 200 && workers() > before; looks++) {
    collect();
    await turn();
  }
  assert.equal(workers(), before);
});
