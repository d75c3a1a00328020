/**
 * onnxruntime-web on its wasm backend: the standard Attention operator and Microsoft's
 * MultiHeadAttention and GroupQueryAttention, each as a model of one node.
 */
import { scoreBytes } from '../cases.js';
import { swapLayout } from '../../tests/support/random.js';
import { onnxModel } from './onnx-model.js';

export const LARGEST = 2 ** 29; // bytes of scores beyond which nobody would call it

/** Why a contender that stores every score does not run a case, or nothing. */
export const tooLarge = (c) =>
  scoreBytes(c) > LARGEST && `would store ${Math.round(scoreBytes(c) / 1e6)} MB of scores`;

export async function open({ threads = 1, cold = false }) {
  const ort = await import('onnxruntime-web');
  ort.env.wasm.numThreads = threads;
  ort.env.logLevel = 'error';
  const version = ort.env.versions.web;
  const contender = (operator, node) => ({
    name: `onnxruntime ${operator}`,
    version,
    role: 'peer',
    tolerance: 1e-5,
    prepare: (c, x) => {
      const { why, ...rest } = node(c, x) || {};
      return why ? { why } : rest.operator && session(ort, c, rest);
    },
  });
  if (cold) return [contender('Attention', attention)];
  return [
    contender('Attention', attention),
    contender('Attention, K and V constant', (c, x) => c.m === 1 && attention(c, x, true)),
    contender('MultiHeadAttention', multiHead),
    contender('GroupQueryAttention', groupQuery),
  ];
}

const input = (name, shape, values, type) => ({ name, shape, values, type });

/**
 * Standard, opset 23: (1, heads, positions, d). With constants the copy of keys and values into
 * wasm memory is left out.
 */
function attention(c, { q, k, v }, constant = false) {
  const { heads, kvHeads, m, n, d, causal, window } = c;
  const why = tooLarge(c);
  const keys = [1, kvHeads, n, d];
  if (why) return { why };
  const inputs = [input('q', [1, heads, m, d], q), input('k', keys, k), input('v', keys, v)];
  if (constant) inputs.slice(1).forEach((x) => Object.assign(x, { data: x.values }));
  if (window)
    inputs.push(
      input(
        'mask',
        [m, n],
        Uint8Array.from({ length: m * n }, (_, x) => {
          const i = Math.floor(x / n);
          const j = x % n;
          return +(j <= i && j > i - window);
        }),
        'bool',
      ),
    );
  return {
    operator: 'Attention',
    attributes: { is_causal: +(causal && !window) },
    inputs,
    shape: [1, heads, m, d],
  };
}

/** (1, positions, heads·d) */
const rows = (x, heads, d) => swapLayout(x, 1, heads, x.length / heads / d, d);

function multiHead(c, { q, k, v }) {
  const { heads, kvHeads, m, n, d, causal, window } = c;
  const why = tooLarge(c) || (kvHeads !== heads && 'has no groups') || (window && 'has no window');
  if (why) return { why };
  const inputs = [
    input('q', [1, m, heads * d], rows(q, heads, d)),
    input('k', [1, n, heads * d], rows(k, heads, d)),
    input('v', [1, n, heads * d], rows(v, heads, d)),
  ];
  return {
    operator: 'MultiHeadAttention',
    domain: 'com.microsoft',
    attributes: { num_heads: heads, unidirectional: +causal },
    inputs,
    shape: [1, m, heads * d],
  };
}

/**
 * Always causal. A decoding step gets n − 1 past positions and the new one, and copies them all to
 * its present.
 */
function groupQuery(c, { q, k, v }) {
  const { heads, kvHeads, m, n, d, causal, window } = c;
  const why = tooLarge(c) || (!causal && m > 1 && 'always causal');
  if (why) return { why };
  const past = m === 1 ? n - 1 : 0;
  const fresh = n - past;
  const part = (x, from, to) =>
    Float32Array.from(
      { length: kvHeads * (to - from) * d },
      (_, at) =>
        x[Math.floor(at / ((to - from) * d)) * n * d + from * d + (at % ((to - from) * d))],
    );
  const inputs = [
    input('q', [1, m, heads * d], rows(q, heads, d)),
    ...[
      ['k', k],
      ['v', v],
    ].map(([name, x]) => input(name, [1, fresh, kvHeads * d], rows(part(x, past, n), kvHeads, d))),
    ...[
      ['pastK', k],
      ['pastV', v],
    ].map(([name, x]) => (past ? input(name, [1, kvHeads, past, d], part(x, 0, past)) : null)),
    input('last', [1], Int32Array.of(n - 1), 'int32'),
    input('total', [], Int32Array.of(n), 'int32'),
  ];
  const present = ['presentK', 'presentV'].map((name) => ({ name }));
  return {
    operator: 'GroupQueryAttention',
    domain: 'com.microsoft',
    inputs,
    present,
    shape: [1, m, heads * d],
    attributes: {
      num_heads: heads,
      kv_num_heads: kvHeads,
      ...(window && { local_window_size: window }),
    },
  };
}

async function session(ort, c, { shape, inputs, present = [], ...node }) {
  const model = onnxModel({ ...node, inputs, outputs: [{ name: 'o', shape }, ...present] });
  const running = await ort.InferenceSession.create(model, {
    executionProviders: ['wasm'],
    logSeverityLevel: 3,
  });
  const given = inputs.filter((x) => x && !x.data);
  const feeds = Object.fromEntries(
    given.map(({ name, shape, values, type = 'float32' }) => [
      name,
      new ort.Tensor(type, values, shape),
    ]),
  );
  let result;
  const run = async () => (result = (await running.run(feeds, { logSeverityLevel: 3 })).o.data)[0];
  const output = () => (shape.length === 4 ? result : swapLayout(result, 1, c.m, c.heads, c.d));
  return { run, output, dispose: () => running.release() };
}
