/*
 * theory.h: the statements behind attention, each computed so that it can be checked.
 *
 * A row of logits z_j = scale·⟨q, k_j⟩ over n keys has a temperature T (λ = 1/T) and weights
 * p = softmax(z/T). Three texts see them from three sides (README, Sources). The paper has inverse
 * variances and maximum entropy. The post has evidence spent against a budget. The note has the
 * solution of a smoothed maximisation. The statements are numbered as src/cli/statement-list.js
 * lists them with their formulas. Those of the engine itself stand in attn.h (1, 11 and 15),
 * layers.h (10 and 14) and train.h (16). consequences.h has those that follow from the others, from
 * 17 on. All others stand here.
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
 * within 4. A sum is within the errors of its terms and one more, whatever n is. So p_j
 * is within 6 + 2|t_j| + 2·log n units, t_j = (z_j − max z)/T.
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

/* ---- Statement 8, log-sum-exp and its derivatives ---- */

typedef struct {
  double value;   /* lse_λ(z) */
  double changed; /* lse_λ(z + h) */
  attn_identity identity;
} attn_lse_report;

/*
 * lse_λ(z) = (1/λ)·log Σ exp(λz_j), λ = 1/T, and its gradient softmax(λz) (note, "Convex-analysis
 * differential facts"). With a change h of the logits (NULL: none), the rise of lse above its
 * tangent. scratch (2·n).
 *
 * The identity is lse_λ(z + h) − lse_λ(z) − ⟨p, h⟩ = T·KL(p‖softmax(λ(z + h))). It holds only if
 * p is the gradient. Allowed are 16 + 32·log n units of T + max|h|, plus 16 of max|z|.
 */
ATTN_API int32_t attn_lse_measure(double *gradient,                         /* (n) */
                                  attn_lse_report *report, const double *z, /* (n) */
                                  const double *h,                          /* (n) or NULL */
                                  int32_t n, double temperature, double *scratch);

/*
 * λ(Diag p − ppᵀ)·x = λ·p_j(x_j − ⟨p, x⟩): the Hessian of lse_λ, and the Jacobian of softmax(λz),
 * times a vector.
 */
ATTN_API int32_t attn_jacobian_apply(double *out,     /* (n) */
                                     const double *p, /* (n) */
                                     const double *x, /* (n) */
                                     int32_t n, double temperature);

/*
 * All eigenvalues of λ(Diag p − ppᵀ), largest first. They lie between the weights: μ_i ≤ λp_(i) and
 * μ_i ≥ λp_(i+1). They are the roots of the secular equation Σ_j p_j/(p_j − μ) = 0; 0 is the last.
 * Equal weights are eigenvalues themselves.
 *
 * Each is found by rational interpolation in its interval, within 4 units of the exact root for
 * p_j divided by their sum. Distant weights enter through their moments, so that all n take
 * O(n log n) steps. ATTN_E_RANGE if a weight is negative. scratch:
 * attn_spectrum_scratch_doubles(n) doubles. The identity is Σμ = λ(1 − Σp²), with 64 units of λ.
 */
ATTN_API int32_t attn_jacobian_spectrum(double *eigenvalues,                      /* (n) */
                                        attn_identity *identity, const double *p, /* (n) */
                                        int32_t n, double temperature, double *scratch);
ATTN_API size_t attn_spectrum_scratch_doubles(int32_t n);

/*
 * The largest eigenvalue, in O(n): at most λ/2, which two keys of weight ½ reach, and between
 * λp_(2) and λp_(1). 0 if n = 1.
 */
ATTN_API double attn_jacobian_top(const double *p, /* (n) */
                                  int32_t n, double temperature);

typedef struct {
  double max_ratio;
  double sharp_ratio;   /* λ/2 */
  double note_ratio;    /* λ, the note's bound, twice the sharp one */
  double allowed_ratio; /* that rounding may add: 2⁻⁵³·(32 + 32·log n)·λ */
  double min_cocoercivity;
  double sharp_cocoercivity; /* 2/λ */
  double note_cocoercivity;  /* 1/λ, the note's */
  double margin;             /* the smallest cocoercivity − 2/λ, rounding allowed for */
} attn_lipschitz_report;

/*
 * How strongly softmax(λz) moves between pairs of logits (a_i, b_i). The ratio ‖Δp‖₂/‖Δz‖₂ is at
 * most λ/2. The cocoercivity ⟨Δz, Δp⟩/‖Δp‖₂² is at least 2/λ. Small Δp are computed as such, not as
 * differences. Where Δz is 0, the ratio is 0; where Δp is 0, the cocoercivity is ∞. Differences are
 * finite numbers as well. scratch (4·n).
 *
 * The margin allows for 2⁻⁵³·(64 + 64·log n)·T·(λ/ratio)², because ‖Δp‖ is known to 32 + 32·log n
 * units of λ‖Δz‖.
 */
ATTN_API int32_t attn_lipschitz_measure(double *ratios,       /* (pairs) */
                                        double *cocoercivity, /* (pairs) */
                                        attn_lipschitz_report *report,
                                        const double *a, /* (pairs, n) */
                                        const double *b, /* (pairs, n) */
                                        int32_t pairs, int32_t n, double temperature,
                                        double *scratch);

/* ---- Statement 9, limits ---- */

typedef struct {
  double ties;           /* m, the number of scores that are largest */
  double gap;            /* g, from the largest score to the next; ∞ if there is none */
  double width;          /* w = max z − min z */
  double distance;       /* ‖p − hard‖₁ */
  double distance_bound; /* 2·(n/m − 1)·exp(−g/T) */
  double kl;             /* KL(p‖u) */
  double kl_bound;       /* (w/T)²/8, since the variance of scores is at most w²/4 */
  double excess;         /* T·lse(z/T) − max z, between T·log m and T·log n */
} attn_limits_report;

/*
 * The limits of softmax(z/T), exactly, and how far T is from them (note, "Two useful limits"). For
 * T → 0 it is hard: the m largest share. For T → ∞ it is uniform.
 */
ATTN_API int32_t attn_limits_measure(double *hard,    /* (n) */
                                     double *uniform, /* (n) */
                                     double *weights, /* (n): softmax(z/T) */
                                     attn_limits_report *report, const double *z, /* (n) */
                                     int32_t n, double temperature);

/* ---- Statement 12, shared keys ---- */

/* A norm between two bounds. */
typedef struct {
  double upper;
  double lower;
} attn_norm;

/*
 * One query, with δz = (K' − K)q/√d and λ = 1/T. V are the head's own values, diam V is
 * max‖v_i − v_j‖, and ΔV = V' − V (0 where shared_v is NULL). A constant added to δz changes
 * nothing, hence the mean. softmax is λ/2-Lipschitz. Δp sums to 0, hence the diameter.
 */
typedef struct {
  double weights2;
  double weights1;
  double output; /* measured: ‖Δp‖₂, ‖Δp‖₁, ‖Δo‖₂ */
  /* bounds on ‖Δp‖₂ */
  double sharp;    /* (λ/2)‖δz − mean‖₂ */
  double note;     /* λ‖δz‖₂, the note's */
  double operator; /* λ‖ΔK‖_op‖q‖₂/√d, the note's from norms alone */
  /* bound on ‖Δp‖₁ */
  double range; /* (λ/2)(max δz − min δz) */
  /* bounds on ‖Δo‖₂, each with max‖Δv‖ added */
  double output_range;    /* ½·range·diam V, known before anything is attended */
  double output_diameter; /* ½‖Δp‖₁·diam V, the sharp one from the measured weights */
  double output_note1;    /* ‖Δp‖₁·max‖v‖, the note's */
  double output_note2;    /* √n‖Δp‖₂·max‖v‖, the note's */
} attn_sharing_columns;

/* How a bound did over all queries. */
typedef struct {
  double cap;      /* that holds without it: √2, 2, or diam V + max‖Δv‖ */
  double vacuous;  /* queries where it says no more than the cap */
  double violated; /* queries where it is exceeded by more than rounding may do */
  double slack;    /* the smallest bound/measured, ∞ if nothing moved */
} attn_bound;

/* The bounds of attn_sharing_columns. */
typedef struct {
  attn_bound sharp;
  attn_bound note;
  attn_bound operator;
  attn_bound range;
  attn_bound output_range;
  attn_bound output_diameter;
  attn_bound output_note1;
  attn_bound output_note2;
} attn_sharing_bounds;

typedef struct {
  attn_norm operator_norm; /* ‖ΔK‖_op */
  double diameter;         /* diam V */
  double longest;          /* max‖v‖ */
  double shift;            /* max‖Δv‖ */
} attn_sharing_report;

/*
 * Grouped-query attention replaces the head's own keys K (and perhaps values) by shared ones. This
 * tells how the weights p and the output o of each query move (note, section 5). A bound is
 * violated when it is exceeded by more than 2⁻⁵³·(64 + 64·log n) of itself and of the cap.
 *
 * diam V takes n²·value_dim/2 steps, ‖ΔK‖_op about ten times min(n, dim)³, each query
 * n·(dim + value_dim). scratch: attn_sharing_scratch_doubles(…) doubles.
 */
ATTN_API int32_t attn_sharing_measure(attn_sharing_columns *columns, /* (m) */
                                      attn_sharing_bounds *bounds, attn_sharing_report *report,
                                      const double *q,        /* (m, dim) */
                                      const double *k,        /* (n, dim): the head's own */
                                      const double *shared_k, /* (n, dim) */
                                      const double *v,        /* (n, value_dim) */
                                      const double *shared_v, /* (n, value_dim) or NULL */
                                      int32_t m, int32_t n, int32_t dim, int32_t value_dim,
                                      double temperature, double *scratch);
ATTN_API size_t attn_sharing_scratch_doubles(int32_t n, int32_t dim, int32_t value_dim);

/*
 * ‖A‖_op, the largest singular value, between two bounds. G = AᵀA (or AAᵀ, the smaller) is squared
 * again and again. With k = 2^s and μ its largest eigenvalue, tr G^2k / tr G^k ≤ μ^k ≤ ‖G^k‖_F. The
 * two meet as the others die out, at the latest when k outgrows log(dim)·2⁵³. Rounding adds 4·size
 * units to either side, size the smaller of rows and columns. scratch: 2·size² doubles.
 */
ATTN_API int32_t attn_operator_norm(attn_norm *norm, const double *a, /* (rows, columns) */
                                    int32_t rows, int32_t columns, double *scratch);

/* ---- Statement 13, why 1/√d ---- */

/*
 * Standard normal numbers, the same bits everywhere: xoshiro256++ seeded by splitmix64, Marsaglia's
 * polar method.
 */
ATTN_API void attn_random_normal(double *x, /* (count) */
                                 int32_t count, uint32_t seed);

/* Averages over rows of logits. */
typedef struct {
  double budget;   /* ρ/log(keys), the share of the largest budget that softmax spends */
  double gradient; /* 1 − Σp², the trace of its Jacobian; small where gradients vanish */
} attn_spent_share;

typedef struct {
  double variance; /* Σ⟨q, k⟩²/(rows·keys), expected d */
  double standard_error; /* √((2d + 2(d² + 2d)/keys)/rows); the first part is the spread of ‖q‖² */
  double scaled_variance; /* of ⟨q, k⟩/√d, expected 1 */
  attn_spent_share unscaled;
  attn_spent_share scaled; /* ⟨q, k⟩ and ⟨q, k⟩/√d as logits */
} attn_scale_report;

/*
 * Draws `rows` queries and for each its own `keys` keys, all entries independent, of mean 0 and
 * variance 1 (note, "Why the 1/√d scale?"). The budget is 0 if keys is 1. scratch (2·dim + 2·keys).
 */
ATTN_API int32_t attn_scale_experiment(attn_scale_report *report, int32_t dim, int32_t rows,
                                       int32_t keys, uint32_t seed, double *scratch);

#endif
