/** The code that the page shows. It runs in Node with the library, and prints its numbers. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import { init } from '../../src/js/index.js';
import { loadModel } from '../../src/js/model/index.js';
import { createTrainer } from '../../src/js/train/index.js';
import { CONFIG, OPTIONS, unseen } from '../../training/induction/recipe.js';
import { exampleOf } from '../../web/math/example.js';
import { Store } from '../../web/page/state.js';
import { atTemperature } from '../../web/panels/cold-hot/compute.js';
import { spend } from '../../web/panels/commitment/compute.js';
import { fallShort, threeOf } from '../../web/panels/compromise/compute.js';
import { compare } from '../../web/panels/distance/compute.js';
import { change, headOf, NONE, tell } from '../../web/panels/lab/compute.js';
import { explain } from '../../web/panels/lab/explain.js';
import { difference } from '../../web/panels/lab/push.js';
import { PROMPT } from '../../web/panels/look/state.js';
import { Story } from '../../web/panels/look/writing/story.js';
import { compute, settingOf } from '../../web/panels/many-heads/compute.js';
import { derive } from '../../web/panels/one-look/compute.js';
import { VALUES } from '../../web/panels/one-look/values.js';
import { moves, pairs, SIZES } from '../../web/panels/push/compute.js';
import { share } from '../../web/panels/sharing/worker.js';
import { testify } from '../../web/panels/trust/compute.js';
import { ATTENTION, INSTALL, MODEL } from '../../web/panels/use/snippets.js';
import { letters } from '../support/web/letters.js';
import { running } from '../support/web/shown-code.js';

/** The code of a panel, and its settings: those of the beginning, but for the changes. */
async function panel(id, changes = {}) {
  const { codeOf } = await import(`../../web/panels/${id}/code.js`);
  const { state } = await import(`../../web/panels/${id}/state.js`);
  const signals = state(new Store());
  for (const [name, value] of Object.entries(changes)) signals[name].set(value);
  const values = Object.fromEntries(
    Object.entries(signals).map(([name, { value }]) => [name, value]),
  );
  return { codeOf, signals, values };
}
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

describe('the code that the page shows of a model', () => {
  const printed = running();
  let model;
  before(async () => {
    const layers = await init({ layers: true });
    model = await loadModel(letters(), { engine: layers });
  });

  test('the look, in code: the row of the head', async (t) => {
    const { codeOf } = await import('../../web/panels/look/code.js');
    const ids = model.tokenizer.encode(PROMPT);
    const tokens = ids.map((id) => ({ id, text: '' }));
    model.setTemperature(2);
    await model.prefill(ids);
    const { weights } = model.row(1, 3, ids.length - 1);
    model.setTemperature(1);
    // a file of the reader's own has its own name
    const source = new File([], 'model.gguf');
    const code = codeOf({ tokens, layer: 1, head: 3, T: 2 }, { source });
    assert.match(code, /new URL\("model\.gguf"/);
    const short = codeOf({ tokens, text: PROMPT, layer: 1, head: 3, T: 2 }, { source });
    assert.ok(short.split('\n').length < 12 && short.includes(`text = ${JSON.stringify(PROMPT)};`));
    assert.deepEqual(await printed(t, short), await printed(t, code));
    const lines = await printed(t, code);
    assert.deepEqual(
      lines.map(([, weight]) => weight),
      [...weights],
    );
    // with the surprise of its word
    const [[, bits], ...rows] = await printed(
      t,
      codeOf({ tokens, layer: 1, head: 3, T: 2, bits: true }, { source }),
    );
    assert.deepEqual(rows, lines);
    const story = new Story(model.config, ids.length);
    for (const token of tokens) story.add(token);
    model.setTemperature(2);
    model.cache.clear();
    ids.forEach((id, i) => {
      const { heads, logits } = model.step(id, { observe: 'weights' });
      story.record(i, heads, logits);
    });
    model.setTemperature(1);
    assert.ok(Math.abs(bits - story.bits[ids.length - 1]) < 1e-4);
  });

  test('the lab, in code: the story under the changes, and its word explained', async (t) => {
    for (const changes of [
      {},
      { heads: ['1.3', '2.0'], how: 'blind', hidden: [2, 5], push: 0.5, against: 'none' },
      { heads: ['1.3', '2.0'], whose: 'changed' },
    ]) {
      const { codeOf, signals, values } = await panel('lab', {
        prompt: 'and she took',
        ...changes,
      });
      const lines = await printed(t, codeOf(signals, { whose: values.whose, at: 3 }, {}));
      const [[told]] = lines;
      await change(model, NONE);
      const prompt = model.tokenizer.encode('and she took').map((id) => ({ id, text: '' }));
      const { signal } = new AbortController();
      const before = await tell(model, signal, prompt, 4);
      const add =
        values.push && (await difference(model, values.towards, values.from, values.pushLayer));
      await change(model, {
        heads: values.heads.map(headOf),
        how: values.how,
        hidden: values.hidden,
        ...(add && { push: { layer: values.pushLayer, add, gain: values.push } }),
      });
      const story = await tell(model, signal, prompt, 40);
      assert.equal(told, story.map(({ text }) => text).join(''));
      model.cache.clear();
      const read = values.whose === 'changed' ? story.slice(0, 4) : before;
      const ids = [...prompt, ...read].map(({ id }) => id);
      const { layers, ledger } = await explain(model, ids, values.against === 'next');
      const shown = lines.slice(1, -2).map(([line]) => Number(line.match(/' (\S+),/)[1]));
      assert.deepEqual(
        shown,
        layers.map(({ probability }) => probability),
      );
      for (const name of ['embedding', 'heads', 'feedForward', 'interventions', 'rounding', 'rest'])
        assert.deepEqual(lines.at(-1)[0][name], ledger[name]);
    }
  });

  test('a head is born, in code: the loss of the first point', async (t) => {
    const { codeOf, values } = await panel('born', { seed: 4 });
    const [[{ step, loss }], ...more] = await printed(t, codeOf(values.seed, 1));
    const trainer = await createTrainer(CONFIG, { ...OPTIONS, seed: 4 });
    const { tokens, targets } = unseen();
    assert.deepEqual(
      { step, loss, more },
      {
        step: 0,
        loss: (await trainer.evaluate(tokens, { targets })).loss,
        more: [],
      },
    );
    trainer.dispose();
  });

  test('the other code runs as it stands', async (t) => {
    const [[entropy]] = await printed(t, `${INSTALL}\n${ATTENTION}`);
    assert.equal(entropy.length, 8 * 16);
    const words = await readFile(new URL('../../web/index.html', import.meta.url), 'utf8');
    assert.ok(words.replaceAll('&gt;', '>').includes(`<code>${ATTENTION}\n</code>`));
    const lines = await printed(t, MODEL);
    assert.ok(lines.length > 3 && lines.every(([text]) => typeof text === 'string'));
  });
});
