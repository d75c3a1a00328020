/**
 * The contenders that need a page or run there too, as a side like the one in Node.
 */
import { caseOf, data } from './cases.js';
import { reference, relativeError } from './reference.js';
import { openSide } from './side.js';

let side;

const FILES = {
  limits: './limits/limits.js',
  ours: './peers/ours.js',
  naive: './peers/naive.js',
  onnx: './peers/onnx.js',
  tfjs: './peers/tfjs.js',
  jax: './peers/jax.js',
  litert: './peers/litert.js',
};

const load = async (url) => {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response.arrayBuffer();
};

/** @param {string[]} names @param {any} options */
export async function open(names, options, engine) {
  const openers = Object.fromEntries(
    names.map((name) => [name, async (x) => (await import(FILES[name])).open(x)]),
  );
  const opened = await openSide(openers, { ...options, load }, engine);
  side = opened.side;
  return { present: opened.present, absent: opened.absent };
}

export const prepare = (id, warm) => side.prepare(id, warm);
export const sample = (...turn) => side.sample(...turn);
export const release = () => side.release();

/** As in child.js. The page knows the size of wasm memory alone. */
async function attend(peer, id, options, opened = () => {}) {
  const c = caseOf(id);
  const inputs = data(c);
  const start = performance.now();
  const [contender] = await (await import(FILES[peer])).open({ ...options, load });
  opened(contender);
  const ready = await contender.prepare(c, inputs);
  if (ready.why) return { why: ready.why };
  await ready.run();
  const milliseconds = performance.now() - start;
  const error = relativeError(ready.output(), reference(c, inputs), c.heads * c.m * c.d);
  const used = 4 * (2 * inputs.q.length + inputs.k.length + inputs.v.length);
  return {
    contender,
    milliseconds,
    used,
    ...(error <= contender.tolerance ? {} : { why: `wrong: relative error ${error}` }),
  };
}

export async function cold(peer, id, options) {
  const { milliseconds, why } = await attend(peer, id, { ...options, cold: true });
  return why ? { why } : { milliseconds };
}

export async function memory(peer, id, options) {
  let before = 0;
  const { contender, used, why } = await attend(
    peer,
    id,
    { ...options, lean: true },
    (x) => void (before = x.memory()),
  );
  return why ? { why } : { wasm: contender.memory() - before - used };
}
export * from './models/page.js';
