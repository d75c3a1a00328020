/**
 * Clearhead: scaled-dot-product attention that can explain itself.
 *
 *     const ch = await init();
 *     const { output, stats } = ch.attention(q, k, v, {
 *       heads: 8,
 *       kvHeads: 2,
 *       headDim: 64,
 *       causal: true,
 *       want: { stats: true },
 *     });
 *
 * Layers, threads and theory are loaded when a program first needs them. They are optional, and
 * attention is a small download without them. Everything computes through engine/memory.js, which
 * calls the C functions of src/include. C returns a status, and this side throws. The types, with
 * shapes and units, are in types.d.ts.
 */
import { attend, attention } from './attention/attention.js';
import { KVCache } from './attention/cache.js';
import { choice, integer, integers, list, read, yes } from './check.js';
import { brand, ClearheadError, refuse, refuseKind } from './errors.js';
import { attentionFile, modelFile } from './engine/files.js';
import { createMemory, instantiate } from './engine/instance.js';
import { acceptsRelaxed, compile, unloaded } from './engine/load.js';
import { Memory, memories } from './engine/memory.js';
import { DISPOSE, F32, Tensor } from './engine/tensor.js';
import { atMost, bound } from './names.js';

export { ClearheadError };

/** @typedef {import('./types.d.ts').Engine & import('./types.d.ts').Layers} Engine */
/**
 * The threads that were asked for, and why they or the relaxed kernels are missing.
 * @typedef {{ asked: number, why: { relaxed: string, threads: string } }} Start
 */

/**
 * Loads the kernels, checks that they compute, and returns an engine. Engines share nothing.
 * @param {import('./types.d.ts').InitOptions} [options]
 * @param {unknown[]} more none
 * @returns {Promise<Engine>} with its layers, where they were asked for
 */
export async function init(options, ...more) {
  atMost('init', [options, ...more], 1);
  const {
    wasm,
    variant,
    threads = 1,
    layers,
    theoryWasm,
    worker,
  } = read('options', options, ['wasm', 'variant', 'threads', 'layers', 'theoryWasm', 'worker']);
  const asked = choice('variant', variant, 'auto', 'simd', 'relaxed');
  const source = await wasm;
  const deep = yes('layers', layers)
    ? await import('./layers/index.js').catch(unloaded('layers/index.js'))
    : null;
  if (worker !== undefined && typeof worker !== 'function')
    refuseKind('worker', worker, 'a function that makes a worker of clearhead/thread');
  const count = integer('threads', threads, 1, 16);
  /** @type {Start} */
  const start = { asked: count, why: { relaxed: '', threads: '' } };
  const fast = canBeRelaxed(asked, start.why);
  const { team, shared } = await threadsAndMemory(count, source, start.why);
  const file = deep ? modelFile : attentionFile;
  const change = team?.forThreads;
  const given = source !== undefined;
  const module = await compile(given ? source : file(fast), 'wasm', change).catch((error) => {
    if (given || !fast || asked) throw error;
    start.why.relaxed = `relaxed kernels failed: ${error.message}`;
    return compile(file(false), 'wasm', change);
  });
  try {
    const own = shared ?? createMemory(false);
    const memory = new Memory(await instantiate(module, own));
    const made = engine(memory, start, deep, theoryWasm);
    if (team) await team.startThreads(memory, { module, memory: own }, count, worker);
    return made;
  } catch (/** @type {any} */ cause) {
    if (cause instanceof ClearheadError) throw cause;
    if (cause instanceof RangeError) throw new ClearheadError('OOM', 'no memory left', { cause });
    throw new ClearheadError(
      'FORMAT',
      'wasm is another file or version; expected attn.*.wasm or model.*.wasm of this version',
      { cause },
    );
  }
}

/**
 * Whether the relaxed kernels come first, and why not.
 * @param {number} asked 0 for the fastest, 1 for simd, 2 for relaxed
 * @param {Start['why']} why
 */
function canBeRelaxed(asked, why) {
  const accepted = acceptsRelaxed(); // also refuses an engine without WebAssembly
  if (asked === 1) return false;
  if (!accepted) why.relaxed = 'the JS engine has no relaxed SIMD';
  if (!accepted && asked) throw new ClearheadError('ENV', why.relaxed);
  return accepted;
}

/**
 * The code of threads and the memory that they share, or neither and why not.
 * @param {number} count
 * @param {unknown} source of the wasm, if one was given
 * @param {Start['why']} why
 */
async function threadsAndMemory(count, source, why) {
  if (count > 1)
    try {
      const team = await import('./engine/threads.js').catch(unloaded('engine/threads.js'));
      team.checkShares(source);
      return { team, shared: createMemory(true) };
    } catch (/** @type {any} */ error) {
      why.threads = `one thread: ${error.message}`;
    }
  return {};
}

/** Two keys whose logits differ by log 2 have weights 1/3 and 2/3. @param {Memory} memory */
function test(memory) {
  for (const Floats of [Float32Array, Float64Array]) {
    const { output } = attention(
      memory,
      new Floats([Math.LN2]),
      new Floats([0, 1]),
      new Floats([0, 3]),
      { headDim: 1 },
    );
    if (!(Math.abs(output[0] - 2) < 1e-6)) throw new Error(`self-test: ${output}`);
  }
}

/**
 * @param {Memory} memory
 * @param {Start} start
 * @param {typeof import('./layers/index.js') | null} deep
 * @param {import('./types.d.ts').InitOptions['theoryWasm']} theoryWasm
 * @returns {Engine}
 */
function engine(memory, start, deep, theoryWasm) {
  test(memory);
  const relaxed = !!memory.c.attn_is_relaxed();
  /** @type {Engine['theory'] | undefined} */
  let theory;
  const engine = {
    get info() {
      const { threads = 1, trouble = start.why.threads } = memory.pool ?? {};
      const reasons = Object.freeze({ relaxed: start.why.relaxed, threads: trouble });
      return Object.freeze({
        variant: relaxed ? 'relaxed' : 'simd',
        relaxed,
        threads,
        threadsAsked: start.asked,
        simd: true,
        why: Object.values(reasons).filter(Boolean).join('; '),
        reasons,
      });
    },
    attention: /** @type {Engine['attention']} */ (bound('attention', attention, memory)),
    attend: /** @type {Engine['attend']} */ (bound('attend', attend, memory)),
    tensor: /** @type {Engine['tensor']} */ (bound('tensor', tensor, memory)),
    .../** @type {import('./types.d.ts').Layers} */ (deep ? deep.layers(memory) : WITHOUT),
    kvCache: bound('kvCache', kvCache, memory),
    dispose: () => memory.pool?.stop(),
    [DISPOSE]: () => memory.pool?.stop(),
    // asked for again only after a failure
    get theory() {
      theory ??= loadTheory(memory, theoryWasm).catch((error) => {
        theory = undefined;
        throw error;
      });
      return theory;
    },
  };
  Object.freeze(brand(engine, 'an engine'));
  memories.set(engine, memory);
  return engine;
}

/**
 * The statements of theory.h, which few programs want.
 * @param {Memory} memory
 * @param {import('./types.d.ts').InitOptions['theoryWasm']} source
 */
async function loadTheory(memory, source) {
  const module = await import('./theory/index.js').catch(unloaded('theory/index.js'));
  return module.load(memory, source);
}

/**
 * Stands for the layers in an engine without them.
 * @type {Record<string, () => never>}
 */
const WITHOUT = Object.fromEntries(
  (
    'matmul linear rmsNorm layerNorm silu gelu swiglu geglu softmax add ropeTable rope ' +
    'multiHead latent attentionGradient'
  )
    .split(' ')
    .map((name) => [
      name,
      () => refuse('ENV', name, 'not loaded', 'one of init({ layers: true })'),
    ]),
);

/**
 * Engine.kvCache.
 * @param {Memory} memory
 * @param {import('./types.d.ts').KVCacheOptions} options
 */
const kvCache = (memory, options) => new KVCache(memory, options);

/**
 * Engine.tensor.
 * @param {Memory} memory
 * @param {readonly number[]} shape
 * @param {import('./types.d.ts').DType} [dtype]
 */
function tensor(memory, shape, dtype) {
  const sizes = integers('shape', list('shape', shape), 0);
  choice('dtype', dtype, F32, 'float64');
  return new Tensor(memory, sizes, dtype ?? F32);
}
