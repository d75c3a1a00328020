/* Statement 7, the Gibbs principle: softmax as the best compromise between score and entropy. */
#include "distribution.h"

int32_t attn_gibbs_measure(double *weights, attn_gibbs_report *report, const double *z,
                           const double *candidate, int32_t n, double temperature)
{
  if (n < 1 || !is_temperature(temperature))
    return ATTN_E_RANGE;
  const double whole = candidate_sum(candidate, n);
  double log_n = f64_log(n);
  if (whole == 0)
    return ATTN_E_RANGE;
  distribution d = distribute(weights, z, n, temperature);
  /* relative to the largest score, which both sides of the gap have in common */
  exact_sum score = {0, 0};
  exact_sum entropy = {0, 0};
  exact_sum kl = {0, 0};
  for (int32_t j = 0; j < n; j++) {
    double p = weights[j];
    double c = candidate ? candidate[j] / whole : p;
    double t = (z[j] - d.max) / temperature;
    sum_add(&score, c == 0 ? 0 : c * t);
    sum_add(&entropy, c > 0 ? -c * f64_log(c) : 0);
    sum_add(&kl, divergence(c, p, log_weight(&d, z[j], temperature)));
  }
  double reached = sum_of(score) + sum_of(entropy);
  double units = 16 + 32 * log_n + 16 * -sum_of(score);
  *report = (attn_gibbs_report){.optimum = soft_maximum(&d, temperature),
                                .entropy = entropy_of(weights, n),
                                .expected_score = d.max + temperature * d.mean,
                                .objective = d.max + temperature * reached,
                                .candidate_entropy = sum_of(entropy),
                                .kl = sum_of(kl)};
  report->identity = identity_of(temperature * (d.log_sum - reached), temperature * report->kl,
                                 ROUNDING * temperature, units);
  return ATTN_OK;
}

int32_t attn_gibbs_merge(double *logits, double *weights, attn_identity *identity, const double *z,
                         const int32_t *keep, int32_t kept, int32_t n, double temperature,
                         double *scratch)
{
  if (n < 1 || kept < 0 || kept >= n || !is_temperature(temperature))
    return ATTN_E_RANGE;
  double *rest = scratch;
  double *kept_times = scratch + n;
  for (int32_t j = 0; j < n; j++)
    kept_times[j] = 0;
  for (int32_t x = 0; x < kept; x++)
    if (keep[x] < 0 || keep[x] >= n || kept_times[keep[x]]++ > 0)
      return ATTN_E_RANGE;
  int32_t count = 0;
  for (int32_t j = 0; j < n; j++)
    if (kept_times[j] == 0)
      rest[count++] = z[j];
  for (int32_t x = 0; x < kept; x++)
    logits[x] = z[keep[x]];
  distribution last = distribute(rest, rest, count, temperature);
  logits[kept] = soft_maximum(&last, temperature);
  distribution merged = distribute(weights, logits, kept + 1, temperature);
  double *of_all = kept_times; /* which is not read any more */
  distribution all = distribute(of_all, z, n, temperature);
  double size = 0;
  for (int32_t j = 0; j < n; j++)
    size = greater(size, magnitude(z[j]));
  double units = 16 + 16 * f64_log(n);
  double warmth = ROUNDING * temperature;
  double sizes = ROUNDING * size;
  double unit = warmth + sizes;
  *identity = identity_of(soft_maximum(&all, temperature), soft_maximum(&merged, temperature), unit,
                          unit > 0 ? (units * warmth + 8 * sizes) / unit : 0);
  return ATTN_OK;
}
