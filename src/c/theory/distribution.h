/*
 * One row as a probability distribution, p = softmax(z/T) in double. It shares exp, log and the
 * sums with attention and nothing else. A number on which the two agree has been computed twice.
 */
#ifndef DISTRIBUTION_H
#define DISTRIBUTION_H

#include "base/sums.h"
#include "theory.h"
#include "base/math.h"

/* The unit of rounding in double: one operation is within this, relatively. */
#define ROUNDING 0x1p-53

typedef struct {
  double max;     /* of z */
  double sum;     /* Σ e_j with e_j = exp((z_j − max)/T), between 1 and n */
  double log_sum; /* its logarithm, between 0 and log n */
  double mean;    /* ⟨(z − max)/T⟩, at most 0 */
  double square;  /* ⟨((z − max)/T)²⟩ */
} distribution;

INLINE int is_finite(double x) { return x - x == 0; }

INLINE double magnitude(double x) { return x < 0 ? -x : x; }

INLINE double greater(double a, double b) { return a > b ? a : b; }

/* A temperature that divides: more than 0, finite, and so is its inverse. */
INLINE int is_temperature(double temperature)
{
  return temperature >= 0x1p-1022 && is_finite(temperature);
}

double largest(const double *z, int32_t n);

/*
 * Writes softmax(z/T) to p, which may be z. Each p_j is within ROUNDING·(6 + 2|t_j| + 2·log n) of
 * its true value, relatively, t_j = (z_j − max)/T. The errors are two roundings in t_j, one ULP of
 * exp and the division. The sum has the same, weighted (⟨|t|⟩ ≤ log n).
 */
distribution distribute(double *p, const double *z, int32_t n, double temperature);

/*
 * The sum of the weights of a candidate (n), by which they are divided; 1 without a candidate. It
 * is 0 for one that is no distribution: a weight is negative, or the sum is 0 or not finite.
 */
double candidate_sum(const double *candidate, int32_t n);

/* log p_j, also where p_j itself is too small for a double. */
double log_weight(const distribution *d, double z, double temperature);

/* T·lse(z/T) */
double soft_maximum(const distribution *d, double temperature);

/* Σ p_j x_j */
double expectation(const double *p, const double *x, int32_t n);

/* −Σ p_j log p_j */
double entropy_of(const double *p, int32_t n);

/* e^x − 1 − x ≥ 0, without cancellation near 0 */
double exp_remainder(double x);

/*
 * KL(p'‖p) for one key as p'·log(p'/p) − p' + p, which is never negative and sums to the same. log
 * p is passed, because p may be too small for a double where its logarithm is not.
 */
double divergence(double candidate, double p, double log_p);

/*
 * Δp = softmax((z + dz)/T) − p for p = softmax(z/T). A small change is computed as p·(exp(dz/T − c)
 * − 1) with c = log Σ p·exp(dz/T), so that it is as accurate as a large one: within (16 + 16·log
 * n)·ROUNDING·‖dz‖/T, beside the rounding of z + dz where that is large.
 */
void softmax_change(double *dp, const double *p, const double *z, const double *dz, int32_t n,
                    double temperature);

/* The two sides of an identity. They may differ by `units` times `unit`, or the largest double. */
attn_identity identity_of(double left, double right, double unit, double units);

#endif
