/** The threads that help with the calls on a shared memory. */
import { ATTN_TEAM_MAX_WAIT, ATTN_TEAM_PATIENCE } from './constants.js';
import { registry } from './platform.js';
import { checkedWorker, listen, weakly } from './workers.js';

/** Places in the control block, which thread.js reads. @enum {number} */
export const AT = {
  EPOCH: 0,
  OPEN: 1,
  ACTIVE: 2,
  STOP: 3,
  WORK: 4,
  SCRATCH: 5,
  SCRATCH_BYTES: 6,
  TEAM: 7,
  COUNT: 8,
};

const STACK_BYTES = 65536;
/**
 * Milliseconds within which a worker must have started. Its file may come slowly. That of a host is
 * started by the page, which may be busy.
 */
const START = 5000;
/** Multiply-adds below which waking others costs more than they bring: tuning.md#wake-threads */
const WORTH = 4e6;
const LOST = 'a worker was lost in the middle of a call, which was done again without it';

/**
 * Resolves when the worker is ready, and rejects when it fails before. `pool` is weak: the
 * listeners live as long as the worker, and must not keep a dropped engine.
 * @param {any} worker
 * @param {object} message
 * @param {{ deref(): Pool | undefined }} pool
 */
function becomesReady(worker, message, pool) {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`it did not answer within ${START} ms`)), START);
    const lost = (/** @type {string} */ why) =>
      pool.deref()?.workers.includes(worker)
        ? pool.deref()?.lose('a worker ended')
        : reject(new Error(why));
    listen(worker, () => resolve(clearTimeout(late)), lost);
    worker.postMessage(message);
  });
}

/** @param {{ control: Int32Array, workers: any[] }} pool */
function end({ control, workers }) {
  Atomics.store(control, AT.STOP, 1);
  Atomics.add(control, AT.EPOCH, 1);
  Atomics.notify(control, AT.EPOCH);
  for (const worker of workers.splice(0)) worker.terminate();
}

/** Ends the threads of an engine that was dropped without dispose. */
const dropped = registry(end);

export class Pool {
  /** @param {import('./memory.js').Memory} memory @param {() => object} spawn makes a worker */
  constructor(memory, spawn) {
    this.memory = memory;
    this.spawn = spawn;
    this.at = memory.allocate(AT.COUNT * 4);
    this.control = memory.view('int32', this.at, AT.COUNT).fill(0);
    this.control[AT.OPEN] = -1;
    /** @type {any[]} */
    this.workers = [];
    /**
     * Parts of scratch: one for each worker that was asked for, whether it came or not, and one for
     * the calling thread.
     */
    this.parts = 1;
    /** Why a worker is missing. @type {string | undefined} */
    this.trouble = undefined;
    dropped.register(memory, { control: this.control, workers: this.workers });
  }

  /**
   * Resolves when the worker is ready or has failed.
   * @param {{ module: WebAssembly.Module, memory: WebAssembly.Memory, index: number }} data
   */
  async add(data) {
    const stack = this.memory.allocate(STACK_BYTES) + STACK_BYTES;
    this.parts++;
    /** @type {any} */
    let worker;
    try {
      worker = checkedWorker(await this.spawn());
      await becomesReady(worker, { ...data, control: this.at, stack, places: AT }, weakly(this));
      this.workers.push(worker);
      // or Node would not end while it waits; listening has the opposite effect, so it comes last
      worker.unref?.();
    } catch (/** @type {any} */ error) {
      if (error.code === 'ARG') throw error;
      this.trouble = error.message;
      worker?.terminate();
    }
  }

  get threads() {
    return this.workers.length + 1;
  }

  /**
   * Whether a call is worth more than one thread.
   * @param {number} p
   * @param {number} [size] its multiply-adds
   */
  worth(p, size = this.memory.c.attn_work_size(p)) {
    return this.workers.length > 0 && size > WORTH;
  }

  /**
   * One call of attention among all threads; false if one was lost in it. The addresses are those
   * of attn_work_begin. Its status is not read, because a cache of other sizes cannot get here.
   * Neither number of bytes is ever 0.
   * @param {number} p
   * @param {number} out
   * @param {number} cache
   * @param {number} q
   * @param {number} k 0 with a cache, as is v
   * @param {number} v
   */
  run(p, out, cache, q, k, v) {
    const { memory } = this;
    const bytes = memory.c.attn_scratch_bytes_f32(p) >>> 0;
    const step = Math.ceil(bytes / 64) * 64;
    const work = memory.push(memory.c.attn_work_bytes(p) >>> 0);
    const scratch = memory.push(step * this.parts);
    memory.c.attn_work_begin(work, p, out, q, k, v, cache, scratch);
    this.#call(work, scratch, step, 0);
    memory.c.attn_work_run(work, scratch);
    if (!this.settled(work)) {
      this.lose(LOST);
      return false;
    }
    memory.c.attn_work_end(work, scratch);
    return true;
  }

  /**
   * Runs a body of many steps with a team of all threads (team.h); false if one was lost in it.
   * @param {number} bytes of scratch for each
   * @param {(team: number) => void} body
   */
  together(bytes, body) {
    const { memory } = this;
    const step = Math.ceil(bytes / 64) * 64;
    const team = memory.push(memory.c.attn_team_bytes());
    const scratch = memory.push(step * this.parts);
    memory.c.attn_team_open(team, this.parts, scratch, step);
    this.#call(team, scratch, step, 1);
    let lost;
    try {
      body(team);
    } finally {
      // not by memory.c, which refuses calls after a trap: the other threads would wait for ever
      lost = !!memory.exports.attn_team_lost(team);
      memory.exports.attn_team_close(team);
      lost = !this.settled() || lost;
      if (lost) this.lose(LOST);
    }
    return !lost;
  }

  /**
   * Opens a call, and wakes the others.
   * @param {number} work address of an attn_work or a team
   * @param {number} scratch
   * @param {number} step bytes from the scratch of one thread to that of the next
   * @param {0 | 1} isTeam
   */
  #call(work, scratch, step, isTeam) {
    const { control } = this;
    control[AT.WORK] = work;
    control[AT.SCRATCH] = scratch;
    control[AT.SCRATCH_BYTES] = step;
    control[AT.TEAM] = isTeam;
    Atomics.store(control, AT.OPEN, control[AT.EPOCH] + 1);
    Atomics.add(control, AT.EPOCH, 1);
    Atomics.notify(control, AT.EPOCH);
  }

  /**
   * Closes the call to newcomers and waits for those at work. A worker says it is active before it
   * looks whether the call is open, so none can slip in afterwards. A call that has not moved for
   * ATTN_TEAM_PATIENCE has lost a worker.
   * @param {number} [work]
   */
  settled(work) {
    Atomics.store(this.control, AT.OPEN, -1);
    let before = -1;
    let waited = 0;
    let last = performance.now();
    while (Atomics.load(this.control, AT.ACTIVE) > 0) {
      const now = work ? this.memory.c.attn_work_remaining(work) : 0;
      const time = performance.now();
      waited = now === before ? waited + Math.min(time - last, ATTN_TEAM_MAX_WAIT) : 0;
      if (waited > ATTN_TEAM_PATIENCE) return false;
      before = now;
      last = time;
    }
    return true;
  }

  /**
   * Goes on with one thread. A worker that was lost in a call may still be writing, and keeps the
   * memory it knows of.
   * @param {string} why
   */
  lose(why) {
    if (!this.workers.length) return;
    this.trouble = why;
    if (why === LOST) this.memory.floor = this.memory.top;
    this.stop();
  }

  stop() {
    end(this);
  }
}
