/**
 * LiteRT.js (XNNPACK) on its wasm accelerator, which needs a page: the attention that a converter
 * writes, as a chain of matrix products and a softmax. The heads of a group are rows of one
 * product.
 */
import { seen } from '../cases.js';
import { tooLarge } from './onnx.js';
import { tfliteModel } from './tflite-model.js';

export async function open({ threads = 1, versions = {} }) {
  const litert = await import('@litertjs/core');
  const runtime = await litert.loadLiteRt(
    new URL('../node_modules/@litertjs/core/wasm/', import.meta.url).href,
    threads > 1 ? { threads: true } : {},
  );
  const memory = () => runtime.liteRtWasm.HEAPU8.buffer.byteLength;
  return [
    {
      name: 'LiteRT.js',
      version: versions['@litertjs/core'],
      role: 'peer',
      tolerance: 1e-5,
      memory,
      prepare: (c, x) => prepare(litert, c, x),
    },
  ];
}

async function prepare({ loadAndCompile, Tensor }, c, { q, k, v }) {
  const { kvHeads, n, d } = c;
  const rows = q.length / kvHeads / d;
  const why = tooLarge(c);
  if (why) return { why };
  const model = await loadAndCompile(attentionModel(c, rows), { accelerator: 'wasm' });
  const inputs = [
    [q, rows],
    [k, n],
    [v, n],
  ].map(([x, positions]) => Tensor.fromTypedArray(x, [kvHeads, positions, d]));
  let result;
  const run = async () => {
    const outputs = await model.run(inputs);
    result = outputs[0].toTypedArray();
    for (const output of outputs) output.delete();
    return result[0];
  };
  return {
    run,
    output: () => result,
    dispose: () => [...inputs, model].forEach((x) => x.delete()),
  };
}

/** softmax(q·s·kᵀ + mask)·v, over (kvHeads, rows, d) and (kvHeads, n, d). */
function attentionModel(c, rows) {
  const { kvHeads, n, d } = c;
  const tensors = [];
  const steps = [];
  const tensor = (name, shape, data) => tensors.push({ name, shape, data }) - 1;
  const step = (operator, inputs, name, shape) => {
    const output = tensor(name, shape);
    steps.push({ operator, inputs, output });
    return output;
  };
  const scores = [kvHeads, rows, n];
  const inputs = [
    tensor('q', [kvHeads, rows, d]),
    tensor('k', [kvHeads, n, d]),
    tensor('v', [kvHeads, n, d]),
  ];
  const scaled = step(
    'mul',
    [inputs[0], tensor('scale', [1], Float32Array.of(1 / Math.sqrt(d)))],
    'scaled',
    [kvHeads, rows, d],
  );
  let z = step('productTransposed', [scaled, inputs[1]], 'scores', scores);
  if (c.causal) z = step('add', [z, tensor('mask', [rows, n], mask(c, rows))], 'masked', scores);
  const weights = step('softmax', [z], 'weights', scores);
  return tfliteModel({
    tensors,
    steps,
    inputs,
    outputs: [step('product', [weights, inputs[2]], 'output', [kvHeads, rows, d])],
  });
}

/** (rows, n), added to the scores; the heads of a group follow each other. */
function mask(c, rows) {
  const data = new Float32Array(rows * c.n).fill(-1e9);
  for (let r = 0; r < rows; r++)
    data.fill(0, r * c.n + seen(c, r % c.m)[0], r * c.n + seen(c, r % c.m)[1]);
  return data;
}
