/**
 * Objects that say of themselves what is not so: arrays with a length of their own, proxies and
 * heirs of tensors and caches. Memory is read and written as the language has it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { init } from '../../src/js/index.js';
import { loadModel } from '../../src/js/model/index.js';
import * as remote from '../../src/js/worker/client.js';
import { asGguf, configs, tiny } from '../support/models/random-models.js';

const ch = await init({ layers: true, variant: 'simd' });
const theory = await ch.theory;
const SECRET = 1234.5;

/** Properties that are claimed. */
const claims = (length) => ({
  length,
  byteLength: 4 * length,
  byteOffset: 0,
  buffer: new ArrayBuffer(4 * length),
  [Symbol.toStringTag]: 'Float64Array',
  [Symbol.iterator]: function* () {
    for (let i = 0; i < length; i++) yield 0;
  },
});
const LONG = 4096;

/** Three ways to forge an array of four numbers. */
const FORGED = {
  'properties of its own'(array) {
    for (const [name, value] of Object.entries(claims(LONG)))
      Object.defineProperty(array, name, { value });
    return Object.defineProperty(array, Symbol.toStringTag, { value: 'Float64Array' });
  },
  'a class with getters'(array) {
    class Liar extends array.constructor {
      get length() {
        return LONG;
      }
      get buffer() {
        return new ArrayBuffer(4 * LONG);
      }
    }
    return new Liar(array);
  },
  'another realm': (array) =>
    runInNewContext(
      `Object.defineProperty(new ${array.constructor.name}(numbers), 'length', { value: 4096 })`,
      { numbers: [...array] },
    ),
};

/** Leaves numbers in memory that no result may show. */
function hide() {
  const secret = new Float32Array(LONG).fill(SECRET);
  ch.attention(secret, secret, secret, { headDim: 1 });
}

const four = (...numbers) => Float32Array.from({ length: 4 }, (_, i) => numbers[i] ?? 1);
const plain = four();
const weights = new Float32Array(16);

/** A use of each place that takes an array, with the array in it. */
const USES = {
  q: (x) => ch.attention(x, plain, plain, { headDim: 1 }).output,
  k: (x) => ch.attention(plain, x, plain, { headDim: 1 }).output,
  v: (x) => ch.attention(plain, plain, x, { headDim: 1 }).output,
  out: (out) => ch.attention(plain, plain, plain, { headDim: 1, out }).output,
  keyScale: (keyScale) => ch.attention(plain, plain, plain, { headDim: 1, keyScale }).output,
  mask: (data) =>
    ch.attention(plain, plain, plain, { headDim: 1, mask: { data, shape: [4] } }).output,
  silu: (x) => ch.silu(x),
  'the out of silu': (out) => ch.silu(plain, { out }),
  up: (up) => ch.swiglu(plain, up),
  softmax: (x) => ch.softmax(x),
  add: (x) => ch.add(plain, x),
  scale: (scale) => ch.rmsNorm(plain, scale),
  bias: (bias) => ch.layerNorm(plain, plain, bias),
  mean: (mean) => ch.layerNorm(plain, undefined, undefined, { size: 1, mean }),
  matmul: (x) => ch.matmul(x, plain, { k: 4 }),
  'the weights of a layer': (x) => ch.linear(x, { inputs: 4 }).forward(plain),
  'the bias of a layer': (bias) => ch.linear(weights, { inputs: 4, bias }).forward(plain),
  'the biases of heads': (qBias) =>
    ch
      .multiHead(
        { q: weights, k: weights, v: weights, o: weights, qBias },
        { modelDim: 4, heads: 1 },
      )
      .forward(plain).output,
  rope: (x) => ch.rope(x, ch.ropeTable({ dim: 4, positions: 4 }), { headDim: 4 }),
  'the gradient of attention': (x) =>
    ch.attentionGradient(x, plain, plain, plain, { headDim: 1 }).dq,
  append(x) {
    const cache = ch.kvCache({ headDim: 4, capacity: 8 });
    cache.append(x, x);
    return cache.read().v;
  },
  statements: (x) => theory.logSumExp(x).gradient,
};

for (const [how, forge] of Object.entries(FORGED))
  test(`an array forged by ${how} counts as the array that it is`, () => {
    for (const [place, use] of Object.entries(USES)) {
      hide();
      const expected = Array.from(use(four()));
      const came = use(forge(four()));
      const numbers = Array.from({ length: expected.length }, (_, i) => came[i]);
      assert.deepEqual(numbers, expected, place);
      if (!/out/.test(place)) assert.equal(came.length, expected.length, place);
    }
  });

test('integers are checked as they are used, whatever an iterator says', () => {
  const forged = (x) =>
    Object.defineProperty(Int32Array.of(x), Symbol.iterator, {
      value: function* () {
        yield 0;
      },
    });
  assert.throws(() => ch.attention(plain, plain, plain, { headDim: 1, keyLengths: forged(5000) }), {
    code: 'RANGE',
    message: /keyLengths\[0\] is 5000/,
  });
  const table = ch.ropeTable({ dim: 4, positions: 4 });
  const positions = Object.defineProperty(forged(5000), 'slice', { value: () => [0] });
  assert.throws(() => ch.rope(plain, table, { headDim: 4, positions }), {
    code: 'RANGE',
    message: /positions is 5000/,
  });
});

test('a snapshot of a model is checked as it is used', async () => {
  const model = await loadModel(asGguf(tiny(configs['llama, tied, grouped'])), { engine: ch });
  await model.prefill([1, 2]);
  const snapshot = model.cache.snapshot();
  const tokens = Int32Array.of(1, 1e9);
  Object.defineProperty(tokens, 'forEach', { value: () => {} });
  assert.throws(() => model.cache.restore({ ...snapshot, tokens }), {
    code: 'RANGE',
    message: /snapshot\.tokens\[1\] is 1000000000/,
  });
  model.dispose();
});

/** Objects that stand for others. */
const STAND_INS = {
  'a proxy': (x) => new Proxy(x, {}),
  'an heir': (x) => Object.create(x),
  'an heir that claims more': (x) =>
    Object.create(x, {
      length: { value: LONG },
      place: { value: () => 0 },
      data: { value: plain },
    }),
};

const latent = ch.latent(
  { q: plain, kvA: plain, kvB: new Float32Array(8), o: plain },
  { modelDim: 2, heads: 1, kvLatent: 2, nopeDim: 2, valueDim: 2 },
);
const objects = {
  'a tensor': ch.tensor([4]),
  'a KV cache': ch.kvCache({ headDim: 1, capacity: 4 }),
  'a linear layer': ch.linear(plain, { inputs: 2 }),
  'a multi-head layer': ch.multiHead(
    { q: plain, k: plain, v: plain, o: plain },
    { modelDim: 2, heads: 1 },
  ),
  'a latent layer': latent,
  'a latent cache': latent.cache({ capacity: 2 }),
};

for (const [how, standIn] of Object.entries(STAND_INS))
  test(`${how} is no tensor and no cache`, () => {
    const message = /is a proxy or heir of a (tensor|KV cache|latent cache); expected/;
    const refused = { name: 'ClearheadError', code: 'ARG', message };
    const tensor = standIn(objects['a tensor']);
    const cache = standIn(objects['a KV cache']);
    assert.throws(() => ch.attention(tensor, plain, plain, { headDim: 1 }), refused);
    assert.throws(() => ch.attention(plain, plain, plain, { headDim: 1, out: tensor }), refused);
    assert.throws(() => ch.silu(tensor), refused);
    assert.throws(() => theory.logSumExp(tensor), refused);
    assert.throws(() => ch.attend(plain, cache), refused);
    const layer = objects['a multi-head layer'];
    assert.throws(() => layer.forward(plain, { cache }), refused);
    const latents = standIn(objects['a latent cache']);
    assert.throws(() => latent.forward(plain, { cache: latents }), refused);
  });

/** The methods and getters of an object's classes, and a call of each on another object. */
function* membersOf(object) {
  for (let at = object; (at = Object.getPrototypeOf(at)) !== Object.prototype;)
    for (const name of Reflect.ownKeys(at)) {
      const { value, get } = Object.getOwnPropertyDescriptor(at, name);
      const f = value ?? get;
      if (typeof f === 'function' && name !== 'constructor' && name !== Symbol.for('clearhead'))
        yield [String(name), (self) => f.call(self)];
    }
}

for (const [what, object] of Object.entries(objects))
  test(`the methods and getters of ${what} refuse other objects in words of ours`, () => {
    const others = {
      nothing: undefined,
      'a number': 1,
      'an object': {},
      'a cache of plain data': { ...object },
    };
    for (const [how, standIn] of Object.entries(STAND_INS)) others[how] = standIn(object);
    let count = 0;
    for (const [name, call] of membersOf(object))
      for (const [how, other] of Object.entries(others)) {
        assert.throws(
          () => call(other),
          ({ name: error, code, message }) =>
            error === 'ClearheadError' &&
            code === 'ARG' &&
            message.startsWith(`${name} is called on `) &&
            message.includes('; expected a'),
          `${name} of ${how}`,
        );
        count++;
      }
    assert.ok(count >= 3 * Object.keys(others).length, `${count} calls`);
  });

test('a method that lost its object names the object it needs', () => {
  const { append } = objects['a KV cache'];
  const message = 'append is called on undefined; expected a KV cache';
  assert.throws(() => append(plain, plain), { message });
});

test('methods of models need no object, here and in a worker', async () => {
  const bytes = asGguf(tiny(configs['llama, tied, grouped']));
  for (const model of [await loadModel(bytes, { engine: ch }), await remote.loadModel(bytes)]) {
    const { prefill, step, generate, dispose } = model;
    await prefill([1, 2]);
    assert.equal((await step(3)).logits.length, model.config.vocab);
    for await (const { token } of generate([1, 2], { maxTokens: 1 })) assert.ok(token >= 0);
    await dispose();
  }
});

test('nothing public reaches memory beyond an object', () => {
  for (const [what, object] of Object.entries(objects))
    for (let at = object; (at = Object.getPrototypeOf(at)) !== Object.prototype;)
      assert.ok(Object.isFrozen(at), `the class of ${what}`);
});
