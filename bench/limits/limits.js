/**
 * The machine's limits as contenders, from the modules that CMake builds beside the kernels
 * (limits.c).
 */
import { listen, nodeWorkers } from '../../src/js/engine/platform.js';
import { bytes } from '../cases.js';

const STEPS = 20000; // 35 µs
// times as many in each of several threads, so that the messages to them do not count
const LONG = 300;
const PAGE = 65536;
/**
 * In the section `limits`: within the first, second and third level of a common cache, and beyond.
 */
const SIZES = [2 ** 15, 2 ** 19, 2 ** 23, 2 ** 26];
const VARIANTS = {
  relaxed: ['fused multiply-add', '8-bit dots'],
  simd: ['multiply, then add', '16-bit dots'],
};

const sizeName = (size) => (size < 2 ** 20 ? `${size / 2 ** 10} KB` : `${size / 2 ** 20} MB`);

/**
 * @param {{ load: (url: URL) => Promise<BufferSource>, threads?: number, lean?: boolean }} options
 *   lean: with one thread, without
 *   what stands beside rows of two
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
    const add = (name, unit, of, count = 1) =>
      contenders.push({
        name,
        version: '',
        role: 'limit',
        unit,
        threads: count,
        prepare: (x) => of(x),
      });
    if (threads > 1 || !lean) {
      const count = Math.max(threads, 2);
      const run = await together(module, c, count).catch((error) =>
        threads > 1 ? Promise.reject(error) : null,
      );
      // beside calls that take as long
      const worth = ({ section, n }) => run && section === 'prefill' && n >= 512;
      add(
        `${madd}, ${count} threads`,
        'GFLOP/s',
        (x) => worth(x) && { amount: count * 96 * LONG * STEPS, run },
        count,
      );
    }
    if (threads > 1) continue;
    add(madd, 'GFLOP/s', () => ({ amount: 96 * STEPS, run: () => c.limit_madd(STEPS) }));
    add(
      dots,
      'GOP/s',
      ({ section }) =>
        section === 'limits' && {
          amount: 16 * c.limit_dot_width() * STEPS,
          run: () => c.limit_dot(STEPS),
        },
    );
    if (variant === 'relaxed') continue; // reading is the same instruction in both
    for (const size of SIZES)
      add(
        `read ${sizeName(size)}`,
        'GB/s',
        ({ section }) => section === 'limits' && reading(c, size),
      );
    add(
      'read as many bytes',
      'GB/s',
      (x) => x.section !== 'limits' && x.m === 1 && reading(c, bytes(x)),
    );
  }
  if (!contenders.length)
    throw new Error('build/bench holds no module this engine accepts: run scripts/build.sh bench');
  return contenders;
}

/** @param {any} c @param {number} size in bytes, a multiple of 128 */
export function reading(c, size) {
  const at = Math.ceil(c.__heap_base.value / 64) * 64;
  const missing = at + size - c.memory.buffer.byteLength;
  if (missing > 0) c.memory.grow(Math.ceil(missing / PAGE));
  // Touched, or the machine maps one page of zeros many times.
  new Uint8Array(c.memory.buffer, at, size).fill(1);
  const times = Math.max(1, Math.round(2 ** 21 / size));
  return { amount: size * times, run: () => c.limit_read(at, size / 4, times) };
}

/** One call that runs the loop here and in each of the other threads. */
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
  return async () => {
    const others = workers.map((ask) => ask({ steps: LONG * STEPS }));
    const x = c.limit_madd(LONG * STEPS);
    await Promise.all(others);
    return x;
  };
}
