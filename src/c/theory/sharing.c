/* Statement 12, shared keys: the movement of weights and outputs, and the bounds on it. */
#include "distribution.h"
#include "sensitivity.h"

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

/* A head, its shared keys and values, and memory for one query. */
typedef struct {
  const double *k;        /* (n, dim): the head's own keys */
  const double *change;   /* (n, dim): shared − own */
  const double *v;        /* (n, value_dim) */
  const double *shared_v; /* (n, value_dim), or NULL */
  int32_t n;
  int32_t dim;
  int32_t value_dim;
  double temperature;
  double *p;     /* (n): weights */
  double *dp;    /* (n): how they move */
  double *z;     /* (n): logits */
  double *dz;    /* (n): how they move */
  double *moved; /* (value_dim): how the output moves */
} sharing;

/* The diameter of V, its longest value, and the farthest that a value moves. */
static void measure_values(attn_sharing_report *report, const sharing *s)
{
  const size_t size = (size_t)s->value_dim;
  for (int32_t i = 0; i < s->n; i++) {
    const double *value = s->v + (size_t)i * size;
    for (int32_t j = 0; j < i; j++)
      report->diameter =
          greater(report->diameter, distance(value, s->v + (size_t)j * size, s->value_dim));
    report->longest = greater(report->longest, length(value, s->value_dim));
    if (s->shared_v)
      report->shift =
          greater(report->shift, distance(value, s->shared_v + (size_t)i * size, s->value_dim));
  }
}

/* How the weights of query q move, and their columns. norm: ‖ΔK‖_op */
static void measure_weights(attn_sharing_columns *columns, const sharing *s, const double *q,
                            double norm)
{
  const int32_t n = s->n;
  const int32_t dim = s->dim;
  double root = __builtin_sqrt(dim);
  double min = 0;
  double max = 0;
  exact_sum mean = {0, 0};
  exact_sum one = {0, 0};
  exact_sum centred = {0, 0};
  for (int32_t j = 0; j < n; j++) {
    s->z[j] = expectation(q, s->k + (size_t)j * (size_t)dim, dim) / root;
    double dz = expectation(q, s->change + (size_t)j * (size_t)dim, dim) / root;
    s->dz[j] = dz;
    sum_add(&mean, dz / n);
    min = j && min < dz ? min : dz;
    max = j ? greater(max, dz) : dz;
  }
  distribute(s->p, s->z, n, s->temperature);
  softmax_change(s->dp, s->p, s->z, s->dz, n, s->temperature);
  for (int32_t j = 0; j < n; j++) {
    double x = s->dz[j] - sum_of(mean);
    sum_add(&centred, x * x);
    sum_add(&one, magnitude(s->dp[j]));
  }
  columns->weights2 = length(s->dp, n);
  columns->weights1 = sum_of(one);
  columns->sharp = __builtin_sqrt(sum_of(centred)) / (2 * s->temperature);
  columns->note = length(s->dz, n) / s->temperature;
  columns->operator= norm * length(q, dim) / (root * s->temperature);
  columns->range = (max - min) / (2 * s->temperature);
}

/* How the output of that query moves: Σ Δp_j v_j + Σ (p_j + Δp_j) Δv_j. */
static void move_output(const sharing *s)
{
  for (int32_t channel = 0; channel < s->value_dim; channel += 2) {
    exact_pair sum = {{0, 0}, {0, 0}};
    int32_t remaining = s->value_dim - channel;
    f64x2 first = v_load_double(s->v + channel, remaining);
    for (int32_t j = 0; j < s->n; j++) {
      size_t at = (size_t)j * (size_t)s->value_dim + (size_t)channel;
      f64x2 value = v_load_double(s->v + at, remaining);
      /* relative to the first, since Σ Δp is 0: a common part of all values has no effect */
      pair_add(&sum, s->dp[j] * (value - first));
      if (s->shared_v)
        pair_add(&sum, (s->p[j] + s->dp[j]) * (v_load_double(s->shared_v + at, remaining) - value));
    }
    for (int32_t l = 0; l < 2 && l < remaining; l++)
      s->moved[channel + l] = sum_of(pair_half(sum, l));
  }
}

/* Adds one query to a report: its bound, the measured movement, and the cap on any movement. */
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
  const double cap2 = 1.41421356237309504880;
  const double cap1 = 2;
  const double output_cap = values->diameter + values->shift;
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
  const size_t keys = (size_t)n;
  const size_t size = keys * (size_t)dim;
  double *change = scratch;
  double *rows = change + size;
  double *moved = rows + 4 * keys;
  const sharing s = {.k = k,
                     .change = change,
                     .v = v,
                     .shared_v = shared_v,
                     .n = n,
                     .dim = dim,
                     .value_dim = value_dim,
                     .temperature = temperature,
                     .p = rows,
                     .dp = rows + keys,
                     .z = rows + 2 * keys,
                     .dz = rows + 3 * keys,
                     .moved = moved};
  for (size_t x = 0; x < size; x++)
    change[x] = shared_k[x] - k[x];
  *report = (attn_sharing_report){.diameter = 0};
  attn_operator_norm(&report->operator_norm, change, n, dim, moved + value_dim);
  measure_values(report, &s);
  const double diameter = report->diameter;
  const double longest = report->longest;
  const double shift = report->shift;
  const attn_bound none = {.slack = __builtin_inf()};
  *bounds = (attn_sharing_bounds){none, none, none, none, none, none, none, none};
  for (int32_t i = 0; i < m; i++) {
    attn_sharing_columns *c = columns + i;
    measure_weights(c, &s, q + (size_t)i * (size_t)dim, report->operator_norm.upper);
    move_output(&s);
    c->output = length(moved, value_dim);
    c->output_range = c->range * diameter / 2 + shift;
    c->output_diameter = c->weights1 * diameter / 2 + shift;
    c->output_note1 = c->weights1 * longest + shift;
    c->output_note2 = __builtin_sqrt(n) * c->weights2 * longest + shift;
    judge_query(bounds, c, report, ROUNDING * (64 + 64 * f64_log(n)));
  }
  return ATTN_OK;
}
