/**
 * The machine's limits as contenders, from the modules that CMake builds beside the kernels
 * (limits.c). A limit has several forms, and side.js lets the fastest of them count.
 */
import { listen, nodeWorkers } from '../../src/js/engine/workers.js';
import { bytes } from '../cases.js';
import { APART, DOTS, FUSED, READ, onThreads } from './names.js';

/** Units of limit_unit() in a call: half a millisecond. */
const UNITS = 64;
// as many calls for each of several threads, so that the messages to them do not count
const LONG = 20;
const PAGE = 65536;
/** The number that the forms multiply: normal, and below 1. */
const OPERAND = 2 ** -7;
/**
 * In the section `limits`: within the first, second and third level of a common cache, and beyond.
 */
const SIZES = [2 ** 15, 2 ** 19, 2 ** 23, 2 ** 26];
const VARIANTS = { relaxed: [FUSED, DOTS[0]], simd: [APART, DOTS[1]] };

const sizeName = (size) => (size < 2 ** 20 ? `${size / 2 ** 10} KB` : `${size / 2 ** 20} MB`);

/**
 * @param {{ load: (url: URL) => Promise<BufferSource>, threads?: number, lean?: boolean }} options
 *   lean: with one thread, without the limit of two threads and without dots beside cases
 * @returns {Promise<any[]>} fewer where an engine has no relaxed SIMD
 */
export async function open({ load, threads = 1, lean = false }) {
  const contenders = [];
  for (const [variant, [madd, dots]] of Object.entries(VARIANTS)) {
    const file = await load(
      new URL(`../../build/bench/limits.${variant}.wasm`, import.meta.url),
    ).catch(() => null);
    if (!file || !WebAssembly.validate(file)) continue;
    const module = await WebAssembly.compile(file);
    const c = (await WebAssembly.instantiate(module, {})).exports;
    const add = (name, unit, prepare, count = 1) =>
      contenders.push({ name, version: '', role: 'limit', unit, threads: count, prepare });
    if (threads > 1 || !lean) {
      const count = Math.max(threads, 2);
      const run = await together(module, c, count).catch((error) =>
        threads > 1 ? Promise.reject(error) : null,
      );
      // beside calls that take as long
      const worth = ({ section, n }) => run && section === 'prefill' && n >= 512;
      add(
        onThreads(madd, count),
        'GFLOP/s',
        (x) => worth(x) && multiplying(c, 'madd', { operations: 8, calls: LONG * count, run }),
        count,
      );
    }
    if (threads > 1) continue;
    add(madd, 'GFLOP/s', () => multiplying(c, 'madd', { operations: 8 }));
    add(
      dots,
      'GOP/s',
      ({ section }) =>
        (section === 'limits' || !lean) &&
        multiplying(c, 'dot', { operations: 2 * c.limit_dot_width() }),
    );
    if (variant === 'relaxed') continue; // reading is the same instruction in both
    for (const size of SIZES)
      add(
        `read ${sizeName(size)}`,
        'GB/s',
        ({ section }) => section === 'limits' && reading(c, size),
      );
    add(READ, 'GB/s', (x) => x.section !== 'limits' && x.m === 1 && reading(c, bytes(x)));
  }
  if (!contenders.length)
    throw new Error('build/bench holds no module this engine accepts: run scripts/build.sh bench');
  return contenders;
}

/** The forms of a kind, by the names of exports. @param {any} c @param {string} kind */
const formsOf = (c, kind) => Object.keys(c).filter((name) => name.startsWith(`${kind}_`));

/** An aligned address with `size` bytes behind it. @param {any} c @param {number} size */
function memory(c, size) {
  const at = Math.ceil(c.__heap_base.value / 64) * 64;
  const missing = at + size - c.memory.buffer.byteLength;
  if (missing > 0) c.memory.grow(Math.ceil(missing / PAGE));
  return at;
}

/**
 * A call of a form of multiply-adds or dots, by its name.
 * @param {any} c
 * @returns {(name: string) => number}
 */
export function multiplier(c) {
  const floats = c.limit_floats();
  const at = memory(c, 4 * floats);
  new Float32Array(c.memory.buffer, at, floats).fill(OPERAND);
  return (name) => c[name](at, UNITS);
}

/**
 * @param {any} c
 * @param {'madd' | 'dot'} kind
 * @param {{ operations: number, calls?: number, run?: (name: string, calls: number) => any }} how
 *   operations of one instruction; run: as many calls of a form
 */
function multiplying(c, kind, { operations, calls = 1, run = multiplier(c) }) {
  return {
    amount: calls * operations * UNITS * c.limit_unit(),
    forms: formsOf(c, kind).map((name) => ({ name, run: () => run(name, calls) })),
  };
}

/** @param {any} c @param {number} size in bytes, a multiple of 128 */
export function reading(c, size) {
  const at = memory(c, size);
  // Touched, or the machine maps one page of zeros many times.
  new Float32Array(c.memory.buffer, at, size / 4).fill(OPERAND);
  const times = Math.max(1, Math.round(2 ** 21 / size));
  return {
    amount: size * times,
    forms: formsOf(c, 'read').map((name) => ({ name, run: () => c[name](at, size / 4, times) })),
  };
}

/**
 * Calls of a form until none remains. Threads share the counter, as those of attention do, so that
 * none waits for one that was interrupted.
 * @param {(name: string) => number} call
 * @param {string} form
 * @param {Int32Array} remaining one number, in shared memory
 */
export function share(call, form, remaining) {
  let x = 0;
  while (Atomics.sub(remaining, 0, 1) > 0) x += call(form);
  return x;
}

/** Calls of a form that run here and in the other threads. */
async function together(module, c, threads) {
  const node = await nodeWorkers();
  const url = new URL('./worker.js', import.meta.url);
  const workers = await Promise.all(
    Array.from({ length: threads - 1 }, async () => {
      const worker = node ? new node.Worker(url) : new Worker(url, { type: 'module' });
      let asked;
      const ask = (message) =>
        new Promise((resolve, reject) => {
          asked = { resolve, reject };
          worker.postMessage(message);
        });
      const started = ask({ module });
      listen(
        worker,
        (message) => asked.resolve(message),
        (why) => asked.reject(new Error(why)),
      );
      await started;
      return ask;
    }),
  );
  const call = multiplier(c);
  const remaining = new Int32Array(new SharedArrayBuffer(4));
  return async (form, calls) => {
    remaining[0] = calls;
    const others = workers.map((ask) => ask({ form, remaining }));
    const x = share(call, form, remaining);
    await Promise.all(others);
    return x;
  };
}
