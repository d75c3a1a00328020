/** Weights of a model as they arrive: which become bytes, and in how much memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { memories } from '../../../src/js/engine/memory.js';
import { inspectModel, loadModel } from '../../../src/js/model/index.js';
import { Packing } from '../../../src/js/model/run/packing.js';
import { threaded } from '../../support/engine/threaded.js';
import { TYPES, randomRows } from '../../support/models/blocks.js';
import { asGguf, asQ5_0, configs, tiny } from '../../support/models/random-models.js';
import { random } from '../../support/random.js';

/** Weights that are not asked for. */
const HOW = { q8: false, offset: () => 0, beside: 0, lookedUp: null };

const ROWS = 64;
const COLUMNS = 256;
const Q5_0 = 6;
const Q8_0 = 8;

/**
 * The types of the matrices of such tensors, of (64, 256) where no number of rows stands behind the
 * type, and their bytes.
 * @param {(string | [string, number])[]} types
 */
async function packed(types, { q8 = false, spare, threads = 1, beside = 0, lookedUp } = {}) {
  const engine = await threaded({ layers: true, variant: 'simd', threads });
  const memory = memories.get(engine);
  const r = random(31);
  const tensors = types
    .map((each) => [each].flat())
    .map(([type, rows = ROWS], x) => ({
      name: `${type} ${x}`,
      type,
      shape: [rows, COLUMNS],
      offset: 0,
      bytes: rows * TYPES[type].bytes * (COLUMNS / TYPES[type].block),
    }));
  const file = tensors.reduce((sum, { bytes }) => sum + bytes, 0);
  const packing = new Packing(memory, file + beside, { ...HOW, q8, lookedUp });
  if (spare !== undefined) packing.spare = spare;
  const buffers = new Set();
  for (const tensor of tensors) {
    const [rows] = tensor.shape;
    const data =
      rows > ROWS ? new Uint8Array(tensor.bytes) : randomRows(tensor.type, r, rows, COLUMNS);
    packing.write(tensor, 0, data);
    buffers.add(memory.buffer);
  }
  packing.finish();
  const got = tensors.map(({ name }) => memory.c.attn_matrix_type(packing.at.get(name)));
  const grown = memory.buffer.byteLength;
  engine.dispose();
  return { got, bytes: packing.bytes, file, grown, growths: buffers.size };
}

/** The bytes that Q5_0 needs more when it lies in bytes. */
const MORE = (ROWS * COLUMNS * (34 - 22)) / 32;

test('Q5_0 goes into bytes while there is memory beside the file, other types never', async () => {
  assert.deepEqual((await packed(['Q5_0', 'Q4_0', 'Q5_1', 'Q5_0', 'F32'])).got, [
    Q8_0,
    2,
    7,
    Q8_0,
    0,
  ]);
  assert.deepEqual((await packed(['Q5_0', 'Q8_0', 'Q5_0', 'Q5_0'], { spare: 2 * MORE })).got, [
    Q8_0,
    8,
    Q8_0,
    Q5_0,
  ]);
  assert.deepEqual((await packed(['Q5_0', 'Q5_0'], { spare: MORE - 1 })).got, [Q5_0, Q5_0]);
  for (const spare of [0, MORE, 2 * MORE]) {
    const { bytes, file } = await packed(['Q5_0', 'Q5_0', 'Q5_0', 'Q5_0'], { spare });
    assert.ok(bytes <= file + spare + 4 * 64, `${bytes} bytes for ${file} and ${spare}`);
  }
});

test('a matrix without enough memory leaves it to those behind it', async () => {
  assert.deepEqual(
    (await packed([['Q5_0', 1024], 'Q5_0', 'Q5_0', 'Q5_0'], { spare: 2 * MORE })).got,
    [Q5_0, Q8_0, Q8_0, Q5_0],
  );
});

test('together they need at most 32 MB more than in the file', async () => {
  const half = 8 * Math.floor((2 * 2 ** 20) / (MORE / ROWS));
  const { got, bytes, file, grown } = await packed([
    ['Q5_0', half - 8],
    ['Q5_0', half + 16],
    ['Q5_0', half + 8],
    'Q5_0',
  ]);
  assert.deepEqual(got, [Q8_0, Q5_0, Q8_0, Q5_0]);
  assert.ok(bytes <= file + 32 * 2 ** 20 + 4 * 64, `${bytes} bytes for ${file}`);
  assert.ok(grown <= file + 64 * 2 ** 20, `${grown} bytes of memory for ${file}`);
});

test('not what is only looked up, and nothing beside more than a gigabyte', async () => {
  assert.deepEqual((await packed(['Q5_0', 'Q5_0'], { lookedUp: 'Q5_0 0' })).got, [Q5_0, Q8_0]);
  for (const q8 of [false, true]) {
    assert.deepEqual((await packed(['Q5_0'], { beside: 2 ** 30, q8 })).got, [Q5_0]);
    assert.deepEqual((await packed(['Q5_0'], { beside: 2 ** 29, q8 })).got, [Q8_0]);
  }
});

test('memory grows a few times, whatever becomes bytes', async () => {
  const { got, growths } = await packed(Array(32).fill(['Q5_0', 1024]));
  assert.ok(got.every((type) => type === Q8_0));
  assert.ok(growths <= 12, `${growths} times`);
});

test('below 4 GiB Q5_0 has the memory that is over', async () => {
  const engine = await init({ layers: true, variant: 'simd' });
  const memory = memories.get(engine);
  const { top } = memory;
  const total = 2 ** 20;
  const spareAt = (spare, how) => {
    memory.top = 2 ** 32 - total - spare;
    try {
      return new Packing(memory, total, { ...HOW, ...how }).spare;
    } finally {
      memory.top = top;
    }
  };
  for (const q8 of [false, true]) {
    assert.equal(spareAt(2 ** 30, { q8 }), 2 ** 25);
    assert.equal(spareAt(2 ** 24, { q8 }), 2 ** 24);
    assert.equal(spareAt(2 ** 24, { q8, beside: 2 ** 23 }), 2 ** 23);
    assert.equal(spareAt(2 ** 24, { q8, beside: 2 ** 25 }), 0);
    assert.equal(spareAt(0, { q8 }), 0);
  }
  assert.throws(() => spareAt(-1), {
    name: 'ClearheadError',
    code: 'OOM',
    message: 'the weights have 1048576 bytes; expected space for them below 4 GiB',
  });
  // the type of floats in the file says little about their type in memory
  assert.equal(spareAt(-1, { q8: true }), 0);
  engine.dispose();
});

test('with more threads than memory is fast enough for it stays as it is', async () => {
  assert.deepEqual((await packed(['Q5_0'], { threads: 2 })).got, [Q8_0]);
  assert.deepEqual((await packed(['Q5_0'], { threads: 3 })).got, [Q5_0]);
});

test('where it has products of its own it stays as it is', async () => {
  const engine = await init({ layers: true, variant: 'simd' });
  const memory = memories.get(engine);
  const spareOf = (kinds) => {
    memory.c = { ...memory.c, attn_multiply_kind: (type) => kinds[type] };
    return new Packing(memory, 0, HOW).spare;
  };
  assert.equal(spareOf({ [Q5_0]: 2, [Q8_0]: 1 }), 0);
  assert.ok(spareOf({ [Q5_0]: 1, [Q8_0]: 1 }) > 0);
  engine.dispose();
});

test('quantize: floats become bytes, and Q5_0 all the same', async () => {
  assert.deepEqual((await packed(['F32', 'F16', 'Q5_0', 'Q4_K'], { q8: true })).got, [
    Q8_0,
    Q8_0,
    Q8_0,
    12,
  ]);
  assert.deepEqual((await packed(['F32', 'Q5_0'], { q8: true, spare: 0 })).got, [Q8_0, Q5_0]);
});

test('the embedding stays as it is where the output has a matrix of its own', async () => {
  const sizes = {
    hidden_size: 256,
    intermediate_size: 512,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    vocab_size: 640,
  };
  for (const [name, stays] of [
    ['llama, tied, grouped', false],
    ['llama, untied, heads of its own', true],
  ]) {
    const file = asGguf(tiny({ ...configs[name], ...sizes }), {}, asQ5_0);
    const engine = await init({ layers: true, variant: 'simd' });
    const { info } = await loadModel(file, { engine });
    const { tensors } = await inspectModel(file);
    const more = (tensor) =>
      tensor.type !== 'Q5_0' || (stays && tensor.name === 'token_embd.weight')
        ? 0
        : tensor.bytes * (34 / 22 - 1);
    const want = tensors.reduce((sum, tensor) => sum + tensor.bytes + more(tensor), 0);
    const embedding = (640 * 256 * 12) / 32;
    assert.ok(
      Math.abs(info.weightBytes - want) < embedding / 4,
      `${name}: ${info.weightBytes} bytes, not ${want}`,
    );
    engine.dispose();
  }
});
