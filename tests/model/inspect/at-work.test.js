/** In the middle of other work a model shows nobody its tokens, rows or logits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { sameBits } from '../../support/bits.js';
import { tokensOf } from '../../support/models/differences.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';

const engine = await init({ variant: 'simd', layers: true });
const model = await loadModel(asSafetensors(tiny(configs.gemma3)), { engine });
const tokens = tokensOf(3, 12, 64);
const other = tokensOf(4, 12, 64);

/** Questions that a page may ask at any time. */
const QUESTIONS = {
  row: () => model.row(1, 0, 2),
  lens: () => model.lens(2),
  ledger: () => model.ledger(2, 5),
  'cache.length': () => model.cache.length,
  'cache.tokens': () => model.cache.tokens,
  'cache.snapshot': () => model.cache.snapshot(),
  prefill: () => model.prefill([1]),
};

/** Works that call this on their way, with the present interventions. */
const WORKS = {
  'a sweep of heads': (each) => model.sweep(other, { onProgress: each }),
  'a sweep of positions': (each) => model.sweep(other, { over: 'mlp_out', onProgress: each }),
  scores: (each) => model.heads.scores({ repeats: { count: 1, period: 5 }, onProgress: each }),
  'a fingerprint': (each) =>
    model.heads.fingerprint([tokens, other], [other, tokens], { onProgress: each }),
  'a trace': (each) => model.trace(other, { record: ['z'], onPart: each }),
};

const refused = async (name, ask) => {
  const asked = async () => ask();
  await assert.rejects(asked, { code: 'BUSY', message: /^the model is at work \(a trace/ }, name);
};

for (const [work, run] of Object.entries(WORKS))
  test(`${work}: questions are refused meanwhile, and answered as before afterwards`, async () => {
    model.cache.clear();
    model.prefill(tokens);
    const row = QUESTIONS.row();
    const lens = await QUESTIONS.lens();
    const asked = [];
    await run(() => {
      for (const [name, ask] of Object.entries(QUESTIONS)) asked.push(refused(name, ask));
      assert.equal(JSON.parse(JSON.stringify(model.cache)).length, undefined);
      assert.deepEqual(model.interventions, []);
    });
    assert.ok(asked.length >= Object.keys(QUESTIONS).length);
    await Promise.all(asked);
    if (work === 'a trace' || work === 'a fingerprint') return;
    assert.deepEqual([...model.cache.tokens], tokens);
    sameBits(QUESTIONS.row(), row);
    sameBits(await QUESTIONS.lens(), lens);
  });

test('a ranking: every question is refused meanwhile, and answered afterwards', async () => {
  model.cache.clear();
  const ranked = model.rank(tokens.slice(0, 4), [tokens, other], { calibration: [3, 4] });
  await Promise.all(Object.entries(QUESTIONS).map(([name, ask]) => refused(name, ask)));
  await ranked;
  assert.ok(model.cache.length > 0);
});

test('between two tokens of a text, all but changes are answered', async () => {
  for await (const { finish } of model.generate(tokens, { maxTokens: 3 })) {
    if (finish) break;
    assert.ok(QUESTIONS.row().weights.length === 3 && (await QUESTIONS.lens()).position === 2);
    assert.equal(model.cache.tokens.length, model.cache.length);
    assert.throws(QUESTIONS.prefill, { code: 'BUSY', message: /^the model is generating a text/ });
  }
});
