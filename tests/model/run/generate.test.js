/** Texts are those of prefill, steps and the sampler, and end where they should. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { loadModel } from '../../../src/js/model/index.js';
import { sameArray, sameBits } from '../../support/bits.js';
import { asGguf, asSafetensors, configs, tiny } from '../../support/models/random-models.js';
import { all, engine, ids, load, prompt, watch } from '../../support/models/texts.js';

test('greedy generation is prefill and steps', async () => {
  const a = await load();
  const b = await load();
  const list = await all(a.generate(prompt, { maxTokens: 20 }));
  let { logits } = b.prefill(prompt);
  for (const { token } of list) {
    assert.equal(token, logits.indexOf(Math.max(...logits)));
    logits = b.step(token).logits;
  }
  assert.equal(list.length, 20);
  assert.deepEqual(
    list.map(({ finish }) => finish),
    [...Array(19).fill(undefined), 'length'],
  );
  assert.deepEqual([...a.cache.tokens], [...prompt, ...ids(list).slice(0, -1)]);
});

test('the beginning in the cache is not read again, and the text stays the same', async () => {
  const model = await load();
  const fresh = await load();
  const first = await all(model.generate(prompt, { maxTokens: 10 }));
  const turn = [...prompt, ...ids(first), 7, 8, 9];
  const read = [];
  const ignored = watch((tokens) => read.push(...tokens));
  const again = await all(model.generate(turn, { maxTokens: 10 }));
  ignored();
  // the last token of the first text was chosen but never read
  assert.deepEqual(read, [...turn.slice(-4), ...ids(again).slice(0, -1)]);
  assert.deepEqual(ids(again), ids(await all(fresh.generate(turn, { maxTokens: 10 }))));
  sameBits({ ...model.cache.snapshot().layers }, { ...fresh.cache.snapshot().layers });
  // another beginning keeps what is common
  const other = [...prompt.slice(0, 3), 40, 41];
  assert.deepEqual(
    ids(await all(model.generate(other, { maxTokens: 5 }))),
    ids(await all((await load()).generate(other, { maxTokens: 5 }))),
  );
  // and the very same prompt needs its last token read, for its logits
  for (let x = 0; x < 2; x++)
    assert.deepEqual(
      ids(await all(model.generate(other, { maxTokens: 5 }))),
      ids(await all((await load()).generate(other, { maxTokens: 5 }))),
    );
});

test('two turns keep the cache, which shows itself by its numbers', async () => {
  const model = await load();
  const { capacity, bytes } = model.cache;
  const ids = model.tokenizer.encode('abc');
  for await (const { token } of model.generate(ids, { maxTokens: 10 })) ids.push(token);
  assert.deepEqual([...model.cache.tokens], ids.slice(0, -1));
  assert.equal(
    JSON.stringify(model.cache),
    JSON.stringify({ length: ids.length - 1, capacity, bytes }),
  );
  assert.equal(inspect(model.cache), inspect({ length: ids.length - 1, capacity, bytes }));
  const kept = ids.length - 1;
  let read = 0;
  const ignored = watch((tokens) => (read += tokens.length));
  ids.push(...model.tokenizer.encode(' de', { marks: false }));
  for await (const { token } of model.generate(ids.slice(), { maxTokens: 1 }))
    assert.ok(token >= 0);
  ignored();
  assert.equal(read, ids.length - kept);
});

test('the context ends a text, and a longer prompt is refused', async () => {
  const model = await load({ context: 12 });
  const list = await all(model.generate(prompt, { maxTokens: 100 }));
  assert.equal(list.at(-1).finish, 'context');
  assert.equal(list.length, 12 - prompt.length + 1);
  const before = model.cache.snapshot();
  assert.throws(() => model.generate(Array(13).fill(3)), { code: 'LIMIT', message: /13.*12/ });
  sameBits(model.cache.snapshot(), before);
  assert.equal((await all(model.generate(Array(12).fill(3), { maxTokens: 9 }))).length, 1);
});

test('the same seed gives the same text, another one another, and τ = 0 is greedy', async () => {
  const model = await load();
  const run = async (options) =>
    ids(await all(model.generate(prompt, { maxTokens: 30, ...options })));
  const [a, b, c] = [
    await run({ tau: 1, seed: 3 }),
    await run({ tau: 1, seed: 3 }),
    await run({ tau: 1, seed: 4 }),
  ];
  assert.deepEqual(a, b);
  assert.notDeepEqual(a, c);
  assert.deepEqual(await run({ tau: 1, topK: 1 }), await run({}));
});

test('log-probabilities are those of the logits', async () => {
  const model = await load();
  const other = await load();
  let { logits } = other.prefill(prompt);
  for (const { token, logprob, top } of await all(
    model.generate(prompt, { maxTokens: 6, logprobs: 2 }),
  )) {
    const lse = Math.log(logits.reduce((sum, z) => sum + Math.exp(z), 0));
    assert.ok(Math.abs(logprob - (logits[token] - lse)) < 1e-9);
    assert.equal(top[0].token, token);
    logits = other.step(token).logits;
  }
});

test('a stop string ends the text unseen, and so does an end mark', async () => {
  const model = await load();
  const whole = (await all(model.generate(prompt, { maxTokens: 30 })))
    .map(({ text }) => text)
    .join('');
  assert.ok(whole.length > 12, whole);
  for (const stop of [whole.slice(4, 5), whole.slice(6, 9), whole.slice(9, 12)]) {
    const list = await all(model.generate(prompt, { maxTokens: 30, stop: [stop, 'never comes'] }));
    assert.equal(list.map(({ text }) => text).join(''), whole.slice(0, whole.indexOf(stop)));
    assert.equal(list.at(-1).finish, 'stop');
  }
  const list = await all(model.generate(prompt, { maxTokens: 30 }));
  const last = list[10].token;
  const first = list.findIndex(({ token }) => token === last);
  const ends = await loadModel(
    asGguf(tiny(configs['llama, tied, grouped']), { 'tokenizer.ggml.eos_token_id': last }),
    { engine },
  );
  const ended = await all(ends.generate(prompt, { maxTokens: 30 }));
  assert.deepEqual(ids(ended), ids(list).slice(0, first + 1));
  assert.equal(ended.at(-1).finish, 'end');
});

test('a model without a tokenizer ends where its configuration says', async () => {
  const config = configs['llama, tied, grouped'];
  const every = Array.from({ length: config.vocab_size }, (_, id) => id);
  const made = (more) => loadModel({ ...asSafetensors(tiny(config)), ...more }, { engine });
  for (const more of [
    { config: { ...config, eos_token_id: every } },
    { generationConfig: { eos_token_id: every } },
  ]) {
    const list = await all((await made(more)).generate(prompt, { maxTokens: 5 }));
    assert.deepEqual([list.length, list[0].text, list[0].finish], [1, '', 'end']);
  }
  assert.equal(
    (await all((await made({})).generate(prompt, { maxTokens: 5 }))).at(-1).finish,
    'length',
  );
});

test('statistics come with each token, of the row that chose it', async () => {
  const model = await load();
  const other = await load();
  const list = await all(model.generate(prompt, { maxTokens: 8, observe: 'weights' }));
  let { heads } = other.prefill(prompt, { observe: 'weights' });
  for (const [at, next] of list.entries()) {
    assert.equal(next.heads.entropy.length, 12);
    const last = Float32Array.from(
      { length: 12 },
      (_, x) => heads.entropy[x * (heads.entropy.length / 12) + heads.entropy.length / 12 - 1],
    );
    // of a prompt all tokens are there, of a step one
    if (at) sameArray(next.heads.entropy, last, `entropy at ${at}`);
    next.heads.weights.forEach(({ weights }, x) =>
      sameArray(weights, heads.weights[x].weights, `weights at ${at}`),
    );
    ({ heads } = other.step(next.token, { observe: 'weights' }));
  }
});
