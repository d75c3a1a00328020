/**
 * Clearhead itself: each variant of the kernels, with data in wasm memory and with typed arrays. It
 * runs in float32 and float64, and with statistics. Rows that the installed version does not offer
 * are left out: threads, other caches, other precisions.
 */
const EXACT = 1e-13;
const SINGLE = 2e-6;

/**
 * Other storage of keys and values: the relative error it may cost, and its size beside floats. The
 * scales of bytes are not counted, so that the limit of reading stays one.
 */
const STORED = {
  f16: { tolerance: 1e-3, stored: 1 / 2 },
  q8: { tolerance: 2e-2, stored: 1 / 4, integers: true },
};
const INT8 = 3e-2;

const first = (x) => x[0];

/**
 * @param {{ threads?: number, cold?: boolean, lean?: boolean }} options cold: the engine of
 *   `init()` and nothing else; lean: the main rows
 */
export async function open({ threads = 1, cold = false, lean = false }) {
  const { init } = await import('../../src/js/index.js');
  if (cold) return [contender(await init(), 'clearhead', { copied: true })];
  const contenders = [];
  for (const variant of ['relaxed', 'simd']) {
    const ch = await start(init, variant, threads);
    if (!ch) continue;
    const name = `clearhead ${variant}`;
    contenders.push(
      contender(ch, name, { against: variant === 'simd' ? 'clearhead relaxed' : undefined }),
    );
    if (lean) continue;
    const exact = {
      Type: Float64Array,
      tolerance: EXACT,
      only: (c) => c.n <= 512 && c.d === 64 && c.heads === c.kvHeads,
    };
    contenders.push(contender(ch, `${name}, float64`, exact));
    const two = threads === 1 && (await start(init, variant, 2));
    if (two) contenders.push(contender(two, `${name}, 2 threads`, { against: name }));
    // the rest once, with the faster
    if (variant === 'simd' && contenders.some((c) => c.name === 'clearhead relaxed')) continue;
    contenders.push(
      contender(ch, `${name}, lse and stats`, {
        want: { lse: true, stats: true },
        against: name,
        only: explained,
      }),
    );
    contenders.push(
      contender(ch, `${name}, 32 spans`, { want: spansOf, against: name, only: explained }),
    );
    contenders.push(contender(ch, `${name}, typed arrays`, { copied: true, only: (c) => c.m > 1 }));
    for (const type of Object.keys(STORED))
      if (offers(() => ch.kvCache({ headDim: 8, capacity: 8, type }).dispose()))
        contenders.push(
          contender(ch, `clearhead, ${type} cache`, {
            type,
            against: name,
            ...STORED[type],
            only: (c) => c.m === 1,
          }),
        );
    const x = new Float32Array(64);
    if (offers(() => ch.attention(x, x, x, { headDim: 8, precision: 'int8' })))
      contenders.push(
        contender(ch, 'clearhead, int8', {
          precision: 'int8',
          integers: true,
          tolerance: INT8,
          only: (c) => c.m > 1,
        }),
      );
  }
  return contenders;
}

/** An engine with this number of threads, or null where the version or engine has none. */
async function start(init, variant, threads) {
  if (threads === 1)
    return init({ variant, layers: true }).catch((error) =>
      error.code === 'ENV' ? null : Promise.reject(error),
    );
  const ch = await init({ variant, threads, layers: true }).catch(() => null);
  return ch?.info.threads === threads ? ch : null;
}

/** Whether the call is known at all: an unknown option throws. */
function offers(call) {
  try {
    call();
    return true;
  } catch {
    return false;
  }
}

/** The cases in which the cost of explaining is measured. */
const explained = (c) => c.d === 64 && c.n >= 512 && (c.m === 1 || c.n <= 1024);

/** All keys in 32 spans. */
const spansOf = ({ n }) => ({
  spans: Array.from({ length: 32 }, (_, x) => [x, x + 1].map((y) => Math.floor((y * n) / 32))),
});

function contender(
  ch,
  name,
  {
    want,
    copied,
    Type = Float32Array,
    type,
    precision,
    against,
    integers,
    stored,
    tolerance = SINGLE,
    only = () => true,
  },
) {
  const prepare = (c, { q, k, v, dOutput }) => {
    if (c.section === 'matmul' || dOutput) {
      if (want || copied || Type !== Float32Array || type || precision) return null;
      return dOutput ? gradient(ch, c, [q, k, v, dOutput]) : product(ch, c, { q, k });
    }
    if (!only(c)) return null;
    const { heads, kvHeads, causal, window, d, m } = c;
    const options = {
      heads,
      causal,
      ...(window && { window: [window - 1, 0] }),
      ...(want && { want: typeof want === 'function' ? want(c) : want }),
      ...(precision && { precision }),
    };
    if (m === 1 && Type === Float32Array) return decode(ch, c, { q, k, v }, options, type);
    Object.assign(options, { kvHeads, headDim: d });
    return copied || Type !== Float32Array
      ? typed(
          ch,
          [q, k, v].map((x) => new Type(x)),
          options,
        )
      : resident(ch, [q, k, v], options);
  };
  const memory = () => {
    const tensor = ch.tensor([1]);
    const { byteLength } = tensor.data.buffer;
    tensor.dispose();
    return byteLength;
  };
  return {
    name,
    version: '',
    role: 'ours',
    threads: ch.info.threads,
    against,
    integers,
    stored,
    tolerance,
    memory,
    prepare,
  };
}

/** Keys and values in a cache, the query a typed array: one step of a decoder. */
function decode(ch, { kvHeads, n, d }, { q, k, v }, options, type) {
  const cache = ch.kvCache({ kvHeads, headDim: d, capacity: n, ...(type && { type }) });
  cache.append(k, v);
  let result;
  const run = () => first((result = ch.attend(q, cache, options)).output);
  return { run, output: () => result.output, dispose: () => cache.dispose() };
}

/** A packed matrix, x and y in wasm memory. */
function product(ch, { m, n, d }, { q, k }) {
  const layer = ch.linear(k, { inputs: n });
  const x = ch.tensor([m, n]);
  const out = ch.tensor([m, d]);
  x.data.set(q);
  const run = () => first(layer.forward(x, { out }));
  return {
    run,
    output: () => out.data.slice(),
    dispose: () => [layer, x, out].forEach((each) => each.dispose()),
  };
}

/** The gradient from the results of the forward call, all in wasm memory; dq is compared. */
function gradient(ch, { heads, kvHeads, causal, d }, arrays) {
  const options = { heads, kvHeads, headDim: d, causal };
  const forward = ch.attention(arrays[0], arrays[1], arrays[2], {
    ...options,
    want: { lse: true },
  });
  const [q, k, v, dOutput, output, lse, dq, dk, dv] = [
    ...[...arrays, forward.output, forward.lse, ...arrays.slice(0, 3)].map((array) => {
      const tensor = ch.tensor([array.length]);
      tensor.data.set(array);
      return tensor;
    }),
  ];
  const all = { ...options, output, lse, out: { dq, dk, dv } };
  return {
    run: () => first(ch.attentionGradient(q, k, v, dOutput, all).dq),
    output: () => dq.data.slice(),
    dispose: () => [q, k, v, dOutput, output, lse, dq, dk, dv].forEach((x) => x.dispose()),
  };
}

/** Typed arrays in, a typed array out. */
function typed(ch, [q, k, v], options) {
  let result;
  return {
    run: () => first((result = ch.attention(q, k, v, options)).output),
    output: () => result.output,
    dispose() {},
  };
}

/** Inputs and output in wasm memory, without copies. */
function resident(ch, arrays, options) {
  const tensors = arrays.map((array) => {
    const tensor = ch.tensor([array.length]);
    tensor.data.set(array);
    return tensor;
  });
  const [q, k, v] = tensors;
  const out = ch.tensor([q.shape[0]]);
  const run = () => first(ch.attention(q, k, v, { ...options, out }).output);
  return {
    run,
    output: () => out.data.slice(),
    dispose: () => [...tensors, out].forEach((x) => x.dispose()),
  };
}
