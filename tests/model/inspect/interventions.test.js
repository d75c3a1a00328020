/** Sweeps and scores of a model with interventions, which they leave as they were. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { sameBits } from '../../support/bits.js';
import { tokensOf } from '../../support/models/differences.js';
import { engines } from '../../support/models/engines.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';

const source = tiny(configs['llama, tied, grouped']);
const ids = tokensOf(31, 9, 64);
const others = tokensOf(32, 9, 64);
const MEAN = [{ layer: 1, head: 2, gain: 'mean' }];

/** The stream of other tokens. */
const patchOf = (model) => model.trace(others, { record: ['resid_pre'] });

/** The log-probability of the likeliest token, or of another. */
function logprob(logits, token = logits.indexOf(Math.max(...logits))) {
  const max = Math.max(...logits);
  return logits[token] - max - Math.log(logits.reduce((sum, x) => sum + Math.exp(x - max), 0));
}

for (const { variant, ch: engine } of engines)
  describe(`${variant} kernels`, () => {
    const load = () => loadModel(asSafetensors(source), { engine });
    /** The logits behind tokens with a list, in a model of their own. */
    const read = async (tokens, list) => {
      const model = await load();
      model.intervene(list);
      const { logits } = model.prefill(tokens);
      model.dispose();
      return logits;
    };

    test('the mean in a sweep is that of the prompt it reads', async () => {
      const want = await read(ids, MEAN);
      const token = want.indexOf(Math.max(...want));
      const without = await read(ids, [...MEAN, { layer: 1, head: 2, gain: 0 }]);
      for (const earlier of [[], others]) {
        const model = await load();
        model.intervene(MEAN);
        if (earlier.length) model.prefill(earlier);
        const own = await model.sweep(ids, { from: ids });
        assert.ok(Math.abs(own.base - logprob(want)) < 1e-6, `${own.base}`);
        assert.deepEqual([...own.changes], Array(own.changes.length).fill(0));
        const { source: other } = await model.sweep(ids, { from: others });
        assert.ok(Math.abs(other - logprob(await read(others, MEAN), token)) < 1e-6, `${other}`);
        const { changes, base } = await model.sweep(ids);
        const change = changes[model.config.heads + 2];
        assert.ok(Math.abs(base + change - logprob(without, token)) < 1e-4, `${change}`);
        model.dispose();
      }
    });

    for (const [name, work] of [
      ['sweep', (model) => model.sweep(ids)],
      ['scores', (model) => model.heads.scores({ repeats: { count: 2, period: 4 } })],
    ])
      test(`the mean after ${name} is that of before`, async () => {
        for (const settled of [true, false]) {
          const pair = [await load(), await load()];
          for (const model of pair) {
            if (settled) model.intervene(MEAN);
            model.prefill(others);
            if (!settled) model.intervene(MEAN);
          }
          await work(pair[0]);
          sameBits(pair[0].step(5), pair[1].step(5), `${name}, ${settled}`);
          for (const model of pair) model.dispose();
        }
      });

    test('under a list own values change nothing, and zeros are as in a pass', async () => {
      const model = await load();
      const { modelDim, heads, layers } = model.config;
      const add = Float32Array.from({ length: modelDim }, (_, c) => Math.sin(c));
      const list = [
        { layer: 1, add },
        { layer: 1, patch: 'resid_pre', from: await patchOf(model), positions: [4] },
        { layer: 0, at: 'resid_post', add, gain: 0.5 },
        { layer: 2, add, gain: -2, positions: [1, 8] },
        { layer: 1, head: 0, gain: 0.5 },
        { layer: 2, head: 1, pattern: 'previous' },
      ];
      model.intervene(list);
      for (const over of ['z', 'resid_pre', 'attn_out', 'mlp_out']) {
        const { changes } = await model.sweep(ids, { over, from: ids });
        assert.deepEqual([...changes], Array(changes.length).fill(0), over);
      }
      const { base, changes } = await model.sweep(ids);
      const logits = await read(ids, list);
      const token = logits.indexOf(Math.max(...logits));
      assert.ok(Math.abs(base - logprob(logits)) < 1e-6, `${base}`);
      for (let at = 0; at < layers * heads; at++) {
        const zero = { layer: Math.floor(at / heads), head: at % heads, gain: 0 };
        const want = logprob(await read(ids, [...list, zero]), token) - base;
        assert.ok(Math.abs(changes[at] - want) < 1e-3, `${at}: ${changes[at]}, not ${want}`);
      }
      model.dispose();
    });

    test('meanwhile a list is refused, and the one of before stays', async () => {
      const model = await load();
      model.intervene(MEAN);
      const calls = [() => model.intervene([]), () => model.setTemperature(2)];
      let told = 0;
      const onProgress = () => {
        told++;
        for (const call of calls) assert.throws(call, { code: 'BUSY' });
      };
      const sets = [0, 1].map((x) => [ids, others, [...ids, x]]);
      for (const work of [
        () => model.sweep(ids, { onProgress }),
        () => model.heads.scores({ repeats: { count: 1, period: 4 }, onProgress }),
        () => model.heads.fingerprint(...sets, { onProgress, level: 0.5 }),
      ]) {
        told = 0;
        await work();
        assert.ok(told > 1);
        assert.deepEqual(model.interventions, MEAN);
        for (const call of calls) call();
        model.intervene(MEAN);
      }
      const enough = () => {
        throw new Error('enough');
      };
      await assert.rejects(model.sweep(ids, { onProgress: enough }), /^Error: enough$/);
      model.intervene([]);
      model.dispose();
    });

    test('scores have the mean of the cache, or none', async () => {
      const options = { repeats: { count: 2, period: 4 }, scores: ['first', 'previous'] };
      const scores = async (prepare) => {
        const model = await load();
        prepare(model);
        const { scores: got } = await model.heads.scores(options);
        model.dispose();
        return got;
      };
      const plain = await scores(() => {});
      assert.deepEqual(await scores((model) => model.intervene(MEAN)), plain);
      const before = await scores((model) => (model.intervene(MEAN), model.prefill(ids)));
      const after = await scores((model) => (model.prefill(ids), model.intervene(MEAN)));
      assert.deepEqual(after, before);
      assert.notDeepEqual(after, plain);
    });
  });
