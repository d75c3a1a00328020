/** worker.js with a fault: dies or dawdles at the point that workerData names. Started in its place by threads.test.js. */
import { workerData } from 'node:worker_threads';

const { instantiate } = WebAssembly;
let calls = 0;

/** The faults, as what stands in for attn_work_run(work, scratch). @type {Record<string, (run: (work: number, scratch: number) => void, work: number, scratch: number, memory: WebAssembly.Memory) => void>} */
const faults = {
  /** Ends before it has taken a piece. */
  before: () => process.exit(1),
  /** Traps inside a piece it has taken: its scratch is not there. */
  inside: (run, work, scratch, memory) => run(work, memory.buffer.byteLength - 16),
  /** Ends when its pieces are done, before it can say that it has left. */
  after: (run, work, scratch) => {
    run(work, scratch);
    process.exit(1);
  },
  /** Falls asleep in the middle for longer than anyone waits, then goes on writing. */
  asleep: (run, work, scratch) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
    run(work, scratch);
  },
};

WebAssembly.instantiate = async (module, imports) => {
  const { exports } = await instantiate(module, imports);
  const attn_work_run = (work, scratch) =>
    ++calls > workerData.after ? faults[workerData.fault](exports.attn_work_run, work, scratch, imports.env.memory) : exports.attn_work_run(work, scratch);
  return { exports: { ...exports, attn_work_run } };
};

if (workerData.fault === 'start') throw new Error('refused');
if (workerData.fault === 'silent') setInterval(() => {}, 1000);
else await import('../src/js/worker.js');
