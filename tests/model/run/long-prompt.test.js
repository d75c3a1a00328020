/**
 * Long texts: one that cannot fit is refused before it is encoded. Others are encoded in steps that
 * leave the thread to others, and an abort is seen at the next step.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runAtOnce } from '../../../src/js/engine/yield.js';
import { loadModel } from '../../../src/js/model/index.js';
import { encoding, minTokens } from '../../../src/js/model/text/make-tokenizer.js';
import { ggufTokenizer } from '../../../src/js/model/text/tokenizer-gguf.js';
import { jsonTokenizer } from '../../../src/js/model/text/tokenizer-json.js';
import { written } from '../../../src/js/model/text/vocabulary.js';
import { engines } from '../../support/models/engines.js';
import { asGguf, configs, tiny } from '../../support/models/random-models.js';

const [{ ch: engine }] = engines;
const CONTEXT = 2 ** 15;
const load = (metadata) =>
  loadModel(
    asGguf(
      tiny({ ...configs['llama, tied, grouped'], max_position_embeddings: CONTEXT }),
      metadata,
    ),
    { engine, context: CONTEXT },
  );
/** Counts how often other tasks run. */
function counted() {
  const pauses = { count: 0, stop: () => clearImmediate(next), at: new Map() };
  let next;
  const turn = () => {
    pauses.count++;
    pauses.at.get(pauses.count)?.();
    next = setImmediate(turn);
  };
  next = setImmediate(turn);
  return pauses;
}
/** Every look at the clock finds the time of a slice gone, so every step is followed by a turn. */
function slowClock(t) {
  let now = 0;
  t.mock.method(performance, 'now', () => (now += 1000));
}
const bytes = Array.from({ length: 256 }, (_, byte) => written(Uint8Array.of(byte)));
const byteModel = (more) =>
  runAtOnce(
    jsonTokenizer({
      tokenizer: {
        added_tokens: [],
        normalizer: null,
        pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false },
        post_processor: null,
        decoder: { type: 'ByteLevel' },
        model: { vocab: Object.fromEntries(bytes.map((text, id) => [text, id])), merges: [] },
        ...more,
      },
    }),
  );

describe('a text that cannot fit', () => {
  test('is refused at once, by its length', async () => {
    const model = await load();
    for (const length of [1e6, 1e7])
      assert.throws(() => model.generate('a'.repeat(length)), {
        code: 'LIMIT',
        message: /the prompt has at least \d+ tokens; expected at most 32768, the context/,
      });
    model.dispose();
  });
  test('is refused in chat as well', async () => {
    const model = await load({ 'tokenizer.chat_template': '{{ messages[0].content }}' });
    assert.throws(() => model.chat([{ role: 'user', content: 'a'.repeat(1e6) }]), {
      code: 'LIMIT',
      message: /at least \d+ tokens/,
    });
    model.dispose();
  });
  test('has at least as many ids as its length and the longest token say', () => {
    assert.equal(minTokens(byteModel(), 1000), 1000);
    assert.equal(minTokens(byteModel({ normalizer: { type: 'NFC' } }), 1000), 250);
    const half = { type: 'Replace', pattern: { String: 'aa' }, content: 'a' };
    assert.equal(minTokens(byteModel({ normalizer: half }), 1000), 500);
    for (const more of [
      { normalizer: { ...half, content: '' } },
      { pre_tokenizer: { type: 'Split', pattern: { String: 'a' }, behavior: 'Removed' } },
      { added_tokens: [{ id: 256, content: 'x', special: true, lstrip: true }] },
      { model: { vocab: { a: 0 }, merges: [] } },
    ])
      assert.equal(minTokens(byteModel(more), 1000), 0, 'nothing can be told');
  });
});

describe('a long text is encoded in steps', () => {
  const text = 'ab '.repeat(5e4);

  for (const [how, start] of [
    ['generate', (model, options) => model.generate(text, options)],
    ['chat', (model, options) => model.chat([{ role: 'user', content: text }], options)],
  ])
    test(`of ${how}: others run between them, and an abort is seen at the next one`, async (t) => {
      const model = await load({ 'tokenizer.chat_template': '{{ messages[0].content }}' });
      const controller = new AbortController();
      slowClock(t);
      const pauses = counted();
      let before;
      pauses.at.set(5, () => {
        before = pauses.count;
        controller.abort(new Error('enough'));
      });
      try {
        await assert.rejects(start(model, { signal: controller.signal }).next(), /enough/);
        assert.ok(pauses.count - before <= 2, `${pauses.count - before} pauses after the abort`);
        const untilRefused = pauses.count;
        await assert.rejects(start(model, {}).next(), {
          code: 'LIMIT',
          message: /the prompt has (at least )?\d+ tokens; expected at most 32768/,
        });
        assert.ok(pauses.count - untilRefused > 20, `${pauses.count - untilRefused} pauses`);
        assert.equal(model.cache.length, 0);
      } finally {
        pauses.stop();
        model.dispose();
      }
    });

  for (const [name, tokenizer, piece] of [
    ['byte-level', byteModel(), 'word '],
    ['of one word', byteModel({ pre_tokenizer: { type: 'ByteLevel', use_regex: false } }), 'word '],
    [
      'SentencePiece',
      runAtOnce(
        ggufTokenizer(
          new Map(
            Object.entries({
              'tokenizer.ggml.model': 'llama',
              'tokenizer.ggml.tokens': ['<unk>', '\u2581', 'a', 'b', 'ab', '\u2581ab'],
              'tokenizer.ggml.scores': Float32Array.of(0, -5, -4, -3, -2, -1),
              'tokenizer.ggml.token_type': Int32Array.of(2, 1, 1, 1, 1, 1),
            }),
          ),
        ),
      ),
      'ab a',
    ],
  ])
    test(`${name}: texts that are encoded between two steps disturb it in nothing`, () => {
      const long = piece.repeat(2e4);
      const want = tokenizer.encode(long);
      const other = tokenizer.encode(piece.repeat(3e3));
      const steps = encoding(tokenizer, long);
      for (let count = 0; ; count++) {
        const { done, value } = steps.next();
        if (done) {
          assert.ok(count > 3, `${count} steps`);
          assert.deepEqual(value, want);
          return;
        }
        if (count % 8 === 0) assert.deepEqual(tokenizer.encode(piece.repeat(3e3)), other);
      }
    });

  test('byte-level: the steps tell how many ids there are so far', () => {
    const counts = [];
    const steps = encoding(byteModel(), 'word '.repeat(2e4));
    for (let step = steps.next(); !step.done; step = steps.next()) counts.push(step.value);
    assert.ok(counts.at(-1) > 5e4);
    assert.deepEqual(
      counts.filter((count) => count),
      [...new Set(counts)].filter((count) => count).sort((a, b) => a - b),
    );
  });
});
