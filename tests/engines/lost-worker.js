/**
 * worker.js with a fault: dies or dawdles at the point that its data names. Started in its place by
 * lost-workers.js, on every engine.
 */
import '../../src/js/engine/thread.js';

/** As lost-workers.js wrote it, which browsers hand over as the name, and others as data. */
const [fault, after] = (
  globalThis.name || process.getBuiltinModule('node:worker_threads').workerData
).split(' ');
const { instantiate } = WebAssembly;
let calls = 0;

/** Bytes of scratch for each thread in the call on its way. */
let scratchBytes = () => 1;

/** Hears the message to thread.js as well. */
const hear = ({ memory, control, places }) =>
  (scratchBytes = () =>
    new Int32Array(memory.buffer, control, places.COUNT)[places.SCRATCH_BYTES] || 1);
if (globalThis.name) globalThis.addEventListener('message', ({ data }) => hear(data));
else process.getBuiltinModule('node:worker_threads').parentPort.once('message', hear);

/** In a browser an end without a word to anyone. */
function die() {
  globalThis.process?.exit(1);
  globalThis.close();
  throw new Error('dead');
}

/**
 * The faults. Each takes the place of a thread's part in a call; `broken` is that part with scratch
 * that is not there.
 * @type {Record<string, (run: () => void, broken: () => void) => void>}
 */
const faults = {
  /** Ends before it has taken a piece. */
  before: die,
  /** Traps inside a piece it has taken. */
  inside: (run, broken) => broken(),
  /** Ends when its pieces are done, before it can say that it has left. */
  after: (run) => {
    run();
    die();
  },
  /** Falls asleep in the middle for longer than anyone waits, then goes on writing. */
  asleep: (run) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
    run();
  },
};

WebAssembly.instantiate = async (module, imports) => {
  if (fault === 'silent') await new Promise((never) => setInterval(() => never, 1000));
  const { exports } = await instantiate(module, imports);
  const part = (run, broken) => (++calls > Number(after) ? faults[fault](run, broken) : run());
  return {
    exports: {
      ...exports,
      attn_work_run: (work, scratch) =>
        part(
          () => exports.attn_work_run(work, scratch),
          () => exports.attn_work_run(work, imports.env.memory.buffer.byteLength - 16),
        ),
      attn_team_join: (team, index) =>
        part(
          () => exports.attn_team_join(team, index),
          // about 2 GiB behind its own scratch
          () => exports.attn_team_join(team, Math.ceil(2 ** 31 / scratchBytes())),
        ),
    },
  };
};

if (fault === 'start') throw new Error('refused');
if (fault === 'idle') {
  const { wait } = Atomics;
  let waits = 0;
  Atomics.wait = (...how) => (++waits > 1 ? die() : wait(...how));
}
