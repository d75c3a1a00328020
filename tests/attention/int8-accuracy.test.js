/** Attention in 8-bit integers is near enough to be of use. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { engines } from '../support/engines.js';
import { compare, exactly, integers, numbers } from '../support/attention/int8.js';

for (const { variant, ch } of engines)
  for (const [name, reshape, options] of [
    ['normal data', (x) => x, {}],
    ['normal data, causal', (x) => x, { causal: true }],
    ['keys that share a large part in some channels', (x, c) => x + (c % 16 ? 0 : 200), {}],
    ['keys that share a part in all channels', (x) => x + 20, {}],
    [
      'keys with channels of very different size',
      (x, c) => x * (c % 8 ? 1 : 20),
      { scale: 1 / 64 },
    ],
  ])
    test(`cosine of at least 0.9995 against float64: ${name} (${variant})`, (t) => {
      const heads = 2;
      const d = 64;
      const n = 1024;
      const k = numbers(2, heads * n * d, (r, at) => reshape(r.normal(), at % d));
      const call = {
        q: numbers(1, heads * n * d),
        k,
        v: numbers(3, heads * n * d),
        options: { heads, headDim: d, ...options },
      };
      const { cosine, error } = compare(integers(ch, call).output, exactly(ch, call));
      t.diagnostic(`cosine ${cosine.toFixed(6)}, relative error ${error.toFixed(4)}`);
      assert.ok(cosine >= 0.9995, `${cosine}`);
    });

const real = new URL(
  '../../../shared/models/stories260K/reference/once.qkvo.half.f32',
  import.meta.url,
);
const skip = existsSync(real) ? false : 'skipped, not present: stories260K';

for (const { variant, ch } of engines)
  test(
    `cosine of at least 0.9995 on the queries, keys and values of a trained model (${variant})`,
    { skip },
    (t) => {
      // five layers of q (256, 8, 8), k and v (256, 4, 8), and the results
      const all = new Float32Array(new Uint8Array(readFileSync(real)).buffer);
      const positions = 256;
      const [Q, K] = [positions * 64, positions * 32];
      for (let layer = 0; layer < 5; layer++) {
        const at = layer * (2 * Q + 2 * K);
        const part = (from, length) => all.slice(at + from, at + from + length);
        const call = {
          q: part(0, Q),
          k: part(Q, K),
          v: part(Q + K, K),
          options: { heads: 8, kvHeads: 4, headDim: 8, causal: true, layout: 'bshd' },
        };
        const { cosine, error } = compare(integers(ch, call).output, part(Q + 2 * K, Q));
        t.diagnostic(
          `layer ${layer}: cosine ${cosine.toFixed(6)}, relative error ${error.toFixed(4)}`,
        );
        assert.ok(cosine >= 0.9995, `layer ${layer}: ${cosine}`);
      }
    },
  );
