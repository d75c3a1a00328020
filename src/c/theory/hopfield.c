/* Statement 23: attention as descent on the energy of a Hopfield network. */
#include "consequences.h"
#include "distribution.h"

/* A state of the network. */
typedef struct {
  const double *xi;
  double *z; /* (n): Kξ */
  double *p; /* (n): its softmax */
  distribution d;
  double square; /* ‖ξ‖² */
} state;

static void settle(state *s, const double *xi, const double *k, int32_t n, int32_t dim,
                   double temperature)
{
  s->xi = xi;
  for (int32_t j = 0; j < n; j++)
    s->z[j] = expectation(xi, k + (size_t)j * (size_t)dim, dim);
  s->d = distribute(s->p, s->z, n, temperature);
  s->square = expectation(xi, xi, dim);
}

static double energy_of(const state *s, double temperature)
{
  return s->square / 2 - soft_maximum(&s->d, temperature);
}

/* ξ' = Kᵀp; returns ‖ξ' − ξ‖². */
static double step(double *next, const state *s, const double *k, int32_t n, int32_t dim)
{
  exact_sum square = {0, 0};
  for (int32_t c = 0; c < dim; c++) {
    exact_sum mean = {0, 0};
    for (int32_t j = 0; j < n; j++)
      sum_add(&mean, s->p[j] * k[(size_t)j * (size_t)dim + (size_t)c]);
    next[c] = sum_of(mean);
    sum_add(&square, (next[c] - s->xi[c]) * (next[c] - s->xi[c]));
  }
  return sum_of(square);
}

int32_t attn_hopfield_descend(double *states, double *energies, attn_hopfield_report *report,
                              const double *xi, const double *k, int32_t n, int32_t dim,
                              int32_t steps, double temperature, double *scratch)
{
  if (n < 1 || dim < 1 || steps < 1 || !is_temperature(temperature))
    return ATTN_E_RANGE;
  state now = {.z = scratch, .p = scratch + n};
  state after = {.z = scratch + 2 * (size_t)n, .p = scratch + 3 * (size_t)n};
  double longest = 0;
  double units = 32 + 32 * f64_log(n);
  for (int32_t j = 0; j < n; j++) {
    const double *key = k + (size_t)j * (size_t)dim;
    longest = greater(longest, __builtin_sqrt(expectation(key, key, dim)));
  }
  for (int32_t c = 0; c < dim; c++)
    states[c] = xi[c];
  settle(&now, states, k, n, dim, temperature);
  energies[0] = energy_of(&now, temperature);
  *report = (attn_hopfield_report){.min_drop = __builtin_inf()};
  exact_sum fall = {0, 0};
  exact_sum size = {0, 0};
  for (int32_t x = 1; x <= steps; x++) {
    double *next = states + (size_t)x * (size_t)dim;
    double square = step(next, &now, k, n, dim);
    double reach = longest + __builtin_sqrt(now.square);
    double unit = temperature + reach * reach;
    settle(&after, next, k, n, dim, temperature);
    energies[x] = energy_of(&after, temperature);
    sum_add(&fall, square / 2);
    for (int32_t j = 0; j < n; j++)
      sum_add(&fall, temperature * divergence(now.p[j], after.p[j],
                                              log_weight(&after.d, after.z[j], temperature)));
    sum_add(&size, unit);
    double drop = energies[x - 1] - energies[x];
    report->min_drop = drop < report->min_drop ? drop : report->min_drop;
    report->violated += !(drop >= -ROUNDING * units * unit);
    report->moved = __builtin_sqrt(square);
    state spare = now;
    now = after;
    after = spare;
  }
  report->drop = energies[0] - energies[steps];
  report->identity = identity_of(report->drop, sum_of(fall), ROUNDING * sum_of(size), units);
  return ATTN_OK;
}
