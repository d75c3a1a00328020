/** Scores of heads whose texts are too long for the context, or too short for a score. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { engines } from '../../support/models/engines.js';
import { asGguf, configs, tiny, vocabulary } from '../../support/models/random-models.js';

for (const { variant, ch: engine } of engines)
  test(`more tokens than the context has are refused by name (${variant})`, async () => {
    const source = asGguf(tiny(configs.qwen2), vocabulary(64));
    const model = await loadModel(source, { engine, context: 24 });
    const refused = (options, message) =>
      assert.rejects(model.heads.scores(options), { code: 'LIMIT', message });
    const first = model.tokenizer.addsBos ? 11 : 12;
    const period = (x) => new RegExp(`^period is ${x}; expected at most ${first}: twice it`);
    await refused(undefined, period(32));
    await refused({ repeats: { period: 13 } }, period(13));
    const ids = new Array(26).fill(1);
    const long = / is 26 tokens long; expected at most 24, the context$/;
    const repeats = { period: 4, count: 1 };
    for (const [name, options] of [
      ['texts\\[1\\]', { repeats, texts: [[1, 2, 3], ids] }],
      ['repeats\\[0\\]', { repeats: [ids] }],
      ['sources\\[0\\]\\.prompt', { repeats, sources: [{ prompt: ids, positions: [0] }] }],
    ])
      await refused(options, new RegExp(`^${name}${long.source}`));
    assert.ok((await model.heads.scores({ repeats: { period: first, count: 1 } })).heads.length);
    model.dispose();
  });

test('a score of no row at all is NaN, and earns no label', async () => {
  const model = await loadModel(asGguf(tiny(configs.qwen2)), { engine: engines[0].ch });
  const { scores, heads } = await model.heads.scores({ repeats: [[3, 3]] });
  for (const name of ['previous', 'first', 'robustness'])
    assert.ok(scores[name].every(Number.isNaN), name);
  assert.ok(heads.every(({ labels }) => !labels.some((label) => /previous|sink/.test(label))));
  model.dispose();
});
