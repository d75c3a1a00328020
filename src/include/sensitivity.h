/*
 * sensitivity.h: how the weights and outputs of theory.h react to a change.
 *
 * The logits change in statement 8, and the temperature in 9. The keys change in statement 12, and
 * the dimension in 13. The contract and the words of theory.h hold here.
 */
#ifndef SENSITIVITY_H
#define SENSITIVITY_H

#include "theory.h"

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
