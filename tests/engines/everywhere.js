/**
 * The same program for every engine, browsers included. It returns checksums of the bits that the
 * simd kernels compute, and the texts of models in the caller's thread and in a worker. One of them
 * is of a short training. It imports nothing that only some of the engines have.
 */
import { init } from '../../src/js/index.js';
import { loadModel } from '../../src/js/model/index.js';
import { createTrainer } from '../../src/js/train/index.js';
import { loadModel as loadRemote } from '../../src/js/worker/client.js';
import { build, cases } from '../support/cases.js';
import { asGguf, configs, tiny } from '../support/models/random-models.js';
import { random } from '../support/random.js';
import { shortTraining } from '../support/train/tasks.js';
import { logits } from '../support/theory/states.js';

const numbers = (seed, length) => {
  const r = random(seed);
  return Float32Array.from({ length }, () => r.normal());
};

/** The bytes of every array and number in a result, in order. */
function* bytes(result) {
  if (ArrayBuffer.isView(result))
    yield* new Uint8Array(result.buffer, result.byteOffset, result.byteLength);
  else if (typeof result === 'number') yield* new Uint8Array(Float64Array.of(result).buffer);
  else if (result && typeof result === 'object')
    for (const [name, part] of Object.entries(result))
      // tests/attention/native.test.js compares the bits of the fused variance
      if (name !== 'variance' || !result.maxWeight) yield* bytes(part);
}

/** FNV-1a. */
function checksum(results) {
  let hash = 0x811c9dc5;
  for (const byte of bytes(results)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

const wants = [
  { stats: true },
  { weights: true, scores: 'raw', lse: true },
  { scores: 'masked', stats: true },
];
const attention = (ch, Type) =>
  cases.map((c, x) => {
    const { q, k, v, options } = build(c, Type);
    return ch.attention(q, k, v, { ...options, want: wants[x % 3] });
  });

/** In integers of 8 bits. */
const integers = (ch) =>
  cases.map((c, x) => {
    const { q, k, v, options } = build(c, Float32Array);
    return ch.attention(q, k, v, { ...options, precision: 'int8', want: wants[x % 3] });
  });

/** A prompt and three steps; long enough for threads to share. */
function cached(ch, type) {
  const cache = ch.kvCache({ kvHeads: 3, headDim: 64, capacity: 3010, type });
  cache.append(numbers(1, 3 * 3000 * 64), numbers(2, 3 * 3000 * 64));
  return [40, 1, 1, 1].map((m) => {
    cache.append(numbers(m + 3, 3 * 64), numbers(m + 4, 3 * 64));
    return ch.attend(numbers(m + 5, 9 * m * 64), cache, {
      heads: 9,
      causal: true,
      want: { stats: true },
    });
  });
}

/** A layer over 200 positions, whose products threads share too. */
function layer(ch) {
  const w = numbers(6, 256 * 256).map((x) => x / 16);
  const half = w.subarray(0, 128 * 256);
  const rope = ch.ropeTable({ dim: 32, positions: 200 });
  const layer = ch.multiHead(
    { q: w, k: half, v: half, o: w },
    { modelDim: 256, heads: 8, kvHeads: 4, residual: true, rope },
  );
  return layer.forward(numbers(7, 200 * 256), { causal: true, want: { lse: true } });
}

async function theory(ch) {
  const t = await ch.theory;
  return [
    [...logits(8, 60)].map(({ z, T }) => {
      const { rho } = t.rhoEffective(z, { temperature: T });
      return {
        rho,
        budget: t.klBudget(z, rho / 2),
        gibbs: t.gibbs(z, { temperature: T }),
        lse: t.logSumExp(z),
        limits: t.limits(z),
      };
    }),
    t.kernelEquivalence(numbers(9, 20 * 8), numbers(10, 20 * 8), numbers(11, 20 * 8), {
      headDim: 8,
      restoreKeyNorm: true,
    }),
    t.scaleExperiment({ headDim: 16 }),
  ];
}

const parts = {
  'attention in float32': (ch) => attention(ch, Float32Array),
  'attention in float64': (ch) => attention(ch, Float64Array),
  'attention in integers': integers,
  'a cache of floats': (ch) => cached(ch, 'f32'),
  'a cache of halves': (ch) => cached(ch, 'f16'),
  'a cache of bytes': (ch) => cached(ch, 'q8'),
  'a layer': layer,
  'the statements': theory,
};

/** The text of a model, token by token, with the entropies of its heads. */
async function written(model) {
  const tokens = [];
  const texts = [];
  const entropies = [];
  for await (const { token, text, heads } of model.generate([1, 5, 9, 30, 12], {
    maxTokens: 20,
    tau: 1,
    topP: 0.95,
    seed: 11,
    observe: 'stats',
  })) {
    tokens.push(token);
    texts.push(text);
    entropies.push(heads.entropy);
  }
  await model.dispose();
  return { tokens, text: texts.join(''), heads: checksum(entropies) };
}

/**
 * @param {number} threads
 * @returns {Promise<{ usual: string, threads: number, why: string, results: Record<string, any> }>}
 *   the kernels an engine takes unless told otherwise, and of `simd` what there is
 */
export async function everywhere(threads) {
  const engine = { variant: 'simd', threads };
  const ch = await init({ ...engine, layers: true });
  const results = {};
  for (const [name, part] of Object.entries(parts)) results[name] = checksum(await part(ch));
  const model = (name) => asGguf(tiny(configs[name]));
  for (const [name, quantize] of [
    ['llama, tied, grouped', 'none'],
    ['qwen2', 'q8'],
    ['qwen3, wide heads', 'none'],
    ['gemma3', 'none'],
  ])
    results[name] = await written(await loadModel(model(name), { engine: ch, quantize }));
  results['200 steps of training'] = await shortTraining(createTrainer, ch);
  results['gemma3, in a worker'] = await written(await loadRemote(model('gemma3'), { engine }));
  return {
    usual: (await init()).info.variant,
    threads: ch.info.threads,
    why: ch.info.why,
    results,
  };
}
