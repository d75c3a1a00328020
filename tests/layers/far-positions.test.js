/** Rotary tables at the end of the range of positions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/engines.js';
import { Kernels } from '../support/kernels.js';

for (const { variant } of engines)
  test(`a table may pass the largest int32 (${variant})`, () => {
    const kernels = new Kernels(variant);
    const count = 4;
    const [cos, sin] = [0, 1].map(() => kernels.allocate(4 * count));
    const from = 2 ** 31 - 2;
    kernels.c.attn_rope_table(cos, sin, kernels.copy(Float64Array.of(1)), 2, from, count, 1);
    const view = (at) => [...new Float32Array(kernels.c.memory.buffer, at, count)];
    const angles = Array.from({ length: count }, (_, row) => from + row);
    for (const [got, expected] of [
      [view(cos), angles.map(Math.cos)],
      [view(sin), angles.map(Math.sin)],
    ])
      got.forEach((x, row) =>
        assert.ok(Math.abs(x - expected[row]) < 1e-6, `row ${row}: ${x}, not ${expected[row]}`),
      );
  });
