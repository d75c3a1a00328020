/**
 * The contenders of one JavaScript engine. This runs as it stands in Node and in a page. The caller
 * asks for one sample at a time and so interleaves them, across engines too.
 *
 * A contender is { name, version, role: 'ours' | 'peer' | 'limit', tolerance, threads,
 * prepare(case, data) }. Its `against` names another one, with which it is compared turn by turn.
 * `integers` says that it multiplies integers, and `stored` how large its keys and values are
 * beside floats. A limit of several threads is for those that have as many. prepare returns { why }
 * if the contender cannot do the case, or else
 *
 *   run()      one call, sync or not; returns a number of the result, so that nothing is left out
 *   output()   the last call's result as (heads, m, d)
 *   dispose()
 *
 * A limit's prepare returns
 *
 *   forms      { name, run() } of each loop that does the work of the limit
 *   amount     the operations or bytes of one call, in its unit
 */
import { caseOf, data } from './cases.js';
import { finalists } from './limits/forms.js';
import { reference, relativeError } from './reference.js';
import { median } from './spread.js';

// Seconds of a batch: long beside its first call, which finds others' data in the processor's
// caches.
const BATCH = 5e-3;
const MIN_BATCHES = 3;
// Seconds of a batch, one of which is enough.
const LONG_BATCH = 0.1;
// Seconds of each form of a limit between two batches: a quarter of the batch within these bounds,
// or one call. Two contenders that are compared have the same number of calls.
const BESIDE = { min: 2e-3, max: 0.01 };

const now = () => performance.now() / 1000;

/**
 * The first line of an error's message, without the paths of the machine that built the library.
 * @param {any} error
 */
export const reason = (error) =>
  String(error?.message ?? error)
    .split('\n')[0]
    .replace(/(\/[^\s/]+){3,}\//g, '')
    .slice(0, 160);

export class Side {
  /** @param {any[]} contenders @param {string} engine */
  constructor(contenders, engine) {
    this.contenders = contenders;
    this.engine = engine;
    /** @type {any[]} */
    this.prepared = [];
    /** Names of limits that ran before: their loops are compiled for good. */
    this.warmed = new Set();
    this.sink = 0;
  }

  /**
   * Makes all contenders ready for a case: each is checked against float64, and warm.
   * @param {string} id
   * @param {number} warm seconds; V8 replaces its first, quick compilation within 0.1
   */
  async prepare(id, warm) {
    const c = caseOf(id);
    const inputs = data(c);
    const right = reference(c, inputs);
    const rows = [];
    for (const contender of this.contenders) {
      const { name, role, unit, threads, against, integers, stored, tolerance } = contender;
      if (
        (c.section === 'limits' && role !== 'limit') ||
        (['matmul', 'gradient'].includes(c.section) && role === 'peer')
      )
        continue;
      const { engine } = this;
      const row = { name, role, unit, threads, against, integers, stored, engine };
      let ready;
      try {
        ready = await contender.prepare(c, inputs);
        if (!ready) continue; // nothing this contender is there for
        if (ready.why) Object.assign(row, { why: ready.why });
        else if (ready.forms) Object.assign(row, await this.#race(name, ready, warm));
        else Object.assign(row, await this.#check(ready, right, c, tolerance, warm));
      } catch (error) {
        Object.assign(row, { why: reason(error) });
      }
      if ('why' in row) {
        ready?.dispose?.();
        ready = null;
      }
      rows.push({ ...row, at: this.prepared.push(ready) - 1 });
    }
    return rows;
  }

  /** One call to be right, and more until it is warm. */
  async #check(ready, right, c, tolerance, warm) {
    const first = await this.#time(ready, 1);
    const error = relativeError(ready.output(), right, c.heads * c.m * c.d);
    if (!(error <= tolerance))
      throw new Error(`wrong: relative error ${error.toExponential(1)}, allowed ${tolerance}`);
    let each = first;
    for (const end = now() + warm; now() < end && first < warm;)
      each = Math.min(each, await this.#time(ready, 1));
    // Enough calls for the resolution of the clock, in a page too.
    ready.calls = Math.max(1, Math.ceil(BATCH / each));
    return { error, first };
  }

  /** The fastest forms of a limit, which are warm then. */
  async #race(limit, ready, warm) {
    const time = (/** @type {any} */ form, /** @type {number} */ calls) => this.#time(form, calls);
    ready.forms = await finalists(ready.forms, time, this.warmed.has(limit) ? 0 : warm);
    this.warmed.add(limit);
    const [{ name, each }] = ready.forms;
    return { amount: ready.amount, form: name, first: each };
  }

  /** Seconds per call. */
  async #time({ run }, calls) {
    const start = now();
    for (let i = 0; i < calls; i++) {
      const x = run();
      this.sink += typeof x === 'number' ? x : await x;
    }
    return (now() - start) / calls;
  }

  /**
   * One turn: short batches, with others between them, so that a slow moment slows all. The first
   * batch refills the caches. It counts only if it fills the slice.
   * @param {number} at
   * @param {number} slice seconds of its own that may be used. Three batches are always run, or one
   *   that is long
   * @param {number[]} others places of limits, and of the one this is compared with
   * @returns {Promise<{ seconds: number, others: number[] }>} seconds per call, the median of the
   *   batches. For each of the others also how its seconds per call relate to them, the median as
   *   well. Of a limit the fastest run of any form in this turn counts.
   */
  async sample(at, slice, others = []) {
    const ready = this.prepared[at];
    if (ready.forms) return { seconds: await this.#limit(ready, slice), others: [] };
    const all = others.map((other) => this.prepared[other]);
    let seconds = await this.#time(ready, ready.calls);
    const batches = [];
    const ratios = others.map(() => /** @type {number[]} */ ([]));
    const beside = async () => {
      const quarter = (seconds * ready.calls) / 4;
      const length = Math.min(BESIDE.max, Math.max(BESIDE.min, quarter));
      const times = [];
      for (const other of all)
        times.push(
          other.forms
            ? await this.#fastest(other.forms, length)
            : await this.#time(other, ready.calls),
        );
      return times;
    };
    const slow = seconds * ready.calls > slice;
    const loops = all.reduce((sum, { forms }) => sum + (forms?.length ?? 1), 0);
    const enough = seconds * ready.calls > LONG_BATCH ? 1 : MIN_BATCHES;
    let before = await beside();
    let fastest = before;
    for (const end = now() + slice * (1 + loops / 4); batches.length < enough || now() < end;) {
      if (!slow || batches.length) seconds = await this.#time(ready, ready.calls);
      const after = await beside();
      batches.push(seconds);
      ratios.forEach((list, x) => list.push((before[x] + after[x]) / 2 / seconds));
      fastest = fastest.map((time, x) => Math.min(time, after[x]));
      before = after;
    }
    seconds = median(batches);
    const related = (/** @type {any} */ other, /** @type {number} */ x) =>
      other.forms ? fastest[x] / seconds : median(ratios[x]);
    return { seconds, others: all.map(related) };
  }

  /** Seconds per call of the fastest of a limit's forms. Each of them runs for `seconds`. */
  async #fastest(forms, seconds) {
    let fastest = Infinity;
    for (const form of forms) {
      const calls = Math.max(1, Math.ceil(seconds / form.each));
      fastest = Math.min(fastest, await this.#time(form, calls));
    }
    return fastest;
  }

  /** A limit's own turn. */
  async #limit({ forms }, slice) {
    const batches = [];
    const end = now() + slice;
    do batches.push(await this.#fastest(forms, BESIDE.min));
    while (now() < end);
    return median(batches);
  }

  /** Ends a case. */
  async release() {
    for (const ready of this.prepared) await ready?.dispose?.();
    this.prepared = [];
    return this.sink;
  }
}

/**
 * Opens the contenders that can be opened, and gives the reasons for the others.
 * @param {Record<string, (options: any) => Promise<any[]>>} openers by the name of the contender
 * @param {any} options
 * @param {string} engine
 */
export async function openSide(openers, options, engine) {
  const contenders = [];
  const absent = [];
  for (const [name, open] of Object.entries(openers))
    try {
      contenders.push(
        ...(await open(options)).map((each) => ({ threads: options.threads ?? 1, ...each })),
      );
    } catch (error) {
      absent.push({ name, engine, why: reason(error) });
    }
  const present = contenders.map(({ name, version, role }) => ({ name, version, role, engine }));
  return { side: new Side(contenders, engine), present, absent };
}
