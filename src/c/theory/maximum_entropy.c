/*
 * Statement 3, maximum entropy: one multiplier per key, or one for all of them that meets a target.
 */
#include "newton.h"

int32_t attn_maxent_weigh(double *weights, double *features, const double *q, const double *k,
                          const double *multipliers, int32_t n, int32_t dim)
{
  if (n < 1 || dim < 1)
    return ATTN_E_RANGE;
  for (int32_t j = 0; j < n; j++) {
    features[j] = expectation(q, k + (size_t)j * (size_t)dim, dim);
    weights[j] = multipliers ? multipliers[j] * features[j] : features[j];
  }
  distribute(weights, weights, n, 1);
  return ATTN_OK;
}

typedef struct {
  const double *features;
  int32_t n;
  double min;
  double max;
  double width;
  double odds; /* logarithm of (target − min)/(max − target) */
} dual;

/*
 * At λ = x/width. The odds of ⟨f⟩ between the two ends rise with x, along a straight line where two
 * features matter. ⟨f⟩ itself is flat at both ends, so the odds are followed. Mean and
 * variance are measured from the nearer end.
 */
static residual dual_slope(const void *context, double x)
{
  const dual *d = context;
  exact_sum sum = {0, 0};
  exact_sum above = {0, 0};
  exact_sum below = {0, 0};
  exact_sum square_above = {0, 0};
  exact_sum square_below = {0, 0};
  for (int32_t j = 0; j < d->n; j++) {
    double up = (d->features[j] - d->min) / d->width;
    double down = (d->max - d->features[j]) / d->width;
    double e = f64_exp(x > 0 ? -x * down : x * up);
    sum_add(&sum, e);
    sum_add(&above, e * up);
    sum_add(&below, e * down);
    sum_add(&square_above, e * up * up);
    sum_add(&square_below, e * down * down);
  }
  double total = sum_of(sum);
  double up = sum_of(above) / total;
  double down = sum_of(below) / total;
  double variance = up < down ? sum_of(square_above) / total - up * up
                              : sum_of(square_below) / total - down * down;
  double odds = f64_log(up) - f64_log(down);
  return (residual){odds - d->odds, variance / (up * down), 32 * ROUNDING};
}

int32_t attn_maxent_solve(double *weights, attn_maxent_report *report, const double *features,
                          int32_t n, double target)
{
  if (n < 1 || !is_finite(target))
    return ATTN_E_RANGE;
  dual d = {.features = features, .n = n, .min = features[0], .max = largest(features, n)};
  for (int32_t j = 1; j < n; j++)
    d.min = features[j] < d.min ? features[j] : d.min;
  d.width = d.max - d.min;
  double size = greater(magnitude(d.min), magnitude(d.max));
  double slack = 4 * ROUNDING * size;
  double lambda = 0;
  if (!(target >= d.min - slack && target <= d.max + slack))
    return ATTN_E_RANGE;
  int32_t iterations = 0;
  if (d.width > 0) {
    if (target >= d.max || target <= d.min) {
      lambda = target >= d.max ? __builtin_inf() : -__builtin_inf();
    } else {
      d.odds = f64_log((target - d.min) / (d.max - target));
      lambda = root_of(dual_slope, &d, 0, -__builtin_inf(), __builtin_inf(), &iterations) / d.width;
    }
  }
  for (int32_t j = 0; j < n; j++) {
    double f = features[j];
    weights[j] = is_finite(lambda) ? lambda * (f - (lambda > 0 ? d.max : d.min))
                                   : (f == (lambda > 0 ? d.max : d.min) ? 0 : -__builtin_inf());
  }
  distribute(weights, weights, n, 1);
  report->multiplier = lambda;
  report->entropy = entropy_of(weights, n);
  report->iterations = iterations;
  report->identity =
      identity_of(expectation(weights, features, n), target, ROUNDING * size, 64 + 32 * f64_log(n));
  return ATTN_OK;
}
