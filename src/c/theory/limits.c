/* Statement 9: the two ends of the temperature scale, and how far a temperature is from them. */
#include "budget.h"
#include "sensitivity.h"

int32_t attn_limits_measure(double *hard, double *uniform, double *weights,
                            attn_limits_report *report, const double *z, int32_t n,
                            double temperature)
{
  if (n < 1 || !is_temperature(temperature))
    return ATTN_E_RANGE;
  distribution d = distribute(weights, z, n, temperature);
  int32_t ties = 0;
  double next = -__builtin_inf();
  double min = z[0];
  for (int32_t j = 0; j < n; j++) {
    ties += z[j] == d.max;
    next = z[j] < d.max ? greater(next, z[j]) : next;
    min = z[j] < min ? z[j] : min;
  }
  exact_sum away = {0, 0};
  for (int32_t j = 0; j < n; j++) {
    hard[j] = z[j] == d.max ? 1.0 / ties : 0;
    uniform[j] = 1.0 / n;
    sum_add(&away, z[j] == d.max ? 0 : 2 * weights[j]); /* the ties lack the weight of the others */
  }
  double gap = d.max - next;
  double width = d.max - min;
  double scaled = width / temperature;
  /* not from the weights, whose rounding is more than the bound where z is nearly flat */
  double kl = spent_of(z, n, temperature);
  *report = (attn_limits_report){.ties = ties,
                                 .gap = gap,
                                 .width = width,
                                 .distance = sum_of(away),
                                 .distance_bound =
                                     2 * ((double)n / ties - 1) * f64_exp(-gap / temperature),
                                 .kl = kl,
                                 .kl_bound = scaled * scaled / 8,
                                 .excess = temperature * d.log_sum};
  return ATTN_OK;
}
