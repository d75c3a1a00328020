/** The code that the page shows. It runs in Node with the library, and prints its numbers. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { init } from '../../src/js/index.js';
import { exampleOf } from '../../web/math/example.js';
import { atTemperature } from '../../web/panels/cold-hot/compute.js';
import { spend } from '../../web/panels/commitment/compute.js';
import { fallShort, threeOf } from '../../web/panels/compromise/compute.js';
import { compare } from '../../web/panels/distance/compute.js';
import { compute, settingOf } from '../../web/panels/many-heads/compute.js';
import { derive } from '../../web/panels/one-look/compute.js';
import { VALUES } from '../../web/panels/one-look/values.js';
import { moves, pairs, SIZES } from '../../web/panels/push/compute.js';
import { share } from '../../web/panels/sharing/worker.js';
import { testify } from '../../web/panels/trust/compute.js';
import { panel, running } from '../support/web/shown-code.js';

const six = exampleOf(undefined);

describe('the code that the page shows', () => {
  const printed = running();
  let engine;
  before(async () => {
    const { attention, theory } = await init();
    engine = { attention, theory: await theory };
  });

  test('one look, in code: its weights and its output', async (t) => {
    for (const changes of [{}, { T: 0.5, q: [200] }]) {
      const { codeOf, values } = await panel('one-look', changes);
      const { q, k, T } = values;
      const [[weights, output]] = await printed(t, codeOf({ ...values, values: VALUES }));
      const found = derive(engine, { T, q: q[0], k, values: VALUES });
      assert.deepEqual([...weights], [...found.routes[0]]);
      assert.deepEqual([...output], [...found.output]);
    }
  });

  test('many heads, in code: the nats that a head spends', async (t) => {
    for (const changes of [{}, { H: 6, G: 3, T: 0.7, reach: 5, seed: 11, kind: 'normal' }]) {
      const { codeOf, signals } = await panel('many-heads', changes);
      const setting = settingOf(signals);
      const [[told]] = await printed(t, codeOf({ ...setting, head: 3 }));
      const { n } = setting;
      const rows = compute(engine, setting).stats.kl.subarray(3 * n, 4 * n);
      assert.equal(told.spends, rows.reduce((sum, x) => sum + x, 0) / n);
    }
  });

  test('cold and hot, in code: the weights at a temperature, its ends too', async (t) => {
    for (const T of [0, 1, Infinity]) {
      const { codeOf, values } = await panel('cold-hot', { T });
      const [[{ weights }]] = await printed(t, codeOf({ ...six, T: values.T }));
      assert.deepEqual(weights, atTemperature(engine, six.scores, T));
    }
  });

  test('trust, in code: the mean of the reports, twice', async (t) => {
    const { codeOf, values } = await panel('trust');
    const example = exampleOf(undefined, { minKeys: 2, maxKeys: values.reports.length });
    const found = testify(engine, { ...example, reports: values.reports, T: values.T });
    const [[told]] = await printed(t, codeOf({ words: example.words, ...found }));
    assert.equal(told.attention, found.output);
    assert.equal(told.mostLikely, found.estimate);
  });

  test('commitment, in code: the best use of the budget', async (t) => {
    const { codeOf, values } = await panel('commitment');
    const [[told]] = await printed(t, codeOf({ ...six, share: values.share }));
    const found = spend(engine, six.scores, values.share);
    assert.equal(told.expectedScore, found.score);
    assert.equal(told.temperature, found.T);
  });

  test('compromise, in code: the gap to the top', async (t) => {
    const { codeOf, values } = await panel('compromise');
    const three = threeOf(engine, six, values.T);
    const mix = [...values.dot, 1 - values.dot[0] - values.dot[1]];
    const [[told]] = await printed(t, codeOf({ ...three, T: values.T, mix }));
    assert.equal(told.gap, fallShort(engine, { z: three.z, T: values.T, p: mix }).gap);
  });

  test('distance, in code: the difference of the two sides', async (t) => {
    for (const changes of [{}, { unitKeys: false, precision: 'float32', T: 0.4, seed: 3 }]) {
      const { codeOf, values } = await panel('distance', changes);
      const [[told]] = await printed(t, codeOf(values));
      const { weights, sigma2 } = compare(engine, values, values.precision);
      assert.deepEqual(told, { sigma2, largestDifference: weights.max });
    }
  });

  test('push and scale, in code: the bound, and the variances', async (t) => {
    const { codeOf, values } = await panel('push', { T: 2 });
    const [[told], ...sizes] = await printed(t, codeOf({ ...values, seed: 1 }));
    const { scores } = exampleOf(undefined);
    assert.equal(told.atMost, moves(engine, pairs(engine), values.T, scores).bound);
    assert.ok(told.weightsMovedOverPush > 0.99 * told.atMost);
    SIZES.forEach((headDim, i) => {
      const { variance } = engine.theory.scaleExperiment({ headDim, seed: 1 + headDim });
      assert.equal(sizes[i][0].variance, variance);
    });
  });

  test('sharing, in code: the largest change and its bound', async (t) => {
    const { codeOf, values } = await panel('sharing', { part: 0.6 });
    const setting = { ...values, T: 1 };
    const [[told]] = await printed(t, codeOf(setting));
    const { measured, bounds } = share(engine, setting);
    assert.equal(told.change, Math.max(...measured.weights2));
    assert.equal(told.bound, Math.max(...bounds.sharp.values));
  });
});
