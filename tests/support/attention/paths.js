/** The paths that a call of one query and one head can take through the kernels. */
import { random } from '../random.js';

/** @template {Float32Array | Float64Array} T @param {T} a @returns {T} */
const repeat = (a, times) =>
  a.constructor.from({ length: times * a.length }, (_, x) => a[x % a.length]);

/** `extra` more keys, which `keyLengths` hides; they and their values are anything. */
function padded({ q, k, v, options }, extra) {
  const r = random(extra);
  const n = k.length / options.headDim;
  const garbage = (a, size) => {
    const longer = new a.constructor(a.length + extra * size);
    for (let x = a.length; x < longer.length; x++) longer[x] = r.pick([NaN, Infinity, -3e38, 1, 0]);
    longer.set(a);
    return longer;
  };
  const { headDim, valueDim = headDim, keyScale } = options;
  return {
    q,
    k: garbage(k, headDim),
    v: garbage(v, valueDim),
    options: {
      ...options,
      keyLengths: Int32Array.of(n),
      ...(keyScale && { keyScale: garbage(keyScale, 1) }),
    },
  };
}

/** The same query for `heads` heads of one kv head. */
function grouped({ q, k, v, options }, heads) {
  const { alibi, sinks } = options;
  return {
    q: repeat(q, heads),
    k,
    v,
    options: {
      ...options,
      heads,
      kvHeads: 1,
      ...(alibi && { alibi: repeat(alibi, heads) }),
      ...(sinks && { sinks: repeat(sinks, heads) }),
    },
  };
}

/** Every result; `coarse` where numbers are rounded to bytes. */
export function* everyPath(ch, call) {
  const run = (path, { q, k, v, options }, want = {}) => ({
    path,
    coarse: options.precision === 'int8',
    ...ch.attention(q, k, v, { ...options, want }),
  });
  yield run('alone', call);
  for (const scores of /** @type {const} */ (['raw', 'capped', 'masked']))
    yield run(`with all results, ${scores} scores`, call, {
      weights: true,
      lse: true,
      stats: true,
      scores,
    });
  for (const heads of [2, 4, 9]) yield run(`${heads} heads of one`, grouped(call, heads));
  for (const extra of [1, 20, 700]) yield run(`${extra} hidden keys behind`, padded(call, extra));
  yield run('both', grouped(padded(call, 40), 5));
  const { q, k, v, options } = call;
  const { batch = 1, headDim, valueDim = headDim } = options;
  yield run('three batches', {
    q: repeat(q, 3),
    k: repeat(k, 3),
    v: repeat(v, 3),
    options: { ...options, batch: 3 * batch },
  });
  if (!(q instanceof Float32Array)) return;
  for (const heads of [1, 9])
    yield run(
      `in integers, ${heads} heads`,
      grouped({ q, k, v, options: { ...options, precision: 'int8' } }, heads),
    );
  const cache = ch.kvCache({ kvHeads: 1, headDim, valueDim, capacity: k.length / headDim + 9 });
  cache.append(k, v);
  const { headDim: _, valueDim: __, ...rest } = grouped(call, 3).options;
  const { kvHeads: ___, ...attended } = rest;
  yield { path: 'from a cache', ...ch.attend(repeat(q, 3), cache, { offset: 0, ...attended }) };
  cache.dispose?.();
}
