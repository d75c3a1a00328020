/**
 * A thread of pool.js: waits for calls in the shared memory and takes pieces of them. It never
 * returns to its event loop.
 */

import { nodeModule } from './node.js';

/** Milliseconds of watching for the next call. */
const WATCH = 1;
/** Milliseconds between two signals of a worker that waits for its first message. */
const SIGNAL = 20;

/**
 * @typedef {import('./exports.d.ts').Functions & { __stack_pointer: WebAssembly.Global }} Exports
 * @typedef {object} Start
 * @property {WebAssembly.Module} module
 * @property {WebAssembly.Memory} memory
 * @property {number} index of the thread
 * @property {number} control address of the integers that all threads see
 * @property {number} stack address
 * @property {typeof import('./pool.js').AT} places of those integers
 */

/** @param {Start} data as Pool.add posts it @param {(message: any) => void} answer */
async function start({ module, memory, index, control: at, stack, places: AT }, answer) {
  const env = { memory, now: () => performance.now() };
  const instance = await WebAssembly.instantiate(module, { env });
  const c = /** @type {Exports} */ (/** @type {unknown} */ (instance.exports));
  c.__stack_pointer.value = stack;
  const control = new Int32Array(memory.buffer, at, AT.COUNT);
  let seen = Atomics.load(control, AT.EPOCH);
  let until = 0;
  answer('ready');
  while (!Atomics.load(control, AT.STOP)) {
    // the next call, or slice of one, often follows soon, and being woken takes long: watch for a
    // while before going to sleep
    while (performance.now() < until && Atomics.load(control, AT.EPOCH) === seen);
    // `end` of pool.js wakes it; it also looks at STOP every 100 ms
    if (Atomics.wait(control, AT.EPOCH, seen, 100) === 'timed-out') continue;
    seen = Atomics.load(control, AT.EPOCH);
    Atomics.add(control, AT.ACTIVE, 1);
    if (Atomics.load(control, AT.OPEN) === seen) {
      if (control[AT.TEAM]) c.attn_team_join(control[AT.WORK], index + 1);
      else
        c.attn_work_run(
          control[AT.WORK],
          control[AT.SCRATCH] + (index + 1) * control[AT.SCRATCH_BYTES],
        );
      until = performance.now() + WATCH; // one that came too late has nothing to watch for
    }
    Atomics.sub(control, AT.ACTIVE, 1);
  }
}

if (typeof postMessage === 'function') {
  // In Firefox a worker may start this one. Then the parent waits until this one is registered.
  // Both wait on one condition variable, and one signal comes. If it wakes this one, the parent
  // waits for ever. Each turn of the timer sends another signal. That does not help where the lost
  // signal was to begin this file, so the hosts of workers let their page start the threads.
  const timer = setInterval(() => {}, SIGNAL);
  globalThis.onmessage = ({ data }) => {
    clearInterval(timer);
    void start(data, (message) => postMessage(message));
  };
} else
  void nodeModule('worker_threads').then(({ parentPort: port }) =>
    port?.once('message', (/** @type {any} */ data) =>
      start(data, (message) => port.postMessage(message)),
    ),
  );
