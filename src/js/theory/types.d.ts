/**
 * The statements behind attention, the functions of `await ch.theory`. z_j are logits over n keys,
 * T > 0 is the attention temperature (default 1) and λ = 1/T. p is softmax(z/T), and u the uniform
 * distribution.
 *
 * Arrays may be Float32Array, Float64Array or tensors of either. Everything is computed in float64
 * and in nats; statement 6 uses the type of q. Logits of ±10⁴ are no trouble at any T from 10⁻³ to
 * 10³. ARG: no array or number at all. RANGE: a number outside its range or not finite. SHAPE:
 * lengths, or axes of tensors, that do not fit each other.
 *
 * Formulas, allowances and sources stand in three headers:
 * - https://github.com/clearhead-js/clearhead/blob/main/src/include/theory.h
 * - https://github.com/clearhead-js/clearhead/blob/main/src/include/sensitivity.h
 * - https://github.com/clearhead-js/clearhead/blob/main/src/include/consequences.h
 *
 * "Paper", "post" and "note" are the README's sources 1 to 3.
 */
import type { FloatArray, Fresh } from '../attention/types.d.ts';
import type { Consequences } from './consequences.d.ts';
import type { Identity, Numbers, RowOptions } from './call-types.d.ts';

export type * from './call-types.d.ts';

export interface GaussianOptions {
  /** d. m and n follow from the lengths. */
  headDim: number;
  valueDim?: number | undefined;
  /** T > 0, default 1: σ² = T√d. */
  temperature?: number | undefined;
  /**
   * Multiply each weight by exp(‖k_j‖²/2σ²), which keys of unequal norm need (README, source 3).
   * Default false.
   */
  restoreKeyNorm?: boolean | undefined;
}

/**
 * max|Δ|, ‖Δ‖_F, and the largest |Δ|/allowed over the elements; the identity holds where that is ≤
 * 1.
 */
export interface Difference {
  max: number;
  frobenius: number;
  /** The largest element of the allowed difference. */
  allowed: number;
  /** The Frobenius norm of the allowed difference. */
  allowedFrobenius: number;
  /** max over elements of |Δ| / allowed. */
  ratio: number;
}

/** Values for each query, and how the bound fared over all of them. */
export interface Bound {
  /** (m) */
  values: Fresh<Float64Array>;
  /** The limit without any bound: √2 for ‖Δp‖₂, 2 for ‖Δp‖₁, diam V + max‖ΔV‖ for ‖Δo‖₂. */
  cap: number;
  /** In how many queries it says no more than that. */
  vacuous: number;
  /** In how many queries it is violated beyond rounding: none. */
  violated: number;
  /** The least bound/measured; Infinity where nothing moved. */
  slack: number;
}

/** All statements. */
export interface Theory extends Consequences {
  /**
   * 2, maximum likelihood (paper, Eq. 2 to 12). One query q (d), keys k (n, d), values v (n, dv):
   * v_j ~ N(·, 1/θ_j β) in each coordinate, θ_j = exp(α⟨q, k_j⟩). `estimate` is Σθ_j v_j/Σθ, the
   * attention output; `variance` is e^−lse/β. `alpha` defaults to 1/√d, `beta` to 1.
   * `logLikelihood`, `gradient` and `step` (gradient·variance, which leads to the estimate at once)
   * are those at `at` (dv), default the estimate. Identity: Σp‖at − v‖² = Σp‖o − v‖² + ‖at − o‖².
   */
  maximumLikelihood(
    q: Numbers,
    k: Numbers,
    v: Numbers,
    options?: { alpha?: number | undefined; beta?: number | undefined; at?: Numbers | undefined },
  ): {
    estimate: Fresh<Float64Array>;
    weights: Fresh<Float64Array>;
    precisions: Fresh<Float64Array>;
    logPrecisions: Fresh<Float64Array>;
    gradient: Fresh<Float64Array>;
    step: Fresh<Float64Array>;
    /** log Σθ_j β = lse + log β */
    logPrecision: number;
    variance: number;
    secondDerivative: number;
    logLikelihood: number;
    identity: Identity;
  };
  /**
   * 3, maximum entropy (paper, Eq. 13 to 16). With `multipliers`, one per key or one for all: p_j ∝
   * exp(λ_j⟨q, k_j⟩). With a `target`: the distribution of greatest entropy whose expected ⟨q, k⟩
   * is the target, which is softmax with the `multiplier` found. RANGE if no distribution has that
   * expectation. Identity: ⟨f⟩ = target.
   */
  maximumEntropy(
    q: Numbers,
    k: Numbers,
    options: { multipliers: number | Numbers; target?: undefined },
  ): { weights: Fresh<Float64Array>; features: Fresh<Float64Array> };
  maximumEntropy(
    q: Numbers,
    k: Numbers,
    options: { target: number; multipliers?: undefined },
  ): {
    weights: Fresh<Float64Array>;
    features: Fresh<Float64Array>;
    multiplier: number;
    entropy: number;
    iterations: number;
    identity: Identity;
  };
  /**
   * 4, KL budget (post): max ⟨p, z⟩ with KL(p‖u) ≤ rho is softmax(βz). β is 0 for rho = 0 and
   * Infinity from rhoMax = log(n/ties) on. `rho` is the budget that is spent, and `temperature` is
   * 1/β. `variance` is that of z, and `iterations` counts steps of Newton's method. Identity: ⟨p,
   * z⟩ − ρ/β = (lse(βz) − log n)/β, relative to the largest score. RANGE where max z − min z is no
   * finite number, or β below the normal ones.
   */
  klBudget(
    z: Numbers,
    rho: number,
  ): {
    beta: number;
    temperature: number;
    weights: Fresh<Float64Array>;
    rho: number;
    rhoMax: number;
    expectedScore: number;
    variance: number;
    iterations: number;
    identity: Identity;
  };
  /**
   * 4: the best ⟨z⟩ for each budget, evenly from 0 to rhoMax; its slope is 1/β. Each (points),
   * default 65.
   */
  klFrontier(
    z: Numbers,
    options?: { points?: number | undefined },
  ): { rho: Fresh<Float64Array>; beta: Fresh<Float64Array>; expectedScore: Fresh<Float64Array> };
  /**
   * 5, budget of a head (post, Eq. ρ_eff): the nats that softmax(z/T) spends. Identity: log n − H =
   * ⟨z⟩/T − lse + log n.
   */
  rhoEffective(
    z: Numbers,
    options?: RowOptions,
  ): {
    rho: number;
    entropy: number;
    /** exp H */
    effectiveKeys: number;
    expectedScore: number;
    lse: number;
    weights: Fresh<Float64Array>;
    identity: Identity;
  };
  /**
   * 6, kernel equivalence (note, "Geometric fact"): (m, n) row-normalised exp(−‖q_i − k_j‖²/2σ²)
   * from distances, and with v the smoothed values (m, dv), the Nadaraya–Watson estimate; in the
   * type of q. The bandwidth is σ.
   */
  gaussianWeights<A extends FloatArray>(
    q: A,
    k: A,
    v: A | null,
    options: GaussianOptions,
  ): { weights: Fresh<A>; output?: Fresh<A>; sigma2: number; bandwidth: number };
  /**
   * 6: softmax attention against Gaussian smoothing on the same single-head inputs. It does not
   * hold where squares of distances leave the type: then a ratio is Infinity.
   */
  kernelEquivalence<A extends FloatArray>(
    q: A,
    k: A,
    v: A,
    options: GaussianOptions,
  ): { sigma2: number; weights: Difference; output: Difference; holds: boolean };
  /**
   * 7, Gibbs principle (note, Eq. 1): softmax(z/T) maximises ⟨p, z⟩ + T·H(p), with value `optimum`
   * = T·lse(z/T). `candidate` (n, divided by its sum, default softmax itself) falls short by `gap`
   * = T·KL. Identity: optimum − objective = T·KL(candidate‖p).
   */
  gibbs(
    z: Numbers,
    options?: RowOptions & { candidate?: Numbers | undefined },
  ): {
    weights: Fresh<Float64Array>;
    optimum: number;
    entropy: number;
    expectedScore: number;
    objective: number;
    candidateEntropy: number;
    kl: number;
    gap: number;
    identity: Identity;
  };
  /**
   * 7: fewer keys with the same optimum: those of `keep`, then one for all others with logit
   * T·lse(z_rest/T) and the sum of their weights. Identity: T·lse of all = T·lse of the merged.
   */
  simplexMerge(
    z: Numbers,
    options: RowOptions & { keep: readonly number[] },
  ): { logits: Fresh<Float64Array>; weights: Fresh<Float64Array>; identity: Identity };
  /**
   * 8, log-sum-exp (note, "Convex-analysis differential facts"): lse_λ(z) = (1/λ)·log Σ exp(λz_j)
   * and its gradient, softmax(λz). `changed` is lse_λ(z + change). Identity: lse_λ(z + h) −
   * lse_λ(z) − ⟨p, h⟩ = T·KL(p‖softmax(λ(z + h))).
   */
  logSumExp(
    z: Numbers,
    options?: RowOptions & { change?: Numbers | undefined },
  ): { value: number; gradient: Fresh<Float64Array>; changed: number; identity: Identity };
  /**
   * 8: λ(Diag p − ppᵀ), the Hessian of lse_λ and the Jacobian of softmax(λz), without storing it.
   */
  softmaxJacobian(
    z: Numbers,
    options?: RowOptions,
  ): {
    weights: Fresh<Float64Array>;
    /** Its product with x (n). */
    apply(x: Numbers): Fresh<Float64Array>;
    /** All eigenvalues, largest first, in O(n log n). Identity: their sum is λ(1 − Σp²). */
    spectrum(): { eigenvalues: Fresh<Float64Array>; identity: Identity };
    /** The largest eigenvalue, at most λ/2, in O(n). */
    top(): number;
  };
  /**
   * 8: how strongly softmax(λz) moves between the logits a_i and b_i, both (pairs, keys); `keys`
   * defaults to one pair. ratios ‖Δp‖₂/‖Δz‖₂ are at most λ/2 (the note: λ), cocoercivity ⟨Δz,
   * Δp⟩/‖Δp‖₂² at least 2/λ (the note: 1/λ). RANGE where a difference is no finite number.
   */
  lipschitz(
    a: Numbers,
    b: Numbers,
    options?: RowOptions & { keys?: number | undefined },
  ): {
    ratios: Fresh<Float64Array>;
    cocoercivity: Fresh<Float64Array>;
    maxRatio: number;
    bounds: { sharp: number; note: number; allowed: number };
    minCocoercivity: number;
    cocoercivityBounds: { sharp: number; note: number };
    holds: boolean;
  };
  /**
   * 9, limits (note, "Two useful limits"): `hard` (T → 0, the `ties` largest share) and `uniform`
   * (T → ∞), exactly, and how far softmax(z/T) is from them: ‖p − hard‖₁ ≤ 2(n/ties −
   * 1)·e^(−gap/T), KL(p‖u) ≤ (width/T)²/8. `excess` is T·lse − max z, from T·log ties to T·log n.
   */
  limits(
    z: Numbers,
    options?: RowOptions,
  ): {
    hard: Fresh<Float64Array>;
    uniform: Fresh<Float64Array>;
    weights: Fresh<Float64Array>;
    ties: number;
    gap: number;
    width: number;
    toHard: { distance: number; bound: number };
    toUniform: { kl: number; bound: number };
    excess: number;
  };
  /**
   * 12, shared keys (note, section 5): queries q (m, d), a head's own keys k and the shared ones
   * sharedK (n, d), values v (n, dv) and perhaps sharedV. How far weights and outputs move, and the
   * bounds on that: `sharp` (λ/2)‖δz − mean‖₂, `note` λ‖δz‖₂ and `operator` ‖ΔK‖_op‖q‖/(T√d) on
   * `weights2`; `range` (λ/2)(max δz − min δz) on `weights1`; `outputRange` and `outputDiameter`
   * (½‖Δp‖₁·diam V), `outputNote1` (‖Δp‖₁·max‖v‖) and `outputNote2` (√n‖Δp‖₂·max‖v‖), each +
   * max‖ΔV‖, on `output`.
   */
  sharedKeyBounds(
    q: Numbers,
    k: Numbers,
    sharedK: Numbers,
    v: Numbers,
    options: RowOptions & { headDim: number; sharedV?: Numbers | undefined },
  ): {
    /** ‖Δp‖₂, ‖Δp‖₁ and ‖Δo‖₂, each (m). */
    measured: Record<'weights2' | 'weights1' | 'output', Fresh<Float64Array>>;
    bounds: Record<
      | 'sharp'
      | 'note'
      | 'operator'
      | 'range'
      | 'outputRange'
      | 'outputDiameter'
      | 'outputNote1'
      | 'outputNote2',
      Bound
    >;
    /** ‖ΔK‖_op lies between. */
    operatorNorm: { upper: number; lower: number };
    /** max‖v_i − v_j‖, max‖v‖ and max‖ΔV‖. */
    diameter: number;
    longest: number;
    shift: number;
    holds: boolean;
  };
  /**
   * 12: bounds on the largest singular value of a (rows, columns), by repeated squaring; they meet
   * within rounding.
   */
  operatorNorm(a: Numbers, options: { columns: number }): { upper: number; lower: number };
  /**
   * 13, scale (note, "Why the 1/√d scale?"): `samples` (1000) queries with `keys` (32) keys each,
   * all entries independent and standard normal. Var⟨q, k⟩ is `expected` = headDim within a few
   * standard errors, Var⟨q, k⟩/√d is 1; `budget` is the mean share of log(keys) that softmax
   * spends, `gradient` the mean of 1 − Σp², without and with the scale. The same bits everywhere
   * for a `seed` (1).
   */
  scaleExperiment(options: {
    headDim: number;
    samples?: number | undefined;
    keys?: number | undefined;
    seed?: number | undefined;
  }): {
    expected: number;
    variance: number;
    standardError: number;
    scaledVariance: number;
    unscaled: { budget: number; gradient: number };
    scaled: { budget: number; gradient: number };
  };
  /** Standard normal numbers, the same bits everywhere for a `seed` (1). */
  normal(length: number, options?: { seed?: number | undefined }): Fresh<Float64Array>;
  /**
   * 15, cost of one head of attention: m·n·(d + dv) multiply-adds, and the working memory beside
   * inputs and results. That memory does not grow with m, and with n only up to one span of keys
   * (in float64 by one row of n numbers).
   */
  cost(options: { m: number; n: number; headDim: number; valueDim?: number | undefined }): {
    multiplyAdds: number;
    scratchBytes: { float32: number; float64: number };
  };
}
