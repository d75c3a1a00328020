/* Statement 13: why scores are divided by √d, measured with random queries and keys. */
#include "distribution.h"
#include "sensitivity.h"
#include "random.h"

static double normal(generator *g)
{
  if (g->has_spare) {
    g->has_spare = 0;
    return g->spare;
  }
  double x;
  double y;
  double square;
  do {
    x = 2 * uniform(g) - 1;
    y = 2 * uniform(g) - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  double stretch = __builtin_sqrt(-2 * f64_log(square) / square);
  g->spare = y * stretch;
  g->has_spare = 1;
  return x * stretch;
}

void attn_random_normal(double *x, int32_t count, uint32_t seed)
{
  generator g = seeded(seed);
  for (int32_t i = 0; i < count; i++)
    x[i] = normal(&g);
}

/* Averages over rows of logits: the fields of attn_spent_share. */
typedef struct {
  exact_sum budget;
  exact_sum gradient;
} share_sums;

static void add_row(share_sums *averages, const double *z, double *p, int32_t keys, int32_t rows)
{
  attn_spent_report report;
  attn_budget_spent(p, &report, z, keys, 1);
  exact_sum squares = {0, 0};
  for (int32_t j = 0; j < keys; j++)
    sum_add(&squares, p[j] * p[j]);
  sum_add(&averages->budget, (keys > 1 ? report.rho / f64_log(keys) : 0) / rows);
  sum_add(&averages->gradient, (1 - sum_of(squares)) / rows);
}

static attn_spent_share share_of(share_sums averages)
{
  return (attn_spent_share){sum_of(averages.budget), sum_of(averages.gradient)};
}

int32_t attn_scale_experiment(attn_scale_report *report, int32_t dim, int32_t rows, int32_t keys,
                              uint32_t seed, double *scratch)
{
  if (dim < 1 || rows < 1 || keys < 1)
    return ATTN_E_RANGE;
  double *q = scratch;
  double *k = q + dim;
  double *z = k + dim;
  double *p = z + keys;
  double root = __builtin_sqrt(dim);
  double d = dim;
  generator g = seeded(seed);
  exact_sum raw = {0, 0};
  exact_sum scaled = {0, 0};
  share_sums raw_shares = {{0, 0}, {0, 0}};
  share_sums scaled_shares = {{0, 0}, {0, 0}};
  for (int32_t i = 0; i < rows; i++) {
    for (int32_t c = 0; c < dim; c++)
      q[c] = normal(&g);
    for (int32_t j = 0; j < keys; j++) {
      for (int32_t c = 0; c < dim; c++)
        k[c] = normal(&g);
      z[j] = expectation(q, k, dim);
      sum_add(&raw, z[j] * z[j]);
    }
    add_row(&raw_shares, z, p, keys, rows);
    for (int32_t j = 0; j < keys; j++) {
      z[j] /= root;
      sum_add(&scaled, z[j] * z[j]);
    }
    add_row(&scaled_shares, z, p, keys, rows);
  }
  double draws = (double)rows * keys;
  *report = (attn_scale_report){.variance = sum_of(raw) / draws,
                                .standard_error =
                                    __builtin_sqrt((2 * d + 2 * (d * d + 2 * d) / keys) / rows),
                                .scaled_variance = sum_of(scaled) / draws,
                                .unscaled = share_of(raw_shares),
                                .scaled = share_of(scaled_shares)};
  return ATTN_OK;
}
