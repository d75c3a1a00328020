/*
 * theory.h: the statements behind attention, each computed so that it can be checked.
 *
 * A row of logits z_j = scale·⟨q, k_j⟩ over n keys, a temperature T (λ = 1/T), and p =
 * softmax(z/T), seen from three sides: as inverse variances and as maximum entropy (the paper), as
 * evidence spent against a budget (the post), as the solution of a smoothed maximisation (the note;
 * all three in the README, Sources). The numbers are those of the statements:
 *
 *     1  attention            o = Σ p_j v_j, p = softmax(z/T)  (attn.h)
 *     2  maximum likelihood   o = Σ θ_j v_j / Σ θ, where ∇ log L = 0
 *     3  maximum entropy      p_j = exp(λ_j⟨q, k_j⟩) / Σ exp(λ⟨q, k⟩)
 *     4  KL budget            softmax(βz) = argmax ⟨p, z⟩ over KL(p‖u) ≤ ρ
 *     5  budget of a head     ρ = log n − H = ⟨z⟩/T − lse + log n
 *     6  kernel equivalence   softmax(QKᵀ/(T√d)) = Gaussian rows, σ² = T√d
 *     7  Gibbs principle      T·lse − (⟨p′, z⟩ + T·H(p′)) = T·KL(p′‖p)
 *     8  log-sum-exp          ∇lse = p, ∇²lse = λ(Diag p − ppᵀ) ≤ λ/2
 *     9  limits               T = 0 is the argmax, T = ∞ uniform, exactly
 *    10  independent heads    x + W_O·(o_1 … o_H) = x + Σ W_O,h·o_h  (layers.h)
 *    11  grouped queries      query head h reads kv head ⌊h/(H/G)⌋  (attn.h)
 *    12  shared keys          ‖Δp‖₂ ≤ (λ/2)‖δz − mean‖₂
 *    13  scale                Var⟨q, k⟩ = d, so Var(⟨q, k⟩/√d) = 1
 *    14  latent keys          ⟨q, W·c⟩ = ⟨Wᵀq, c⟩: expanded = absorbed  (layers.h)
 *    15  cost                 m·n·(d + dv) multiply-adds, memory O(n)  (attn.h)
 *
 * Contract, for every function here, beside that of attn.h (the caller's memory, nothing kept, no
 * mutable global):
 *   - everything is double, but for the two types of statement 6; logarithms are natural, entropies
 *   and budgets in nats;
 *   - n, dim, value_dim and other counts are at least 1, temperatures more than 0 and finite,
 *   unless said otherwise; what is
 *     outside is ATTN_E_RANGE, and then nothing has been written. Arrays hold finite numbers: NaN
 *     comes out as NaN;
 *   - logits may be as large as 10⁴ in either direction at any temperature from 10⁻³ to 10³:
 *   everything is computed relative to
 *     the largest;
 *   - outputs overlap no input and no other output;
 *   - an IDENTITY in a report is four numbers: the left side, the right side, the unit of rounding
 *   at the size of what was
 *     added up (2⁻⁵³·size), and the largest |left − right| that rounding allows. Allowances are
 *     bounds to first order in the
 *     unit, derived from these facts: exp and log are within 2 and 4 units, relatively, sums within
 *     that of their terms and one
 *     more, whatever n is; so p_j is within 6 + 2|t_j| + 2·log n units, t_j = (z_j − max z)/T.
 *     Where a side would leave the
 *     doubles, the four are not finite.
 */
#ifndef THEORY_H
#define THEORY_H

#include "attn.h"

/*
 * ---- Statement 2, maximum likelihood
 * ------------------------------------------------------------------------------
 */

/*
 * One query. Each coordinate of value j is normal around the sought one with precision θ_j β, θ_j =
 * exp(α⟨q, k_j⟩) (paper, Eq. 2 and 3). The likelihood is greatest at the attention output (Eq. 9 to
 * 11), and 1/variance of that estimate is Σ θ_j β, the negative second derivative: the log-sum-exp
 * that attention keeps is a log-precision.
 *
 *   weights         θ_j / Σθ (Eq. 10)
 *   log_precisions  log θ_j β (Eq. 12), and precisions, 0 or ∞ where they leave the doubles
 *   estimate        Σ θ_j v_j / Σθ (Eq. 9)
 *   gradient of the log-likelihood at `at`, −β Σ θ_j (at − v_j) (Eq. 7); ±∞ where it leaves the
 *   doubles
 *   step gradient·variance = Σ p_j (v_j − at), which leads from any `at` to the estimate: the
 *   likelihood is quadratic
 *   report log Σ θ_j β; the variance of the estimate; the second derivative; the log-likelihood at
 *   `at` (−∞ where it
 *                   leaves the doubles); then the IDENTITY Σ p_j‖at − v_j‖² = Σ p_j‖o − v_j‖² + ‖at
 *                   − o‖², which is the
 *                   log-likelihood in units of −½Σθβ
 * at is NULL for the estimate itself. ATTN_E_RANGE unless α > 0 and β > 0, both finite. Allowed: 8
 * units of both sides (five roundings a term, Σp = 1 within 2) and of Σ_c |at_c − o_c|·Σ_j
 * p_j|v_jc|, since Σ p_j (v_j − o) is 0 only within 4 of these.
 */
ATTN_API int32_t attn_likelihood(double *weights,        /* (n) */
                                 double *log_precisions, /* (n) */
                                 double *precisions,     /* (n) */
                                 double *estimate,       /* (value_dim) */
                                 double *gradient,       /* (value_dim) */
                                 double *step,           /* (value_dim) */
                                 double *report,         /* (8) */
                                 const double *q,        /* (dim) */
                                 const double *k,        /* (n, dim) */
                                 const double *v,        /* (n, value_dim) */
                                 const double *at,       /* (value_dim) or NULL */
                                 int32_t n, int32_t dim, int32_t value_dim, double alpha,
                                 double beta);

/*
 * ---- Statement 3, maximum entropy
 * ---------------------------------------------------------------------------------
 */

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

/*
 * Of all distributions whose expected feature is the target, the one of greatest entropy. It is
 * softmax(λ·features): λ minimises the dual lse(λf) − λ·target, found by Newton's method,
 * safeguarded by a bracket. λ is −∞ or ∞ for the least and the largest feature, 0 for equal ones;
 * ATTN_E_RANGE for a target outside. report: λ, the entropy, the iterations; then the IDENTITY ⟨f⟩
 * = target, with 64 + 32·log n units of max|f|: Newton's method ends within 32 units of the odds
 * (⟨f⟩ − min)/(max − ⟨f⟩), and the weights add 12 + 8·log n.
 */
ATTN_API int32_t attn_maxent_solve(double *weights,        /* (n) */
                                   double *report,         /* (7) */
                                   const double *features, /* (n) */
                                   int32_t n, double target);

/*
 * ---- Statements 4 and 5, the KL budget
 * ----------------------------------------------------------------------------
 */

/*
 * The largest expected score within a budget: max ⟨p, z⟩ over p with KL(p‖u) ≤ ρ (post, "Softmax as
 * hypothesis testing"). The maximiser is softmax(βz); β grows with ρ, dρ/dβ = β·Var_p(z), and 1/β
 * is what one more nat of budget would gain. With m of n scores largest, all budgets from log(n/m)
 * on give them 1/m each and β = ∞; ρ = 0 gives β = 0 and the uniform weights. Newton's method on √ρ
 * or on log(ρ_max − ρ), which are nearly straight at the two ends, between bounds that are known
 * beforehand. report: β, ρ_max = log(n/m), KL(p‖u), ⟨p, z⟩, Var_p(z), the iterations; then the
 * IDENTITY ⟨p, z⟩ − ρ/β = (lse(βz) − log n)/β, the value of the penalised form, both sides relative
 * to the largest score (0 = 0 where β is 0, and 0 = 0 where it is ∞). Allowed: 32 + 32·log n units
 * of (1 + log n)/β. ATTN_E_RANGE where max z − min z is no finite number, or β below the normal
 * ones.
 */
ATTN_API int32_t attn_budget_solve(double *weights, /* (n) */
                                   double *report,  /* (10) */
                                   const double *z, /* (n) */
                                   int32_t n, double budget);

/*
 * The frontier: for `points` budgets evenly from 0 to ρ_max, the β and the ⟨z⟩ reached. It is
 * concave with slope 1/β. ATTN_E_RANGE where max z − min z is no finite number. scratch (n).
 */
ATTN_API int32_t attn_budget_frontier(double *budgets,  /* (points) */
                                      double *betas,    /* (points) */
                                      double *expected, /* (points) */
                                      const double *z,  /* (n) */
                                      int32_t n, int32_t points, double *scratch);

/*
 * What a head spends: ρ = KL(p‖u), p = softmax(z/T), accurate also where it is near 0 (post,
 * "Interpretation", whose last equation is left blank: these are its two forms). report: ρ, H(p),
 * exp H (effective keys), ⟨z⟩, lse(z/T); then the IDENTITY log n − H = ⟨z⟩/T − lse + log n, with 8
 * + 24·log n + 8·log²n + 2⟨t²⟩ + 8·max|z|/T units of 1: what the errors of the weights do to −Σ p
 * log p, and what is left when ⟨z⟩/T and lse, each as large as max|z|/T, cancel. weights are p.
 */
ATTN_API int32_t attn_budget_spent(double *weights, /* (n) */
                                   double *report,  /* (9) */
                                   const double *z, /* (n) */
                                   int32_t n, double temperature);

/*
 * ---- Statement 6, kernel equivalence: exp(−‖q − k‖²/2σ²), σ² = T√dim
 * -----------------------------------------------
 */

/*
 * Row-normalised Gaussian weights from the distances themselves (never from ‖q‖² + ‖k‖² − 2⟨q, k⟩),
 * and the smoothed values, the Nadaraya–Watson estimate (note, "Geometric fact"). With keys of one
 * norm, whichever it is, they are the softmax weights; restore_key_norm multiplies by
 * exp(‖k_j‖²/2σ²), which makes them so for keys of any norms. Shares no code with attention, not
 * even exp, but for adding up many terms. v and out may be NULL, m and n 0. In float32 distances
 * are float32; exponents, exp and the sums over keys double.
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

/*
 * How far the two sides of statement 6 are apart, against what rounding allows (u = 2⁻²⁴ or 2⁻⁵³,
 * the unit of the type):
 *   weights |ΔW_ij| ≤ u·(16 + 8B_i)·W_ij B_i = (‖q_i‖ + max_j ‖k_j‖)² / 4T, which is 1/T for unit
 *   rows
 *   output   |ΔO_ic| ≤ u·(16 + 8B_i)·Σ_j W_ij |v_jc|
 * with W the larger of the two, whose logarithms differ by so many units, plus the smallest normal
 * number, since weights below it have no relative accuracy. Rounding moves a dot product by about
 * u·√d·‖q‖‖k‖ and a squared distance by u·√d·‖q − k‖²: that is the size of d errors of either sign,
 * not the worst case, which is d. So it moves the two exponents by up to u·B and u·2B, or u·3B with
 * the key norm restored; an exponent's error enters a weight twice, through itself and through the
 * sum. exp, sums and division: 8u a side, whatever n is, since both sides carry the error of their
 * sums along. Where an allowance or a difference is no finite number (squares that leave the type),
 * the ratio is ∞. report: max|ΔW|, ‖ΔW‖_F, the largest and the Frobenius norm of what is allowed,
 * the largest |ΔW|/allowed; then the same five for the output.
 */
ATTN_API void attn_gaussian_compare(double *report, /* (10) */
                                    const void *w1, /* (m, n): softmax */
                                    const void *w2, /* (m, n): Gaussian */
                                    const void *o1, /* (m, value_dim) */
                                    const void *o2, /* (m, value_dim) */
                                    const void *q, const void *k, const void *v, int32_t m,
                                    int32_t n, int32_t dim, int32_t value_dim, double temperature,
                                    int32_t is_double);

/*
 * ---- Statement 7, the Gibbs principle
 * ------------------------------------------------------------------------------
 */

/*
 * softmax(z/T) maximises ⟨p, z⟩ + T·H(p), with value T·lse(z/T), and any other p' falls short by
 * T·KL(p'‖p) (note, Eq. 1 and "Equivalent KL form"). candidate, p', is divided by its sum; NULL: p
 * itself. ATTN_E_RANGE if it has a negative or no weight, or no finite sum. report: the optimum,
 * H(p), ⟨p, z⟩, the candidate's objective, H(p'), KL(p'‖p); then the IDENTITY optimum −
 * objective(p') = T·KL(p'‖p), with 16 + 32·log n + 16⟨|t|⟩_p' units of T: the logarithms of weights
 * are known to 4·log n + 2|t|, and each side adds up terms of log n and ⟨|t|⟩.
 */
ATTN_API int32_t attn_gibbs_measure(double *weights,         /* (n) */
                                    double *report,          /* (10) */
                                    const double *z,         /* (n) */
                                    const double *candidate, /* (n) or NULL */
                                    int32_t n, double temperature);

/*
 * Fewer keys with the same optimum: the keys of `keep`, in that order, and the rest as one last key
 * with logit T·lse(z_rest/T), which gets the sum of their weights; so three keys can stand for n on
 * a simplex. weights are the softmax of the new logits. kept < n; ATTN_E_RANGE if a key is named
 * twice or not there. scratch (2·n). report: the IDENTITY T·lse of all = T·lse of the merged, with
 * 16 + 16·log n units of T plus 8 of max|z|.
 */
ATTN_API int32_t attn_gibbs_merge(double *logits,      /* (kept + 1) */
                                  double *weights,     /* (kept + 1) */
                                  double *report,      /* (4) */
                                  const double *z,     /* (n) */
                                  const int32_t *keep, /* (kept) */
                                  int32_t kept, int32_t n, double temperature, double *scratch);

/*
 * ---- Statement 8, log-sum-exp and its derivatives
 * --------------------------------------------------------------------
 */

/*
 * lse_λ(z) = (1/λ)·log Σ exp(λz_j), λ = 1/T, and its gradient softmax(λz) (note, "Convex-analysis
 * differential facts"). With a change h of the logits (NULL: none), how far lse rises above its
 * tangent. report: lse_λ(z), lse_λ(z + h); then the IDENTITY lse_λ(z + h) − lse_λ(z) − ⟨p, h⟩ =
 * T·KL(p‖softmax(λ(z + h))), which holds only if p is the gradient; with 16 + 32·log n units of T +
 * max|h|, plus 16 of max|z|. scratch (2·n).
 */
ATTN_API int32_t attn_lse_measure(double *gradient, /* (n) */
                                  double *report,   /* (6) */
                                  const double *z,  /* (n) */
                                  const double *h,  /* (n) or NULL */
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
 * All eigenvalues of λ(Diag p − ppᵀ), largest first. They lie between the weights, μ_i ≤ λp_(i) and
 * μ_i ≥ λp_(i+1), and are the roots of the secular equation Σ_j p_j/(p_j − μ) = 0 (0 is the last of
 * them; equal weights are eigenvalues themselves). Each is found by rational interpolation in its
 * interval, within 4 units, relatively (2 have been seen), of the exact root for the given weights,
 * p_j being divided by their sum; distant weights enter through their moments, so that all n take
 * O(n log n) steps. ATTN_E_RANGE if a weight is negative. scratch: attn_spectrum_scratch_doubles(n)
 * doubles. report: the IDENTITY Σμ = λ(1 − Σp²), with 64 units of λ.
 */
ATTN_API int32_t attn_jacobian_spectrum(double *eigenvalues, /* (n) */
                                        double *report,      /* (4) */
                                        const double *p,     /* (n) */
                                        int32_t n, double temperature, double *scratch);
ATTN_API size_t attn_spectrum_scratch_doubles(int32_t n);

/*
 * The largest alone, in O(n): at most λ/2, which two keys of weight ½ reach, and between λp_(2) and
 * λp_(1). 0 if n = 1.
 */
ATTN_API double attn_jacobian_top(const double *p, /* (n) */
                                  int32_t n, double temperature);

/*
 * How strongly softmax(λz) moves between pairs of logits (a_i, b_i): ratio ‖Δp‖₂/‖Δz‖₂, at most λ/2
 * (the note says λ, which is twice what is needed), and cocoercivity ⟨Δz, Δp⟩/‖Δp‖₂², at least 2/λ
 * (the note: 1/λ). Small Δp are computed as such, not as differences. Where Δz is 0, the ratio is
 * 0; where Δp is 0, the cocoercivity ∞. Differences are finite numbers as well. report: the largest
 * ratio, the bounds λ/2 and λ on it and what rounding may add, 2⁻⁵³·(32 + 32·log n)·λ; the least
 * cocoercivity, the bounds 2/λ and 1/λ on it, and the least of cocoercivity − 2/λ after rounding
 * has been allowed for, which is 2⁻⁵³·(64 + 64·log n)·T·(λ/ratio)², since ‖Δp‖ is known to as many
 * units of λ‖Δz‖. scratch (4·n).
 */
ATTN_API int32_t attn_lipschitz_measure(double *ratios,       /* (pairs) */
                                        double *cocoercivity, /* (pairs) */
                                        double *report,       /* (8) */
                                        const double *a,      /* (pairs, n) */
                                        const double *b,      /* (pairs, n) */
                                        int32_t pairs, int32_t n, double temperature,
                                        double *scratch);

/*
 * ---- Statement 9, limits
 * ---------------------------------------------------------------------------------------------
 */

/*
 * The limits of softmax(z/T), exactly: hard (T → 0, the m largest share) and uniform (T → ∞), and
 * how far T is from them (note, "Two useful limits"), with g the gap from the largest score to the
 * next (∞ if there is none) and w = max z − min z. report: m, g, w; ‖p − hard‖₁ and its bound
 * 2·(n/m − 1)·exp(−g/T); KL(p‖u) and its bound (w/T)²/8 (the variance of scores is at most w²/4);
 * T·lse(z/T) − max z, which lies between T·log m and T·log n.
 */
ATTN_API int32_t attn_limits_measure(double *hard,    /* (n) */
                                     double *uniform, /* (n) */
                                     double *weights, /* (n): softmax(z/T) */
                                     double *report,  /* (8) */
                                     const double *z, /* (n) */
                                     int32_t n, double temperature);

/*
 * ---- Statement 12, shared keys
 * ----------------------------------------------------------------------------------------
 */

enum { ATTN_SHARING_COLUMNS = 11, ATTN_SHARING_BOUNDS = 8 };

/*
 * What happens to the weights p and the output o of each query when the head's own keys K (and
 * perhaps values) are replaced by shared ones, as grouped-query attention does (note, section 5).
 * δz = (K' − K)q/√d, λ = 1/T. Each query's columns are
 *   0  ‖Δp‖₂    1  ‖Δp‖₁    2  ‖Δo‖₂                 measured
 *   3  (λ/2)‖δz − mean‖₂                              bounds on ‖Δp‖₂: the sharp one,
 *   4  λ‖δz‖₂                                         the note's,
 *   5  λ‖ΔK‖_op‖q‖₂/√d                                and the note's that needs no query by query
 *   6  (λ/2)(max δz − min δz)                         bound on ‖Δp‖₁
 *   7 column 6·½·diam V + max‖Δv‖ bounds on ‖Δo‖₂: the one known before anything is attended,
 *   8  ½‖Δp‖₁·diam V + max‖Δv‖                        the sharp one from the measured weights,
 *   9  ‖Δp‖₁·max‖v‖ + max‖Δv‖   10  √n‖Δp‖₂·max‖v‖ + max‖Δv‖   the note's
 * with V the head's own values, diam V = max‖v_i − v_j‖, ΔV = V' − V (0 where shared_v is NULL). A
 * constant added to δz changes nothing, hence the mean; softmax is λ/2-Lipschitz; Δp sums to 0,
 * hence the diameter. A bound is vacuous where it says no more than ‖Δp‖₂ ≤ √2, ‖Δp‖₁ ≤ 2, ‖Δo‖₂ ≤
 * diam V + max‖Δv‖. bounds (8, 4): for each of the columns 3 to 10 the cap it competes with, in how
 * many queries it is vacuous, in how many it is violated (by more than 2⁻⁵³·(64 + 64·log n) of
 * itself and of the cap, which rounding may do), and the least bound/measured (∞ if nothing moved).
 * report: ‖ΔK‖_op from above and from below, diam V, max‖v‖, max‖Δv‖. diam V takes n²·value_dim/2
 * steps, ‖ΔK‖_op about ten times min(n, dim)³, each query n·(dim + value_dim). scratch:
 * attn_sharing_scratch_doubles(…) doubles.
 */
ATTN_API int32_t attn_sharing_measure(double *columns,        /* (m, 11) */
                                      double *bounds,         /* (8, 4) */
                                      double *report,         /* (5) */
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
 * again and again; with k = 2^s and μ the largest eigenvalue of G, tr G^2k / tr G^k ≤ μ^k ≤
 * ‖G^k‖_F, and the two meet as the others die out, at the latest when k outgrows log(dim)·2⁵³.
 * Rounding adds 4·size units to either side, size the smaller of rows and columns. ends: upper,
 * lower. scratch: 2·size² doubles.
 */
ATTN_API int32_t attn_operator_norm(double *ends,    /* (2) */
                                    const double *a, /* (rows, columns) */
                                    int32_t rows, int32_t columns, double *scratch);

/*
 * ---- Statement 13, why 1/√d
 * --------------------------------------------------------------------------------------------
 */

/*
 * Standard normal numbers, the same bits everywhere: xoshiro256++ seeded by splitmix64, Marsaglia's
 * polar method.
 */
ATTN_API void attn_random_normal(double *x, /* (count) */
                                 int32_t count, uint32_t seed);

/*
 * Draws `rows` queries and for each its own `keys` keys, all entries independent, of mean 0 and
 * variance 1 (note, "Why the 1/√d scale?"). report: the variance Σ⟨q, k⟩²/(rows·keys), expected d;
 * its standard error √((2d + 2(d² + 2d)/keys)/rows), of which the first part is the spread of ‖q‖²;
 * the variance of ⟨q, k⟩/√d, expected 1; then for ⟨q, k⟩ and for ⟨q, k⟩/√d as logits, averaged over
 * the rows: the share ρ/log(keys) of the largest budget that softmax spends (0 if keys is 1), and
 * the trace 1 − Σp² of its Jacobian, which is what is left of gradients. scratch (2·dim + 2·keys).
 */
ATTN_API int32_t attn_scale_experiment(double *report, /* (7) */
                                       int32_t dim, int32_t rows, int32_t keys, uint32_t seed,
                                       double *scratch);

#endif
