/** jax-js on its wasm backend: nn.dotProductAttention, compiled once for each shape. */
import { swapLayout } from '../../tests/support/random.js';
import { tooLarge } from './onnx.js';

export async function open({ threads = 1, cold = false, versions = {} }) {
  // It takes a thread for each core wherever it finds workers, and looks again at every
  // compilation.
  if (threads === 1)
    Object.defineProperty(globalThis, 'Worker', {
      get: () => undefined,
      set() {},
      configurable: true,
    });
  const jax = await import('@jax-js/jax');
  if (!(await jax.init('wasm')).includes('wasm')) throw new Error('its wasm backend did not start');
  jax.defaultDevice('wasm');
  return [
    {
      name: 'jax-js',
      version: versions['@jax-js/jax'],
      role: 'peer',
      tolerance: 1e-5,
      prepare: (c, x) => prepare(jax, c, x, cold),
    },
  ];
}

async function prepare({ numpy, nn, jit }, c, { q, k, v }, cold) {
  const { heads, kvHeads, m, n, d, causal, window } = c;
  const why = tooLarge(c);
  if (why) return { why };
  /** (positions, heads, d) */
  const array = (x, count, positions) =>
    numpy.array(swapLayout(x, 1, count, positions, d)).reshape([positions, count, d]);
  const [queries, keys, values] = [array(q, heads, m), array(k, kvHeads, n), array(v, kvHeads, n)];
  const options = { isCausal: causal, ...(window && { localWindowSize: [window - 1, 0] }) };
  const attention = jit((a, b, x) => nn.dotProductAttention(a, b, x, options));
  let result;
  const run = async () => (result = await attention(queries.ref, keys.ref, values.ref).data())[0];
  if (!cold) await run(); // the first call compiles, which is not timed
  const output = () => swapLayout(result, 1, m, heads, d);
  return {
    run,
    output,
    dispose: () => [queries, keys, values, attention].forEach((x) => x.dispose()),
  };
}
