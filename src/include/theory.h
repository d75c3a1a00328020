/*
 * theory.h: the statements behind attention, each computed so that it can be checked.
 *
 * A row of logits z_j = scale·⟨q, k_j⟩ over n keys has a temperature T (λ = 1/T) and weights
 * p = softmax(z/T). Three texts see them from three sides (README, Sources). The paper has inverse
 * variances and maximum entropy. The post has evidence spent against a budget. The note has the
 * solution of a smoothed maximisation. The statements are numbered as src/cli/statement-list.js
 * lists them with their formulas. Those of the engine itself stand in attn.h (1, 11 and 15),
 * layers.h (10 and 14) and train.h (16). sensitivity.h tells how the weights react to a change, and
 * consequences.h has those that follow from the others, from 17 on. All others stand here.
 *
 * The contract of attn.h holds for every function here: the memory is the caller's, nothing is kept
 * and nothing global changes. Besides:
 *   - Everything is double, but for the two types of statement 6.
 *   - Logarithms are natural. Entropies and budgets are in nats.
 *   - n, dim, value_dim and other counts are at least 1. Temperatures are finite and more than 0.
 *     Exceptions are named. Other numbers are ATTN_E_RANGE, and then nothing has been written.
 *   - Arrays hold finite numbers. NaN comes out as NaN.
 *   - Logits may be ±10⁴ at any temperature from 10⁻³ to 10³, because everything is computed
 *     relative to the largest.
 *   - Outputs overlap no input and no other output.
 */
#ifndef THEORY_H
#define THEORY_H

#include "attn.h"

/*
 * The two sides of an identity. Where a side would leave the doubles, the four are not finite.
 *
 * Allowances are bounds to first order in the unit. exp is within 2 units, relatively, and log
 * within 4. A sum is within the errors of its terms and one more, whatever n is. So p_j is within
 * 6 + 2|t_j| + 2·log n units, t_j = (z_j − max z)/T.
 */
typedef struct {
  double left;
  double right;
  double unit;    /* of rounding at the size of the terms: 2⁻⁵³·size */
  double allowed; /* the largest |left − right| that rounding allows */
} attn_identity;

/* ---- Statement 2, maximum likelihood ---- */

typedef struct {
  double log_precision;     /* log Σ θ_j β */
  double variance;          /* of the estimate */
  double second_derivative; /* of the log-likelihood */
  double log_likelihood;    /* at `at`; −∞ where it leaves the doubles */
  attn_identity identity;
} attn_likelihood_report;

/*
 * One query. Each coordinate of value j is normal around the sought one with precision θ_j β, where
 * θ_j = exp(α⟨q, k_j⟩) (paper, Eq. 2 and 3). The likelihood is greatest at the attention output
 * (Eq. 9 to 11). 1/variance of that estimate is Σ θ_j β, the negative second derivative: the
 * log-sum-exp that attention keeps is a log-precision.
 *
 *   weights         θ_j / Σθ (Eq. 10)
 *   log_precisions  log θ_j β (Eq. 12)
 *   precisions      θ_j β; 0 or ∞ where it leaves the doubles
 *   estimate        Σ θ_j v_j / Σ θ (Eq. 9)
 *   gradient        of the log-likelihood at `at`: −β Σ θ_j (at − v_j) (Eq. 7)
 *   step            gradient·variance = Σ p_j (v_j − at)
 *
 * A gradient is ±∞ where it leaves the doubles. The likelihood is quadratic, so the step leads from
 * any `at` to the estimate. `at` is NULL for the estimate itself. ATTN_E_RANGE unless α and β are
 * finite and more than 0.
 *
 * The identity is Σ p_j‖at − v_j‖² = Σ p_j‖o − v_j‖² + ‖at − o‖², the log-likelihood in units of
 * −½Σθβ. Allowed are 8 units of both sides, for five roundings a term and Σp = 1 within 2. Beside
 * them 8 units of Σ_c |at_c − o_c|·Σ_j p_j|v_jc|, because Σ p_j (v_j − o) is 0 only within 4.
 */
ATTN_API int32_t attn_likelihood(double *weights,                                 /* (n) */
                                 double *log_precisions,                          /* (n) */
                                 double *precisions,                              /* (n) */
                                 double *estimate,                                /* (value_dim) */
                                 double *gradient,                                /* (value_dim) */
                                 double *step,                                    /* (value_dim) */
                                 attn_likelihood_report *report, const double *q, /* (dim) */
                                 const double *k,                                 /* (n, dim) */
                                 const double *v,  /* (n, value_dim) */
                                 const double *at, /* (value_dim) or NULL */
                                 int32_t n, int32_t dim, int32_t value_dim, double alpha,
                                 double beta);

/* ---- Statement 3, maximum entropy ---- */

/*
 * features ⟨q, k_j⟩, and weights exp(λ_j⟨q, k_j⟩)/Σ (paper, Eq. 13 to 16), one multiplier λ_j per
 * key. multipliers NULL: all 1.
 */
ATTN_API int32_t attn_maxent_weigh(double *weights,           /* (n) */
                                   double *features,          /* (n) */
                                   const double *q,           /* (dim) */
                                   const double *k,           /* (n, dim) */
                                   const double *multipliers, /* (n) or NULL */
                                   int32_t n, int32_t dim);

typedef struct {
  double multiplier; /* λ */
  double entropy;
  double iterations;
  attn_identity identity;
} attn_maxent_report;

/*
 * Of all distributions whose expected feature is the target, the one of greatest entropy. It is
 * softmax(λ·features). λ minimises the dual lse(λf) − λ·target and is found by Newton's method
 * within a bracket. λ is −∞ or ∞ for the smallest and the largest feature, 0 for equal ones.
 * ATTN_E_RANGE for a target outside.
 *
 * The identity is ⟨f⟩ = target. Allowed are 64 + 32·log n units of max|f|: Newton's method ends
 * within 32 units of the odds (⟨f⟩ − min)/(max − ⟨f⟩), and the weights add 12 + 8·log n.
 */
ATTN_API int32_t attn_maxent_solve(double *weights,                                    /* (n) */
                                   attn_maxent_report *report, const double *features, /* (n) */
                                   int32_t n, double target);

/* ---- Statements 4 and 5, the KL budget ---- */

typedef struct {
  double beta;
  double rho_max;        /* log(n/m), m the number of scores that are largest */
  double rho;            /* KL(p‖u) */
  double expected_score; /* ⟨p, z⟩ */
  double variance;       /* Var_p(z) */
  double iterations;
  attn_identity identity;
} attn_budget_report;

/*
 * The largest expected score within a budget: max ⟨p, z⟩ over p with KL(p‖u) ≤ ρ (post, "Softmax as
 * hypothesis testing"). The maximiser is softmax(βz). β grows with ρ: dρ/dβ = β·Var_p(z), and one
 * more nat of budget gains 1/β. Budgets from log(n/m) on give the m largest scores 1/m each and
 * β = ∞. ρ = 0 gives β = 0 and the uniform weights.
 *
 * Newton's method runs on √ρ or on log(ρ_max − ρ), nearly straight at either end. Bounds on β are
 * known beforehand.
 *
 * The identity is ⟨p, z⟩ − ρ/β = (lse(βz) − log n)/β, the value of the penalised form. Both sides
 * are relative to the largest score. It is 0 = 0 where β is 0 or ∞. Allowed are 32 + 32·log n units
 * of (1 + log n)/β. ATTN_E_RANGE where max z − min z is not finite, or β below the normal doubles.
 */
ATTN_API int32_t attn_budget_solve(double *weights,                             /* (n) */
                                   attn_budget_report *report, const double *z, /* (n) */
                                   int32_t n, double budget);

/*
 * The frontier: for `points` budgets evenly from 0 to ρ_max, the β and the ⟨z⟩ reached. It is
 * concave with slope 1/β. ATTN_E_RANGE where max z − min z is not finite. scratch (n).
 */
ATTN_API int32_t attn_budget_frontier(double *budgets,  /* (points) */
                                      double *betas,    /* (points) */
                                      double *expected, /* (points) */
                                      const double *z,  /* (n) */
                                      int32_t n, int32_t points, double *scratch);

typedef struct {
  double rho;            /* KL(p‖u) */
  double entropy;        /* H(p) */
  double effective_keys; /* exp H */
  double expected_score; /* ⟨z⟩ */
  double lse;            /* of z/T */
  attn_identity identity;
} attn_spent_report;

/*
 * The budget that a head spends: ρ = KL(p‖u), p = softmax(z/T), accurate also where it is near 0
 * (post, "Interpretation"). The last equation there is left blank; these are its two forms.
 * weights are p.
 *
 * The identity is log n − H = ⟨z⟩/T − lse + log n. Allowed are
 * 8 + 24·log n + 8·log²n + 2⟨t²⟩ + 8·max|z|/T units of 1. The errors of the weights move
 * −Σ p log p, and ⟨z⟩/T and lse cancel, each as large as max|z|/T.
 */
ATTN_API int32_t attn_budget_spent(double *weights,                            /* (n) */
                                   attn_spent_report *report, const double *z, /* (n) */
                                   int32_t n, double temperature);

/* ---- Statement 6, kernel equivalence: exp(−‖q − k‖²/2σ²), σ² = T√dim ---- */

/*
 * Row-normalised Gaussian weights from the distances themselves, never from ‖q‖² + ‖k‖² − 2⟨q, k⟩.
 * Then the smoothed values, the Nadaraya–Watson estimate (note, "Geometric fact").
 *
 * With keys of one norm, whichever it is, they are the softmax weights. restore_key_norm multiplies
 * by exp(‖k_j‖²/2σ²), which makes them so for keys of any norms.
 *
 * The function shares no code with attention, not even exp, but for adding up many terms. v and out
 * may be NULL, m and n 0. In float32 distances are float32; exponents, exp and the sums over keys
 * are double.
 */
ATTN_API int32_t attn_gaussian_f32(float *weights, /* (m, n) */
                                   float *out,     /* (m, value_dim) */
                                   const float *q, /* (m, dim) */
                                   const float *k, /* (n, dim) */
                                   const float *v, /* (n, value_dim) */
                                   int32_t m, int32_t n, int32_t dim, int32_t value_dim,
                                   double temperature, int32_t restore_key_norm);
ATTN_API int32_t attn_gaussian_f64(double *weights, double *out, const double *q, const double *k,
                                   const double *v, int32_t m, int32_t n, int32_t dim,
                                   int32_t value_dim, double temperature, int32_t restore_key_norm);

/* σ² = T√dim; the bandwidth is σ. */
ATTN_API double attn_gaussian_sigma2(int32_t dim, double temperature);

/* Two arrays: the largest and the Frobenius norm of their difference and of the allowance. */
typedef struct {
  double max;
  double frobenius;
  double allowed;
  double allowed_frobenius;
  double ratio; /* the largest |difference|/allowed */
} attn_difference;

typedef struct {
  attn_difference weights;
  attn_difference output;
} attn_gaussian_report;

/*
 * The distance between the two sides of statement 6, against the rounding that is allowed, in units
 * u of the type (2⁻²⁴ or 2⁻⁵³):
 *
 *   weights  |ΔW_ij| ≤ u·(16 + 8B_i)·W_ij
 *   output   |ΔO_ic| ≤ u·(16 + 8B_i)·Σ_j W_ij |v_jc|
 *
 * B_i = (‖q_i‖ + max_j ‖k_j‖)² / 4T, which is 1/T for unit rows. W is the larger of the two. The
 * smallest normal number is added, since weights below it have no relative accuracy.
 *
 * Why: rounding moves a dot product by about u·√d·‖q‖‖k‖ and a squared distance by u·√d·‖q − k‖².
 * That is the size of d errors of either sign; the worst case is d. So it moves the two exponents
 * by up to u·B and u·2B, or u·3B with the key norm restored. An exponent's error enters a weight
 * twice, through itself and through the sum. exp, sums and division add 8u a side for any n, since
 * both sides carry the error of their sums along.
 *
 * Where an allowance or a difference is not finite (squares that leave the type), the ratio is ∞.
 */
ATTN_API void attn_gaussian_compare(attn_gaussian_report *report,
                                    const void *w1, /* (m, n) softmax */
                                    const void *w2, /* (m, n): Gaussian */
                                    const void *o1, /* (m, value_dim) */
                                    const void *o2, /* (m, value_dim) */
                                    const void *q, const void *k, const void *v, int32_t m,
                                    int32_t n, int32_t dim, int32_t value_dim, double temperature,
                                    int32_t is_double);

/* ---- Statement 7, the Gibbs principle ---- */

typedef struct {
  double optimum;           /* T·lse(z/T) */
  double entropy;           /* H(p) */
  double expected_score;    /* ⟨p, z⟩ */
  double objective;         /* the candidate's */
  double candidate_entropy; /* H(p') */
  double kl;                /* KL(p'‖p) */
  attn_identity identity;
} attn_gibbs_report;

/*
 * softmax(z/T) maximises ⟨p, z⟩ + T·H(p), with value T·lse(z/T). Any other p' falls short by
 * T·KL(p'‖p) (note, Eq. 1 and "Equivalent KL form"). candidate, p', is divided by its sum; NULL is
 * p itself. ATTN_E_RANGE if it has a negative or no weight, or no finite sum.
 *
 * The identity is optimum − objective(p') = T·KL(p'‖p). Allowed are
 * 16 + 32·log n + 16⟨|t|⟩_p' units of T. The logarithms of weights are known to 4·log n + 2|t|, and
 * each side adds up terms of log n and ⟨|t|⟩.
 */
ATTN_API int32_t attn_gibbs_measure(double *weights,                            /* (n) */
                                    attn_gibbs_report *report, const double *z, /* (n) */
                                    const double *candidate,                    /* (n) or NULL */
                                    int32_t n, double temperature);

/*
 * Fewer keys with the same optimum: the keys of `keep`, in that order, and the rest as one last key
 * with logit T·lse(z_rest/T). It gets the sum of their weights, so three keys can stand for n on a
 * simplex. weights are the softmax of the new logits. kept < n. ATTN_E_RANGE if a key is named
 * twice or not there. scratch (2·n).
 *
 * The identity is T·lse of all = T·lse of the merged, with 16 + 16·log n units of T plus 8 of
 * max|z|.
 */
ATTN_API int32_t attn_gibbs_merge(double *logits,                           /* (kept + 1) */
                                  double *weights,                          /* (kept + 1) */
                                  attn_identity *identity, const double *z, /* (n) */
                                  const int32_t *keep,                      /* (kept) */
                                  int32_t kept, int32_t n, double temperature, double *scratch);

#endif
