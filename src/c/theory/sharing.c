/* Statement 12, shared keys: the movement of weights and outputs, and the bounds on it. */
#include "distribution.h"

size_t attn_sharing_scratch_doubles(int32_t n, int32_t dim, int32_t value_dim)
{
  size_t size = (size_t)(n < dim ? n : dim);
  return (size_t)n * (size_t)dim + 2 * size * size + 4 * (size_t)n + (size_t)value_dim;
}

static double length(const double *a, int32_t size)
{
  return __builtin_sqrt(expectation(a, a, size));
}

static double distance(const double *a, const double *b, int32_t size)
{
  exact_pair sum = {{0, 0}, {0, 0}};
  for (int32_t c = 0; c < size; c += 2) {
    f64x2 x = v_load_double(a + c, size - c) - v_load_double(b + c, size - c);
    pair_add(&sum, x * x);
  }
  return __builtin_sqrt(pair_of(sum));
}

/* The diameter of V, its longest value, and the farthest that a value moves. */
static void measure_values(attn_sharing_report *report, const double *v, const double *shared_v,
                           int32_t n, int32_t value_dim)
{
  for (int32_t i = 0; i < n; i++) {
    const double *value = v + (size_t)i * (size_t)value_dim;
    for (int32_t j = 0; j < i; j++)
      report->diameter =
          greater(report->diameter, distance(value, v + (size_t)j * (size_t)value_dim, value_dim));
    report->longest = greater(report->longest, length(value, value_dim));
    if (shared_v)
      report->shift = greater(report->shift,
                              distance(value, shared_v + (size_t)i * (size_t)value_dim, value_dim));
  }
}

/* The columns of one query that need no values. dp and dz are outputs as well. */
static void measure_weights(attn_sharing_columns *columns, double *p, double *dp, double *z,
                            double *dz, const double *q, const double *k, const double *change,
                            int32_t n, int32_t dim, double temperature, double norm)
{
  double root = __builtin_sqrt(dim), min = 0, max = 0;
  exact_sum mean = {0, 0}, one = {0, 0}, centred = {0, 0};
  for (int32_t j = 0; j < n; j++) {
    z[j] = expectation(q, k + (size_t)j * (size_t)dim, dim) / root;
    dz[j] = expectation(q, change + (size_t)j * (size_t)dim, dim) / root;
    sum_add(&mean, dz[j] / n);
    min = j && min < dz[j] ? min : dz[j];
    max = j ? greater(max, dz[j]) : dz[j];
  }
  distribute(p, z, n, temperature);
  softmax_change(dp, p, z, dz, n, temperature);
  for (int32_t j = 0; j < n; j++) {
    double x = dz[j] - sum_of(mean);
    sum_add(&centred, x * x);
    sum_add(&one, magnitude(dp[j]));
  }
  columns->weights2 = length(dp, n);
  columns->weights1 = sum_of(one);
  columns->sharp = __builtin_sqrt(sum_of(centred)) / (2 * temperature);
  columns->note = length(dz, n) / temperature;
  columns->operator= norm * length(q, dim) / (root * temperature);
  columns->range = (max - min) / (2 * temperature);
}

/* Counts one query in: its bound, the measured movement under it, and the cap it competes with. */
static void judge(attn_bound *sum, double bound, double measured, double cap, double rounding)
{
  sum->cap = cap;
  sum->vacuous += bound >= cap;
  sum->violated += !(measured <= bound + rounding * (bound + cap));
  double slack = measured > 0 ? bound / measured : __builtin_inf();
  sum->slack = slack < sum->slack ? slack : sum->slack;
}

static void judge_query(attn_sharing_bounds *bounds, const attn_sharing_columns *c,
                        const attn_sharing_report *values, double rounding)
{
  const double cap2 = 1.41421356237309504880, cap1 = 2,
               output_cap = values->diameter + values->shift;
  judge(&bounds->sharp, c->sharp, c->weights2, cap2, rounding);
  judge(&bounds->note, c->note, c->weights2, cap2, rounding);
  judge(&bounds->operator, c->operator, c->weights2, cap2, rounding);
  judge(&bounds->range, c->range, c->weights1, cap1, rounding);
  judge(&bounds->output_range, c->output_range, c->output, output_cap, rounding);
  judge(&bounds->output_diameter, c->output_diameter, c->output, output_cap, rounding);
  judge(&bounds->output_note1, c->output_note1, c->output, output_cap, rounding);
  judge(&bounds->output_note2, c->output_note2, c->output, output_cap, rounding);
}

int32_t attn_sharing_measure(attn_sharing_columns *columns, attn_sharing_bounds *bounds,
                             attn_sharing_report *report, const double *q, const double *k,
                             const double *shared_k, const double *v, const double *shared_v,
                             int32_t m, int32_t n, int32_t dim, int32_t value_dim,
                             double temperature, double *scratch)
{
  if (m < 1 || n < 1 || dim < 1 || value_dim < 1 || !is_temperature(temperature))
    return ATTN_E_RANGE;
  size_t keys = (size_t)n;
  double *change = scratch, *p = change + keys * (size_t)dim, *dp = p + keys, *z = dp + keys,
         *dz = z + keys;
  double *moved = dz + keys, *rest = moved + value_dim;
  for (size_t x = 0; x < keys * (size_t)dim; x++)
    change[x] = shared_k[x] - k[x];
  *report = (attn_sharing_report){.diameter = 0};
  attn_operator_norm(&report->operator_norm, change, n, dim, rest);
  measure_values(report, v, shared_v, n, value_dim);
  const double diameter = report->diameter, longest = report->longest, shift = report->shift;
  const attn_bound none = {.slack = __builtin_inf()};
  *bounds = (attn_sharing_bounds){none, none, none, none, none, none, none, none};
  for (int32_t i = 0; i < m; i++) {
    attn_sharing_columns *c = columns + i;
    measure_weights(c, p, dp, z, dz, q + (size_t)i * (size_t)dim, k, change, n, dim, temperature,
                    report->operator_norm.upper);
    for (int32_t channel = 0; channel < value_dim; channel += 2) {
      exact_pair sum = {{0, 0}, {0, 0}};
      int32_t remaining = value_dim - channel;
      f64x2 first = v_load_double(v + channel, remaining);
      for (int32_t j = 0; j < n; j++) {
        size_t at = (size_t)j * (size_t)value_dim + (size_t)channel;
        f64x2 value = v_load_double(v + at, remaining);
        /* relative to the first, since Σ Δp is 0: a common part of all values has no effect */
        pair_add(&sum, dp[j] * (value - first));
        if (shared_v)
          pair_add(&sum, (p[j] + dp[j]) * (v_load_double(shared_v + at, remaining) - value));
      }
      for (int32_t l = 0; l < 2 && l < remaining; l++)
        moved[channel + l] = sum_of(pair_half(sum, l));
    }
    c->output = length(moved, value_dim);
    c->output_range = c->range * diameter / 2 + shift;
    c->output_diameter = c->weights1 * diameter / 2 + shift;
    c->output_note1 = c->weights1 * longest + shift;
    c->output_note2 = __builtin_sqrt(n) * c->weights2 * longest + shift;
    judge_query(bounds, c, report, ROUNDING * (64 + 64 * f64_log(n)));
  }
  return ATTN_OK;
}
