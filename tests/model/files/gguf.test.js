/** GGUF files that are written are read, whole or in pieces. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { TYPES } from '../../../src/js/model/files/formats.js';
import { openModel } from '../../../src/js/model/files/open.js';
import { writeGguf } from '../../support/models/gguf-writer.js';
import { tinyGguf } from '../../support/models/tiny-models.js';
import { random } from '../../support/random.js';
import { inChunks, readWhole } from '../../support/streams.js';

const shared = new URL('../../../../shared/models/', import.meta.url);
const skip = existsSync(shared) ? false : 'skipped, not present';

describe('a written file is read back', () => {
  const values = {
    u8: 200,
    i8: -100,
    u16: 60000,
    i16: -30000,
    u32: 4e9,
    i32: -2e9,
    f32: 0.5,
    f64: Math.PI,
    bool: true,
    string: 'héllo 🙂',
    u64: 2 ** 53 - 1,
    i64: -(2 ** 53 - 1),
  };
  const arrays = {
    u8: Uint8Array,
    i8: Int8Array,
    u16: Uint16Array,
    i16: Int16Array,
    u32: Uint32Array,
    i32: Int32Array,
    f32: Float32Array,
    f64: Float64Array,
  };

  test('metadata of every type, alone and in arrays', async () => {
    const metadata = {};
    for (const [type, value] of Object.entries(values)) {
      metadata[`one.${type}`] = { type, value };
      metadata[`many.${type}`] = { type: 'array', value: [type, [value, value]] };
      metadata[`none.${type}`] = { type: 'array', value: [type, []] };
    }
    metadata.nested = {
      type: 'array',
      value: [
        'array',
        [
          ['u8', [1, 2]],
          ['string', ['a']],
        ],
      ],
    };
    metadata.huge = { type: 'u64', value: 2n ** 64n - 1n };
    const got = (await readWhole(writeGguf({ metadata }))).metadata;
    for (const [type, value] of Object.entries(values)) {
      assert.equal(got.get(`one.${type}`), value);
      assert.deepEqual(
        got.get(`many.${type}`),
        arrays[type] ? arrays[type].of(value, value) : [value, value],
      );
      assert.equal(got.get(`none.${type}`).length, 0);
    }
    assert.deepEqual(got.get('nested'), [Uint8Array.of(1, 2), ['a']]);
    assert.equal(got.get('huge'), 2n ** 64n - 1n);
  });

  test('tensors of every type, in file order, with the fastest axis last', async () => {
    const r = random(3);
    const bytes = (n) => Uint8Array.from({ length: n }, () => r.next() & 255);
    const tensors = Object.entries(TYPES).map(([type, { block, bytes: size }]) => ({
      name: `t.${type}`,
      type,
      shape: [3, 2 * block],
      data: bytes(3 * 2 * size),
    }));
    const got = await readWhole(writeGguf({ tensors }));
    assert.deepEqual(
      got.tensors.map(({ name, type, shape }) => ({ name, type, shape })),
      tensors.map(({ name, type, shape }) => ({ name, type, shape })),
    );
    for (const { name, data } of tensors) assert.deepEqual(got.data.get(name), data, name);
  });

  for (const alignment of [1, 2, 64, 65536])
    test(`an alignment of ${alignment}, version 2, no tensors at all`, async () => {
      const tensors = [
        { name: 'a', shape: [3], data: [1, 2, 3] },
        { name: 'b', shape: [5], data: [4, 5, 6, 7, 8] },
      ];
      const got = await readWhole(
        writeGguf({ version: 2, alignment, metadata: { 'general.alignment': alignment }, tensors }),
      );
      assert.deepEqual(new Float32Array(got.data.get('b').buffer), Float32Array.of(4, 5, 6, 7, 8));
      assert.equal((await readWhole(writeGguf({ version: 2, metadata: {} }))).tensors.length, 0);
    });

  test('the order of tensors in the list does not matter, only where they lie', async () => {
    const tensors = [
      { name: 'late', shape: [2], offset: 32 },
      { name: 'early', shape: [2], offset: 0 },
    ];
    assert.deepEqual(
      (await readWhole(writeGguf({ tensors }))).tensors.map(({ name }) => name),
      ['early', 'late'],
    );
  });

  test('arrival in chunks of 1 to 64 bytes gives the same as one piece', async () => {
    const bytes = tinyGguf('qwen2', { tied: false });
    const whole = await readWhole(bytes);
    for (let size = 1; size <= 64; size++)
      assert.deepEqual(await readWhole(inChunks(bytes, size)), whole, `chunks of ${size}`);
  });

  test('only wanted tensors are passed on', async () => {
    const file = await openModel(tinyGguf());
    const names = new Set();
    await file.stream({ write: ({ name }) => void names.add(name) }, ({ name }) =>
      name.startsWith('blk.1.'),
    );
    assert.equal(names.size, 9);
  });

  for (const [name, tensors] of [
    ['stories260K/gguf/stories260K-f32.gguf', 47],
    ['stories260K/gguf/stories260K-f16.gguf', 47],
    ['stories260K/gguf/stories260K-q8_0.gguf', 47],
    ['stories260K-ggml/stories260K.gguf', 48],
    ['tokenizers/ggml-vocab-gpt-2.gguf', 0],
  ])
    test(`the real file ${name}`, { skip }, async () => {
      const bytes = readFileSync(new URL(name, shared));
      const whole = await readWhole(new URL(name, shared));
      assert.equal(whole.tensors.length, tensors);
      for (const tensor of whole.tensors)
        assert.ok(
          bytes
            .subarray(tensor.offset, tensor.offset + tensor.bytes)
            .equals(whole.data.get(tensor.name)),
          tensor.name,
        );
      assert.deepEqual(await readWhole(inChunks(bytes, 4099)), whole);
    });

  test(
    'two files of the same weights by different converters agree to the bit',
    { skip },
    async () => {
      const ours = await readWhole(new URL('stories260K/gguf/stories260K-f32.gguf', shared));
      const theirs = await readWhole(new URL('stories260K-ggml/stories260K.gguf', shared));
      for (const [name, data] of ours.data) assert.deepEqual(theirs.data.get(name), data, name);
      assert.deepEqual(theirs.data.get('output.weight'), theirs.data.get('token_embd.weight'));
    },
  );
});
