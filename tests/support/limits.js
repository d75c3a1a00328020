/**
 * How far a result may be from the float64 reference. ε = 2^-23 for float32 and 2^-52 for float64.
 * W, A, Z, tail, spread and depth are the conditions that reference.js returns with each result.
 *
 *     output         ε·W·(4 + 2A) + tail + 2^-145
 *     scores         cε·a_j at every stage
 *     weights        ε·w·(4 + 2cA), + w below 2^-126 of the largest
 *     spans          ε·w·(4 + 2cA), w the sum, + n times 2^-126
 *     lse            ε·(2 + cA + |lse|)
 *     entropy        ε·((2 + cA)·D + 4·(1 + H)), D = Σ p_j|η_j − ⟨η⟩|
 *     kl             entropy's limit + 2ε·log n
 *     expectedScore  ε·(cZ + (2 + cA)·D·T + 4·(depth + |⟨z⟩|))
 *     maxWeight      relative ε·(4 + 2cA)
 *     variance       ε·(2cZ·D·T + (2 + 2cA)·Var + 4·(Var + depth²)) + (cε·Z)²
 *     n              exact
 *     argmax         exact, or a key whose weight these rules cannot tell from the largest
 *
 * Output is the promise of attn.h. A logit carries about ε·A/2; exp, the sums and the division
 * carry about 2ε. Each enters twice, through the weight itself and through the total. The form
 * contains neither n nor d, so sums must be made of short chains. `tail`: weights below 2^-126 of
 * the largest may be flushed to 0. 2^-145: sixteen roundings among subnormals.
 *
 * All other rules follow from the one about single scores, where nothing averages. There c = 4.
 * Equal terms are the worst for a chain of eight, because all its roundings go one way. They err
 * by up to ε of the sum. Scale, tanh and bias add a rounding each. In spike data a single
 * channel carries the logit. Then every later rounding is as large as the first, ε/2, one for each
 * level of the tree that adds up the chains: c = 6 + ½·log2(d/8).
 *
 *     weights        dp_j/p_j = dη_j − ⟨dη⟩
 *     lse            d lse = ⟨dη⟩; log and the sum add 2ε, the last rounding |lse|
 *     entropy        dH = −Σ p_j (η_j − ⟨η⟩) dη_j; H = log Σe + ⟨max − η⟩ has two terms ≥ 0, and
 *                    the first is known no better than ε when Σe is near 1
 *     kl             log n − H cancels when the weights are nearly uniform, and ε·log n remains
 *     expectedScore  d⟨z⟩ = Σ p_j (1 + (z_j − ⟨z⟩)/T) dz_j
 *
 *     variance       d Var = Σ p_j ((z_j − ⟨z⟩)² − Var)/T dz_j + 2Σ p_j (z_j − ⟨z⟩) dz_j; its sums
 *                    are those of (max − z)², whose mean is Var + depth². If all scores are equal,
 *                    the variance of their errors remains: at most the square of the largest
 *
 * For well-conditioned logits (A ≤ 8) these limits of the statistics are below 1e-5 of the
 * statistic wherever it is not near zero; near zero they are its absolute floor.
 */
export const precisions = {
  float32: {
    epsilon: 2 ** -23,
    tiny: 2 ** -126,
    floor: 2 ** -145,
    max: 2 ** 128 - 2 ** 104,
    nmse: 1e-9,
  },
  float64: {
    epsilon: 2 ** -52,
    tiny: 2 ** -1022,
    floor: 2 ** -1070,
    max: Infinity,
    nmse: 1e-26,
  },
};

/**
 * |got − want|, beyond what may have been flushed, over the limit; NaN and infinities must match
 * exactly.
 */
function ratioOf(got, want, limit, flushed) {
  if (Number.isNaN(want)) return Number.isNaN(got) ? 0 : Infinity;
  if (!Number.isFinite(want)) return got === want ? 0 : Infinity;
  const error = Math.abs(got - want) - flushed;
  return error <= 0 ? 0 : Number.isFinite(error) ? error / limit : Infinity;
}

/**
 * The worst element of a result array: { ratio, at, got, want }. Arrays of another length are
 * infinitely wrong.
 */
function worst(got, want, limit, flushed = () => 0) {
  if (got?.length !== want.length)
    return {
      ratio: Infinity,
      at: -1,
      got: `${got?.length} elements`,
      want: `${want.length} elements`,
    };
  const found = { ratio: 0, at: 0, got: got[0], want: want[0] };
  for (let x = 0; x < want.length; x++) {
    const ratio = ratioOf(got[x], want[x], limit(x), flushed(x));
    if (ratio > found.ratio) Object.assign(found, { ratio, at: x, got: got[x], want: want[x] });
  }
  return found;
}

/** Normalised mean squared error, beyond what subnormal rounding explains. */
export function nmse(got, { output: want, W }, floor) {
  let error = 0;
  let power = 0;
  for (let x = 0; x < want.length; x++) {
    error += Math.max(0, Math.abs(got[x] - want[x]) - floor) ** 2;
    power += W[x] ** 2; // not the output itself, which may cancel to nothing
  }
  return power > 0 ? error / power : 0;
}

/**
 * True where at least half of the expected output is zero: such a case proves little and must be
 * marked as meant so.
 */
export function mistrusted(ref) {
  let zeros = 0;
  for (const x of ref.output) zeros += x === 0;
  return ref.output.length > 0 && zeros * 2 >= ref.output.length;
}

/**
 * Every array of `result` against the reference `ref`: a list of { what, ratio, at, got, want },
 * ratio ≤ 1 is within the rule.
 * @param {boolean} spike whether this is spike data
 * @param {'raw' | 'capped' | 'masked'} [stage] which scores `result.scores` holds
 * @param {number} [slope] the factor of A in the limit of the output
 */
export function compare(result, ref, precision, spike, stage, slope = 2) {
  const { epsilon, tiny, floor, max } = precisions[precision];
  const { d, dv, m, n, heads, layout, T, A } = ref;
  const c = spike ? 6 + Math.max(0, Math.log2(d / 8)) / 2 : 4;
  // the row (b, h, i) of an output element, in either layout
  const rowOf =
    layout === 'bhsd'
      ? (x) => Math.floor(x / dv)
      : (x) => {
          const r = Math.floor(x / dv);
          const h = r % heads;
          const p = Math.floor(r / heads);
          return (Math.floor(p / m) * heads + h) * m + (p % m);
        };
  const perKey = (x) => Math.floor(x / n);
  const spanCount = ref.spans.length / A.length;
  const list = [];
  const look = (what, got, want, limit, flushed) =>
    list.push({ what, ...worst(got, want, limit, flushed) });
  look(
    'output',
    result.output,
    ref.output,
    (x) => ref.W[x] * (epsilon * (4 + slope * A[rowOf(x)])) + floor,
    (x) => ref.tail[x],
  );
  if (result.weights)
    look(
      'weights',
      result.weights,
      ref.weights,
      (x) => ref.weights[x] * (epsilon * (4 + 2 * c * A[perKey(x)])) + floor,
      (x) => (ref.ratio[x] < tiny ? ref.weights[x] : 0),
    );
  if (result.scores)
    look(
      `scores ${stage}`,
      result.scores,
      ref[stage],
      (x) => c * epsilon * ref.sizes[stage][x] + floor,
    );
  if (result.spans)
    look(
      'spans',
      result.spans,
      ref.spans,
      (x) => ref.spans[x] * (epsilon * (4 + 2 * c * A[Math.floor(x / spanCount)])) + floor,
      (x) => n * tiny * Number(ref.spans[x] > 0),
    );
  if (result.lse)
    look('lse', result.lse, ref.lse, (r) => epsilon * (2 + c * A[r] + Math.abs(ref.lse[r])));
  if (result.stats) {
    const s = result.stats;
    const w = ref.stats;
    const D = (r) => (T === 0 || T === Infinity ? 0 : ref.spread[r] / T);
    const entropyLimit = (r) => epsilon * ((2 + c * A[r]) * D(r) + 4 * (1 + w.entropy[r]));
    look('stats.n', s.n, w.n, () => 0);
    look('stats.entropy', s.entropy, w.entropy, entropyLimit);
    look(
      'stats.kl',
      s.kl,
      w.kl,
      (r) => entropyLimit(r) + 2 * epsilon * Math.log(Math.max(1, w.n[r])),
    );
    look(
      'stats.expectedScore',
      s.expectedScore,
      w.expectedScore,
      (r) =>
        epsilon *
          (c * ref.Z[r] +
            (2 + c * A[r]) * ref.spread[r] +
            4 * (ref.depth[r] + Math.abs(w.expectedScore[r]))) +
        floor,
    );
    look(
      'stats.maxWeight',
      s.maxWeight,
      w.maxWeight,
      (r) => epsilon * (4 + 2 * c * A[r]) * w.maxWeight[r],
    );
    // Weights below `tiny` may be 0; their keys lie 2T·log(tiny) below the largest at most, and
    // beyond the floats a result is the largest float. The squares of scores near 2^-64 are
    // subnormal: up to 32² roundings of them
    look(
      'stats.variance',
      s.variance,
      w.variance.map((x) => Math.min(x, max)),
      (r) =>
        epsilon *
          (2 * c * ref.Z[r] * ref.spread[r] +
            (2 + 2 * c * A[r]) * w.variance[r] +
            4 * (w.variance[r] + ref.depth[r] ** 2)) +
        (c * epsilon * ref.Z[r]) ** 2 +
        1024 * floor,
      (r) => (T === Infinity ? 0 : w.n[r] * tiny * (2 * T * Math.log(tiny)) ** 2),
    );
    const near = (r) =>
      ref.ratio[r * n + s.argmax[r]] >=
      ref.ratio[r * n + w.argmax[r]] * (1 - epsilon * (4 + 2 * c * A[r]));
    look(
      'stats.argmax',
      s.argmax,
      w.argmax.map((want, r) => (near(r) ? s.argmax[r] : want)),
      () => 0,
    );
  }
  return list;
}

/** How many rows name another largest key than the reference, within the rule for argmax. */
export function argmaxExchanged(result, ref) {
  let count = 0;
  ref.stats.argmax.forEach((want, r) => (count += result.stats.argmax[r] !== want));
  return count;
}
