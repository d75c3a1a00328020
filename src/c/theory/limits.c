/* Statement 9: the two ends of the temperature scale, and how far a temperature is from them. */
#include "distribution.h"

int32_t attn_limits_measure(double *hard, double *uniform, double *weights, double *report,
                            const double *z, int32_t n, double temperature)
{
  if (n < 1 || !is_temperature(temperature))
    return ATTN_E_RANGE;
  distribution d = distribute(weights, z, n, temperature);
  int32_t ties = 0;
  double next = -__builtin_inf(), min = z[0];
  for (int32_t j = 0; j < n; j++) {
    ties += z[j] == d.max;
    next = z[j] < d.max ? greater(next, z[j]) : next;
    min = z[j] < min ? z[j] : min;
  }
  exact_sum away = {0, 0};
  for (int32_t j = 0; j < n; j++) {
    hard[j] = z[j] == d.max ? 1.0 / ties : 0;
    uniform[j] = 1.0 / n;
    sum_add(&away, z[j] == d.max ? 0 : 2 * weights[j]); /* what the others have, the ties lack */
  }
  double gap = d.max - next, width = d.max - min, scaled = width / temperature;
  report[0] = ties;
  report[1] = gap;
  report[2] = width;
  report[3] = sum_of(away);
  report[4] = 2 * ((double)n / ties - 1) * f64_exp(-gap / temperature);
  report[5] = spent_of(
      /* not from the weights, whose rounding is more than the bound where z is nearly flat */
      z, n, temperature);
  report[6] = scaled * scaled / 8;
  report[7] = temperature * d.log_sum;
  return ATTN_OK;
}
