/**
 * TensorFlow.js on its wasm backend. Its fast product (XNNPACK) takes two plain matrices, so each
 * head is multiplied by itself; with batches or a transposed operand it falls back to a loop ten
 * times as slow.
 */
import { seen } from '../cases.js';
import { tooLarge } from './onnx.js';

const folder = (name) => new URL(`../node_modules/@tensorflow/${name}/dist/`, import.meta.url);

/** In a page, the builds for pages: plain scripts. */
async function load() {
  const files = folder('tfjs-backend-wasm');
  if (typeof document === 'undefined')
    return {
      tf: await import('@tensorflow/tfjs-core'),
      wasm: await import('@tensorflow/tfjs-backend-wasm'),
      files: files.pathname,
    };
  for (const url of [
    new URL('tf-core.min.js', folder('tfjs-core')),
    new URL('tf-backend-wasm.min.js', files),
  ])
    await new Promise((done, failed) => {
      const script = Object.assign(document.createElement('script'), {
        src: url.href,
        onload: done,
        onerror: () => failed(new Error(`${url} did not load`)),
      });
      document.head.append(script);
    });
  return { tf: globalThis.tf, wasm: globalThis.tf.wasm, files: files.href };
}

export async function open({ threads = 1 }) {
  const { tf, wasm, files } = await load();
  wasm.setWasmPaths(files);
  wasm.setThreadsCount(threads);
  // It never takes more than half of the cores it is told of, for there may be two to each real
  // one.
  const cores = globalThis.navigator?.hardwareConcurrency;
  const tell = (value) =>
    Object.defineProperty(navigator, 'hardwareConcurrency', { value, configurable: true });
  if (threads > 1) tell(2 * threads);
  if (!(await tf.setBackend('wasm'))) throw new Error('the wasm backend did not start');
  if (threads > 1) tell(cores);
  if (wasm.getThreadsCount() !== threads)
    throw new Error(`runs on ${wasm.getThreadsCount()} threads here, not ${threads}`);
  const contender = (name, attention) => ({
    name,
    version: wasm.version_wasm,
    role: 'peer',
    tolerance: 1e-5,
    prepare: (c, x) => prepare(tf, c, x, attention),
  });
  return [contender('tfjs', fresh), contender('tfjs, K and V constant', kept)];
}

/** Attention for each group of heads; the heads of a group are rows of one product. */
function prepare(tf, c, { q, k, v }, attention) {
  const { heads, kvHeads, m, n, d } = c;
  const rows = (heads / kvHeads) * m;
  const why = tooLarge(c);
  if (why) return { why };
  const own = [];
  const keep = (tensor) => own[own.push(tensor) - 1];
  const part = (x, g, from, to) =>
    keep(tf.tensor2d(x.subarray((g * n + from) * d, (g * n + to) * d), [to - from, d]));
  const group = attention(tf, c, part, keep, { k, v });
  if (!group) return null;
  const queries = Array.from({ length: kvHeads }, (_, g) =>
    keep(tf.tensor2d(q.subarray(g * rows * d, (g + 1) * rows * d), [rows, d])),
  );
  const mask = c.causal && keep(maskOf(tf, c));
  const output = new Float32Array(q.length);
  const attend = (query, { keys, values }) => {
    let scores = tf.matMul(tf.mul(query, 1 / Math.sqrt(d)), keys);
    if (mask)
      scores = tf.reshape(tf.add(tf.reshape(scores, [heads / kvHeads, m, n]), mask), [rows, n]);
    return tf.matMul(tf.softmax(scores), values);
  };
  const run = () => {
    for (let g = 0; g < kvHeads; g++) {
      const result = tf.tidy(() => attend(queries[g], group(g)));
      output.set(result.dataSync(), g * rows * d);
      result.dispose();
    }
    return output[0];
  };
  return { run, output: () => output, dispose: () => own.forEach((tensor) => tensor.dispose()) };
}

/**
 * Keys and values that are new in each call; in decoding the last position is appended, which
 * copies all. (In a prefill the packed values stay cached from call to call, in its favour.)
 */
function fresh(tf, { kvHeads, m, n }, part, keep, { k, v }) {
  const past = m === 1 ? n - 1 : 0;
  const whole = (x) =>
    Array.from({ length: kvHeads }, (_, g) => [
      ...(past ? [part(x, g, 0, past)] : []),
      part(x, g, past, n),
    ]);
  const keys = whole(k);
  const values = whole(v);
  const join = (parts) => (parts.length > 1 ? tf.concat(parts) : parts[0]);
  return (g) => ({ keys: tf.transpose(join(keys[g])), values: join(values[g]) });
}

/**
 * Keys and values that never change, transposed and packed once: the product alone. In decoding
 * only.
 */
function kept(tf, { kvHeads, m, n }, part, keep, { k, v }) {
  if (m > 1) return null;
  const groups = Array.from({ length: kvHeads }, (_, g) => ({
    keys: keep(tf.transpose(part(k, g, 0, n))),
    values: part(v, g, 0, n),
  }));
  return (g) => groups[g];
}

/** The mask that is added to the scores of a head. */
function maskOf(tf, c) {
  const mask = new Float32Array(c.m * c.n).fill(-1e9);
  for (let i = 0; i < c.m; i++) mask.fill(0, i * c.n + seen(c, i)[0], i * c.n + seen(c, i)[1]);
  return tf.tensor2d(mask, [c.m, c.n]);
}
