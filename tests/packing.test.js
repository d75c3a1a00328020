/** Weights of a model as they arrive: which become bytes, and in how much memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../src/js/index.js';
import { memories } from '../src/js/memory.js';
import { Packing } from '../src/js/model/packing.js';
import { randomRows } from './blocks.js';
import { random } from './random.js';

const rows = 64, columns = 256, Q5_0 = 6, Q8_0 = 8;

/** The types of the matrices of such tensors, all of (rows, columns), and the bytes they take. */
async function packed(types, { q8 = false, spare, threads = 1 } = {}) {
  const engine = await init({ layers: true, variant: 'simd', threads }), memory = memories.get(engine), r = random(31);
  assert.equal(engine.info.threads, threads, engine.info.why);
  const tensors = types.map((type, x) => ({ name: `${type} ${x}`, type, data: randomRows(type, r, rows, columns) }));
  const packing = new Packing(memory, q8, () => 0, tensors.reduce((sum, { data }) => sum + data.length, 0));
  if (spare !== undefined) packing.spare = spare;
  for (const { name, type, data } of tensors) packing.write({ name, type, shape: [rows, columns], bytes: data.length, offset: 0 }, 0, data);
  packing.finish();
  const got = tensors.map(({ name }) => memory.call('matrix_type', packing.at.get(name)));
  engine.dispose();
  return { got, bytes: packing.bytes, file: tensors.reduce((sum, { data }) => sum + data.length, 0) };
}

/** What Q5_0 takes more in bytes. */
const MORE = rows * columns * (34 - 22) / 32;

test('Q5_0 goes into bytes as long as there is room beside the file, other types never', async () => {
  assert.deepEqual((await packed(['Q5_0', 'Q4_0', 'Q5_1', 'Q5_0', 'F32'])).got, [Q8_0, 2, 7, Q8_0, 0]);
  assert.deepEqual((await packed(['Q5_0', 'Q8_0', 'Q5_0', 'Q5_0'], { spare: 2 * MORE })).got, [Q8_0, 8, Q8_0, Q5_0]);
  assert.deepEqual((await packed(['Q5_0', 'Q5_0'], { spare: MORE - 1 })).got, [Q5_0, Q5_0]);
  for (const spare of [0, MORE, 2 * MORE, undefined]) {
    const { bytes, file } = await packed(['Q5_0', 'Q5_0', 'Q5_0', 'Q5_0'], { spare });
    assert.ok(bytes <= file + Math.min(spare ?? Infinity, 4 * MORE) + 4 * 64, `${bytes} bytes for ${file} and ${spare}`);
  }
});

test('with more threads than memory is fast enough for it stays as it is', async () => {
  assert.deepEqual((await packed(['Q5_0'], { threads: 2 })).got, [Q8_0]);
  assert.deepEqual((await packed(['Q5_0'], { threads: 3 })).got, [Q5_0]);
});

test('quantize: floats become bytes, and Q5_0 all the same', async () => {
  assert.deepEqual((await packed(['F32', 'F16', 'Q5_0', 'Q4_K'], { q8: true })).got, [Q8_0, Q8_0, Q8_0, 12]);
  assert.deepEqual((await packed(['F32', 'Q5_0'], { q8: true, spare: 0 })).got, [Q8_0, Q5_0]);
});
