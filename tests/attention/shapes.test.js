/** The shape of a tensor is compared with the sizes that the options say. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';

const ch = await init({ layers: true, variant: 'simd' });
const tensor = (...shape) => ch.tensor(shape);
const shape = { heads: 4, kvHeads: 2, headDim: 8 };
const floats = (length) => new Float32Array(length);
const [k, v] = [floats(2 * 3 * 8), floats(2 * 3 * 8)];
const refuses = (message, f) =>
  assert.throws(f, { name: 'ClearheadError', code: 'SHAPE', message }, String(f));

test('axes of the layout are accepted, neighbours as one, and axes of 1 anywhere', () => {
  for (const [layout, ...shapes] of [
    ['bhsd', [1, 4, 6, 8], [4, 6, 8], [192], [4, 48], [24, 8], [1, 4, 6, 1, 8, 1]],
    ['bshd', [1, 6, 4, 8], [6, 4, 8], [192], [6, 32], [24, 8]],
  ])
    for (const q of shapes) {
      const out = tensor(...q);
      ch.attention(tensor(...q), k, v, { ...shape, layout, out });
    }
  const batch = tensor(2, 4, 3, 8);
  ch.attention(batch, floats(96), floats(96), { ...shape, batch: 2, out: tensor(2, 4, 3, 8) });
  assert.equal(ch.attention(tensor(4, 0, 8), k, v, shape).output.length, 0);
});

test('a tensor of other axes is refused by name, with its shape and the axes', () => {
  refuses(/^q is of shape \(8,16,64\); expected \(batch 1, heads 4, positions 32, size 64\)$/, () =>
    ch.attention(tensor(8, 16, 64), floats(64), floats(64), {
      heads: 4,
      kvHeads: 1,
      headDim: 64,
    }),
  );
  refuses(/^q is of shape \(4,6,8\); expected \(batch 1, positions 6, heads 4, size 8\)$/, () =>
    ch.attention(tensor(4, 6, 8), k, v, { ...shape, layout: 'bshd' }),
  );
  for (const [name, inputs, options] of [
    ['k', { k: tensor(3, 2, 8) }],
    ['v', { v: tensor(2, 8, 3) }],
    ['out', {}, { out: tensor(6, 4, 8) }],
    ['keyScale', {}, { keyScale: tensor(3, 1, 1), sinks: tensor(2, 2) }],
    ['mask.data', {}, { mask: { data: tensor(3, 6), shape: [6, 3] } }],
  ]) {
    const given = { q: floats(192), k, v, ...inputs };
    refuses(new RegExp(`^${name === 'keyScale' ? 'sinks' : name} is of shape`), () =>
      ch.attention(given.q, given.k, given.v, { ...shape, ...options }),
    );
  }
});

test('so are the tensors of a cache, before anything is appended', () => {
  const cache = ch.kvCache({ kvHeads: 2, headDim: 8, capacity: 8 });
  refuses(/^k is of shape \(3,2,8\)/, () => cache.append(tensor(3, 2, 8), v));
  refuses(/^v is of shape \(2,3,8\)/, () =>
    cache.append(tensor(3, 16), tensor(2, 3, 8), { layout: 'bshd' }),
  );
  assert.equal(cache.length, 0);
  cache.append(tensor(3, 16), tensor(3, 2, 8), { layout: 'bshd' });
  refuses(/^q is of shape \(2,4,8\)/, () => ch.attend(tensor(2, 4, 8), cache, { heads: 4 }));
  assert.equal(ch.attend(tensor(4, 2, 8), cache, { heads: 4 }).output.length, 64);
});

test('layers refuse weights and inputs that are transposed', () => {
  refuses(/^weights is of shape \(4,6\); expected \(outputs 6, inputs 4\)$/, () =>
    ch.linear(tensor(4, 6), { inputs: 4 }),
  );
  const linear = ch.linear(tensor(6, 4), { inputs: 4 });
  refuses(/^x is of shape \(4,3\); expected rows of 4 = inputs$/, () =>
    linear.forward(tensor(4, 3)),
  );
  assert.equal(linear.forward(tensor(2, 3, 4), { out: tensor(2, 3, 6) }).length, 36);
  refuses(/^b is of shape \(5,4\)/, () => ch.matmul(tensor(2, 4), tensor(5, 4), { k: 4 }));
  ch.matmul(tensor(2, 4), tensor(5, 4), { k: 4, transposeB: true });
  const square = floats(64);
  const weights = { q: square, k: tensor(8, 4), v: floats(32), o: square };
  const config = { modelDim: 8, heads: 2, kvHeads: 1 };
  refuses(/^weights\.k is of shape \(8,4\); expected \(rows 4, columns 8\)$/, () =>
    ch.multiHead(weights, config),
  );
  const layer = ch.multiHead({ ...weights, k: tensor(4, 8) }, config);
  refuses(/^x is of shape \(8,3\)/, () => layer.forward(tensor(8, 3)));
  assert.equal(layer.forward(tensor(3, 8)).output.length, 24);
  refuses(/^x is of shape \(8,3\); expected rows of 8 = size/, () =>
    ch.rmsNorm(tensor(8, 3), floats(8)),
  );
  ch.rmsNorm(tensor(3, 8), floats(4));
  const table = ch.ropeTable({ dim: 8, positions: 8 });
  refuses(/^x is of shape \(3,2,8\)/, () =>
    ch.rope(tensor(3, 2, 8), table, { heads: 2, headDim: 8 }),
  );
  refuses(/^x is of shape \(4,3\)/, () => ch.softmax(tensor(4, 3), { size: 4 }));
  assert.equal(ch.softmax(tensor(2, 3, 4)).length, 24);
});
