/**
 * Attention in float64, as a textbook writes it: every score in memory, two passes, plain loops. It
 * shares no code with the kernels, which are compared with it. It also returns the condition
 * of each result, which the error rule needs (limits.js).
 */
import { bias, describe, softmax, sumOf } from './attention/reference-row.js';

const make = (size) => new Float64Array(size);

/** A call with shapes and defaults as the public API states them. */
function resolve(q, k, v, options) {
  const { batch = 1, heads = 1, kvHeads = heads, headDim: d, valueDim: dv = d } = options;
  const { scale = 1 / Math.sqrt(d), temperature: T = 1, layout = 'bhsd' } = options;
  const shape = {
    batch,
    heads,
    kvHeads,
    d,
    dv,
    m: q.length / (batch * heads * d),
    n: k.length / (batch * kvHeads * d),
  };
  return { ...shape, shape, q, k, v, options, scale, T, layout, terms: make(d) };
}

/** Where row i of head h of batch b begins, in units of rows. */
const place = (layout, b, h, i, count, positions) =>
  layout === 'bhsd' ? (b * count + h) * positions + i : (b * positions + i) * count + h;

/** The head of keys and values of head h. */
const kvHeadOf = ({ heads, kvHeads }, h) => Math.floor(h / (heads / kvHeads));

/** The product of a query with key j, and the sum of the absolute values in it. */
function productWith({ q, k, d, n, kvHeads, layout, scale, options, terms }, qAt, b, kvHead, j) {
  const kAt = place(layout, b, kvHead, j, kvHeads, n) * d;
  const lambda = scale * (options.keyScale ? options.keyScale[j] : 1);
  let size = 0;
  for (let c = 0; c < d; c++) {
    size += Math.abs(lambda * q[qAt + c] * k[kAt + c]);
    terms[c] = q[qAt + c] * k[kAt + c];
  }
  return { raw: lambda * sumOf(terms), size };
}

/** A score behind the softcap, and its condition. */
function cap(softcap, raw, size) {
  if (!(softcap > 0)) return { capped: raw, size };
  const capped = softcap * Math.tanh(raw / softcap);
  const edge = Math.tanh(Math.max(0, Math.abs(raw) - 1e-6 * size) / softcap);
  return { capped, size: size * (1 - edge * edge) + Math.abs(capped) };
}

/** Every stage of the scores of one query, their conditions, and which keys are attended. */
function scoreRow(call, b, h, i) {
  const { n, d, m, heads, layout, options } = call;
  const of = { raw: make(n), capped: make(n), masked: make(n) };
  const sizes = { raw: make(n), capped: make(n), masked: make(n) };
  const keys = [];
  const qAt = place(layout, b, h, i, heads, m) * d;
  for (let j = 0; j < n; j++) {
    const product = productWith(call, qAt, b, kvHeadOf(call, h), j);
    const { capped, size } = cap(options.softcap, product.raw, product.size);
    const added = bias(options, b, h, i, j);
    if (added.value !== -Infinity) keys.push(j);
    of.raw[j] = product.raw;
    of.capped[j] = capped;
    of.masked[j] = added.value === -Infinity ? -Infinity : capped + added.value;
    sizes.raw[j] = product.size;
    sizes.capped[j] = size;
    sizes.masked[j] = size + added.size;
  }
  return { ...of, sizes, keys };
}

/** How well the row's logits are known: Z, A and the margin of the largest. */
function conditionRow({ T, options: { sinks } }, h, { masked, sizes, keys }, { top, p }) {
  let Z = sinks ? Math.abs(sinks[h]) : 0;
  let largest = 0;
  let second = -Infinity;
  for (const j of keys) {
    if (p[j] > 0) Z = Math.max(Z, sizes.masked[j]);
    largest = Math.max(largest, sizes.masked[j]);
    if (masked[j] < top) second = Math.max(second, masked[j]);
  }
  return { Z, A: T === 0 || T === Infinity ? 0 : Z / T, margin: (top - second) / largest };
}

/**
 * Writes one row of output, W and tail. A key that is not attended is left out, not multiplied by
 * zero: its value may be anything.
 */
function addValues(to, call, [b, h, i], keys, soft, tiny) {
  const { v, n, m, dv, heads, kvHeads, layout } = call;
  const kvHead = kvHeadOf(call, h);
  const at = place(layout, b, h, i, heads, m) * dv;
  const { weights, e } = soft;
  const valueAt = keys.map((j) => place(layout, b, kvHead, j, kvHeads, n) * dv);
  const terms = make(keys.length);
  for (let c = 0; c < dv; c++) {
    let all = 0;
    let tail = 0;
    for (let x = 0; x < keys.length; x++) {
      const j = keys[x];
      const value = v[valueAt[x] + c];
      terms[x] = weights[j] * value;
      const part = weights[j] * Math.abs(value);
      all += part;
      if (e[j] < tiny) tail += part;
    }
    to.W[at + c] = all;
    to.tail[at + c] = tail;
    to.output[at + c] = sumOf(terms);
  }
}

/** Arrays of the names, of `size` numbers each. */
const arraysOf = (names, size) => Object.fromEntries(names.map((name) => [name, make(size)]));
const STAGES = ['raw', 'capped', 'masked'];

/**
 * Arrays and options as `attention` of the public API takes them (types.d.ts). Of `want` it reads
 * `spans`.
 *
 * Returned beside the results, all float64:
 * - `W` like output: Σ_j p_j |v_j|, what the output would be without cancellation;
 * - `tail` like output: the part of W from keys whose weight is below `tiny` times the largest (or
 *   the sink's). A kernel may drop those;
 * - `ratio` (batch, heads, m, n): each key's weight over the row's largest, or the sink's if that
 *   is larger;
 * - `sizes` { raw, capped, masked } (batch, heads, m, n): a_j, the condition of each score at that
 *   stage;
 * - `Z` (batch, heads, m): max_j a_j over keys that carry weight, and `A` = Z/T, the condition of
 *   the row's logits;
 * - `spread`, `depth` (batch, heads, m): Σ p_j |z_j − ⟨z⟩| and Σ p_j (max z − z_j), which condition
 *   the statistics;
 * - `margin` (batch, heads, m): the gap between the largest and the next logit, in units of the
 *   largest a_j.
 *
 * Why a_j has the form it has: a kernel's error in a logit is a small multiple of ε times the sum
 * of the absolute values that went into it. (1) The product: |scale·λ_j|·Σ_c|q_c k_jc|. (2) The
 * softcap x = c·tanh(z/c) multiplies that error by its slope 1 − tanh² ≤ 1, at its largest within
 * the error. It adds a few ε of its own value |x|. (3) The sum of biases is rounded once: |bias| +
 * |slope·distance|. (4) Division by T scales all of it. At T = 0 and ∞ the weights do not depend on
 * the logits any more, so A = 0 there. For T = 0 this holds as long as the error cannot exchange
 * the winner, see `margin`. A key whose weight is 0 even in float64 cannot matter, whatever the
 * size of its bias, and does not count.
 */
export function reference(q, k, v, options, tiny = 2 ** -126) {
  const call = resolve(q, k, v, options);
  const { heads, m, n, dv, T, layout, shape } = call;
  const rows = shape.batch * heads * m;
  const { spans = [] } = options.want ?? {};
  const spanSums = make(rows * spans.length);
  const values = arraysOf(['output', 'W', 'tail'], rows * dv);
  const perKey = arraysOf(['weights', 'ratio', ...STAGES], rows * n);
  const sizes = arraysOf(STAGES, rows * n);
  const perRow = arraysOf(['lse', 'A', 'Z', 'spread', 'depth', 'margin'], rows);
  const stats = {
    ...arraysOf(['entropy', 'kl', 'expectedScore', 'maxWeight', 'variance'], rows),
    n: new Int32Array(rows),
    argmax: new Int32Array(rows),
  };
  for (let r = 0; r < rows; r++) {
    const [b, h, i] = [Math.floor(r / m / heads), Math.floor(r / m) % heads, r % m];
    const scores = scoreRow(call, b, h, i);
    const soft = softmax(scores.masked, scores.keys, T, options.sinks?.[h]);
    const { stats: facts, ...rest } = describe(scores.masked, soft, T);
    const condition = conditionRow(call, h, scores, soft);
    for (const name in perRow) perRow[name][r] = rest[name] ?? condition[name];
    for (const name in stats) stats[name][r] = facts[name];
    for (const name of STAGES) {
      perKey[name].set(scores[name], r * n);
      sizes[name].set(scores.sizes[name], r * n);
    }
    perKey.weights.set(soft.weights, r * n);
    perKey.ratio.set(soft.e, r * n);
    spans.forEach(([from, to], x) => {
      spanSums[r * spans.length + x] = sumOf(soft.weights.subarray(from, to));
    });
    addValues(values, call, [b, h, i], scores.keys, soft, tiny);
  }
  return {
    ...shape,
    T,
    layout,
    sinks: Boolean(options.sinks),
    ...values,
    spans: spanSums,
    ...perKey,
    sizes,
    ...perRow,
    stats,
  };
}

/** Vectors of one length, one after the other. @param {ArrayLike<number>[]} rows */
export function joined(rows) {
  const size = rows[0].length;
  const all = make(rows.length * size);
  rows.forEach((row, at) => all.set(row, at * size));
  return all;
}

/**
 * The weights and the output of one query over lists of keys and values, of which the first `from`
 * are hidden.
 * @param {ArrayLike<number>} query
 * @param {ArrayLike<number>[]} keys
 * @param {ArrayLike<number>[]} values
 */
export function attendRow(query, keys, values, { from = 0, sees = () => true, ...options }) {
  const shown = Uint8Array.from(keys, (_, j) => (j >= from && sees(j) ? 1 : 0));
  const call = resolve(Float64Array.from(query), joined(keys), joined(values), {
    ...options,
    headDim: query.length,
    valueDim: values[0].length,
    mask: { data: shown, shape: [keys.length] },
  });
  const { masked, keys: attended } = scoreRow(call, 0, 0, 0);
  const soft = softmax(masked, attended, call.T);
  const sums = arraysOf(['output', 'W', 'tail'], call.dv);
  addValues(sums, call, [0, 0, 0], attended, soft, 0);
  return { weights: [...soft.weights], output: [...sums.output] };
}
