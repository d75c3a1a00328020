/**
 * Kernels and oracles in a worker. Of the requests under one name only the newest is computed: one
 * runs, one waits, and a request that a newer one replaced returns undefined.
 */
import { startLab } from './workers.js';

/** A worker that has said nothing for so long is given up. */
const PATIENCE = 60000;

/** @typedef {{ run: () => void, drop: () => void }} Waiting */
/** @typedef {{ resolve: (value: any) => void, reject: (error: Error) => void }} Asked */

/** @param {{ name?: string, code?: string, message: string }} told */
function errorFrom({ name = 'Error', code, message }) {
  return Object.assign(new Error(message), { name, ...(code && { code }) });
}

export class Lab {
  /** @param {() => Worker} [start] */
  constructor(start = startLab) {
    this.start = start;
    /** @type {Worker | undefined} */
    this.worker = undefined;
    /** @type {Map<number, Asked>} */
    this.asked = new Map();
    /** @type {Map<string, Waiting | undefined>} a name that runs, and what waits for it */
    this.names = new Map();
    this.count = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
  }

  /**
   * Calls the function `op` of the panel's worker.js with the engine and these arguments.
   * @param {string} panel
   * @param {string} op
   * @param {unknown[]} [args] anything that can be cloned
   * @param {string} [name] requests of one name replace each other; default: panel and function
   * @returns {Promise<any>} undefined where a newer request replaced this one
   */
  ask(panel, op, args = [], name = `${panel} ${op}`) {
    return new Promise((resolve, reject) => {
      const run = () => {
        this.names.set(name, undefined);
        this.send({ panel, op, args }, { resolve, reject }, name);
      };
      if (!this.names.has(name)) return run();
      this.names.get(name)?.drop();
      this.names.set(name, { run, drop: () => resolve(undefined) });
    });
  }

  /** Until nothing that a panel asked for is on its way. @param {string} panel */
  async settled(panel) {
    const isAsked = () => [...this.names.keys()].some((name) => name.startsWith(`${panel} `));
    while (isAsked()) await new Promise(requestAnimationFrame);
  }

  /** @param {{ panel: string, op: string, args: unknown[] }} what @param {Asked} to */
  send(what, to, /** @type {string} */ name) {
    const id = ++this.count;
    const next = () => {
      const waiting = this.names.get(name);
      this.names.delete(name);
      waiting?.run();
    };
    this.asked.set(id, {
      resolve: (value) => {
        to.resolve(value);
        next();
      },
      reject: (error) => {
        to.reject(error);
        next();
      },
    });
    this.watch();
    try {
      this.running().postMessage({ id, ...what });
    } catch (error) {
      this.settle(id, { error: /** @type {Error} */ (error) });
    }
  }

  running() {
    if (this.worker) return this.worker;
    this.worker = this.start();
    this.worker.onmessage = ({ data }) => this.settle(data.id, data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.fail(event.message || 'the worker of the wasm code did not load');
    };
    return this.worker;
  }

  /** @param {number} id @param {{ result?: unknown, error?: { message: string } }} answer */
  settle(id, { result, error }) {
    const asked = this.asked.get(id);
    this.asked.delete(id);
    this.watch();
    if (error) asked?.reject(errorFrom(error));
    else asked?.resolve(result);
  }

  /** Anything that is asked is answered in time, or is told why not. The document knows of it. */
  watch() {
    clearTimeout(this.timer);
    document.documentElement.dataset.lab = this.asked.size ? 'busy' : 'idle';
    if (!this.asked.size) return;
    const seconds = PATIENCE / 1000;
    const late = () => this.fail(`the worker of the wasm code said nothing for ${seconds} seconds`);
    this.timer = setTimeout(late, PATIENCE);
  }

  /** Everything asked fails; the next request starts a new worker. @param {string} message */
  fail(message) {
    this.worker?.terminate();
    this.worker = undefined;
    for (const id of [...this.asked.keys()]) this.settle(id, { error: { message } });
  }
}
