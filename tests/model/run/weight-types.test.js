/**
 * Every type of weights all the way through loadModel. A model of them computes the same as one of
 * the numbers they stand for.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { TYPES, isFloat, randomRows, readRow, toHalf } from '../../support/models/blocks.js';
import { writeGguf } from '../../support/models/gguf-writer.js';
import { engines } from '../../support/models/engines.js';
import { random } from '../../support/random.js';

const WIDTH = 256;
const VOCAB = 32;
const metadata = {
  'general.architecture': 'qwen3',
  'qwen3.context_length': 64,
  'qwen3.embedding_length': WIDTH,
  'qwen3.block_count': 1,
  'qwen3.feed_forward_length': WIDTH,
  'qwen3.attention.head_count': 4,
  'qwen3.attention.head_count_kv': 1,
  'qwen3.attention.key_length': 64,
  'qwen3.attention.value_length': 64,
  'qwen3.attention.layer_norm_rms_epsilon': { type: 'f32', value: 1e-6 },
};
const matrices = [['token_embd', VOCAB]];
const norms = [['output_norm', WIDTH]];
for (const [name, rows] of [
  ['attn_q', 256],
  ['attn_k', 64],
  ['attn_v', 64],
  ['attn_output', 256],
  ['ffn_gate', 256],
  ['ffn_up', 256],
  ['ffn_down', 256],
])
  matrices.push([`blk.0.${name}`, rows]);
for (const [name, size] of [
  ['attn_norm', WIDTH],
  ['ffn_norm', WIDTH],
  ['attn_q_norm', 64],
  ['attn_k_norm', 64],
])
  norms.push([`blk.0.${name}`, size]);
const ones = norms.map(([name, size]) => ({
  name: `${name}.weight`,
  shape: [size],
  data: new Float32Array(size).fill(1),
}));

/**
 * A model of that type, and the same with the float32 numbers nearest to the values of its weights.
 */
function twins(type) {
  const r = random(TYPES[type].type + 1);
  const stored = [];
  const plain = [];
  for (const [name, rows] of matrices) {
    const data = randomRows(type, r, rows, WIDTH, () =>
      toHalf(r.normal() * (TYPES[type].block === 256 ? 1e-4 : 0.01)),
    );
    const shape = [rows, WIDTH];
    const values = new Float32Array(rows * WIDTH);
    for (let row = 0; row < rows; row++)
      values.set(readRow(type, data, row, WIDTH).values, row * WIDTH);
    stored.push({ name: `${name}.weight`, type, shape, data });
    plain.push({ name: `${name}.weight`, shape, data: values });
  }
  return [stored, plain].map((tensors) => writeGguf({ metadata, tensors: [...tensors, ...ones] }));
}

for (const type of Object.keys(TYPES)) {
  const files = twins(type);
  for (const { variant, ch: engine } of engines)
    test(`${type} (${variant})`, async () => {
      const [stored, plain] = await Promise.all(files.map((file) => loadModel(file, { engine })));
      assert.deepEqual(stored.info.types, {
        [type]: matrices.length,
        ...(type === 'F32' ? { F32: matrices.length + norms.length } : { F32: norms.length }),
      });
      const read = (model) => [...model.prefill([1, 2, 3, 30]).logits, ...model.step(7).logits];
      const [got, want] = [read(stored), read(plain)];
      const largest = Math.max(...want.map(Math.abs));
      const off = Math.max(...want.map((x, at) => Math.abs(x - got[at]))) / largest;
      // floats are multiplied as they are, quantised weights by inputs of 8 bits, which costs a
      // network that has learnt nothing 3 %; weights that are misread cost all
      assert.ok(largest > 0.1 && off <= (isFloat(type) ? 2e-6 : 0.05), `${off} of ${largest}`);
      for (const model of [stored, plain]) model.dispose();
    });
}
