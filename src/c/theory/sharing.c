/* Statement 12, shared keys: what the bounds promise, and what happens. */
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

/* report[2 … 4]: the diameter of V, its longest value, and how far a value moves. */
static void measure_values(double *report, const double *v, const double *shared_v, int32_t n,
                           int32_t value_dim)
{
  for (int32_t i = 0; i < n; i++) {
    const double *value = v + (size_t)i * (size_t)value_dim;
    for (int32_t j = 0; j < i; j++)
      report[2] = greater(report[2], distance(value, v + (size_t)j * (size_t)value_dim, value_dim));
    report[3] = greater(report[3], length(value, value_dim));
    if (shared_v)
      report[4] =
          greater(report[4], distance(value, shared_v + (size_t)i * (size_t)value_dim, value_dim));
  }
}

/* Columns 0 to 6 of one query; dp and dz are left behind. */
static void measure_weights(double *column, double *p, double *dp, double *z, double *dz,
                            const double *q, const double *k, const double *change, int32_t n,
                            int32_t dim, double temperature, double norm)
{
  double root = __builtin_sqrt(dim), least = 0, most = 0;
  exact_sum mean = {0, 0}, one = {0, 0}, centred = {0, 0};
  for (int32_t j = 0; j < n; j++) {
    z[j] = expectation(q, k + (size_t)j * (size_t)dim, dim) / root;
    dz[j] = expectation(q, change + (size_t)j * (size_t)dim, dim) / root;
    sum_add(&mean, dz[j] / n);
    least = j && least < dz[j] ? least : dz[j];
    most = j ? greater(most, dz[j]) : dz[j];
  }
  distribute(p, z, n, temperature);
  softmax_change(dp, p, z, dz, n, temperature);
  for (int32_t j = 0; j < n; j++) {
    double x = dz[j] - sum_of(mean);
    sum_add(&centred, x * x);
    sum_add(&one, magnitude(dp[j]));
  }
  column[0] = length(dp, n);
  column[1] = sum_of(one);
  column[3] = __builtin_sqrt(sum_of(centred)) / (2 * temperature);
  column[4] = length(dz, n) / temperature;
  column[5] = norm * length(q, dim) / (root * temperature);
  column[6] = (most - least) / (2 * temperature);
}

/*
 * Takes a query's bounds into the summary, a row for each: cap, vacuous, violated, least
 * bound/measured.
 */
static void judge(double *bounds, const double *column, double diameter, double moved,
                  double rounding)
{
  const double caps[] = {1.41421356237309504880, 2, diameter + moved};
  for (int x = 0; x < ATTN_SHARING_BOUNDS; x++) {
    int measured = x < 3 ? 0 : x < 4 ? 1 : 2;
    double bound = column[3 + x], *row = bounds + 4 * x;
    row[0] = caps[measured];
    row[1] += bound >= row[0];
    row[2] += !(column[measured] <= bound + rounding * (bound + row[0]));
    double slack = column[measured] > 0 ? bound / column[measured] : __builtin_inf();
    row[3] = slack < row[3] ? slack : row[3];
  }
}

int32_t attn_sharing_measure(double *columns, double *bounds, double *report, const double *q,
                             const double *k, const double *shared_k, const double *v,
                             const double *shared_v, int32_t m, int32_t n, int32_t dim,
                             int32_t value_dim, double temperature, double *scratch)
{
  if (m < 1 || n < 1 || dim < 1 || value_dim < 1 || !is_temperature(temperature))
    return ATTN_E_RANGE;
  size_t keys = (size_t)n;
  double *change = scratch, *p = change + keys * (size_t)dim, *dp = p + keys, *z = dp + keys,
         *dz = z + keys;
  double *moved = dz + keys, *rest = moved + value_dim;
  for (size_t x = 0; x < keys * (size_t)dim; x++)
    change[x] = shared_k[x] - k[x];
  attn_operator_norm(report, change, n, dim, rest);
  report[2] = report[3] = report[4] = 0;
  measure_values(report, v, shared_v, n, value_dim);
  double diameter = report[2], longest = report[3], shift = report[4];
  for (int x = 0; x < ATTN_SHARING_BOUNDS; x++)
    bounds[4 * x + 1] = bounds[4 * x + 2] = 0, bounds[4 * x + 3] = __builtin_inf();
  for (int32_t i = 0; i < m; i++) {
    double *column = columns + (size_t)i * ATTN_SHARING_COLUMNS;
    measure_weights(column, p, dp, z, dz, q + (size_t)i * (size_t)dim, k, change, n, dim,
                    temperature, report[0]);
    for (int32_t c = 0; c < value_dim; c += 2) {
      exact_pair sum = {{0, 0}, {0, 0}};
      int32_t left = value_dim - c;
      f64x2 first = v_load_double(v + c, left);
      for (int32_t j = 0; j < n; j++) {
        size_t at = (size_t)j * (size_t)value_dim + (size_t)c;
        f64x2 value = v_load_double(v + at, left);
        /* from one of them, since Σ Δp is 0: what all have in common has no part */
        pair_add(&sum, dp[j] * (value - first));
        if (shared_v)
          pair_add(&sum, (p[j] + dp[j]) * (v_load_double(shared_v + at, left) - value));
      }
      for (int32_t l = 0; l < 2 && l < left; l++)
        moved[c + l] = sum_of(pair_half(sum, l));
    }
    column[2] = length(moved, value_dim);
    column[7] = column[6] * diameter / 2 + shift;
    column[8] = column[1] * diameter / 2 + shift;
    column[9] = column[1] * longest + shift;
    column[10] = __builtin_sqrt(n) * column[0] * longest + shift;
    judge(bounds, column, diameter, shift, ROUNDING * (64 + 64 * f64_log(n)));
  }
  return ATTN_OK;
}
