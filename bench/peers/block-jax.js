/** The gradient of a small Llama with jax-js on its wasm backend, compiled once. */
export async function open({ versions = {} } = {}) {
  // it takes a thread for each core wherever it finds workers
  Object.defineProperty(globalThis, 'Worker', {
    get: () => undefined,
    set() {},
    configurable: true,
  });
  const jax = await import('@jax-js/jax');
  if (!(await jax.init('wasm')).includes('wasm')) throw new Error('its wasm backend did not start');
  jax.defaultDevice('wasm');
  return {
    name: 'jax-js',
    version: versions['@jax-js/jax'],
    prepare: (task) => prepare(jax, task),
  };
}

/**
 * An array is used up by an operation; `.ref` is one more use.
 * @param {any} jax
 * @param {import('../block.js').Task} task
 */
function prepare(
  { numpy: np, nn, jit, valueAndGrad },
  { config, parameters, tokens, targets, cos, sin, hidden },
) {
  const { modelDim: width, heads, headDim: dim, vocab, layers, normEps } = config;
  const n = cos.length / (dim / 2);
  const batch = tokens.length / n;
  const array = (values, shape) => np.array(Float32Array.from(values)).reshape(shape);
  const oneHot = (ids) =>
    array(
      Array.from({ length: ids.length * vocab }, (_, at) =>
        Number(ids[Math.floor(at / vocab)] === at % vocab),
      ),
      [ids.length, vocab],
    );
  const weights = Object.fromEntries(
    parameters.map(({ name, shape, data }) => [name, array(data, shape)]),
  );
  const fixed = {
    inputs: oneHot(tokens),
    wanted: oneHot(targets),
    cosines: array(cos, [1, n, 1, dim / 2]),
    sines: array(sin, [1, n, 1, dim / 2]),
    mask: array(hidden, [1, 1, n, n]),
  };

  const norm = (x, g) => {
    const r = np.reciprocal(
      np.sqrt(np.mean(x.ref.mul(x.ref), -1, { keepdims: true }).add(normEps)),
    );
    return x.mul(r).mul(g);
  };
  const project = (x, w) => np.matmul(x, w.transpose());
  const loss = (w, { inputs, wanted, cosines, sines, mask }) => {
    const weight = (name) => w[`${name}.weight`].ref;
    const rotate = (x) => {
      const [a, b] = np.split(x, 2, -1);
      const [c, s] = [cosines.ref, sines.ref];
      return np.concatenate([a.ref.mul(c.ref).sub(b.ref.mul(s.ref)), a.mul(s).add(b.mul(c))], -1);
    };
    let x = np.matmul(inputs, weight('model.embed_tokens'));
    for (let layer = 0; layer < layers; layer++) {
      const of = (name) => weight(`model.layers.${layer}.${name}`);
      let h = norm(x.ref, of('input_layernorm'));
      const first = (y) => np.permuteDims(y, [0, 2, 1, 3]);
      const split = (role) =>
        project(h.ref, of(`self_attn.${role}_proj`)).reshape([batch, n, heads, dim]);
      const [q, k, v] = [first(rotate(split('q'))), first(rotate(split('k'))), first(split('v'))];
      h.dispose();
      const scores = np
        .matmul(q, np.matrixTranspose(k))
        .mul(1 / Math.sqrt(dim))
        .add(mask.ref);
      const a = first(np.matmul(nn.softmax(scores), v)).reshape([batch * n, width]);
      x = x.add(project(a, of('self_attn.o_proj')));
      h = norm(x.ref, of('post_attention_layernorm'));
      const gate = project(h.ref, of('mlp.gate_proj'));
      const up = project(h, of('mlp.up_proj'));
      x = x.add(project(nn.silu(gate).mul(up), of('mlp.down_proj')));
    }
    for (const rest of [cosines, sines, mask]) rest.dispose();
    const logits = project(norm(x, weight('model.norm')), weight('model.embed_tokens'));
    for (const rest of Object.values(w)) rest.dispose();
    return np.mean(np.sum(nn.logSoftmax(logits).mul(wanted), -1)).mul(-1);
  };
  const gradient = jit(valueAndGrad(loss));
  const refs = (tree) => Object.fromEntries(Object.entries(tree).map(([name, x]) => [name, x.ref]));
  const run = async () => {
    const [value, grads] = gradient(refs(weights), refs(fixed));
    const gradients = new Map();
    for (const [name, x] of Object.entries(grads)) gradients.set(name, await x.data());
    return { loss: (await value.data())[0], gradients };
  };
  return { run, dispose: () => gradient.dispose?.() };
}
