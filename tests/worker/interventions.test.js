/** Traces and interventions of a model in a worker are those of the model here. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { init } from '../../src/js/index.js';
import { loadModel as loadHere } from '../../src/js/model/index.js';
import { loadModel } from '../../src/js/worker/client.js';
import { sameBits } from '../support/bits.js';
import { all, engine, prompt, source } from '../support/models/in-worker.js';

describe('a model in a worker', () => {
  let here;
  let model;
  before(async () => {
    here = await loadHere(source, { engine: await init({ ...engine, layers: true }) });
    model = await loadModel(new Blob([source]), { engine });
  });
  after(() => model.dispose());
  const options = { record: ['z', 'resid_post', 'pattern', 'final_scale'], layers: [0, 2] };

  test('has the same trace, at once and in parts', async () => {
    const want = await here.trace(prompt, options);
    sameBits(await model.trace(prompt, options), want);
    assert.equal(await model.traceBytes(prompt, options), here.traceBytes(prompt, options));
    const parts = [];
    const own = [];
    await model.trace(prompt, { ...options, onPart: (part) => parts.push(part) });
    await here.trace(prompt, { ...options, onPart: (part) => own.push(part) });
    assert.equal(parts.length, own.length);
    sameBits(parts, own);
  });

  test('takes the same interventions, and tells them', async () => {
    const from = await here.trace(prompt, { record: ['z', 'pattern'] });
    const list = [
      { layer: 0, head: 1, gain: 0 },
      { layer: 1, head: 2, gain: 'mean' },
      { layer: 2, head: 0, patch: 'z', from, positions: from.positions },
      { layer: 1, temperature: 0.5 },
    ];
    for (const each of [here, model]) await each.intervene(list);
    const next = (each) => all(each.generate([9, 3, 3, 7, 1], { maxTokens: 5, observe: 'stats' }));
    assert.deepEqual(await next(model), await next(here));
    sameBits(await model.interventions(), here.interventions);
    assert.equal((await model.interventions()).length, 4);
    assert.equal(await model.temperature(1, 3), 0.5);
    for (const each of [here, model]) await each.intervene([]);
  });

  test('refuses the same, with the same words', async () => {
    for (const call of [
      (each) => each.intervene([{ layer: 99, gain: 0 }]),
      (each) => each.intervene(),
      (each) => each.trace(prompt, { record: ['zz'] }),
      (each) => each.trace(prompt),
      (each) => each.trace(prompt, { ...options, onPart: 5 }),
      (each) => each.trace(prompt, { ...options, signal: {} }),
      (each) => each.traceBytes(prompt, { record: [] }),
    ]) {
      const error = await (async () => call(here))().catch((caught) => caught);
      assert.equal(error.name, 'ClearheadError');
      await assert.rejects((async () => call(model))(), {
        code: error.code,
        message: error.message,
      });
    }
  });

  test('ends a trace when its signal aborts, and goes on', async () => {
    const abort = new AbortController();
    const reason = new Error('enough');
    const traced = model.trace(prompt, { ...options, signal: abort.signal });
    abort.abort(reason);
    await assert.rejects(traced, reason);
    const after = await model.trace(prompt, options);
    assert.equal(after.positions.length, prompt.length);
  });
});
