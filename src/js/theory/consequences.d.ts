/**
 * The statements from 17 on, which follow from the others. The rules of theory/types.d.ts hold
 * here.
 */
import type { Fresh } from '../attention/types.d.ts';
import type { Identity, Numbers, RowOptions } from './call-types.d.ts';

export interface Consequences {
  /**
   * 17, susceptibility: how fast the budget of statement 5 grows with β = 1/T. `slope` is dρ/dβ =
   * β·Var_p(z), and `variance` is Var_p(z). `share` is χ = Var_p(log p)/log²n, which compares rows
   * of different lengths. Identity: the rise of ρ between two β = the integral of β·Var.
   */
  susceptibility(
    z: Numbers,
    options?: RowOptions,
  ): { rho: number; variance: number; slope: number; share: number; identity: Identity };
  /**
   * 18, every norm (arXiv 2510.23012): softmax(λz) moves by at most λ/2 of a `change` h (n) in
   * every norm ‖x‖_r = (Σ|x_j|^r)^(1/r). `ratios` are ‖Δp‖_r/‖h‖_r for the `exponents` r ≥ 1,
   * default (1, 2, ∞), and `bound` is λ/2. `local` is the Jacobian's norm at z for r = 1 and ∞,
   * which is `bound` where a weight is ½. Identity: local = the sum of a column of the Jacobian.
   */
  everyNorm(
    z: Numbers,
    options: RowOptions & { change: Numbers; exponents?: Numbers | undefined },
  ): {
    ratios: Fresh<Float64Array>;
    maxRatio: number;
    local: number;
    bound: number;
    allowed: number;
    identity: Identity;
    holds: boolean;
  };
  /**
   * 19, dispersion (arXiv 2410.01104): the largest weight `max` is at most `bound` = 1/(1 + (n −
   * 1)·e^(−width/T)), width = max z − min z. `meanBound` has the mean gap to the largest logit in
   * place of the width. Below `halfWidth` = T·log(n − 1) no weight can exceed ½. Identity:
   * log(max/(1 − max)) = meanGap/T − log(n − 1) − kl, kl from uniform to the others.
   */
  dispersion(
    z: Numbers,
    options?: RowOptions,
  ): {
    max: number;
    bound: number;
    meanBound: number;
    width: number;
    meanGap: number;
    halfWidth: number;
    kl: number;
    /** The rounding that a bound is allowed, relative to itself. */
    allowed: number;
    identity: Identity;
    holds: boolean;
  };
  /**
   * 20, critical temperature of a row (arXiv 2605.12697): `critical` = T_c = min gap_j/log j over
   * the ranks j of the logits, set by the key of `rank` r. With s = T_c/T the largest weight `max`
   * is at least `lower` = 1/Σ j^−s and at most `upper` = 1/(1 + (r − 1)·r^−s). Below T_c a row is
   * sharp, above it is spread over r keys. T_c is 0 where the largest logits tie, Infinity if n =
   * 1.
   */
  criticalTemperature(
    z: Numbers,
    options?: RowOptions,
  ): {
    critical: number;
    rank: number;
    gap: number;
    max: number;
    lower: number;
    upper: number;
    /** The rounding that a bound is allowed, relative to itself. */
    allowed: number;
    holds: boolean;
  };
  /**
   * 21, a sink is a gate: a logit `sink` without a value multiplies attention's output by `gate` =
   * σ(lse − sink/T). `odds` = lse − sink/T are the posterior log-odds that some key is meant.
   * `weights` (n) are those of the keys, and `sink` in the result is the weight of the sink.
   * Identity: Σ weights = gate.
   */
  sinkGate(
    z: Numbers,
    options: RowOptions & { sink: number },
  ): {
    gate: number;
    sink: number;
    odds: number;
    lse: number;
    weights: Fresh<Float64Array>;
    identity: Identity;
  };
  /**
   * 22, a bias is a prior: softmax((z + bias)/T) maximises ⟨p, z⟩ − T·KL(p‖`prior`), prior =
   * softmax(bias/T), with value `optimum`. `candidate` (n, divided by its sum, default softmax
   * itself) falls short by `gap` = T·KL. `evidence` is KL(weights‖prior), the budget spent beyond
   * the bias. Identities: optimum − objective = T·KL(candidate‖p); evidence = ⟨z⟩/T − log Σ
   * prior_j·e^(z_j/T).
   */
  biasPrior(
    z: Numbers,
    options: RowOptions & { bias: Numbers; candidate?: Numbers | undefined },
  ): {
    weights: Fresh<Float64Array>;
    prior: Fresh<Float64Array>;
    optimum: number;
    objective: number;
    kl: number;
    gap: number;
    evidence: number;
    identity: Identity;
    evidenceIdentity: Identity;
  };
  /**
   * 23, Hopfield network (arXiv 2008.02217): `steps` (1) steps ξ' = Kᵀ·softmax(Kξ/T) from xi (d)
   * over keys k (n, d), each attention with keys for values and scale 1. The energy ½‖ξ‖² −
   * T·lse(Kξ/T) never rises. `drop` is its fall, `minDrop` the least of a step, and `moved` the
   * length of the last step. Identity: drop = Σ ½‖ξ' − ξ‖² + T·KL(p‖p'). It holds if no step raises
   * the energy beyond rounding.
   */
  hopfield(
    xi: Numbers,
    k: Numbers,
    options?: RowOptions & { steps?: number | undefined },
  ): {
    /** (steps + 1, d) */
    states: Fresh<Float64Array>;
    /** (steps + 1) */
    energies: Fresh<Float64Array>;
    drop: number;
    minDrop: number;
    moved: number;
    identity: Identity;
    holds: boolean;
  };
  /**
   * 24, draws until uniform is rejected (post, footnote 1): keys are drawn from softmax(z/T) until
   * the evidence Σ log(n·p_j) reaches log(1/epsilon). That repeats `samples` (1000) times, with
   * epsilon 0.05 and a `seed` (1). `draws` is the mean number, within a few `standardError` between
   * `expected` = log(1/epsilon)/rho and `upper`. `residual` is ⟨evidence⟩ − rho·draws, 0 within a
   * few `residualError`. `falseAlarms`, at most epsilon, is how often uniform draws would be
   * rejected. LIMIT where more than 2²⁵ draws are needed.
   */
  drawsToReject(
    z: Numbers,
    options?: RowOptions & {
      epsilon?: number | undefined;
      samples?: number | undefined;
      seed?: number | undefined;
    },
  ): {
    rho: number;
    expected: number;
    upper: number;
    draws: number;
    standardError: number;
    residual: number;
    residualError: number;
    falseAlarms: number;
  };
}
