/* Statements 19 and 20: how much weight the largest logit of a row can have. */
#include "consequences.h"
#include "distribution.h"
#include "sort.h"

/* The largest relative error of a bound on the largest weight. */
static double allowed_of(int32_t n) { return ROUNDING * (32 + 32 * f64_log(n)); }

/* The largest of n weights, where the n − 1 others are `gap` below. */
static double weight_above(double n, double gap) { return 1 / (1 + (n - 1) * f64_exp(-gap)); }

int32_t attn_dispersion_measure(attn_dispersion_report *report, const double *z, int32_t n,
                                double temperature)
{
  if (n < 1 || !is_temperature(temperature))
    return ATTN_E_RANGE;
  *report =
      (attn_dispersion_report){.max = 1, .bound = 1, .mean_bound = 1, .allowed = allowed_of(n)};
  if (n == 1)
    return ATTN_OK;
  int32_t top = 0;
  for (int32_t j = 1; j < n; j++)
    top = z[j] > z[top] ? j : top;
  double next = -__builtin_inf();
  double min = z[top];
  double others = n - 1;
  for (int32_t j = 0; j < n; j++) {
    next = j == top ? next : greater(next, z[j]);
    min = z[j] < min ? z[j] : min;
  }
  exact_sum gaps = {0, 0};
  exact_sum rest = {0, 0};
  exact_sum kl = {0, 0};
  for (int32_t j = 0; j < n; j++)
    if (j != top) {
      sum_add(&gaps, (z[top] - z[j]) / others);
      sum_add(&rest, f64_exp((z[j] - next) / temperature));
    }
  double log_rest = f64_log(sum_of(rest));
  double gap = sum_of(gaps);
  double log_others = f64_log(others);
  for (int32_t j = 0; j < n; j++)
    if (j != top) {
      double log_p = (z[j] - next) / temperature - log_rest;
      sum_add(&kl, divergence(1 / others, f64_exp(log_p), log_p));
    }
  double odds = (z[top] - next) / temperature - log_rest;
  double mean = gap / temperature;
  report->max = 1 / (1 + f64_exp(-odds));
  report->width = z[top] - min;
  report->bound = weight_above(n, report->width / temperature);
  report->mean_gap = gap;
  report->mean_bound = weight_above(n, mean);
  report->half_width = temperature * log_others;
  report->kl = sum_of(kl);
  report->identity =
      identity_of(odds, mean - log_others - report->kl, ROUNDING, 16 + 32 * f64_log(n) + 8 * mean);
  return ATTN_OK;
}

int32_t attn_critical_measure(attn_critical_report *report, const double *z, int32_t n,
                              double temperature, double *scratch)
{
  if (n < 1 || !is_temperature(temperature))
    return ATTN_E_RANGE;
  *report = (attn_critical_report){.critical = __builtin_inf(), .rank = 1};
  exact_sum whole = {1, 0};
  exact_sum powers = {1, 0};
  for (int32_t j = 0; j < n; j++)
    scratch[j] = z[j];
  sort(scratch, n);
  double max = scratch[n - 1];
  for (int32_t rank = 2; rank <= n; rank++) {
    double gap = max - scratch[n - rank];
    double critical = gap / f64_log(rank);
    sum_add(&whole, f64_exp(-gap / temperature));
    if (critical <= report->critical) {
      report->critical = critical;
      report->rank = rank;
      report->gap = gap;
    }
  }
  double s = report->critical / temperature;
  for (int32_t rank = 2; rank <= n; rank++)
    sum_add(&powers, f64_exp(-s * f64_log(rank)));
  report->max = 1 / sum_of(whole);
  report->lower = 1 / sum_of(powers);
  report->upper = n > 1 ? weight_above(report->rank, s * f64_log(report->rank)) : 1;
  report->allowed = allowed_of(n);
  return ATTN_OK;
}
