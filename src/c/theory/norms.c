/* Statement 18: softmax moves by at most λ/2 of its logits, in every norm. */
#include "consequences.h"
#include "distribution.h"

/* (Σ|x_j|^r)^(1/r), in units of the largest |x_j|, so that no power leaves the doubles. */
static double norm_of(const double *x, int32_t n, double exponent)
{
  double max = 0;
  for (int32_t j = 0; j < n; j++)
    max = greater(max, magnitude(x[j]));
  if (max == 0 || !is_finite(exponent))
    return max;
  exact_sum sum = {0, 0};
  for (int32_t j = 0; j < n; j++) {
    double y = magnitude(x[j]) / max;
    sum_add(&sum, y == 0 ? 0 : exponent == 1 ? y : f64_exp(exponent * f64_log(y)));
  }
  return max * f64_exp(f64_log(sum_of(sum)) / exponent);
}

/* 2λ·p_j(1 − p_j) where it is largest, and the norm of that column of the Jacobian. */
static attn_identity largest_column(const double *p, int32_t n, double temperature, double *unit,
                                    double *column)
{
  int32_t key = 0;
  for (int32_t j = 1; j < n; j++)
    key = p[j] * (1 - p[j]) > p[key] * (1 - p[key]) ? j : key;
  exact_sum others = {0, 0};
  for (int32_t j = 0; j < n; j++) {
    unit[j] = j == key;
    sum_add(&others, j == key ? 0 : p[j]);
  }
  attn_jacobian_apply(column, p, unit, n, temperature);
  return identity_of(2 * p[key] * sum_of(others) / temperature, norm_of(column, n, 1),
                     ROUNDING / temperature, 16);
}

int32_t attn_norms_measure(double *ratios, attn_norms_report *report, const double *z,
                           const double *h, const double *exponents, int32_t n, int32_t count,
                           double temperature, double *scratch)
{
  if (n < 1 || count < 1 || !is_temperature(temperature))
    return ATTN_E_RANGE;
  for (int32_t x = 0; x < count; x++)
    if (!(exponents[x] >= 1))
      return ATTN_E_RANGE;
  double *p = scratch;
  double *dp = scratch + n;
  double *change = scratch + 2 * (size_t)n;
  double scale = 0;
  double lambda = 1 / temperature;
  double max_ratio = 0;
  distribute(p, z, n, temperature);
  attn_identity column = largest_column(p, n, temperature, dp, change);
  softmax_change(dp, p, z, h, n, temperature);
  for (int32_t j = 0; j < n; j++)
    scale = greater(scale, magnitude(h[j]));
  for (int32_t j = 0; j < n && scale > 0; j++) {
    change[j] = h[j] / scale;
    dp[j] *= temperature / scale;
  }
  for (int32_t x = 0; x < count; x++) {
    double r = exponents[x];
    ratios[x] = scale > 0 ? norm_of(dp, n, r) / norm_of(change, n, r) * lambda : 0;
    max_ratio = greater(max_ratio, ratios[x]);
  }
  *report = (attn_norms_report){.max_ratio = max_ratio,
                                .local = column.left,
                                .bound = lambda / 2,
                                .allowed_ratio = ROUNDING * (32 + 32 * f64_log(n)) * lambda,
                                .identity = column};
  return ATTN_OK;
}
