/** The gradient of a small Llama with TensorFlow.js on its wasm backend, by its own autograd. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export async function open() {
  const tf = await import('@tensorflow/tfjs-core');
  await registerGradients();
  const wasm = await import('@tensorflow/tfjs-backend-wasm');
  wasm.setWasmPaths(
    new URL('../node_modules/@tensorflow/tfjs-backend-wasm/dist/', import.meta.url).pathname,
  );
  wasm.setThreadsCount(1);
  if (!(await tf.setBackend('wasm'))) throw new Error('the wasm backend did not start');
  return { name: 'tfjs', version: wasm.version_wasm, prepare: (task) => prepare(tf, task) };
}

/**
 * The gradients of its operations, in files that only bundlers can import. They share a global
 * registry with it.
 */
async function registerGradients() {
  const { outputFiles } = await build({
    bundle: true,
    entryPoints: [
      fileURLToPath(import.meta.resolve('@tensorflow/tfjs-core')).replace(
        /[^/]+$/,
        'register_all_gradients.js',
      ),
    ],
    format: 'esm',
    logLevel: 'error',
    platform: 'node',
    write: false,
  });
  await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

/** @param {any} tf @param {import('../block.js').Task} task */
function prepare(tf, { config, parameters, tokens, targets, cos, sin, hidden }) {
  const { modelDim: width, heads, headDim: dim, vocab, layers, normEps } = config;
  const n = cos.length / (dim / 2);
  const batch = tokens.length / n;
  const weights = new Map(
    parameters.map(({ name, shape, data }) => [name, tf.tensor(data, shape)]),
  );
  const names = [...weights.keys()];
  const oneHot = (ids) =>
    tf.tensor2d(
      Float32Array.from({ length: ids.length * vocab }, (_, at) =>
        Number(ids[Math.floor(at / vocab)] === at % vocab),
      ),
      [ids.length, vocab],
    );
  const [inputs, wanted] = [oneHot(tokens), oneHot(targets)];
  const table = (values) => tf.tensor(values, [1, n, 1, dim / 2]);
  const [cosines, sines] = [table(cos), table(sin)];
  const mask = tf.tensor(hidden, [1, 1, n, n]);

  const norm = (x, g) =>
    tf.mul(tf.mul(x, tf.rsqrt(tf.add(tf.mean(tf.square(x), -1, true), normEps))), g);
  const project = (x, w) => tf.matMul(x, w, false, true);
  const rotate = (x) => {
    const [a, b] = tf.split(x, 2, -1);
    return tf.concat(
      [tf.sub(tf.mul(a, cosines), tf.mul(b, sines)), tf.add(tf.mul(a, sines), tf.mul(b, cosines))],
      -1,
    );
  };
  const loss = (...list) => {
    const w = (name) => list[names.indexOf(`${name}.weight`)];
    let x = tf.matMul(inputs, w('model.embed_tokens'));
    for (let layer = 0; layer < layers; layer++) {
      const of = (name) => w(`model.layers.${layer}.${name}`);
      let h = norm(x, of('input_layernorm'));
      const split = (role) =>
        tf.reshape(project(h, of(`self_attn.${role}_proj`)), [batch, n, heads, dim]);
      const first = (y) => tf.transpose(y, [0, 2, 1, 3]);
      const [q, k, v] = [first(rotate(split('q'))), first(rotate(split('k'))), first(split('v'))];
      const scores = tf.add(tf.mul(tf.matMul(q, k, false, true), 1 / Math.sqrt(dim)), mask);
      const a = first(tf.matMul(tf.softmax(scores), v));
      x = tf.add(x, project(tf.reshape(a, [batch * n, width]), of('self_attn.o_proj')));
      h = norm(x, of('post_attention_layernorm'));
      const gate = project(h, of('mlp.gate_proj'));
      const up = project(h, of('mlp.up_proj'));
      const product = tf.mul(tf.mul(gate, tf.sigmoid(gate)), up);
      x = tf.add(x, project(product, of('mlp.down_proj')));
    }
    const logits = project(norm(x, w('model.norm')), w('model.embed_tokens'));
    return tf.neg(tf.mean(tf.sum(tf.mul(tf.logSoftmax(logits), wanted), -1)));
  };
  const gradient = tf.valueAndGrads(loss);
  const list = names.map((name) => weights.get(name));
  const run = () =>
    tf.tidy(() => {
      const { value, grads } = gradient(list);
      return {
        loss: value.dataSync()[0],
        gradients: new Map(names.map((name, i) => [name, grads[i].dataSync().slice()])),
      };
    });
  return { run, dispose: () => tf.disposeVariables() };
}
