/* Statement 17: how fast the budget of a row grows with the inverse temperature. */
#include "budget.h"
#include "consequences.h"

enum { NODES = 8 }; /* on either side */

/* Gauss and Legendre's rule of 16 nodes on [−1, 1]. */
static const double NODE[NODES] = {
    0.0950125098376374402, 0.2816035507792589132, 0.4580167776572273863, 0.6178762444026437484,
    0.7554044083550030339, 0.8656312023878317439, 0.9445750230732325761, 0.9894009349916499326};
static const double WEIGHT[NODES] = {
    0.1894506104550684963, 0.1826034150449235889, 0.1691565193950025382, 0.1495959888165767321,
    0.1246289712555338721, 0.0951585116824927848, 0.0622535239386478929, 0.0271524594117540949};

typedef struct {
  const double *z;
  int32_t n;
  double temperature;
  double max;
  double log_n;
} row;

/* t = (z − max z)/T under softmax(s·t). */
typedef struct {
  double variance;
  double units;  /* that rounding may move it by */
  double square; /* ⟨t²⟩ */
} moments;

static moments moments_at(const row *r, double s)
{
  exact_sum sum = {0, 0};
  exact_sum first = {0, 0};
  exact_sum square = {0, 0};
  exact_sum centred = {0, 0};
  exact_sum units = {0, 0};
  for (int32_t j = 0; j < r->n; j++) {
    double t = (r->z[j] - r->max) / r->temperature;
    double e = f64_exp(s * t);
    sum_add(&sum, e);
    sum_add(&first, e == 0 ? 0 : e * t);
    sum_add(&square, e == 0 ? 0 : e * t * t);
  }
  double total = sum_of(sum);
  double mean = sum_of(first) / total;
  for (int32_t j = 0; j < r->n; j++) {
    double t = (r->z[j] - r->max) / r->temperature;
    double p = f64_exp(s * t) / total;
    double far = t - mean;
    if (p == 0)
      continue;
    sum_add(&centred, p * far * far);
    sum_add(&units, p * magnitude(far) * (magnitude(far) * (24 + 8 * r->log_n - 8 * t) - 6 * t));
  }
  return (moments){sum_of(centred), sum_of(units), sum_of(square) / total};
}

/* How many units of 1 rounding may move the budget at s/T by. */
static double budget_units(const row *r, double s, double width)
{
  double w = s * width;
  return w <= 4 ? 80 * w * w
                : 8 + 32 * r->log_n + 4 * r->log_n * r->log_n + 4 * s * s * moments_at(r, s).square;
}

/* ρ at (1 + r)/T less ρ at (1 − r)/T, and the integral of s·Var(t) between. */
static attn_identity integral(const row *r, double width)
{
  double reach = width > 1 ? 0.5 / width : 0.5;
  double lo = 1 - reach;
  double hi = 1 + reach;
  double units = budget_units(r, lo, width) + budget_units(r, hi, width);
  exact_sum area = {0, 0};
  exact_sum rounding = {0, 0};
  for (int x = 0; x < 2 * NODES; x++) {
    int node = x % NODES;
    double s = 1 + (x < NODES ? -reach : reach) * NODE[node];
    double weight = reach * WEIGHT[node] * s;
    moments m = moments_at(r, s);
    sum_add(&area, weight * m.variance);
    sum_add(&rounding, weight * (m.units + 8 * m.variance));
  }
  double rise =
      spent_of(r->z, r->n, r->temperature / hi) - spent_of(r->z, r->n, r->temperature / lo);
  return identity_of(rise, sum_of(area), ROUNDING, units + sum_of(rounding) + 1e-9 * width);
}

int32_t attn_susceptibility_measure(attn_susceptibility_report *report, const double *z, int32_t n,
                                    double temperature)
{
  if (n < 1 || !is_temperature(temperature))
    return ATTN_E_RANGE;
  row r = {z, n, temperature, largest(z, n), f64_log(n)};
  double min = r.max;
  for (int32_t j = 0; j < n; j++)
    min = z[j] < min ? z[j] : min;
  double width = (r.max - min) / temperature;
  double variance = moments_at(&r, 1).variance;
  *report = (attn_susceptibility_report){
      .rho = spent_of(z, n, temperature),
      .variance = temperature * variance * temperature,
      .slope = temperature * variance,
      .share = n > 1 ? variance / (r.log_n * r.log_n) : 0,
      .identity = is_finite(width) ? integral(&r, width) : identity_of(width, width, width, 1)};
  return ATTN_OK;
}
