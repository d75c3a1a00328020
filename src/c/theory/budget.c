/* Statements 4 and 5: how far from uniform a row may go for its score, and how far it has gone. */
#include "budget.h"
#include "newton.h"

typedef struct {
  const double *z;
  int32_t n;
  int32_t ties; /* how many scores are the largest */
  double max;
  double mean;
  double width; /* the mean is that of z − max */
  double gap;   /* of the largest to the next */
  double budget;
  double rho_max; /* ρ_max = log(n/ties) */
} frontier;

static frontier frontier_of(const double *z, int32_t n)
{
  frontier f = {.z = z, .n = n, .max = largest(z, n)};
  exact_sum sum = {0, 0};
  double min = z[0];
  double next = -__builtin_inf();
  for (int32_t j = 0; j < n; j++) {
    sum_add(&sum, (z[j] - f.max) / n);
    min = z[j] < min ? z[j] : min;
    next = z[j] < f.max ? greater(next, z[j]) : next;
    f.ties += z[j] == f.max;
  }
  f.mean = sum_of(sum);
  f.width = f.max - min;
  f.gap = f.max - next;
  f.rho_max = f64_log((double)n / f.ties);
  return f;
}

/* softmax(βz), by its moments. */
typedef struct {
  double spent;    /* ρ = KL(p‖u) */
  double unspent;  /* ρ_max − ρ */
  double variance; /* of βz */
} point;

/*
 * Near uniform log n and the entropy cancel, so KL(p‖u) is computed from x = β(z − mean), whose
 * plain mean is 0: with B = mean(e^x − 1 − x) and A = mean(x·(e^x − 1)), sums without a negative
 * term, it is A/(1 + B) − log(1 + B).
 */
static point frontier_at(const frontier *f, double beta)
{
  exact_sum tail = {0, 0};
  exact_sum first = {0, 0};
  exact_sum second = {0, 0};
  exact_sum a = {0, 0};
  exact_sum b = {0, 0};
  int near = beta * f->width <= 4;
  for (int32_t j = 0; j < f->n; j++) {
    double t = beta * (f->z[j] - f->max);
    double e = f64_exp(t);
    double x = t - beta * f->mean;
    sum_add(&tail, t < 0 ? e : 0);
    sum_add(&first, e == 0 ? 0 : -e * t);
    sum_add(&second, e == 0 ? 0 : e * t * t);
    if (near) {
      sum_add(&a, x * f64_expm1(x) / f->n);
      sum_add(&b, exp_remainder(x) / f->n);
    }
  }
  double sum = f->ties + sum_of(tail);
  double mean = sum_of(first) / sum;
  point p = {.unspent = f64_log1p(sum_of(tail) / f->ties) + mean,
             .variance = sum_of(second) / sum - mean * mean};
  p.spent = near ? sum_of(a) / (1 + sum_of(b)) - f64_log1p(sum_of(b)) : f->rho_max - p.unspent;
  p.spent = greater(p.spent, 0);
  return p;
}

/*
 * At β = x/width: √ρ, nearly straight near 0, or −log(ρ_max − ρ), nearly straight at the other end.
 * Rounding βz moves either as much as a unit of x does.
 */
static residual budget_slope(const void *context, double x)
{
  const frontier *f = context;
  point p = frontier_at(f, x / f->width);
  double rise = p.variance / x; /* dρ/dx */
  if (f->budget <= f->rho_max / 2) {
    double root = __builtin_sqrt(p.spent);
    double target = __builtin_sqrt(f->budget);
    return (residual){root - target, rise / (2 * root),
                      ROUNDING * (4 * target + p.variance / root)};
  }
  double unspent = f->rho_max - f->budget;
  return (residual){f64_log(unspent / p.unspent), rise / p.unspent,
                    ROUNDING * (8 + 4 * p.variance / p.unspent)};
}

/*
 * The β of a budget, strictly between 0 and all of it. Since Var(βz) ≤ x²/4, ρ is at most x²/8.
 * Where all but the largest are h ≥ 1 below it, ρ_max − ρ is at most (n − m)/m·(1 + h)·e^−h. With
 * h = 2a + 2 that is no more than (n − m)/m·e^−a.
 */
static double beta_of(frontier *f, double budget, int32_t *iterations)
{
  exact_sum square = {0, 0};
  for (int32_t j = 0; j < f->n; j++) {
    double x = (f->z[j] - f->max - f->mean) / f->width;
    sum_add(&square, x * x / f->n);
  }
  f->budget = budget;
  /* ρ = β²Var/2 to second order */
  double start = __builtin_sqrt(2 * budget / sum_of(square));
  double min = 0.99 * __builtin_sqrt(8 * budget);
  double a = f64_log((double)(f->n - f->ties) / f->ties / (f->rho_max - budget));
  double max = (2 * a + 3) * (f->width / f->gap);
  return root_of(budget_slope, f, start, min, max < 0x1p1023 ? max : 0x1p1023, iterations) /
         f->width;
}

/* softmax(βz), where β may be 0 or ∞. Returns Σ e_j. */
static double weigh(double *weights, const frontier *f, double beta)
{
  exact_sum sum = {0, 0};
  for (int32_t j = 0; j < f->n; j++) {
    double below = f->z[j] - f->max;
    weights[j] = below == 0 ? 1 : f64_exp(beta * below);
    sum_add(&sum, weights[j]);
  }
  double total = sum_of(sum);
  for (int32_t j = 0; j < f->n; j++)
    weights[j] /= total;
  return total;
}

/* ⟨p, z⟩ − max z */
static double shortfall(const double *weights, const frontier *f)
{
  exact_sum sum = {0, 0};
  for (int32_t j = 0; j < f->n; j++)
    sum_add(&sum, weights[j] * (f->z[j] - f->max));
  return sum_of(sum);
}

int32_t attn_budget_solve(double *weights, attn_budget_report *report, const double *z, int32_t n,
                          double budget)
{
  if (n < 1 || !(budget >= 0))
    return ATTN_E_RANGE;
  frontier f = frontier_of(z, n);
  if (!is_finite(f.width))
    return ATTN_E_RANGE;
  int32_t iterations = 0;
  double beta = budget == 0           ? 0
                : budget >= f.rho_max ? __builtin_inf()
                                      : beta_of(&f, budget, &iterations);
  if (beta > 0 && beta < 0x1p-1022)
    return ATTN_E_RANGE;
  double total = weigh(weights, &f, beta);
  double missed = shortfall(weights, &f);
  double log_n = f64_log(n);
  point p = {.spent = beta == 0 ? 0 : f.rho_max};
  if (beta > 0 && is_finite(beta))
    p = frontier_at(&f, beta);
  exact_sum variance = {0, 0};
  for (int32_t j = 0; j < n; j++)
    sum_add(&variance, weights[j] * (z[j] - f.max - missed) * (z[j] - f.max - missed));
  *report = (attn_budget_report){.beta = beta,
                                 .rho_max = f.rho_max,
                                 .rho = p.spent,
                                 .expected_score = f.max + missed,
                                 .variance = sum_of(variance),
                                 .iterations = iterations};
  if (beta > 0 && is_finite(beta))
    report->identity = identity_of(missed - p.spent / beta, (f64_log(total) - log_n) / beta,
                                   ROUNDING * (1 + log_n) / beta, 32 + 32 * log_n);
  return ATTN_OK;
}

int32_t attn_budget_frontier(double *budgets, double *betas, double *expected, const double *z,
                             int32_t n, int32_t points, double *scratch)
{
  if (n < 1 || points < 2)
    return ATTN_E_RANGE;
  frontier f = frontier_of(z, n);
  if (!is_finite(f.width))
    return ATTN_E_RANGE;
  for (int32_t x = 0; x < points; x++) {
    int32_t iterations;
    budgets[x] = x == points - 1 ? f.rho_max : f.rho_max * ((double)x / (points - 1));
    betas[x] = x == 0                    ? 0
               : budgets[x] >= f.rho_max ? __builtin_inf()
                                         : beta_of(&f, budgets[x], &iterations);
    weigh(scratch, &f, betas[x]);
    expected[x] = f.max + shortfall(scratch, &f);
  }
  return ATTN_OK;
}

double spent_of(const double *z, int32_t n, double temperature)
{
  frontier f = frontier_of(z, n);
  return frontier_at(&f, 1 / temperature).spent;
}

int32_t attn_budget_spent(double *weights, attn_spent_report *report, const double *z, int32_t n,
                          double temperature)
{
  if (n < 1 || !is_temperature(temperature))
    return ATTN_E_RANGE;
  distribution d = distribute(weights, z, n, temperature);
  double size = 0;
  double log_n = f64_log(n);
  double lse = d.max / temperature + d.log_sum;
  for (int32_t j = 0; j < n; j++)
    size = greater(size, magnitude(z[j]));
  double entropy = entropy_of(weights, n);
  double score = expectation(weights, z, n);
  double units = 8 + 24 * log_n + 8 * log_n * log_n + 2 * d.square + 8 * (size / temperature);
  *report = (attn_spent_report){
      .rho = spent_of(z, n, temperature),
      .entropy = entropy,
      .effective_keys = f64_exp(entropy),
      .expected_score = score,
      .lse = lse,
      .identity = identity_of(log_n - entropy, score / temperature - lse + log_n, ROUNDING, units)};
  return ATTN_OK;
}
