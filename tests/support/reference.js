/**
 * Attention in float64, as a textbook writes it: every score in memory, two passes, plain loops. It
 * shares no code with the kernels, which are compared with it. It also returns the condition
 * of each result, which the error rule needs (limits.js).
 */
import { bias, describe, softmax, sum } from './attention/reference-row.js';

/** Shapes and defaults as the public API states them. */
function resolve(q, k, options) {
  const { batch = 1, heads = 1, kvHeads = heads, headDim: d, valueDim: dv = d } = options;
  return {
    batch,
    heads,
    kvHeads,
    d,
    dv,
    m: q.length / (batch * heads * d),
    n: k.length / (batch * kvHeads * d),
  };
}

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
  const shape = resolve(q, k, options);
  const { batch, heads, kvHeads, d, dv, m, n } = shape;
  const {
    scale = 1 / Math.sqrt(d),
    temperature: T = 1,
    keyScale,
    softcap = 0,
    sinks,
    layout = 'bhsd',
  } = options;
  const rows = batch * heads * m;
  const make = (size) => new Float64Array(size);
  /** Where row i of head h of batch b begins, in units of rows. */
  const place = (b, h, i, count, positions) =>
    layout === 'bhsd' ? (b * count + h) * positions + i : (b * positions + i) * count + h;

  /** Every stage of the scores of one query, their conditions, and which keys are attended. */
  function scoreRow(b, h, i) {
    const raw = make(n);
    const capped = make(n);
    const masked = make(n);
    const keys = [];
    const sizes = { raw: make(n), capped: make(n), masked: make(n) };
    const qAt = place(b, h, i, heads, m) * d;
    const group = Math.floor(h / (heads / kvHeads));
    for (let j = 0; j < n; j++) {
      const kAt = place(b, group, j, kvHeads, n) * d;
      const lambda = scale * (keyScale ? keyScale[j] : 1);
      raw[j] = capped[j] = lambda * sum(d, (c) => q[qAt + c] * k[kAt + c]);
      for (let c = 0; c < d; c++) sizes.raw[j] += Math.abs(lambda * q[qAt + c] * k[kAt + c]);
      sizes.capped[j] = sizes.raw[j];
      if (softcap > 0) {
        capped[j] = softcap * Math.tanh(raw[j] / softcap);
        const edge = Math.tanh(Math.max(0, Math.abs(raw[j]) - 1e-6 * sizes.raw[j]) / softcap);
        sizes.capped[j] = sizes.raw[j] * (1 - edge * edge) + Math.abs(capped[j]);
      }
      const added = bias(options, b, h, i, j);
      if (added.value !== -Infinity) keys.push(j);
      masked[j] = added.value === -Infinity ? -Infinity : capped[j] + added.value;
      sizes.masked[j] = sizes.capped[j] + added.size;
    }
    return { raw, capped, masked, sizes, keys };
  }

  /** How well the row's logits are known: Z, A and the margin of the largest. */
  function conditionRow(h, { masked, sizes, keys }, { top, p }) {
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

  const perRow = {
    lse: make(rows),
    A: make(rows),
    Z: make(rows),
    spread: make(rows),
    depth: make(rows),
    margin: make(rows),
  };
  const { spans = [] } = options.want ?? {};
  const spanSums = make(rows * spans.length);
  const perKey = {
    weights: make(rows * n),
    ratio: make(rows * n),
    raw: make(rows * n),
    capped: make(rows * n),
    masked: make(rows * n),
  };
  const sizes = { raw: make(rows * n), capped: make(rows * n), masked: make(rows * n) };
  const stats = {
    n: new Int32Array(rows),
    entropy: make(rows),
    kl: make(rows),
    expectedScore: make(rows),
    maxWeight: make(rows),
    argmax: new Int32Array(rows),
    variance: make(rows),
  };
  const output = make(rows * dv);
  const W = make(rows * dv);
  const tail = make(rows * dv);
  for (let r = 0; r < rows; r++) {
    const i = r % m;
    const h = Math.floor(r / m) % heads;
    const b = Math.floor(r / m / heads);
    const scores = scoreRow(b, h, i);
    const { keys } = scores;
    const soft = softmax(scores.masked, keys, T, sinks?.[h]);
    const { stats: facts, ...rest } = describe(scores.masked, soft, T);
    const condition = conditionRow(h, scores, soft);
    for (const name in perRow) perRow[name][r] = rest[name] ?? condition[name];
    for (const name in stats) stats[name][r] = facts[name];
    for (const name of ['raw', 'capped', 'masked']) {
      perKey[name].set(scores[name], r * n);
      sizes[name].set(scores.sizes[name], r * n);
    }
    perKey.weights.set(soft.weights, r * n);
    spans.forEach(([from, to], x) => {
      spanSums[r * spans.length + x] = sum(to - from, (j) => soft.weights[from + j]);
    });
    perKey.ratio.set(soft.e, r * n);
    // a key that is not attended is left out, not multiplied by zero: its value may be anything
    const group = Math.floor(h / (heads / kvHeads));
    const oAt = place(b, h, i, heads, m) * dv;
    const weight = keys.map((j) => soft.weights[j]);
    const valueAt = keys.map((j) => place(b, group, j, kvHeads, n) * dv);
    for (let c = 0; c < dv; c++) {
      output[oAt + c] = sum(keys.length, (x) => weight[x] * v[valueAt[x] + c]);
      for (let x = 0; x < keys.length; x++) {
        const part = weight[x] * Math.abs(v[valueAt[x] + c]);
        W[oAt + c] += part;
        if (soft.e[keys[x]] < tiny) tail[oAt + c] += part;
      }
    }
  }
  return {
    ...shape,
    T,
    layout,
    sinks: Boolean(sinks),
    output,
    W,
    tail,
    spans: spanSums,
    ...perKey,
    sizes,
    ...perRow,
    stats,
  };
}

/**
 * The reference of one query over lists of keys and values, of which the first `from` are hidden.
 * @param {Iterable<number>} query
 * @param {Iterable<number>[]} keys
 * @param {Iterable<number>[]} values
 */
export function attendRow(query, keys, values, { from = 0, sees = () => true, ...options }) {
  const list = (rows) => Float64Array.from(rows.flatMap((row) => [...row]));
  const shown = Uint8Array.from(keys, (_, j) => (j >= from && sees(j) ? 1 : 0));
  const q = Float64Array.from(query);
  const { weights, output } = reference(q, list(keys), list(values), {
    ...options,
    headDim: q.length,
    valueDim: [...values[0]].length,
    mask: { data: shown, shape: [keys.length] },
  });
  return { weights: [...weights], output: [...output] };
}
