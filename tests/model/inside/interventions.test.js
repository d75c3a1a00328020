/** Every intervention, in every architecture, is that of the float64 pass. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { sameArray } from '../../support/bits.js';
import { LOGITS, difference, largest, tokensOf } from '../../support/models/differences.js';
import { engines } from '../../support/models/engines.js';
import { intervened } from '../../support/models/intervened.js';
import { forward } from '../../support/models/forward.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';
import { random } from '../../support/random.js';

const COUNT = 12;
const numbers = (seed, count) => {
  const r = random(seed);
  return Float32Array.from({ length: count }, () => r.normal());
};

/** Random weights of a row that sees the keys from `first` to its position. */
function row(seed, position, first) {
  const r = random(seed);
  const weights = Array.from({ length: position + 1 }, (_, key) => (key < first ? 0 : r.uniform()));
  const sum = weights.reduce((a, b) => a + b);
  return weights.map((weight) => weight / sum);
}

/** The same trace with its positions from the last to the first. */
function reversed(trace, names) {
  const count = trace.positions.length;
  const turned = names.map((name) => {
    const numbers = trace[name];
    const width =
      name === 'pattern' ? trace.tokens.length : numbers.length / trace.layers.length / count;
    const at = (x) => x + width * (count - 1 - 2 * (Math.floor(x / width) % count));
    return [name, numbers.map((_, x) => numbers[at(x)])];
  });
  return { ...trace, ...Object.fromEntries(turned), positions: trace.positions.toReversed() };
}

/** Lists by name: one for each kind, and one of all kinds. `other` is a trace of other tokens. */
function listsFor({ layers, headDim, modelDim, localLayers, slidingWindow }, other) {
  const last = layers - 1;
  const first = (position) =>
    localLayers[1] && slidingWindow ? Math.max(0, position - slidingWindow + 1) : 0;
  const rows = Array.from({ length: COUNT }, (_, i) => row(i, i, first(i)));
  const shuffled = reversed(other, ['attn_out', 'resid_mid', 'pattern']);
  const steer = { layer: 1, add: numbers(5, modelDim), gain: 1.5, positions: [3, 4, 10] };
  const lists = {
    'a head without gain': [{ layer: 1, head: 2, gain: 0 }],
    'gains of a head and of a layer': [
      { layer: 0, head: 1, gain: 2.5, positions: [0, 5, 6, 11] },
      { layer: last, gain: -0.5 },
    ],
    'the mean of a head': [
      { layer: 0, head: 3, gain: 'mean' },
      { layer: last, head: 0, gain: 'mean', positions: [7, 11] },
    ],
    'means before and behind other entries': [
      { layer: 0, head: 3, gain: 'mean' },
      { layer: 0, head: 3, at: 'z', add: numbers(9, headDim) },
      { layer: 0, gain: 0.5 },
      { layer: 1, head: 1, gain: 3 },
      { layer: 1, head: 1, gain: 'mean', positions: [2, 7, 11] },
      { layer: 1, patch: 'z', from: other, positions: [3, 11] },
      { layer: 1, gain: 'mean', positions: [3, 4, 5] },
      { layer: last, gain: 'mean' },
      { layer: last, head: 0, gain: -2 },
    ],
    'edges of a head': [
      { layer: 1, head: 1, knockOut: { queries: [4, 9, 11], keys: [0, 2, 9, 10] } },
      { layer: last, head: 0, knockOut: { keys: [0] } },
    ],
    'edges of a layer': [{ layer: 1, knockOut: { queries: [11, 8], keys: [7, 6, 3] } }],
    'all that a query sees': [{ layer: 1, head: 0, knockOut: { queries: [6] } }],
    'uniform attention': [{ layer: 1, head: 0, pattern: 'uniform' }],
    'the previous token': [{ layer: 1, pattern: 'previous' }],
    'uniform attention after other patterns': [
      { layer: 1, head: 1, pattern: rows },
      { layer: 1, pattern: 'previous' },
      { layer: last, head: 2, pattern: 'first' },
      { layer: 1, head: 1, pattern: 'uniform' },
      { layer: 1, head: 0, pattern: 'uniform', positions: [3, 9] },
      { layer: last, pattern: 'uniform' },
    ],
    'uniform attention after edges': [
      { layer: 1, head: 2, knockOut: { keys: [0, 9] } },
      { layer: 1, head: 2, pattern: 'uniform', positions: [2, 10] },
    ],
    'the first token': [{ layer: last, head: 3, pattern: 'first', positions: [11, 2] }],
    'rows of its own': [{ layer: 1, head: 1, pattern: rows }],
    'rows in another order': [
      { layer: 1, head: 1, pattern: [9, 2, 5].map((i) => rows[i]), positions: [9, 2, 5] },
    ],
    'a patch with positions in another order': [
      { layer: 1, patch: 'attn_out', from: shuffled },
      { layer: last, head: 1, patch: 'pattern', from: shuffled },
      { layer: last, patch: 'resid_mid', from: shuffled, positions: [6, 1] },
    ],
    temperatures: [
      { temperature: 1.7 },
      { layer: 1, temperature: 0.6 },
      { layer: 1, head: 2, temperature: Infinity },
    ],
    'a vector in the stream': [steer, { layer: last, at: 'mlp_out', add: numbers(6, modelDim) }],
    'a vector in a head': [{ layer: 0, head: 2, at: 'z', add: numbers(7, headDim) }],
    'a patched stream': [{ layer: 1, patch: 'resid_pre', from: other, positions: [5, 8] }],
    'patched results': [
      { layer: 0, patch: 'attn_out', from: other, positions: [11] },
      { layer: 1, patch: 'mlp_out', from: other, positions: [2, 3] },
      { layer: 1, patch: 'resid_mid', from: other, positions: [1] },
      { layer: last, patch: 'resid_post', from: other, positions: [10] },
    ],
    'a patched head': [{ layer: 1, head: 3, patch: 'z', from: other }],
    'a patched pattern': [{ layer: 1, head: 0, patch: 'pattern', from: other }],
  };
  const all = Object.values(lists).filter((list) => !list.some(({ gain }) => gain === 'mean'));
  return { ...lists, 'all of these': all.flat() };
}

const RECORD = ['resid_pre', 'z', 'attn_out', 'resid_mid', 'mlp_out', 'resid_post', 'pattern'];

for (const { variant, ch: engine } of engines)
  describe(`${variant} kernels`, () => {
    for (const [name, config] of Object.entries(configs))
      test(`${name}: every kind is that of float64, and prefill is steps`, async () => {
        const model = tiny(config);
        const loaded = await loadModel(asSafetensors(model), { engine });
        const tokens = tokensOf(7, COUNT, config.vocab_size);
        const others = tokensOf(8, COUNT, config.vocab_size);
        const other = await loaded.trace(others, { record: RECORD });
        const lists = listsFor(loaded.config, other);
        const plain = forward(model, tokens);
        for (const [kind, list] of Object.entries(lists)) {
          const want = intervened(model, tokens, list);
          loaded.intervene(list);
          loaded.cache.clear();
          const { logits } = loaded.prefill(tokens);
          const error = difference(want.at(-1).logits, logits) / largest(want.at(-1).logits);
          assert.ok(error < LOGITS, `${kind}: ${error} of the largest logit`);
          const change = want.map((each, at) => difference(each.logits, plain[at].logits));
          assert.ok(largest(change) > 1e-3, `${kind} changes nothing`);
          if (list.some(({ gain }) => gain === 'mean')) continue;
          loaded.cache.clear();
          tokens.forEach((token, at) => {
            const step = loaded.step(token).logits;
            const off = difference(want[at].logits, step) / largest(want[at].logits);
            assert.ok(off < LOGITS, `${kind} at ${at}: ${off} of the largest logit`);
            if (at === COUNT - 1) sameArray(step, logits, `${kind}: prefill and steps`);
          });
        }
        loaded.dispose();
      });
  });
