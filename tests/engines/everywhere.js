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
import { shortTraining } from '../support/train/tasks.js';
import { logits } from '../support/theory/states.js';
import { inside, numbers } from './inside.js';

/** Every array and number in a result as bytes, in order. */
function* arrays(result) {
  if (ArrayBuffer.isView(result))
    yield new Uint8Array(result.buffer, result.byteOffset, result.byteLength);
  else if (typeof result === 'number') yield new Uint8Array(Float64Array.of(result).buffer);
  else if (result && typeof result === 'object')
    for (const [name, part] of Object.entries(result))
      // a key of its own has the fused variances
      if (name !== 'variance' || !result.maxWeight) yield* arrays(part);
}

/** FNV-1a. */
function checksum(results) {
  let hash = 0x811c9dc5;
  for (const bytes of arrays(results))
    for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193);
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

/** Variances and sums over spans, of arrays in every precision and of caches of every type. */
function newer(ch) {
  const results = cases.map((c, x) => {
    const { q, k, v, options } = build(c, x % 3 ? Float32Array : Float64Array);
    const { n } = c.shape;
    const spans = [
      [0, n],
      [n >> 1, n],
      [n >> 2, (2 * n) >> 1],
    ];
    const precision = x % 3 === 2 ? 'int8' : 'float';
    const { stats, spans: sums } = ch.attention(q, k, v, {
      ...options,
      precision,
      want: { stats: true, spans },
    });
    return { variances: stats.variance, sums };
  });
  const caches = ['f32', 'f16', 'q8'].map((type) => {
    const cache = ch.kvCache({ kvHeads: 2, headDim: 32, capacity: 1500, type });
    cache.append(numbers(14, 2 * 1500 * 32), numbers(15, 2 * 1500 * 32));
    return [40, 1].map((m) => {
      const want = /** @type {const} */ ({ stats: true, spans: [[3, 1200]] });
      const { stats, spans } = ch.attend(numbers(m + 16, 4 * m * 32), cache, {
        heads: 4,
        causal: true,
        want,
      });
      return { variances: stats.variance, sums: spans };
    });
  });
  return [results, caches];
}

/** Statements 17 to 24. */
async function laterTheory(ch) {
  const t = await ch.theory;
  const rows = [...logits(16, 60)].map(({ z, T }) => {
    const change = Float64Array.from(z, (x, j) => Math.fround(x / 3 + j / 7));
    const options = { temperature: T };
    return {
      susceptibility: t.susceptibility(z, options),
      everyNorm: z.length > 1 && t.everyNorm(z, { ...options, change }),
      dispersion: t.dispersion(z, options),
      critical: t.criticalTemperature(z, options),
      gate: t.sinkGate(z, { ...options, sink: z[0] }),
      prior: t.biasPrior(z, { ...options, bias: change }),
    };
  });
  return [
    rows,
    t.hopfield(numbers(18, 8), numbers(19, 20 * 8), { steps: 5 }),
    t.drawsToReject(numbers(20, 30), { samples: 200, seed: 3 }),
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
  'variances and spans': newer,
  'the statements from 17 on': laterTheory,
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
 * @returns {Promise<{ usual: string, threads: number[], why: string[], results: object }>} the
 *   kernels an engine takes unless told otherwise, and of `simd` what there is. The second number
 *   of threads is that of a model in a worker
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
  // not at the end: its worker and threads end while the rest is computed
  const remote = await loadRemote(model('gemma3'), { engine });
  results['gemma3, in a worker'] = await written(remote);
  for (const name of ['llama, tied, grouped', 'gemma3'])
    results[`${name}, changed inside`] = checksum(
      await inside(await loadModel(model(name), { engine: ch })),
    );
  results['200 steps of training'] = await shortTraining(createTrainer, ch);
  return {
    usual: (await init()).info.variant,
    threads: [ch.info.threads, remote.engine.threads],
    why: [ch.info.why, remote.engine.why],
    results,
  };
}
