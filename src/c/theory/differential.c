/*
 * Statement 8: log-sum-exp, its gradient, its Hessian times a vector, and how strongly softmax
 * moves.
 */
#include "distribution.h"
#include "sensitivity.h"

int32_t attn_lse_measure(double *gradient, attn_lse_report *report, const double *z,
                         const double *h, int32_t n, double temperature, double *scratch)
{
  if (n < 1 || !is_temperature(temperature))
    return ATTN_E_RANGE;
  double *moved = scratch;
  double *p = scratch + n;
  double size = 0;
  double change = 0;
  distribution d = distribute(gradient, z, n, temperature);
  for (int32_t j = 0; j < n; j++) {
    moved[j] = h ? z[j] + h[j] : z[j];
    size = greater(size, magnitude(z[j]));
    change = greater(change, h ? magnitude(h[j]) : 0);
  }
  distribution e = distribute(p, moved, n, temperature);
  exact_sum kl = {0, 0};
  exact_sum rise = {0, 0};
  for (int32_t j = 0; j < n; j++) {
    sum_add(&kl, divergence(gradient[j], p[j], log_weight(&e, moved[j], temperature)));
    sum_add(&rise, gradient[j] * (moved[j] - z[j]));
  }
  double above = e.max - d.max + temperature * (e.log_sum - d.log_sum) - sum_of(rise);
  /* units first: sums of numbers as large as a double can be would leave the doubles */
  double moves = ROUNDING * temperature + ROUNDING * change;
  double sizes = ROUNDING * size;
  double unit = moves + sizes;
  report->value = soft_maximum(&d, temperature);
  report->changed = soft_maximum(&e, temperature);
  report->identity =
      identity_of(above, temperature * sum_of(kl), unit,
                  unit > 0 ? ((16 + 32 * f64_log(n)) * moves + 16 * sizes) / unit : 0);
  return ATTN_OK;
}

int32_t attn_jacobian_apply(double *out, const double *p, const double *x, int32_t n,
                            double temperature)
{
  if (n < 1 || !is_temperature(temperature))
    return ATTN_E_RANGE;
  double mean = expectation(p, x, n);
  for (int32_t j = 0; j < n; j++)
    out[j] = p[j] * (x[j] - mean) / temperature;
  return ATTN_OK;
}

int32_t attn_lipschitz_measure(double *ratios, double *cocoercivity, attn_lipschitz_report *report,
                               const double *a, const double *b, int32_t pairs, int32_t n,
                               double temperature, double *scratch)
{
  if (pairs < 1 || n < 1 || !is_temperature(temperature))
    return ATTN_E_RANGE;
  double *p = scratch;
  double *dz = scratch + n;
  double *dp = scratch + 2 * (size_t)n;
  double log_n = f64_log(n);
  double lambda = 1 / temperature;
  double max_ratio = 0;
  double min_cocoercivity = __builtin_inf();
  double margin = __builtin_inf();
  for (int32_t x = 0; x < pairs; x++) {
    const double *from = a + (size_t)x * (size_t)n;
    const double *to = b + (size_t)x * (size_t)n;
    double scale = 0;
    for (int32_t j = 0; j < n; j++) {
      dz[j] = to[j] - from[j];
      scale = greater(scale, magnitude(dz[j]));
    }
    distribute(p, from, n, temperature);
    softmax_change(dp, p, from, dz, n, temperature);
    /* in units of the largest |Δz|, and then of it over T, so that no square leaves the doubles */
    exact_sum zz = {0, 0};
    exact_sum pp = {0, 0};
    exact_sum zp = {0, 0};
    for (int32_t j = 0; j < n && scale > 0; j++) {
      double y = dz[j] / scale;
      double r = dp[j] * (temperature / scale);
      sum_add(&zz, y * y);
      sum_add(&pp, r * r);
      sum_add(&zp, y * r);
    }
    double moved = sum_of(pp);
    double ratio = scale > 0 ? __builtin_sqrt(moved / sum_of(zz)) : 0;
    ratios[x] = ratio * lambda;
    cocoercivity[x] = moved > 0 ? temperature * (sum_of(zp) / moved) : __builtin_inf();
    max_ratio = greater(max_ratio, ratios[x]);
    min_cocoercivity = cocoercivity[x] < min_cocoercivity ? cocoercivity[x] : min_cocoercivity;
    double excess = cocoercivity[x] - 2 * temperature +
                    ROUNDING * (64 + 64 * log_n) * temperature / (ratio * ratio);
    margin = excess < margin ? excess : margin;
  }
  *report = (attn_lipschitz_report){.max_ratio = max_ratio,
                                    .sharp_ratio = lambda / 2,
                                    .note_ratio = lambda,
                                    .allowed_ratio = ROUNDING * (32 + 32 * log_n) * lambda,
                                    .min_cocoercivity = min_cocoercivity,
                                    .sharp_cocoercivity = 2 * temperature,
                                    .note_cocoercivity = temperature,
                                    .margin = margin};
  return ATTN_OK;
}
