/** The writer with a model in a worker of Node. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { loadModel } from '../../../src/js/worker/client.js';
import { Rate } from '../../../web/panels/look/writing/rate.js';
import { Writer } from '../../../web/panels/look/writing/writer.js';
import { letters } from '../../support/web/letters.js';

const PROMPT = 'once upon a time';
const HEAD = { layer: 2, head: 5 };
let model;
before(async () => {
  const { buffer } = Uint8Array.from(letters());
  model = await loadModel(buffer, { engine: { variant: 'simd' } });
});
after(() => model.dispose());

/** A writer whose turn ends with the test, and a wait for one of its phases. */
function writing(t, settings = {}, own = model) {
  const abort = new AbortController();
  let over;
  let told = () => {};
  const shared = { use: (run) => (over = run(own, abort.signal, () => {})) };
  const writer = new Writer(
    shared,
    { T: 1, tau: 0, seed: 1, pace: Infinity, ...settings },
    { capacity: 96, tell: () => told() },
  );
  const end = async () => {
    abort.abort();
    await over;
  };
  t.after(end);
  const until = (holds) =>
    new Promise((resolve) => {
      told = () => holds(writer) && resolve();
      told();
    });
  return { writer, until, end };
}
const phase = (name) => (writer) => writer.phase === name;

/** The tokens of the library behind the prompt. */
async function generated(how) {
  const found = [];
  for await (const { token } of model.generate(PROMPT, how))
    if (!model.tokenizer.ends.has(token)) found.push(token);
  return found;
}

test('it writes the tokens that generate writes, whole or one by one', async (t) => {
  const ids = await model.tokenizer.encode(PROMPT);
  const expected = [...ids, ...(await generated({ maxTokens: 20 }))];
  const { writer, until } = writing(t);
  writer.start(PROMPT);
  for (let count = ids.length; count < expected.length; count++) {
    await until(phase('paused'));
    writer.step();
    await until(({ story }) => story.tokens.length > count);
  }
  assert.deepEqual(
    writer.story.tokens.map(({ id }) => id),
    expected,
  );
});

test('a seed gives the tokens that it gives generate', async (t) => {
  const how = { tau: 0.9, seed: 7 };
  const ids = await model.tokenizer.encode(PROMPT);
  const expected = await generated({ ...how, maxTokens: 30 });
  const { writer, until } = writing(t, how);
  writer.start(PROMPT);
  writer.play(true);
  await until(phase('over'));
  const found = writer.story.tokens.slice(ids.length, ids.length + expected.length);
  assert.deepEqual(
    found.map(({ id }) => id),
    expected,
  );
});

test('another temperature is in every row, also of words that were read', async (t) => {
  const { writer, until } = writing(t);
  writer.start(PROMPT);
  await until(phase('paused'));
  writer.set({ T: Infinity });
  await until(({ story }) => story.row(HEAD, 9).every((p) => p === Math.fround(0.1)));
  writer.set({ T: 0.5 });
  await until(({ story }) => story.row(HEAD, 9).some((p) => p !== Math.fround(0.1)));
  await until(phase('paused'));
  const { weights } = await writer.row(HEAD, 9);
  assert.deepEqual(Array.from(writer.story.row(HEAD, 9)), Array.from(weights));
});

/** −log₂ of the softmax, in plain float64. */
function bitsOf(logits, id) {
  const z = Array.from(logits);
  const top = Math.max(...z);
  const sum = z.reduce((total, x) => total + Math.exp(x - top), 0);
  return -Math.log2(Math.exp(z[id] - top) / sum);
}

test('each word has the surprise that the library’s own logits give it, at τ = 1', async (t) => {
  for (const { T, tau } of [
    { T: 1, tau: 0 },
    { T: 0.5, tau: 1.5 },
  ]) {
    const { writer, until, end } = writing(t, { T: 1, tau });
    writer.start(PROMPT);
    await until(phase('paused'));
    writer.set({ T });
    for (let count = 0; count < 6; count++) writer.step();
    await until(({ story, phase }) => phase === 'paused' && story.tokens.length > PROMPT.length);
    const ids = writer.story.tokens.map(({ id }) => id);
    const { logits } = await writer.row(HEAD, ids.length - 1);
    await end();
    await model.intervene([{ temperature: T }]);
    await model.cache.clear();
    const expected = [NaN];
    for (const [i, id] of ids.slice(0, -1).entries()) {
      const { logits: z } = await model.step(id);
      expected.push(bitsOf(z, ids[i + 1]));
      if (i === ids.length - 2) assert.deepEqual(logits, z, 'the lens makes the same logits');
    }
    const { bits } = writer.story;
    assert.ok(expected.slice(1).some((x) => x > 1));
    expected.forEach((x, i) =>
      assert.ok(i === 0 ? Number.isNaN(bits[0]) : Math.abs(bits[i] - x) < 1e-12 * (1 + x), `${i}`),
    );
    assert.ok(bits.subarray(ids.length).every(Number.isNaN), 'no later word has one');
  }
});

test('it stops within one token', async (t) => {
  const { writer, until } = writing(t);
  writer.start(PROMPT);
  writer.play(true);
  await until(({ story }) => story?.tokens.length > PROMPT.length + 8);
  const { length } = writer.story.tokens;
  writer.play(false);
  await until(phase('paused'));
  assert.ok(writer.story.tokens.length <= length + 1, `${writer.story.tokens.length} of ${length}`);
});

test('stories are written over each other, so that nothing grows', async (t) => {
  const { writer, until } = writing(t, { tau: 1 });
  const sizes = new Set();
  for (let seed = 0; seed < 8; seed++) {
    writer.set({ seed });
    writer.start(PROMPT);
    writer.play(true);
    await until(phase('writing'));
    await until(phase('over'));
    assert.ok(writer.story.tokens.length <= 96);
    sizes.add(`${writer.story.weights.length} ${writer.story.rho.length} ${model.cache.bytes}`);
  }
  assert.equal(sizes.size, 1);
});

/** The model, with a count of the times that its idle worker was asked, and the decoded tokens. */
function counted() {
  const counts = { waits: 0, inFlight: 0, decoded: [] };
  const asking = (method) =>
    async function (...values) {
      if (counts.inFlight++ === 0) counts.waits++;
      try {
        return await method(...values);
      } finally {
        counts.inFlight--;
      }
    };
  const decode = asking(model.tokenizer.decode);
  const tokenizer = {
    ...model.tokenizer,
    decode(ids, how) {
      counts.decoded.push(...ids);
      return decode(ids, how);
    },
  };
  const values = { tokenizer, step: asking(model.step) };
  const own = Object.entries(values).map(([name, value]) => [name, { value }]);
  return { counts, own: Object.create(model, Object.fromEntries(own)) };
}

test('a token waits for the worker once, and the text of each is asked for once', async (t) => {
  const { counts, own } = counted();
  const { writer, until } = writing(t, {}, own);
  writer.start(PROMPT);
  await until(phase('paused'));
  const before = { waits: counts.waits, tokens: writer.story.tokens.length };
  counts.decoded = [];
  writer.play(true);
  await until(phase('over'));
  const written = writer.story.tokens.slice(before.tokens).map(({ id }) => id);
  assert.ok(written.length > 8);
  assert.equal(counts.waits - before.waits, written.length);
  assert.deepEqual(counts.decoded, [...new Set(written)]);
});

test('the rate counts the time between tokens, and no time in which none was asked for', (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const rate = new Rate();
  for (let story = 0; story < 6; story++) {
    for (let token = 0; token < 21; token++) {
      now += 5;
      rate.tick();
    }
    rate.pause();
    now += 1e4;
  }
  assert.equal(rate.value, 200);
});
