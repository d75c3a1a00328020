/** The next token follows the probabilities of its logits, filters and penalties. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSampler } from '../../../src/js/model/sampling/sample.js';
import { random } from '../../support/random.js';
import { refuses } from '../../support/streams.js';

const logits = (seed, n = 200) => {
  const r = random(seed);
  return Float32Array.from({ length: n }, () => r.normal() * 3);
};
const softmax = (z, tau = 1) => {
  const max = Math.max(...z);
  const e = Array.from(z, (x) => Math.exp((x - max) / tau));
  const sum = e.reduce((a, b) => a + b);
  return e.map((x) => x / sum);
};

describe('greedy', () => {
  test('is the largest logit, of equals the lowest id, whatever the filters', () => {
    const z = Float32Array.of(1, 5, -Infinity, 5, 2);
    for (const options of [
      undefined,
      {},
      { tau: 0, topK: 3 },
      { tau: 1, topK: 1 },
      { tau: 0, seed: 9, topP: 0.1, minP: 1 },
    ])
      assert.deepEqual(createSampler(options).sample(z), { token: 1 });
    assert.equal(createSampler().sample(Float32Array.of(-0, 0)).token, 0);
    assert.equal(createSampler({ tau: 1, topP: 1e-9 }).sample(z).token, 1);
    assert.equal(createSampler({ tau: 1e-9 }).sample(Float32Array.of(1, 1.0001, 1)).token, 1);
  });
});

describe('drawing', () => {
  /** How often each token comes, in n draws. */
  const count = (options, z, n) => {
    const sampler = createSampler(options);
    const times = new Array(z.length).fill(0);
    for (let i = 0; i < n; i++) times[sampler.sample(z).token]++;
    return times;
  };
  for (const tau of [0.5, 1, 2])
    test(`follows the probabilities at τ = ${tau}`, () => {
      const z = logits(3, 20);
      const p = softmax(z, tau);
      const n = 40000;
      const times = count({ tau, seed: 5 }, z, n);
      // six standard deviations, and the same seed every time: it holds or it does not
      times.forEach((k, id) =>
        assert.ok(
          Math.abs(k - n * p[id]) <= 6 * Math.sqrt(n * p[id] * (1 - p[id])) + 1,
          `${id}: ${k} of ${n * p[id]}`,
        ),
      );
    });

  /**
   * The tokens that can come, by the definitions: top-k, then top-p among those, then min-p; all of
   * equal logits by id.
   */
  function allowed(z, { tau, topK = 0, topP = 1, minP = 0 }) {
    let ids = [...z.keys()].sort((a, b) => z[b] - z[a] || a - b);
    if (topK) ids = ids.slice(0, topK);
    const p = softmax(
      ids.map((id) => z[id]),
      tau,
    );
    let sum = 0;
    let kept = 0;
    while (kept < ids.length && sum < topP) sum += p[kept++];
    return ids.filter((_, i) => i < kept && p[i] >= minP * p[0]);
  }
  for (const filters of [
    { topK: 5 },
    { topP: 0.5 },
    { topP: 0.9 },
    { minP: 0.1 },
    { minP: 1 },
    { topK: 7, topP: 0.6 },
    { topK: 40, topP: 0.8, minP: 0.2 },
    { topK: 1000 },
  ])
    test(`${JSON.stringify(filters)} lets through what it says`, () => {
      for (let seed = 0; seed < 8; seed++) {
        const z = logits(seed, 60).map((x) => Math.fround(Math.round(x * 4) / 4));
        const options = { tau: 1.5, ...filters };
        const want = allowed(z, options);
        const got = count({ ...options, seed }, z, 4000).flatMap((times, id) =>
          times ? [id] : [],
        );
        assert.ok(
          got.every((id) => want.includes(id)),
          `${got} among ${want}`,
        );
        const p = softmax(
          want.map((id) => z[id]),
          1.5,
        );
        for (const [i, id] of want.entries())
          if (p[i] > 0.01) assert.ok(got.includes(id), `${id} of probability ${p[i]} comes`);
      }
    });

  test('an impossible token never comes', () => {
    const z = logits(4, 50).fill(-Infinity, 10, 40);
    assert.ok(
      count({ tau: 5, seed: 1 }, z, 5000)
        .slice(10, 40)
        .every((times) => times === 0),
    );
  });

  test('a seed gives the same tokens, another seed others, and a saved state goes on', () => {
    const run = (sampler, n = 50) =>
      Array.from({ length: n }, (_, i) => sampler.sample(logits(i)).token);
    const first = run(createSampler({ tau: 1, seed: 42 }));
    assert.deepEqual(run(createSampler({ tau: 1, seed: 42 })), first);
    assert.notDeepEqual(run(createSampler({ tau: 1, seed: 43 })), first);
    const sampler = createSampler({ tau: 1, seed: 42 });
    run(sampler, 20);
    const state = sampler.save();
    const rest = run(sampler);
    sampler.restore(state);
    assert.deepEqual(run(sampler), rest);
  });

  test('these are the tokens of seed 7, on every engine', () => {
    const sampler = createSampler({
      tau: 0.8,
      topK: 40,
      topP: 0.95,
      minP: 0.01,
      repetitionPenalty: 1.1,
      seed: 7,
    });
    const history = [];
    for (let i = 0; i < 16; i++) history.push(sampler.sample(logits(100 + i), history).token);
    assert.deepEqual(history, [19, 112, 35, 8, 75, 165, 22, 2, 96, 3, 137, 46, 1, 152, 38, 144]);
  });
});

describe('repetition penalty', () => {
  test('divides positive logits and multiplies negative ones, once per token in the window', () => {
    const z = Float32Array.of(4, 3, -1, -1.5);
    const sampler = createSampler({ repetitionPenalty: 2 });
    assert.equal(sampler.sample(z, [0]).token, 1);
    assert.equal(sampler.sample(z, [0, 0, 0, 1]).token, 0);
    assert.equal(
      createSampler({ repetitionPenalty: 2, repetitionWindow: 1 }).sample(z, [0, 1]).token,
      0,
    );
    assert.equal(
      createSampler({ repetitionPenalty: 2, repetitionWindow: 0 }).sample(z, [0]).token,
      0,
    );
    assert.equal(
      createSampler({ repetitionPenalty: 2 }).sample(Float32Array.of(-1, -1.5), [0]).token,
      1,
    );
    assert.deepEqual([...z], [4, 3, -1, -1.5], 'the logits given are not changed');
  });
});

describe('log-probabilities', () => {
  test('are log softmax of the logits given, with the most probable tokens', () => {
    const z = logits(8);
    const want = softmax(z).map(Math.log);
    const { token, logprob, top } = createSampler({
      tau: 2,
      topK: 20,
      seed: 3,
      repetitionPenalty: 1.5,
      logprobs: 4,
    }).sample(z, [1, 2]);
    assert.ok(Math.abs(logprob - want[token]) < 1e-13);
    const order = [...z.keys()].sort((a, b) => z[b] - z[a]).slice(0, 4);
    assert.deepEqual(
      top.map((one) => one.token),
      order,
    );
    for (const one of top) assert.ok(Math.abs(one.logprob - want[one.token]) < 1e-13);
    assert.deepEqual(Object.keys(createSampler({ logprobs: 0 }).sample(z)), ['token', 'logprob']);
    assert.deepEqual(Object.keys(createSampler().sample(z)), ['token']);
  });
});

describe('refused options', () => {
  for (const [logits, message] of [
    [Float32Array.of(1, NaN, 2), /logits\[1\] is NaN/],
    [Float32Array.of(1, Infinity), /logits\[1\] is Infinity/],
    [Float32Array.of(-Infinity, -Infinity), /all -Infinity/],
    [new Float32Array(), /empty/],
  ])
    for (const tau of [0, 1])
      test(`${message} at τ = ${tau}`, () =>
        refuses(() => createSampler({ tau }).sample(logits), 'RANGE', message));
  test('logits of another type', () =>
    refuses(() => createSampler().sample([1, 2]), 'ARG', /logits/));
  for (const [name, values, code] of [
    ['tau', [-1, NaN, Infinity], 'RANGE'],
    ['tau', ['1', null], 'ARG'],
    ['topK', [-1, 1.5, NaN, 2 ** 31], 'RANGE'],
    ['topP', [0, -1, 1.1, NaN], 'RANGE'],
    ['minP', [-0.1, 1.1, NaN], 'RANGE'],
    ['repetitionPenalty', [0, -1, NaN, Infinity], 'RANGE'],
    ['repetitionWindow', [-1, 0.5], 'RANGE'],
    ['seed', [-1, 0.5, 2 ** 53, NaN], 'RANGE'],
    ['seed', ['7', 7n], 'ARG'],
    ['logprobs', [-2, 1e9], 'RANGE'],
    ['temperature', [1], 'ARG'],
  ])
    for (const value of values)
      test(`${name} ${typeof value} ${value}`, () =>
        refuses(() => createSampler({ [name]: value }), code, new RegExp(name)));
  test('a state that is none', async () => {
    for (const state of [new Uint32Array(3), new Uint32Array(4)])
      await refuses(() => createSampler().restore(state), 'RANGE', /a state that save returned/);
  });
});
