/** Sums of weights over spans of positions, of every head of a model. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { sameArray } from '../../support/bits.js';
import { engines } from '../../support/models/engines.js';
import { asGguf, configs, tiny } from '../../support/models/random-models.js';

const prompt = Array.from({ length: 23 }, (_, x) => (x * 7 + 3) % 60);
const spans = [
  [0, 1],
  [2, 9],
  [5, 23],
  [4, 4],
  [9, 40],
];

for (const { variant, ch: engine } of engines)
  for (const name of ['llama, tied, grouped', 'gemma3']) {
    const claim = (text, body) => test(`${text}: ${name}, ${variant}`, body);
    const load = () => loadModel(asGguf(tiny(configs[name])), { engine });

    claim('the sums of a prompt are those of its steps, and of the weights', async () => {
      const model = await load();
      const { layers, heads } = model.config;
      const whole = model.prefill(prompt, { observe: { spans, stats: true } });
      assert.equal(whole.heads.spans.length, layers * heads * prompt.length * spans.length);
      const plain = model.cache.length;
      model.cache.clear();
      assert.equal(plain, prompt.length);
      prompt.forEach((token, i) => {
        const step = model.step(token, { observe: { spans } });
        assert.deepEqual(Object.keys(step.heads), ['spans']);
        for (let row = 0; row < layers * heads; row++) {
          const at = (row * prompt.length + i) * spans.length;
          const sums = step.heads.spans.subarray(row * spans.length, (row + 1) * spans.length);
          sameArray(whole.heads.spans.subarray(at, at + spans.length), sums, `row ${row} of ${i}`);
          const { weights } = model.row(Math.floor(row / heads), row % heads, i);
          spans.forEach(([from, to], x) => {
            const want = weights.subarray(from, to).reduce((sum, p) => sum + p, 0);
            assert.ok(Math.abs(sums[x] - want) <= 1e-6, `${sums[x]} and not ${want}`);
          });
        }
        if (i === prompt.length - 1) sameArray(step.logits, whole.logits, 'logits');
      });
      sameArray(
        whole.heads.entropy,
        (model.cache.clear(), model.prefill(prompt, { observe: 'stats' })).heads.entropy,
        'the statistics beside them',
      );
      model.dispose();
    });

    claim('each token of a text has the sums of the row that chose it', async () => {
      const model = await load();
      const { layers, heads } = model.config;
      let read = prompt.length;
      for await (const { heads: seen } of model.generate(prompt, {
        maxTokens: 4,
        observe: {
          spans: [
            [0, read],
            [read, 64],
          ],
        },
      })) {
        assert.equal(seen.spans.length, layers * heads * 2);
        for (let row = 0; row < layers * heads; row++) {
          const { weights } = model.row(Math.floor(row / heads), row % heads, read - 1);
          const own = weights.subarray(prompt.length).reduce((sum, p) => sum + p, 0);
          assert.ok(Math.abs(seen.spans[2 * row + 1] - own) <= 1e-6, `row ${row} at ${read}`);
          assert.ok(Math.abs(seen.spans[2 * row] + seen.spans[2 * row + 1] - 1) <= 1e-6);
        }
        read++;
      }
      assert.equal(read, prompt.length + 4);
      model.dispose();
    });
  }

test('spans that are none are refused by name', async () => {
  const model = await loadModel(asGguf(tiny(configs['gemma3'])), { engine: engines[0].ch });
  const refused = (options, code, message) =>
    assert.throws(() => model.step(1, options), { name: 'ClearheadError', code, message });
  refused({ observe: {} }, 'ARG', /observe is without spans; expected \{ spans/);
  refused({ observe: { spans: [], rows: 1 } }, 'ARG', /observe is given "rows"; expected only/);
  refused({ observe: { spans: [[3, 2]] } }, 'RANGE', /observe\.spans\[0\] is \[3, 2\]/);
  refused({ observe: { spans: [[0, 1e9]] } }, 'RANGE', /observe\.spans\[0\]\[1\] is 1000000000/);
  refused({ observe: { spans: [], stats: 1 } }, 'ARG', /observe\.stats is 1/);
  refused({ observe: { spans: [] }, heads: [[0, 0]] }, 'ARG', /heads is given with spans/);
  assert.equal(model.step(1, { observe: { spans: [] } }).heads.spans.length, 0);
  model.dispose();
});
