/** worker.js with a fault: dies or dawdles at the point that workerData names. Started in its place by threads.test.js. */
import { workerData } from 'node:worker_threads';

const { instantiate } = WebAssembly;
let calls = 0;

/** The faults, as what stands in for a thread's part in a call; `broken` is that part with scratch that is not there. @type {Record<string, (run: () => void, broken: () => void) => void>} */
const faults = {
  /** Ends before it has taken a piece. */
  before: () => process.exit(1),
  /** Traps inside a piece it has taken. */
  inside: (run, broken) => broken(),
  /** Ends when its pieces are done, before it can say that it has left. */
  after: (run) => {
    run();
    process.exit(1);
  },
  /** Falls asleep in the middle for longer than anyone waits, then goes on writing. */
  asleep: (run) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
    run();
  },
};

WebAssembly.instantiate = async (module, imports) => {
  const { exports } = await instantiate(module, imports), { fault, after } = workerData;
  const part = (run, broken) => (++calls > after ? faults[fault](run, broken) : run());
  return {
    exports: {
      ...exports,
      attn_work_run: (work, scratch) => part(() => exports.attn_work_run(work, scratch), () => exports.attn_work_run(work, imports.env.memory.buffer.byteLength - 16)),
      attn_team_join: (team, index) => part(() => exports.attn_team_join(team, index), () => exports.attn_team_join(team, 1 << 20)),
    },
  };
};

if (workerData.fault === 'start') throw new Error('refused');
if (workerData.fault === 'silent') setInterval(() => {}, 1000);
else await import('../src/js/worker.js');
