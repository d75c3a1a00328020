/** The checks of the look, given numbers that are wrong. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { checkBits, checkRow } from '../../../web/panels/look/check.js';
import { tellFirst } from '../../../web/panels/look/first.js';
import { bitsOf } from '../../../web/panels/look/surprise.js';
import { letters } from '../../support/web/letters.js';

test('a wrong row, a wrong ρ and another temperature are seen', async () => {
  const engine = await init({ layers: true, variant: 'simd' });
  const model = await loadModel(letters(), { engine });
  for (const T of [0, 0.3, 1, 5, Infinity]) {
    model.cache.clear();
    model.setTemperature(T);
    const { story } = tellFirst(model, { prompt: 'once', tokens: 20 });
    const { attnScale: scale, attnSoftcap: cap } = model.config;
    const last = { layer: 3, head: 6 };
    const i = story.rows - 1;
    const rho = story.rho[(3 * 8 + 6) * story.capacity + i];
    const right = { ...model.row(3, 6, i), weights: story.row(last, i), rho, scale, cap, T };
    const verdicts = (row) => {
      const { weights, rho: budget } = checkRow({ ...right, ...row });
      return [weights.ratio <= 1, budget.measured <= budget.allowed];
    };
    assert.deepEqual(verdicts({}), [true, true], `T = ${T}`);
    assert.equal(verdicts({ weights: story.row({ layer: 3, head: 5 }, i) })[0], T === Infinity);
    assert.equal(verdicts({ rho: 1.01 * rho + 0.001 })[1], false);
    if (T > 0 && T < Infinity) assert.equal(verdicts({ T: 1.001 * T })[0], false);
  }
});

test('a surprise of another token, or of other logits, is seen', () => {
  const z = Float32Array.of(0.25, -1, 2.5, 0);
  const sum = z.reduce((total, x) => total + Math.exp(x), 0);
  const right = -Math.log2(Math.exp(z[1]) / sum);
  assert.ok(Math.abs(bitsOf(z, 1) - right) < 1e-14);
  const verdict = (bits, id = 1, logits = z) => {
    const { measured, allowed } = checkBits(bits, logits, id);
    return measured <= allowed;
  };
  assert.deepEqual(
    [verdict(right), verdict(right, 0), verdict(right + 1e-9), verdict(right * Math.LN2)],
    [true, false, false, false],
  );
  assert.equal(
    verdict(
      right,
      1,
      z.map((x) => x / 2),
    ),
    false,
    'another sampling temperature',
  );
});
