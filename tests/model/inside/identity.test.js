/** Lists that differ are never taken for one another: not in the cache, nor in a snapshot. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { checksum } from '../../../src/js/model/inside/checksum.js';
import { Interventions } from '../../../src/js/model/inside/interventions.js';
import { sameArray } from '../../support/bits.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';
import { random } from '../../support/random.js';

const engine = await init({ variant: 'simd', layers: true });
const gemma = tiny(configs.gemma3);
const load = () => loadModel(asSafetensors(gemma), { engine });
const model = await load();
const DIM = model.config.modelDim;
/** A model with as many layers and heads as GPT-2 small. */
const GPT2 = { ...model.config, layers: 12, heads: 12, kvHeads: 12, localLayers: [] };

const sines = Array.from({ length: DIM }, (_, c) => 3 * Math.sin(c + 1));
const oneHot = (at, x = 1) => Array.from({ length: DIM }, (_, c) => (c === at ? x : 0));
const trace = await model.trace([1, 2, 3, 4], { record: ['z'] });
/** The first number of layer 1 in it. */
const AT = trace.z.length / model.config.layers;
const patch = (from) => [{ layer: 1, patch: 'z', from }];

/** Lists that were taken for others, and their neighbours. */
const NEAR = [
  ...[[1, 2], [12], [1], [2], [1, 23], [3, 12]].flatMap((x) => [
    [{ layer: 0, gain: 0, positions: x }],
    [{ layer: 0, pattern: 'first', positions: x }],
    [{ layer: 0, knockOut: { keys: x } }],
    [{ layer: 0, knockOut: { queries: x } }],
    [{ layer: 0, knockOut: { queries: [5], keys: x } }],
  ]),
  [{ layer: 1, add: sines }],
  [{ layer: 1, add: sines.map((x) => -x) }],
  [{ layer: 1, add: sines, gain: -1 }],
  [{ layer: 1, add: sines, at: 'mlp_out' }],
  ...Array.from({ length: DIM }, (_, at) => [{ layer: 1, add: oneHot(at) }]),
  ...Array.from({ length: DIM }, (_, at) => [{ layer: 1, add: oneHot(at, -1) }]),
  patch(trace),
  patch({ ...trace, z: trace.z.map((x) => -x) }),
  patch({ ...trace, z: trace.z.map((x, at) => (at === AT || at === AT + 1 ? -x : x)) }),
  [
    { layer: 0, head: 1, gain: 0 },
    { layer: 1, head: 1, gain: 0.5 },
  ],
  [
    { layer: 1, head: 1, gain: 0.5 },
    { layer: 0, head: 1, gain: 0 },
  ],
];
const ABLATIONS = Array.from({ length: 144 }, (_, at) =>
  [0, 10, 1].map((gain) => [
    { layer: Math.floor(at / 12), head: at % 12, gain: gain === 1 ? 0.1 : gain },
  ]),
).flat();

/** Each list has another content and signature than all others. */
function distinct(lists, config) {
  const contents = lists.map((list) => Interventions.read(list, config).content);
  const signatures = new Set(contents.map(({ signature }) => signature));
  assert.equal(signatures.size, lists.length, 'signatures');
  contents.forEach((one, at) =>
    contents.forEach((other, x) => assert.equal(one.equals(other), at === x, `${at} and ${x}`)),
  );
}

test('near misses have other contents and signatures', () => distinct(NEAR, model.config));

test('so has each head of a model with 12 layers and heads', () => distinct(ABLATIONS, GPT2));

test('a list that is read twice has one content', () => {
  for (const list of NEAR) {
    const [one, two] = [0, 1].map(() => Interventions.read(list, model.config).content);
    assert.ok(one.equals(two));
    assert.equal(one.signature, two.signature);
  }
});

test('10⁴ random pairs of near vectors have other contents and signatures', () => {
  const r = random(1);
  for (let pair = 0; pair < 1e4; pair++) {
    const v = Array.from({ length: DIM }, () => r.pick([-1, 0, 1]));
    const w = v.slice();
    for (let flips = r.integer(1, 4); flips--;) {
      const at = r.integer(0, DIM - 1);
      w[at] = w[at] ? -w[at] : 1;
    }
    const [a, b] = [v, w].map(
      (add) => Interventions.read([{ layer: 1, add }], model.config).content,
    );
    const same = v.every((x, at) => x === w[at]);
    assert.deepEqual([a.equals(b), a.signature === b.signature], [same, same], `pair ${pair}`);
  }
});

test('a checksum notices the highest bits of any two words', () => {
  const words = Int32Array.from({ length: 40 }, (_, at) => at * 977);
  const sums = new Set([checksum(words)]);
  for (let a = 0; a < words.length; a++)
    for (let b = 0; b < a; b++) {
      const flipped = words.slice();
      flipped[a] ^= 2 ** 31;
      flipped[b] ^= 2 ** 31;
      sums.add(checksum(flipped));
    }
  assert.equal(sums.size, 1 + (40 * 39) / 2);
  assert.ok([...sums].every((sum) => Number.isSafeInteger(sum) && sum >= 0));
  assert.notEqual(checksum([0]), checksum([0, 0]));
});

test('a model whose weights have other signs refuses a snapshot', async () => {
  const other = tiny(configs.gemma3);
  const { data } = other.tensors['model.layers.2.mlp.down_proj.weight'];
  data.forEach((x, at) => (data[at] = -x));
  const loaded = await loadModel(asSafetensors(other), { engine });
  model.prefill([1, 2, 3]);
  assert.throws(() => loaded.cache.restore(model.cache.snapshot()), { code: 'FORMAT' });
  loaded.dispose();
});

test('two temperatures that change in a snapshot are noticed', () => {
  model.cache.clear();
  model.prefill([1, 2, 3]);
  const good = model.cache.snapshot();
  const temperatures = good.temperatures.slice();
  [temperatures[0], temperatures[1]] = [2, 2];
  assert.throws(() => model.cache.restore({ ...good, temperatures }), { code: 'INTEGRITY' });
});

for (const [name, first, second] of [
  ['keys 1 and 2, then key 12', NEAR[2], NEAR[7]],
  [
    'a vector, then its negative',
    [{ layer: 1, add: sines }],
    [{ layer: 1, add: sines.map((x) => -x) }],
  ],
])
  test(`${name}: a trace and a text are those of a fresh model`, async () => {
    const tokens = Array.from({ length: 20 }, (_, at) => 2 + 3 * at);
    const [used, restored, fresh] = [await load(), await load(), await load()];
    for (const each of [used, restored]) {
      each.intervene(first);
      each.prefill(tokens);
    }
    restored.cache.restore(restored.cache.snapshot());
    fresh.intervene(second);
    const want = await fresh.trace(tokens, { record: ['z'], positions: 'last' });
    for (const each of [used, restored]) {
      each.intervene(second);
      const got = await each.trace(tokens, { record: ['z'], positions: 'last' });
      sameArray(got.logits, want.logits, 'logits');
    }
    for (const each of [used, restored, fresh]) each.dispose();
  });
