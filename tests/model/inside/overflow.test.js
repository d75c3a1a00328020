/** Interventions with extreme numbers give finite logits or are refused, and nothing is lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { sameArray, sameBits } from '../../support/bits.js';
import { engines } from '../../support/models/engines.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';
import { random } from '../../support/random.js';

const PROMPT = [4, 3, 2, 5];
const load = (engine, name = 'llama, tied, grouped') =>
  loadModel(asSafetensors(tiny(configs[name])), { engine });

for (const { variant, ch: engine } of engines)
  test(`logits that overflow are refused, and the next call works (${variant})`, async () => {
    const model = await load(engine);
    const { modelDim } = model.config;
    const want = [model.prefill(PROMPT), model.step(7)];
    model.cache.truncate(PROMPT.length);
    const huge = new Float32Array(modelDim).fill(3e38);
    for (const [list, at] of [
      [
        [
          { layer: 1, gain: 1 },
          { layer: 1, head: 0, gain: 0 },
          { layer: 1, gain: 1e38 },
        ],
        2,
      ],
      [
        [
          { layer: 0, add: huge },
          { layer: 0, add: huge, gain: 1 },
        ],
        0,
      ],
    ]) {
      model.intervene(list);
      const message = new RegExp(`^interventions\\[${at}\\] is of numbers up to \\d.*overflow`);
      const refused = { name: 'ClearheadError', code: 'RANGE', message };
      assert.throws(() => model.step(7), refused);
      assert.throws(() => model.prefill([7, 8, 9]), refused);
      sameArray(model.cache.tokens, Int32Array.from(PROMPT));
      await assert.rejects(model.generate([...PROMPT, 7], { maxTokens: 2 }).next(), refused);
      await assert.rejects(model.trace(PROMPT, { record: ['z'] }), refused);
      await assert.rejects(model.sweep(PROMPT), refused);
      await assert.rejects(model.rank([4, 5], [[1, 2], [3]]), refused);
      await assert.rejects(model.heads.scores(), refused);
      await assert.rejects(model.heads.fingerprint([PROMPT, PROMPT], [PROMPT, PROMPT]), refused);
      model.intervene([]);
      model.cache.clear();
      sameBits([model.prefill(PROMPT), model.step(7)], want);
      model.cache.truncate(PROMPT.length);
    }
    model.dispose();
  });

for (const { variant, ch: engine } of engines)
  test(`a stream that overflows leaves NaN in its own statistics (${variant})`, async () => {
    const model = await load(engine);
    const { layers, modelDim } = model.config;
    const lost = 1;
    const unseen = Array.from({ length: layers }, (_, layer) => ({
      layer,
      knockOut: { queries: [2, 3], keys: [lost] },
    }));
    const huge = { layer: 0, add: new Float32Array(modelDim).fill(3e38), positions: [lost] };
    const [plain, overflown] = [unseen, [huge, huge, ...unseen]].map((list) => {
      model.intervene(list);
      model.cache.clear();
      return model.prefill(PROMPT, { observe: 'stats' });
    });
    sameArray(overflown.logits, plain.logits);
    const rowOf = (at) => at % PROMPT.length;
    for (const name of ['entropy', 'kl', 'expectedScore', 'variance', 'maxWeight', 'firstWeight'])
      overflown.heads[name].forEach((x, at) =>
        assert.ok(
          rowOf(at) === lost ? Number.isNaN(x) : x === plain.heads[name][at],
          `${name} ${at}`,
        ),
      );
    model.dispose();
  });

for (const { variant, ch: engine } of engines)
  test(`every temperature gives finite logits and statistics (${variant})`, async () => {
    const model = await load(engine);
    const sets = [0, 1].map((set) => [0, 1].map((x) => [1, 2, 3, 4].map((i) => i * (9 + x + set))));
    for (const temperature of [0, 1e-320, 1e-45, 1e-30, 1e30, 1e38, 1e40, 1e308, Infinity]) {
      model.intervene([{ temperature }, { layer: 0, head: 1, knockOut: { keys: [1] } }]);
      model.cache.clear();
      const { logits, heads } = model.prefill(PROMPT, { observe: 'stats' });
      assert.ok(logits.every(Number.isFinite), `logits at ${temperature}`);
      for (const name of ['entropy', 'kl', 'variance', 'maxWeight', 'firstWeight'])
        assert.ok(heads[name].every(Number.isFinite), `${name} at ${temperature}`);
      const { a } = await model.heads.fingerprint(...sets, { ablate: 0 });
      assert.ok([...a.rho, ...a.chi].every(Number.isFinite), `fingerprint at ${temperature}`);
    }
    model.dispose();
  });

test('own rows are refused at temperatures that float32 cannot make them have', async () => {
  const model = await load(engines[0].ch);
  const rows = { layer: 1, head: 1, pattern: [[1], [0.25, 0.75]] };
  const weights = (temperature) => {
    model.intervene([rows, { temperature }]);
    model.cache.clear();
    model.prefill(PROMPT.slice(0, 2));
    return model.row(1, 1, 1).weights;
  };
  for (const temperature of [1e-30, 1, 1e30])
    for (const [key, weight] of [0.25, 0.75].entries())
      assert.ok(Math.abs(weights(temperature)[key] - weight) < 1e-6, `at ${temperature}`);
  for (const temperature of [1e-320, 9e-31, 1.1e30, 1e308])
    assert.throws(() => weights(temperature), {
      code: 'RANGE',
      message: /^the temperature of layer 1, head 1 is .*; expected one from 1e-30 to 1e\+30/,
    });
  model.dispose();
});

test('a trace patches the same after a way through JSON', async () => {
  const model = await load(engines[0].ch);
  const trace = await model.trace([9, 8, 7, 6], { record: ['z', 'resid_pre', 'pattern'] });
  const copy = JSON.parse(
    JSON.stringify(trace, (_, x) => (ArrayBuffer.isView(x) ? Array.from(x) : x)),
  );
  const read = (from) => {
    model.intervene([
      { layer: 0, head: 2, patch: 'pattern', from },
      { layer: 1, patch: 'z', from, positions: [1, 2] },
      { layer: 2, patch: 'resid_pre', from, positions: [3] },
    ]);
    model.cache.clear();
    return model.prefill(PROMPT);
  };
  sameBits(read(copy), read(trace));
  model.dispose();
});

test('a temperature leaves the entries of a list in force after a mean was measured', async () => {
  const model = await load(engines[0].ch);
  const list = [
    { layer: 0, gain: 1 },
    { layer: 1, gain: 'mean' },
    { layer: 2, gain: 0.5 },
  ];
  const read = () => {
    model.cache.clear();
    return model.prefill(PROMPT);
  };
  model.intervene([...list, { temperature: 2 }]);
  const want = read();
  model.intervene(list);
  read();
  model.setTemperature(3);
  model.setTemperature(2);
  sameBits(read(), want);
  model.dispose();
});

const SIZES = [0, 1, -1, 1e-45, 1e10, -1e30, 1e37, 3e38, -3.5e38, 1e308, NaN, Infinity];

test('hostile lists are refused with a typed error, or leave all logits finite', async (t) => {
  const model = await load(engines[0].ch, 'gemma3');
  const want = model.prefill(PROMPT);
  const trace = await model.trace([9, 8, 7, 6], { record: ['z', 'resid_post'] });
  const r = random(11);
  const size = () => r.pick(SIZES.slice(0, r.pick([8, 8, 8, SIZES.length])));
  const place = () => ({ layer: r.integer(0, 6), head: r.integer(0, 3) });
  const hostile = (list) => Float64Array.from(list, (x) => (r.uniform() < 0.01 ? size() : x));
  const kinds = [
    () => ({ ...place(), gain: size() }),
    () => ({ ...place(), temperature: size() }),
    () => ({ layer: 2, add: Array.from({ length: 32 }, size), gain: size() }),
    () => ({ ...place(), patch: 'z', from: { ...trace, z: [...hostile(trace.z)] } }),
    () => ({ ...place(), pattern: r.pick(['uniform', 'previous', [[1], [0.1, 0.9]]]) }),
    () => ({ layer: 6, knockOut: { keys: [r.integer(0, 3)] } }),
  ];
  const counts = { finite: 0, refused: 0, overflow: 0 };
  for (let x = 0; x < 400; x++) {
    const list = Array.from({ length: r.integer(1, 3) }, () => r.pick(kinds)());
    let read = false;
    try {
      model.intervene(list);
      model.cache.clear();
      read = true;
      const { logits } = model.prefill(PROMPT);
      assert.ok(logits.every(Number.isFinite), JSON.stringify(list));
      counts.finite++;
    } catch (error) {
      assert.equal(error.name, 'ClearheadError', `${error}`);
      assert.match(error.message, /^interventions\[\d\]|^the temperature of layer \d/);
      counts[read ? 'overflow' : 'refused']++;
    }
  }
  t.diagnostic(JSON.stringify(counts));
  assert.ok(Math.min(...Object.values(counts)) > 5, JSON.stringify(counts));
  model.intervene([]);
  model.cache.clear();
  sameBits(model.prefill(PROMPT), want);
  model.dispose();
});
