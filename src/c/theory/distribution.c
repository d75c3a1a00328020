/* One row as a probability distribution: distribution.h. */
#include "distribution.h"

double largest(const double *z, int32_t n)
{
  double max = z[0];
  for (int32_t j = 1; j < n; j++)
    max = greater(z[j], max);
  return max;
}

distribution distribute(double *p, const double *z, int32_t n, double temperature)
{
  distribution d = {.max = largest(z, n)};
  exact_sum sum = {0, 0};
  exact_sum moment = {0, 0};
  exact_sum square = {0, 0};
  for (int32_t j = 0; j < n; j++) {
    double t = (z[j] - d.max) / temperature;
    double e = f64_exp(t);
    p[j] = e;
    sum_add(&sum, e);
    sum_add(&moment, e == 0 ? 0 : e * t);
    sum_add(&square, e == 0 ? 0 : e * t * t);
  }
  d.sum = sum_of(sum);
  d.log_sum = f64_log(d.sum);
  d.mean = sum_of(moment) / d.sum;
  d.square = sum_of(square) / d.sum;
  for (int32_t j = 0; j < n; j++)
    p[j] /= d.sum;
  return d;
}

double candidate_sum(const double *candidate, int32_t n)
{
  exact_sum total = {0, 0};
  if (!candidate)
    return 1;
  for (int32_t j = 0; j < n; j++) {
    if (!(candidate[j] >= 0))
      return 0;
    sum_add(&total, candidate[j]);
  }
  const double sum = sum_of(total);
  return is_finite(sum) ? sum : 0;
}

double log_weight(const distribution *d, double z, double temperature)
{
  return (z - d->max) / temperature - d->log_sum;
}

double soft_maximum(const distribution *d, double temperature)
{
  return d->max + temperature * d->log_sum;
}

double expectation(const double *p, const double *x, int32_t n)
{
  exact_pair sum = {{0, 0}, {0, 0}};
  for (int32_t j = 0; j < n; j += 2)
    pair_add(&sum, v_load_double(p + j, n - j) * v_load_double(x + j, n - j));
  return pair_of(sum);
}

double entropy_of(const double *p, int32_t n)
{
  exact_sum sum = {0, 0};
  for (int32_t j = 0; j < n; j++)
    sum_add(&sum, p[j] > 0 ? -p[j] * f64_log(p[j]) : 0);
  return sum_of(sum);
}

double exp_remainder(double x)
{
  if (x < -0.34 || x > 0.34)
    return f64_expm1(x) - x;
  double term = x * x * 0.5;
  double sum = term;
  for (int k = 3; k < 17; k++)
    sum += term *= x / k;
  return sum;
}

/* (1 + x)·log(1 + x) − x ≥ 0 for x ≥ −1, without cancellation near 0: Σ (−x)^k / k(k−1) */
static double entropy_remainder(double x)
{
  if (x < -0.25 || x > 0.25)
    return x > -1 ? (1 + x) * f64_log1p(x) - x : 1;
  double power = x * x;
  double sum = 0;
  for (int k = 2; k < 28; k++, power *= -x)
    sum += power / (k * (k - 1));
  return sum;
}

double divergence(double candidate, double p, double log_p)
{
  double x = (candidate - p) / p;
  if (x > -0.5 && x < 0.5)
    return p * entropy_remainder(x);
  return (candidate > 0 ? candidate * (f64_log(candidate) - log_p) : 0) - candidate + p;
}

void softmax_change(double *dp, const double *p, const double *z, const double *dz, int32_t n,
                    double temperature)
{
  double min = dz[0];
  double max = dz[0];
  for (int32_t j = 1; j < n; j++) {
    min = dz[j] < min ? dz[j] : min;
    max = greater(dz[j], max);
  }
  if ((max - min) / temperature > 1) {
    for (int32_t j = 0; j < n; j++)
      dp[j] = z[j] + dz[j];
    distribute(dp, dp, n, temperature);
    for (int32_t j = 0; j < n; j++)
      dp[j] -= p[j];
    return;
  }
  double centre = min + (max - min) / 2;
  exact_sum growth = {0, 0};
  for (int32_t j = 0; j < n; j++) {
    dp[j] = (dz[j] - centre) / temperature;
    sum_add(&growth, p[j] * f64_expm1(dp[j]));
  }
  double c = f64_log1p(sum_of(growth));
  for (int32_t j = 0; j < n; j++)
    dp[j] = p[j] * f64_expm1(dp[j] - c);
}

#define LARGEST 0x1.fffffffffffffp1023

attn_identity identity_of(double left, double right, double unit, double units)
{
  double allowed = unit * (units > LARGEST ? LARGEST : units);
  return (attn_identity){left, right, unit, allowed};
}
