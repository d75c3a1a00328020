/**
 * Real queries, keys and values: the five layers of a trained grouped-query Llama (stories260K)
 * computed them in float64 while it told a story. Third-party data beside this repository;
 * without it: skipped.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sameArray, sameBits } from '../support/bits.js';
import { engines } from '../support/engines.js';
import { compare } from '../support/limits.js';
import { reference } from '../support/reference.js';

const file = new URL(
  '../../../shared/models/stories260K/reference/once.qkvo.half.f32',
  import.meta.url,
);
const skip = existsSync(file) ? false : 'skipped, not present';
const layers = 5;
const m = 256;
const heads = 8;
const kvHeads = 4;
const d = 8;
const options = { heads, kvHeads, headDim: d, layout: 'bshd', causal: true };

/**
 * Each layer's q (256, 8, 8), k and v (256, 4, 8) and the attention result (256, 8, 8), positions
 * first.
 */
function* story() {
  const bytes = readFileSync(file);
  assert.equal(bytes.length, layers * m * d * (2 * heads + 2 * kvHeads) * 4);
  const all = new Float32Array(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
  );
  let at = 0;
  const next = (count) => all.slice(at, (at += count * m * d));
  for (let layer = 0; layer < layers; layer++)
    yield { layer, q: next(heads), k: next(kvHeads), v: next(kvHeads), o: next(heads) };
}

for (const { variant, ch } of engines) {
  test(`five layers of a real model match their float64 attention (${variant})`, { skip }, (t) => {
    let worst = 0;
    let agreement = 0;
    for (const { layer, q, k, v, o } of story()) {
      const ref = reference(q, k, v, options);
      const result = ch.attention(q, k, v, {
        ...options,
        want: { weights: true, lse: true, stats: true },
      });
      for (const { what, ratio, at, got, want } of compare(result, ref, 'float32', false)) {
        assert.ok(ratio <= 1, `layer ${layer}: ${what}[${at}] is ${got}, should be ${want}`);
        worst = Math.max(worst, ratio);
      }
      // The file's float64 pass started from its own unrounded q, k and v. It was rounded to
      // float32 once, at the end.
      o.forEach(
        (x, at) =>
          (agreement = Math.max(
            agreement,
            Math.abs(result.output[at] - x) /
              (ref.W[at] *
                2 ** -23 *
                (4 + 2 * ref.A[(Math.floor(at / d) % heads) * m + Math.floor(at / d / heads)]) +
                2 ** -24 * Math.abs(x)),
          )),
      );
    }
    assert.ok(agreement <= 1, `${agreement} of the limit`);
    t.diagnostic(
      `worst error / limit ${worst.toFixed(3)} against the reference, ` +
        `${agreement.toFixed(3)} against the model's own result`,
    );
  });

  test(
    `decoding token by token over a KV cache gives the bits of the whole prompt (${variant})`,
    { skip },
    () => {
      for (const { q, k, v } of story()) {
        const want = ch.attention(q, k, v, { ...options, want: { lse: true, stats: true } });
        const cache = ch.kvCache({ kvHeads, headDim: d, capacity: m });
        const rows = (a, i) => a.subarray((i * a.length) / m, ((i + 1) * a.length) / m);
        for (let i = 0; i < m; i++) {
          cache.append(rows(k, i), rows(v, i), { layout: 'bshd' });
          const { output, lse, stats } = ch.attend(rows(q, i), cache, {
            heads,
            layout: 'bshd',
            causal: i % 2 === 0,
            want: { lse: true, stats: true },
          });
          sameArray(output, want.output.slice(i * heads * d, (i + 1) * heads * d), `position ${i}`);
          const of = (a) => a.constructor.from({ length: heads }, (_, h) => a[h * m + i]);
          sameBits(
            { lse, stats },
            {
              lse: of(want.lse),
              stats: Object.fromEntries(
                Object.entries(want.stats).map(([name, a]) => [name, of(a)]),
              ),
            },
            `position ${i}`,
          );
        }
        cache.dispose();
      }
    },
  );
}
