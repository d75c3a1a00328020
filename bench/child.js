/**
 * One contender in a process of its own, for measurements that need a fresh process.
 *
 *   node --expose-gc child.js cold PEER ID       milliseconds from import to the first result
 *   node --expose-gc child.js memory PEER ID bytes beyond inputs and output: of the process, and of
 *   wasm memory where it shows
 */
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { caseOf, data } from './cases.js';
import { reference, relativeError } from './reference.js';
import { reason } from './side.js';

/** The largest memory of this process since the last call, and its memory now, in bytes. */
function resident() {
  const kilobytes = (name) =>
    1024 *
    Number(
      readFileSync('/proc/self/status', 'utf8').match(new RegExp(`^${name}:\\s+(\\d+)`, 'm'))?.[1],
    );
  const peak = kilobytes('VmHWM');
  const now = kilobytes('VmRSS');
  writeFileSync('/proc/self/clear_refs', '5');
  return { peak, now };
}

/**
 * From nothing to a checked result.
 * @param {string} peer
 * @param {string} id
 * @param {any} options of `open`
 * @param {(contender: any) => void} [opened] once it stands
 */
async function attend(peer, id, options, opened = () => {}) {
  const c = caseOf(id);
  const inputs = data(c);
  const file = new URL(`./peers/${peer}.js`, import.meta.url).href;
  const start = performance.now();
  const [contender] = await (await import(file)).open(options);
  opened(contender);
  const ready = await contender.prepare(c, inputs);
  if (ready.why) return { why: ready.why };
  await ready.run();
  const milliseconds = performance.now() - start;
  const check = () => {
    const error = relativeError(ready.output(), reference(c, inputs), c.heads * c.m * c.d);
    return error <= contender.tolerance ? {} : { why: `wrong: relative error ${error}` };
  };
  return {
    contender,
    milliseconds,
    check,
    used: 4 * (2 * inputs.q.length + inputs.k.length + inputs.v.length),
  };
}

const modes = {
  async cold(peer, id) {
    const { milliseconds, why, check } = await attend(peer, id, { cold: true });
    return why ? { why } : { milliseconds, ...check() };
  },
  async memory(peer, id) {
    let before = 0;
    let wasmBefore = 0;
    const opened = (contender) => {
      globalThis.gc?.();
      before = resident().now;
      wasmBefore = contender.memory?.();
    };
    const { contender, why, check, used } = await attend(peer, id, { lean: true }, opened);
    if (why) return { why };
    const bytes = resident().peak - before;
    const wasm = contender.memory && contender.memory() - wasmBefore - used;
    // Copies of inputs and output that a library holds are its own; those the shape needs anyway
    // are not.
    return { bytes: Math.max(0, bytes - used), wasm, ...check() };
  },
};

const [mode, peer, id] = process.argv.slice(2);
let answer;
try {
  answer = await modes[mode](peer, id);
} catch (error) {
  answer = { why: reason(error) };
}
process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(0));
