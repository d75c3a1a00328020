/** The comparisons of panels with a model: right numbers hold, and a fault in one is violated. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { verdictOf } from '../../../web/page/statement.js';
import { atTemperature, compare } from '../../../web/panels/cold-hot/compute.js';
import { compareBars, compareBits, compareMix } from '../../../web/panels/lab/checks.js';
import { chances, change, NONE } from '../../../web/panels/lab/compute.js';
import { explain } from '../../../web/panels/lab/explain.js';
import { moved, streamAt } from '../../../web/panels/lab/push.js';
import { letters } from '../../support/web/letters.js';

const { signal } = new AbortController();
let engine;
let model;
let ids;
before(async () => {
  engine = await init({ layers: true, variant: 'simd' });
  model = await loadModel(letters(), { engine });
  ids = model.tokenizer.encode('once upon a time');
});
after(() => model.dispose());

/** The same numbers with the last bit of one of them turned. */
function turned(numbers, at) {
  const copy = Float32Array.from(numbers);
  new Uint32Array(copy.buffer)[at] ^= 1;
  return copy;
}

/** The model, with the answers of one of its functions changed. */
const wrong = (name, changed) =>
  new Proxy(
    {},
    {
      get(_, key) {
        const value = model[key];
        if (typeof value !== 'function') return value;
        return async (...given) => {
          const answer = await value.apply(model, given);
          return key === name ? changed(answer) : answer;
        };
      },
    },
  );

test('cold and hot: a weight that is moved, or of another temperature, is seen', () => {
  const z = [0.3, -1.2, 2.1, 0.7, 2, -0.4];
  for (const T of [0, 0.3, 1, 5, Infinity]) {
    const right = atTemperature(engine, z, T);
    assert.equal(verdictOf(compare(right, z, T)), 'holds', `T = ${T}`);
    for (let j = 0; j < z.length; j++) {
      const weights = right.slice();
      weights[j] += 1e-13;
      assert.equal(verdictOf(compare(weights, z, T)), 'violated', `T = ${T}, key ${j}`);
    }
    const other = atTemperature(engine, z, T === 0 ? 0.05 : T === Infinity ? 1e9 : 1.001 * T);
    assert.equal(verdictOf(compare(other, z, T)), 'violated', `T = ${T}, and not that`);
  }
});

test('lab: heads that are multiplied by a little more than 1 are seen', async () => {
  const token = (id) => ({ id, text: '' });
  const [prompt, story] = [ids.slice(0, 5).map(token), ids.slice(5).map(token)];
  const told = () => chances(model, signal, prompt, story);
  await change(model, NONE);
  const logs = await told();
  await change(model, { heads: [{ layer: 1, head: 2 }], how: 'same', hidden: [] });
  assert.equal(verdictOf(compareBits(logs, await told())), 'holds');
  model.cache.clear();
  model.intervene([{ layer: 1, head: 2, gain: 1.001 }]);
  assert.equal(verdictOf(compareBits(logs, await told())), 'violated');
  await change(model, NONE);
  assert.equal(verdictOf(compareBits(logs, (await told()).with(3, NaN))), 'violated');
});

test('lab: a push of another strength, or along another direction, is seen', async () => {
  await change(model, NONE);
  const before = (await streamAt(model, ids, 2)).slice();
  const add = before.map((x, c) => Math.sin(c) + 0.1 * x);
  const push = { layer: 2, add, gain: 0.5 };
  await change(model, { ...NONE, push });
  const pushed = (await streamAt(model, ids, 2)).slice();
  await change(model, NONE);
  assert.equal(verdictOf(moved(before, pushed, push)), 'holds');
  for (const fault of [{ gain: 0.505 }, { add: add.map((x) => x + 1e-4) }, { gain: -0.5 }])
    assert.equal(verdictOf(moved(before, pushed, { ...push, ...fault })), 'violated');
  assert.equal(verdictOf(moved(before, turned(before, 3), push)), 'violated', 'no push at all');
});

for (const pair of [true, false])
  test(`lab: a lens that is one bit off is seen, ${pair ? 'of two words' : 'of one'}`, async () => {
    await change(model, NONE);
    const verdict = ({ apart }) => verdictOf({ measured: apart, allowed: 0 });
    assert.equal(verdict(await explain(model, ids, pair)), 'holds');
    model.cache.clear();
    const last = 3 * model.config.vocab;
    const lens = wrong('lens', (found) => ({ ...found, logits: turned(found.logits, last + 7) }));
    assert.equal(verdict(await explain(lens, ids, pair)), 'violated');
    model.cache.clear();
    const earlier = wrong('lens', (found) => ({ ...found, logits: turned(found.logits, 7) }));
    assert.equal(verdict(await explain(earlier, ids, pair)), 'holds', 'of another layer');
  });

test('lab: a bar that is changed, missing or counted twice is seen', async () => {
  await change(model, NONE);
  const { ledger, score } = await explain(model, ids, true);
  const verdict = (part) => verdictOf(compareBars({ ledger: { ...ledger, ...part }, score }));
  assert.equal(verdict({}), 'holds');
  for (const name of ['heads', 'feedForward']) {
    const bars = ledger[name];
    const largest = bars.reduce((at, x, j) => (Math.abs(x) > Math.abs(bars[at]) ? j : at), 0);
    for (const factor of [1.01, 0, 2])
      assert.equal(
        verdict({ [name]: bars.map((x, j) => (j === largest ? factor * x : x)) }),
        'violated',
        `${name} × ${factor}`,
      );
  }
  assert.equal(verdict({ embedding: 1.1 * ledger.embedding }), 'violated');
  assert.equal(verdictOf(compareBars({ ledger, score: NaN })), 'violated');
});

test('lab: a shuffled matrix that lost a number, and one that was not shuffled, are seen', () => {
  const right = { lost: 0, moved: 990, numbers: 1000 };
  assert.equal(verdictOf(compareMix(right)), 'holds');
  for (const fault of [{ lost: 1 }, { lost: NaN }, { moved: 0 }])
    assert.equal(verdictOf(compareMix({ ...right, ...fault })), 'violated');
});
