/** A temperature for each head: every head has the bits of a call in which all have its own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STATISTICS } from '../../src/js/attention/statistics.js';
import { sameArray } from '../support/bits.js';
import { engines } from '../support/engines.js';
import { Kernels } from '../support/kernels.js';
import { random } from '../support/random.js';

const heads = 6;
const kvHeads = 2;
const d = 8;
const dv = 5;
const T = [1, 0, 0.25, Infinity, 1e30, 7];

/**
 * One call; `set` names its temperatures. The rest is the data's type, a cache's type, whether it
 * runs in pieces as threads do, and further options.
 */
function attend(kernels, { m, n, double, cacheType, pieces, capped }, set) {
  return kernels.scope(() => {
    const { c } = kernels;
    const r = random(m + n);
    const Floats = double ? Float64Array : Float32Array;
    const size = Floats.BYTES_PER_ELEMENT;
    const type = double ? '_f64' : '_f32';
    const numbers = (length) => kernels.copy(Floats.from({ length }, () => 2 * r.normal()));
    const p = kernels.allocate(c.attn_params_bytes());
    const allocate = (length) => kernels.allocate(length * size);
    assert.equal(c.attn_init(p, 1, heads, kvHeads, m, n, d, dv), 0);
    c.attn_set_causal(p, 1);
    c.attn_set_offset(p, n - m, 0);
    if (capped) c.attn_set_softcap(p, 20);
    assert.equal(set(c, p), 0);
    const q = numbers(heads * m * d);
    const k = numbers(kvHeads * n * d);
    const v = numbers(kvHeads * n * dv);
    const out = allocate(heads * m * dv);
    if (capped) c.attn_set_sinks(p, numbers(heads));
    const stats = allocate(STATISTICS.length * heads * m);
    const lse = allocate(heads * m);
    const weights = allocate(heads * m * n);
    c.attn_want_stats(p, stats, heads * m);
    c.attn_want_lse(p, lse);
    c.attn_want_weights(p, weights, 0, heads, 0, m);
    const scratch = kernels.allocate(c[`attn_scratch_bytes${type}`](p));
    let cache = 0;
    if (cacheType !== undefined) {
      cache = kernels.allocate(c.attn_cache_bytes(kvHeads, d, dv, n, cacheType));
      c.attn_cache_init(cache, kvHeads, d, dv, n, cacheType);
      assert.equal(c.attn_cache_append(cache, k, v, n, 0), 0);
    }
    if (pieces) {
      const work = kernels.allocate(c.attn_work_bytes(p));
      assert.equal(c.attn_work_begin(work, p, out, q, k, v, cache, scratch), 0);
      c.attn_work_run(work, scratch);
      c.attn_work_end(work, scratch);
    } else if (cache) assert.equal(c.attn_cache_attend(p, out, q, cache, scratch), 0);
    else assert.equal(c[`attn_forward${type}`](p, out, q, k, v, scratch), 0);
    const rows = STATISTICS.map((name, x) => [
      name,
      kernels.read(
        name === 'n' || name === 'argmax' ? Int32Array : Floats,
        stats + x * heads * m * size,
        heads * m,
      ),
      m,
    ]);
    return [
      ...rows,
      ['lse', kernels.read(Floats, lse, heads * m), m],
      ['weights', kernels.read(Floats, weights, heads * m * n), m * n],
      ['output', kernels.read(Floats, out, heads * m * dv), m * dv],
    ];
  });
}

for (const { variant } of engines)
  for (const [name, how] of Object.entries({
    'one query': { m: 1, n: 700 },
    'many queries': { m: 70, n: 600 },
    'softcap and sinks': { m: 9, n: 40, capped: true },
    'a cache of halves': { m: 3, n: 530, cacheType: 1 },
    'a cache of bytes': { m: 3, n: 530, cacheType: 2 },
    'spans as pieces': { m: 2, n: 1100, pieces: true },
    'rows as pieces': { m: 90, n: 130, pieces: true },
    'in double': { m: 4, n: 50, double: true },
  }))
    test(`every head has the bits of its own temperature: ${name} (${variant})`, () => {
      const kernels = new Kernels(variant);
      const own = kernels.copy(Float64Array.from(T));
      const got = attend(kernels, how, (c, p) => c.attn_set_temperatures(p, own));
      for (const [h, temperature] of T.entries())
        for (const [x, [what, want, step]] of attend(kernels, how, (c, p) =>
          c.attn_set_temperature(p, temperature),
        ).entries())
          sameArray(
            got[x][1].subarray(h * step, (h + 1) * step),
            want.subarray(h * step, (h + 1) * step),
            `${what} of head ${h}, T = ${temperature}`,
          );
    });

test('a temperature that is none is refused, and the one takes the place of many', () => {
  const kernels = new Kernels('simd');
  const { c } = kernels;
  const how = { m: 2, n: 9 };
  const RANGE = 2;
  const outputOf = (set) => attend(kernels, how, (_, p) => set(p)).at(-1)[1];
  const one = outputOf((p) => c.attn_set_temperature(p, 1));
  for (const wrong of [-1, NaN]) {
    const list = kernels.copy(Float64Array.of(1, 1, 1, 1, 1, wrong));
    const refused = (p) => (assert.equal(c.attn_set_temperatures(p, list), RANGE), 0);
    sameArray(outputOf(refused), one, 'as if it had not been set');
  }
  const temperatures = kernels.copy(Float64Array.from(T));
  for (const back of [(p) => c.attn_set_temperature(p, 1), (p) => c.attn_set_temperatures(p, 0)])
    sameArray(
      outputOf((p) => c.attn_set_temperatures(p, temperatures) || back(p)),
      one,
      'one for all',
    );
});
