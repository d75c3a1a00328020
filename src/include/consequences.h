/*
 * consequences.h: the statements from 17 on, which follow from those of theory.h.
 *
 * The contract and the words of theory.h hold here. A row of logits z_j over n keys has a
 * temperature T, λ = β = 1/T and weights p = softmax(z/T). t_j is (z_j − max z)/T, and u is the
 * uniform distribution.
 */
#ifndef CONSEQUENCES_H
#define CONSEQUENCES_H

#include "sensitivity.h"

/* ---- Statement 17, susceptibility ---- */

typedef struct {
  double rho;      /* KL(p‖u) */
  double variance; /* Var_p(z) */
  double slope;    /* dρ/dβ = β·Var_p(z) */
  double share;    /* χ = Var_p(log p)/log²n, 0 if n = 1 */
  attn_identity identity;
} attn_susceptibility_report;

/*
 * How fast the budget of a row grows with β: dρ/dβ = β·Var_p(z), the derivative of statement 5.
 * Var_p(log p) is β²·Var_p(z). Its share of log²n compares rows of different lengths.
 *
 * The identity is ρ(β(1 + r)) − ρ(β(1 − r)) = ∫ β'·Var(β') dβ'. With w = (max z − min z)/T, r is ½
 * or 1/2w, the smaller. The right side is Gauss and Legendre's rule of 16 nodes, over two-pass
 * variances.
 *
 * If w ≤ 4, each ρ may be off by 80w² units of 1: all sums are of numbers near w². Else it may be
 * off by 8 + 32·log n + 4·log²n + 4⟨t²⟩ units: an error of t_j moves ρ by p_j|t_j| of it. A
 * variance may be off by Σ p_j (t_j − ⟨t⟩)²·(24 + 8·log n + 8|t_j|) and 6Σ p_j |t_j − ⟨t⟩||t_j|
 * units.
 *
 * The rule itself is within 10⁻⁹·w units: for imaginary parts of β' up to π/2wT the phases of e^β'z
 * fill a quarter circle. There the integrand is analytic and at most |β'|w². An ellipse of sum of
 * semi-axes 6.4 fits, and 6.4⁻³² is 10⁻²⁶.
 */
ATTN_API int32_t attn_susceptibility_measure(attn_susceptibility_report *report,
                                             const double *z, /* (n) */
                                             int32_t n, double temperature);

/* ---- Statement 18, every norm ---- */

typedef struct {
  double max_ratio;
  double local; /* 2λ·max p_j(1 − p_j): the Jacobian's norm at z in ℓ₁ and ℓ_∞ */
  double bound; /* λ/2, the largest that it can be */
  double allowed_ratio; /* that rounding may add: 2⁻⁵³·(32 + 32·log n)·λ */
  attn_identity identity;
} attn_norms_report;

/*
 * softmax(λz) is λ/2-Lipschitz in every norm ‖x‖_r = (Σ|x_j|^r)^(1/r), r ≥ 1, and not in ℓ₂ alone
 * (arXiv 2510.23012). Ratios ‖Δp‖_r/‖h‖_r of a change h of the logits, one for each exponent. An
 * exponent may be ∞, for max|x_j|. A ratio is 0 if h = 0.
 *
 * Why: column j of the Jacobian λ(Diag p − ppᵀ) has the absolute sum 2λp_j(1 − p_j) ≤ λ/2. The
 * matrix is symmetric, so this bounds it in ℓ₁ and ℓ_∞, and by Riesz and Thorin in between. ℓ₁ and
 * ℓ_∞ attain λ/2 where a weight is ½.
 *
 * The identity is local = ‖J·e_j‖₁ for that j, by attn_jacobian_apply. Allowed are 16 units of λ.
 * scratch (3·n). ATTN_E_RANGE for an exponent below 1.
 */
ATTN_API int32_t attn_norms_measure(double *ratios,                             /* (count) */
                                    attn_norms_report *report, const double *z, /* (n) */
                                    const double *h,                            /* (n) */
                                    const double *exponents,                    /* (count) */
                                    int32_t n, int32_t count, double temperature, double *scratch);

/* ---- Statement 19, dispersion ---- */

typedef struct {
  double max;        /* the largest weight */
  double bound;      /* 1/(1 + (n − 1)·exp(−δ/T)) */
  double mean_bound; /* the same with the mean gap in place of δ, which is sharper */
  double width;      /* δ = max z − min z */
  double mean_gap;   /* of the largest logit to the others; 0 if n = 1 */
  double half_width; /* T·log(n − 1): with a smaller δ no weight exceeds ½; 0 if n = 1 */
  double kl;         /* KL(u‖softmax of the others), u over the n − 1 others */
  double allowed;    /* relative rounding of a bound: 2⁻⁵³·(32 + 32·log n) */
  attn_identity identity;
} attn_dispersion_report;

/*
 * Logits within a width δ cannot hold on to one key as n grows: its weight is at most
 * 1/(1 + (n − 1)·exp(−δ/T)) (arXiv 2410.01104). Equality holds where all others are equal.
 *
 * The identity tells by how much the bound is missed, as log-odds of the largest weight:
 * log(p/(1 − p)) = gap/T − log(n − 1) − kl, gap the mean one. It is statement 7 for the other keys,
 * and u among them. It is 0 = 0 if n = 1. Allowed are 16 + 32·log n + 8·gap/T units of 1, for
 * logarithms of weights of that size.
 */
ATTN_API int32_t attn_dispersion_measure(attn_dispersion_report *report, const double *z, /* (n) */
                                         int32_t n, double temperature);

/* ---- Statement 20, the critical temperature of a row ---- */

typedef struct {
  double critical; /* T_c; 0 where the largest logits tie, ∞ if n = 1 */
  double rank;     /* r of the key that sets it; of ties the last */
  double gap;      /* of that key */
  double max;      /* the largest weight at T */
  double lower;    /* 1/Σ_j j^−s, j from 1 to n */
  double upper;    /* 1/(1 + (r − 1)·r^−s) */
  double allowed;  /* relative rounding of a bound: 2⁻⁵³·(32 + 32·log n) */
} attn_critical_report;

/*
 * The temperature at which a row turns from spread to sharp: T_c = min g_j/log j over the ranks j
 * from 2 on, g_j the gap of the j-th largest logit to the largest. 1/T_c is the critical inverse
 * temperature β_c = max log(j)/g_j (arXiv 2605.12697 has it as a scale of n).
 *
 * With s = T_c/T, two bounds on the largest weight hold at every T. By definition g_j ≥ T_c·log j,
 * so Σ exp(−g_j/T) ≤ Σ j^−s. This is the lower bound: below T_c the row is sharp. At T_c/2 the
 * largest weight is at least 6/π², whatever n is. The r keys up to rank r have gaps of at most
 * T_c·log r, so the sum is at least 1 + (r − 1)·r^−s. This is the upper bound: above T_c the row is
 * spread over those r keys, with about r^(s − 1) for the largest.
 *
 * Logits −log j attain the lower bound, and a largest one above r − 1 equal ones the upper. For the
 * rounding: with weights j^−s, ⟨s·log j⟩ is at most log n, as is ⟨g/T⟩ under p. scratch (n).
 */
ATTN_API int32_t attn_critical_measure(attn_critical_report *report, const double *z, /* (n) */
                                       int32_t n, double temperature, double *scratch);

/* ---- Statement 21, a sink is a gate ---- */

typedef struct {
  double gate; /* σ(lse − s/T), the weight of all keys */
  double sink; /* the weight of the sink, 1 − gate */
  double odds; /* lse − s/T, the logarithm of gate/sink */
  double lse;  /* of z/T, without the sink */
  attn_identity identity;
} attn_gate_report;

/*
 * A sink is a logit s without a value. Attention with it is attention without it times one number:
 * o_sink = σ(lse − s/T)·o, σ(x) = 1/(1 + e^−x). With the sink as a null hypothesis, lse − s/T are
 * the posterior log-odds that some key is meant. weights are those of the keys beside the sink.
 *
 * The identity is Σ weights = gate. Allowed are 32 + 32·log n + 8|odds|·sink units of the gate,
 * since an error of x moves σ(x) by 1 − σ(x) of it. To that come n of the smallest normal number.
 */
ATTN_API int32_t attn_gate_measure(double *weights,                           /* (n) */
                                   attn_gate_report *report, const double *z, /* (n) */
                                   int32_t n, double sink, double temperature);

/* ---- Statement 22, a bias is a prior ---- */

typedef struct {
  double optimum;   /* T·log Σ π_j exp(z_j/T) */
  double objective; /* the candidate's */
  double kl;        /* KL(p'‖p) */
  double evidence;  /* KL(p‖π) */
  attn_identity identity;
  attn_identity evidence_identity;
} attn_prior_report;

/*
 * A bias b added to the logits, as for positions, is a log-prior. With π = softmax(b/T), the row of
 * the biases alone, softmax((z + b)/T) maximises ⟨p, z⟩ − T·KL(p‖π). Any other p' falls short by
 * T·KL(p'‖p). b = 0 gives statement 7, relative to u. candidate, p', is divided by its sum; NULL is
 * p itself. ATTN_E_RANGE if it has a negative or no weight, or no finite sum.
 *
 * evidence is the budget spent beyond the biases: zero where the content changes nothing. Its
 * identity is KL(p‖π) = ⟨z⟩/T − log Σ π_j exp(z_j/T), statement 5 with π in place of u.
 *
 * Both identities are relative to max z and in units of T and 1. Allowed are 32 + 64·log n
 * + 16⟨|t| + |τ|⟩ + 16·min(|t| + |τ|) units, averaged under p' and p, with τ_j = (b_j − max b)/T.
 * Logarithms of weights are sums of t, τ and two log-sums.
 */
ATTN_API int32_t attn_prior_measure(double *weights,                            /* (n) */
                                    double *prior,                              /* (n): π */
                                    attn_prior_report *report, const double *z, /* (n) */
                                    const double *bias,                         /* (n) */
                                    const double *candidate,                    /* (n) or NULL */
                                    int32_t n, double temperature);

/* ---- Statement 23, attention as a Hopfield network ---- */

typedef struct {
  double drop;     /* E of the first state − E of the last */
  double min_drop; /* the smallest of a step */
  double moved;    /* ‖Δξ‖ of the last step */
  double violated; /* steps in which E rises by more than rounding may do; none */
  attn_identity identity;
} attn_hopfield_report;

/*
 * A step ξ' = Kᵀ·softmax(Kξ/T) is attention of the query ξ over keys that are values as well, with
 * scale 1. It never raises the energy E(ξ) = ½‖ξ‖² − T·lse(Kξ/T) of a modern Hopfield network
 * (arXiv 2008.02217). states are ξ and those after each step, and energies theirs.
 *
 * The identity says how far E falls, summed over the steps: E(ξ) − E(ξ') = ½‖ξ' − ξ‖² +
 * T·KL(p‖p'). It is statement 8 for the change K(ξ' − ξ), whose mean under p is ⟨ξ', ξ' − ξ⟩.
 *
 * Allowed of a step are 32 + 32·log n units of T + (max‖k‖ + ‖ξ‖)². Scores are within 2 units of
 * max‖k‖‖ξ‖, and the new state within 8 + 4·log n of max‖k‖. scratch (4·n).
 */
ATTN_API int32_t attn_hopfield_descend(double *states,   /* (steps + 1, dim) */
                                       double *energies, /* (steps + 1) */
                                       attn_hopfield_report *report, const double *xi, /* (dim) */
                                       const double *k, /* (n, dim) */
                                       int32_t n, int32_t dim, int32_t steps, double temperature,
                                       double *scratch);

/* ---- Statement 24, draws until uniform is rejected ---- */

typedef struct {
  double rho;            /* KL(p‖u) */
  double expected;       /* log(1/ε)/ρ */
  double upper;          /* (log(1/ε) + max log n·p_j)/ρ */
  double draws;          /* their mean in the experiment */
  double standard_error; /* of that mean */
  double residual;       /* mean L − ρ·draws, expected 0 */
  double residual_error; /* its standard error, √(Var_p(log p)·draws/samples) */
  double false_alarms;   /* mean e^−L: how often draws from u would be rejected */
} attn_draws_report;

/*
 * Someone draws keys from p and wants to know that they do not come from u (post, "Softmax as
 * hypothesis testing" and footnote 1). The evidence L = Σ log(n·p_j) grows by ρ a draw. The test
 * stops when L ≥ log(1/ε). Under u it ever stops with a probability of at most ε.
 *
 * The mean number of draws is log(1/ε)/ρ, by Chernoff and Stein's lemma for small ε. By Wald's
 * identity ρ·⟨draws⟩ = ⟨L⟩, and L passes log(1/ε) by less than one draw adds. So ⟨draws⟩ lies
 * between `expected` and `upper`. Wald's second identity gives ⟨(L − ρ·draws)²⟩ =
 * Var_p(log p)·⟨draws⟩.
 *
 * The experiment repeats the test `samples` times; u is tried by its likelihood ratio e^−L.
 * ATTN_E_RANGE unless 0 < ε < 1. ATTN_E_LIMIT where samples·upper exceeds 2²⁵ draws: rows near
 * uniform need too many. scratch (3·n).
 */
ATTN_API int32_t attn_draws_experiment(attn_draws_report *report, const double *z, /* (n) */
                                       int32_t n, double temperature, double epsilon,
                                       int32_t samples, uint32_t seed, double *scratch);

#endif
