/**
 * Statement 15: attention costs m·n·(d + dv) multiply-adds, in working memory that grows with
 * neither m nor n.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../support/engines.js';
import { random } from '../support/random.js';
import { init } from '../../src/js/index.js';

for (const { variant, ch } of engines) {
  const { cost } = await ch.theory;

  test(`the counts are right for 1000 shapes (${variant})`, () => {
    const r = random(15);
    for (let x = 0; x < 1000; x++) {
      const [m, n] = Array.from({ length: 2 }, () =>
        r.pick([0, 1, Math.floor(2 ** (18 * r.uniform()))]),
      );
      const headDim = r.pick([1, 64, 1024]);
      const valueDim = r.pick([1, 64, 1024]);
      const { multiplyAdds, scratchBytes } = cost({ m, n, headDim, valueDim });
      const sizes = { headDim, valueDim };
      assert.equal(
        multiplyAdds,
        m * n * (headDim + valueDim),
        `${m} × ${n}, ${headDim}, ${valueDim}`,
      );
      // keys are read in spans of 512
      assert.equal(
        scratchBytes.float32,
        cost({ m: 1, n: Math.min(n, 512), ...sizes }).scratchBytes.float32,
      );
      assert.equal(
        scratchBytes.float64,
        cost({ m: 1, n: 0, ...sizes }).scratchBytes.float64 + 8 * n,
      );
    }
    assert.deepEqual(
      cost({ m: 7, n: 5, headDim: 3 }),
      cost({ m: 7, n: 5, headDim: 3, valueDim: 3 }),
    );
  });

  for (const Floats of [Float32Array, Float64Array])
    test(`memory for 2048 queries and keys (${Floats.name}, ${variant})`, async (t) => {
      const fresh = await init({ variant });
      const probe = fresh.tensor([1]);
      const bytes = () => probe.data.buffer.byteLength;
      const before = bytes();
      const x = new Floats(2048 * 4);
      const { scratchBytes } = (await fresh.theory).cost({ m: 2048, n: 2048, headDim: 4 });
      fresh.attention(x, x, x, { headDim: 4 });
      const grown = bytes() - before;
      t.diagnostic(
        `${grown} bytes; the weights would be ${2048 * 2048 * Floats.BYTES_PER_ELEMENT}`,
      );
      assert.ok(
        grown <=
          4 * x.byteLength + scratchBytes[Floats === Float32Array ? 'float32' : 'float64'] + 65536,
        `${grown} bytes`,
      );
    });
}
