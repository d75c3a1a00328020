/*
 * The gradient of one row in double: all scores, then the weights, then their gradients. Sums carry
 * the rounding errors of their additions along.
 */
#include "attention_gradient_row.h"
#include "base/arena.h"

size_t attn_row_gradient_place(row_gradient *r, const attn_params *p, void *base)
{
  arena a = {.base = base};
  const size_t dim = (size_t)p->dim;
  const size_t value_dim = (size_t)p->value_dim;
  const size_t n = (size_t)p->n;
  r->row.key = arena_allocate(&a, dim, sizeof(double));
  r->query = arena_allocate(&a, dim, sizeof(double));
  r->d_out = arena_allocate(&a, value_dim, sizeof(double));
  r->dq = arena_allocate(&a, dim, sizeof(exact_sum));
  r->row.z = arena_allocate(&a, n, sizeof(double));
  r->weights = arena_allocate(&a, n, sizeof(double));
  r->factors = arena_allocate(&a, n, sizeof(double));
  return arena_bytes(&a);
}

/* Channel c of key or value j. */
INLINE double key_number(const row64 *row, int32_t j, int32_t c)
{
  const size_t at = (size_t)j * row->k_stride + (size_t)c;
  return row->k ? row->k[at] : (double)row->k32[at];
}

INLINE double value_number(const row64 *row, int32_t j, int32_t c)
{
  const size_t at = (size_t)j * row->v_stride + (size_t)c;
  return row->v ? row->v[at] : (double)row->v32[at];
}

/* The attended scores, in z, and their maximum. */
static row_state score_keys(const row64 *row)
{
  row_state state = row_empty();
  int any_nan = 0;
  for (int32_t j = row->view.lo; j < row->view.hi; j++) {
    if (!row64_attends(row, j))
      continue;
    const double z = row->z[j] = row64_score(row, j, ATTN_SCORES_MASKED);
    any_nan |= z != z;
    state.attended++;
    state.max = z > state.max ? z : state.max;
  }
  if (any_nan)
    state.max = __builtin_nan("");
  return state;
}

/* The weights; returns that of the sink. */
static double weigh_keys(row_gradient *r, row_state *state)
{
  const row64 *row = &r->row;
  const attn_params *p = row->p;
  const double T = temperature_of(p, row->h);
  exact_sum sum = {0, 0};
  for (int32_t j = row->view.lo; j < row->view.hi; j++) {
    if (!row64_attends(row, j))
      continue;
    r->weights[j] = row_is_void(state) ? 0 : weight_in_double(T_FINITE, row->z[j], state->max, T);
    sum_add(&sum, r->weights[j]);
  }
  state->sum = sum_of(sum);
  const double sink = p->sinks ? number_at(row->single, p->sinks, (size_t)row->h) : 0;
  const double denominator = row_denominator(state, T, p->sinks ? &sink : NULL);
  for (int32_t j = row->view.lo; j < row->view.hi; j++)
    if (row64_attends(row, j))
      r->weights[j] /= denominator;
  if (!p->sinks || !state->attended)
    return 0;
  const double e = weight_in_double(T_FINITE, sink, state->max, T);
  return e > F64_MAX ? 1 : e / denominator;
}

/* dP_j in the place of the factors; returns D. */
static double weigh_values(row_gradient *r)
{
  const row64 *row = &r->row;
  exact_sum mean = {0, 0};
  for (int32_t j = row->view.lo; j < row->view.hi; j++) {
    if (!row64_attends(row, j))
      continue;
    exact_sum dot = {0, 0};
    for (int32_t c = 0; c < row->p->value_dim; c++)
      sum_add(&dot, r->d_out[c] * value_number(row, j, c));
    r->factors[j] = sum_of(dot);
    sum_add(&mean, r->weights[j] * r->factors[j]);
  }
  return sum_of(mean);
}

/* From dZ_j, the gradient of a score with its biases, to that of the raw score. */
static double uncap(const row64 *row, int32_t j, double dz)
{
  if (!(row->p->softcap > 0))
    return dz;
  const double share = row64_score(row, j, ATTN_SCORES_CAPPED) / row->p->softcap;
  return dz * ((1 - share) * (1 + share));
}

static void score_gradients(row_gradient *r, double mean)
{
  const row64 *row = &r->row;
  const attn_params *p = row->p;
  const double T = temperature_of(p, row->h);
  exact_sum scale = {0, 0};
  exact_sum temperature = {0, 0};
  for (int32_t j = row->view.lo; j < row->view.hi; j++) {
    if (!row64_attends(row, j))
      continue;
    const double dz = r->weights[j] * (r->factors[j] - mean) / T;
    const double dr = uncap(row, j, dz);
    const double key_scale = p->key_scale ? number_at(row->single, p->key_scale, (size_t)j) : 1;
    r->factors[j] = p->scale * key_scale * dr;
    sum_add(&temperature, -dz * row->z[j] / T);
    if (r->mask)
      r->mask[row->view.mask_at + (size_t)(row->view.mask_step * j)] += dz;
    exact_sum dot = {0, 0};
    for (int32_t c = 0; c < p->dim; c++) {
      const double k = key_number(row, j, c);
      sum_add(&dot, r->query[c] * k);
      sum_add(&r->dq[c], r->factors[j] * k);
    }
    sum_add(&scale, key_scale * dr * sum_of(dot));
    if (r->key_scale)
      r->key_scale[j] += p->scale * dr * sum_of(dot);
  }
  r->sums->scale += sum_of(scale);
  r->sums->temperature += sum_of(temperature);
}

void attn_row_gradient(row_gradient *r, const gradient_call *call, int32_t b, int32_t h, int32_t i)
{
  const attn_params *p = call->p;
  row64 *row = &r->row;
  const int32_t kv_head = h / (p->heads / p->kv_heads);
  const size_t query = query_place(call, b, h, i);
  const size_t out = out_place(call, b, h, i);
  const size_t key = (size_t)b * call->key.batch + (size_t)kv_head * call->key.head;
  const size_t value = (size_t)b * call->value.batch + (size_t)kv_head * call->value.head;
  for (int32_t c = 0; c < p->dim; c++) {
    r->query[c] = number_at(call->single, call->q, query + (size_t)c);
    r->dq[c] = (exact_sum){0, 0};
  }
  for (int32_t c = 0; c < p->value_dim; c++)
    r->d_out[c] = number_at(call->single, call->d_out, out + (size_t)c);
  row->p = p;
  row->b = b;
  row->h = h;
  row->i = i;
  row->view = row_view_of(p, b, h, i);
  row->single = call->single;
  row->k = call->single ? NULL : (const double *)call->k + key;
  row->v = call->single ? NULL : (const double *)call->v + value;
  row->k32 = call->single ? (const float *)call->k + key : NULL;
  row->v32 = call->single ? (const float *)call->v + value : NULL;
  row->k_stride = call->key.position;
  row->v_stride = call->value.position;
  row->q = r->query;

  row_state state = score_keys(row);
  const double sink_weight = weigh_keys(r, &state);
  const double mean = weigh_values(r);
  score_gradients(r, mean);
  if (p->sinks && state.attended) {
    const double T = temperature_of(p, h);
    const double sink = number_at(call->single, p->sinks, (size_t)h);
    const double d_sink = -sink_weight * mean / T;
    r->sums->sink += d_sink;
    if (sink_weight != 0) /* 0·∞ of a sink of −∞ */
      r->sums->temperature -= d_sink * sink / T;
  }
}
