/** Memory of gradients grows with queries and keys, and never with their product. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';
import { Kernels } from '../support/kernels.js';

const kernels = new Kernels('simd');
const { c } = kernels;

/** Bytes that a call of two heads needs besides its arrays. */
function bytes(length, type) {
  return kernels.scope(() => {
    const p = kernels.allocate(c.attn_params_bytes());
    const g = kernels.allocate(c.attn_gradient_bytes());
    c.attn_init(p, 1, 2, 2, length, length, 8, 8);
    assert.equal(c.attn_gradient_init(g, p), 0);
    const team = kernels.allocate(c.attn_team_bytes());
    c.attn_team_open(team, 1, 0, 0);
    return (
      c[`attn_gradient_scratch_bytes_${type}`](g) + c[`attn_gradient_shared_bytes_${type}`](g, team)
    );
  });
}

for (const type of ['f32', 'f64'])
  test(`four times as many queries and keys need at most four times the memory: ${type}`, () => {
    const [small, large] = [4096, 16384].map((length) => bytes(length, type));
    assert.ok(large <= 4.01 * small, `${small} and ${large} bytes`);
    assert.ok(large < 16384 * 16384, `${large} bytes, less than a byte for each pair`);
  });

test('a call of 2048 queries and keys takes a small part of the memory of weights', async () => {
  const ch = await init({ layers: true, variant: 'simd' });
  const probe = ch.tensor([1]);
  const before = probe.data.buffer.byteLength;
  const x = new Float32Array(2048 * 8);
  ch.attentionGradient(x, x, x, x, { headDim: 8 });
  const grown = probe.data.buffer.byteLength - before;
  assert.ok(grown < (4 * 2048 * 2048) / 4, `${grown} bytes; the weights would be ${4 * 2048 ** 2}`);
});
