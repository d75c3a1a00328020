/* Statement 24: how many keys must be drawn from a row to see that it is not uniform. */
#include "budget.h"
#include "consequences.h"
#include "random.h"

#define MAX_DRAWS 0x1p25

/* A key with weight p_j: the first whose cumulative weight is above x. */
static int32_t key_at(const double *cumulative, int32_t n, double x)
{
  int32_t lo = 0;
  int32_t hi = n - 1;
  while (lo < hi) {
    int32_t middle = lo + (hi - lo) / 2;
    if (cumulative[middle] > x)
      hi = middle;
    else
      lo = middle + 1;
  }
  return lo;
}

int32_t attn_draws_experiment(attn_draws_report *report, const double *z, int32_t n,
                              double temperature, double epsilon, int32_t samples, uint32_t seed,
                              double *scratch)
{
  if (n < 1 || samples < 1 || !(epsilon > 0 && epsilon < 1) || !is_temperature(temperature))
    return ATTN_E_RANGE;
  double *p = scratch;
  double *evidence = scratch + n;
  double *cumulative = scratch + 2 * (size_t)n;
  distribution d = distribute(p, z, n, temperature);
  double rho = spent_of(z, n, temperature);
  double threshold = -f64_log(epsilon);
  double log_n = f64_log(n);
  double max = log_n - d.log_sum;
  if (!(samples * (threshold + max) <= MAX_DRAWS * rho))
    return ATTN_E_LIMIT;
  exact_sum sum = {0, 0};
  exact_sum spread = {0, 0};
  for (int32_t j = 0; j < n; j++) {
    evidence[j] = log_n + log_weight(&d, z[j], temperature);
    sum_add(&sum, p[j]);
    cumulative[j] = sum_of(sum);
    sum_add(&spread, p[j] == 0 ? 0 : p[j] * (evidence[j] - rho) * (evidence[j] - rho));
  }
  generator g = seeded(seed);
  exact_sum draws = {0, 0};
  exact_sum squares = {0, 0};
  exact_sum gained = {0, 0};
  exact_sum alarms = {0, 0};
  for (int32_t x = 0; x < samples; x++) {
    double total = 0;
    double count = 0;
    while (total < threshold) {
      total += evidence[key_at(cumulative, n, uniform(&g) * cumulative[n - 1])];
      count++;
    }
    sum_add(&draws, count / samples);
    sum_add(&squares, count * count / samples);
    sum_add(&gained, total / samples);
    sum_add(&alarms, f64_exp(-total) / samples);
  }
  double mean = sum_of(draws);
  double variance = sum_of(squares) - mean * mean;
  *report = (attn_draws_report){.rho = rho,
                                .expected = threshold / rho,
                                .upper = (threshold + max) / rho,
                                .draws = mean,
                                .standard_error = __builtin_sqrt(greater(variance, 0) / samples),
                                .residual = sum_of(gained) - rho * mean,
                                .residual_error = __builtin_sqrt(sum_of(spread) * mean / samples),
                                .false_alarms = sum_of(alarms)};
  return ATTN_OK;
}
