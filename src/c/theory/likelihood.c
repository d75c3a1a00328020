/* Statement 2, maximum likelihood: weights as inverse variances. */
#include "distribution.h"

#define LOG_2PI 1.83787706640934548356

/* x·e^y, 0 where x is, however large e^y. */
static double times_exp(double x, double y) { return x == 0 ? 0 : x * f64_exp(y); }

/* Σ_j p_j‖x − v_j‖² */
static double spread(const double *p, const double *v, const double *x, int32_t n,
                     int32_t value_dim)
{
  exact_sum sum = {0, 0};
  for (int32_t j = 0; j < n; j++)
    for (int32_t c = 0; c < value_dim; c++) {
      double far = x[c] - v[(size_t)j * (size_t)value_dim + (size_t)c];
      sum_add(&sum, p[j] * (far * far));
    }
  return sum_of(sum);
}

int32_t attn_likelihood(double *weights, double *log_precisions, double *precisions,
                        double *estimate, double *gradient, double *step,
                        attn_likelihood_report *report, const double *q, const double *k,
                        const double *v, const double *at, int32_t n, int32_t dim,
                        int32_t value_dim, double alpha, double beta)
{
  if (n < 1 || dim < 1 || value_dim < 1 || !(alpha > 0 && is_finite(alpha)) ||
      !(beta > 0 && is_finite(beta)))
    return ATTN_E_RANGE;
  double log_beta = f64_log(beta);
  exact_sum all = {0, 0};
  for (int32_t j = 0; j < n; j++)
    log_precisions[j] = alpha * expectation(q, k + (size_t)j * (size_t)dim, dim);
  distribution d = distribute(weights, log_precisions, n, 1);
  for (int32_t j = 0; j < n; j++) {
    sum_add(&all, log_precisions[j] += log_beta);
    precisions[j] = f64_exp(log_precisions[j]);
  }
  /* log Σ θ_j β: θ itself may be as large as e^10000 */
  double log_precision = d.max + d.log_sum + log_beta;
  double moved = 0;
  double crossed = 0;
  for (int32_t c = 0; c < value_dim; c++) {
    exact_sum mean = {0, 0};
    exact_sum pull = {0, 0};
    exact_sum size = {0, 0};
    for (int32_t j = 0; j < n; j++) {
      double x = v[(size_t)j * (size_t)value_dim + (size_t)c];
      sum_add(&mean, weights[j] * x);
      sum_add(&size, weights[j] * magnitude(x));
    }
    estimate[c] = sum_of(mean);
    double from = at ? at[c] : estimate[c];
    for (int32_t j = 0; j < n; j++)
      sum_add(&pull, weights[j] * (v[(size_t)j * (size_t)value_dim + (size_t)c] - from));
    step[c] = sum_of(pull);
    gradient[c] = times_exp(step[c], log_precision);
    moved += (from - estimate[c]) * (from - estimate[c]);
    crossed += magnitude(from - estimate[c]) * sum_of(size);
  }
  double left = spread(weights, v, at ? at : estimate, n, value_dim);
  double right = spread(weights, v, estimate, n, value_dim) + moved;
  report->log_precision = log_precision;
  report->variance = f64_exp(-log_precision);
  report->second_derivative = -f64_exp(log_precision);
  report->log_likelihood =
      0.5 * (value_dim * (sum_of(all) - n * LOG_2PI) - times_exp(left, log_precision));
  report->identity = identity_of(left, right, ROUNDING * (left + right + crossed), 8);
  return ATTN_OK;
}
