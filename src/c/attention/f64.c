/*
 * float64 attention in textbook order: all scores of a row, then their maximum, weights and
 * weighted sum. Every sum carries the rounding errors of its additions along. So its error is that
 * of its terms and does not grow with their number.
 */
#include "softmax_state.h"
#include "base/sums.h"

/* One row: where its inputs and outputs are. */
typedef struct {
  const attn_params *p;
  int32_t h;
  row_view view;
  const double *q;
  const double *k, *v; /* (n, ·) with a stride each */
  size_t k_stride, v_stride;
  double *out, *weights, *scores; /* weights and scores NULL if not wanted */
  exact_sum *sums;                /* (value_dim), scratch */
} row64;

/*
 * Score of key j; *attended says whether the masks let it through. Stores the stage that is wanted.
 */
static double score_of(const row64 *row, int32_t j, int *attended)
{
  const attn_params *p = row->p;
  const row_view *view = &row->view;
  const double *k = row->k + (size_t)j * row->k_stride;
  exact_sum dot = {0, 0};
  for (int32_t c = 0; c < p->dim; c++)
    sum_add(&dot, row->q[c] * k[c]);
  double z = sum_of(dot) * p->scale;
  if (p->key_scale)
    z *= ((const double *)p->key_scale)[j];
  if (row->scores && p->scores_stage == ATTN_SCORES_RAW)
    row->scores[j] = z;
  if (p->softcap > 0)
    z = p->softcap * f64_tanh(z / p->softcap);
  if (row->scores && p->scores_stage == ATTN_SCORES_CAPPED)
    row->scores[j] = z;
  *attended = j >= view->lo && j < view->hi;
  if (*attended && p->mask_kind) {
    size_t at = view->mask_at + (size_t)(view->mask_step * j);
    if (p->mask_kind == ATTN_MASK_SELECT) {
      *attended = ((const uint8_t *)p->mask)[at] != 0;
    } else {
      double bias = ((const double *)p->mask)[at];
      *attended = bias != -__builtin_inf();
      z += bias;
    }
  }
  if (p->alibi) {
    double distance = (double)view->position - j;
    z -= ((const double *)p->alibi)[row->h] * (distance < 0 ? -distance : distance);
  }
  z = *attended ? z : -__builtin_inf();
  if (row->scores && p->scores_stage == ATTN_SCORES_MASKED)
    row->scores[j] = z;
  return z;
}

/*
 * z (n) becomes the unnormalised weights. −1 marks a key that is not attended, whose value is never
 * read. Before, the mark is −∞. So an attended score of −∞ becomes the lowest number, whose weight
 * is 0 beside any other.
 */
static row_state attend_row(const row64 *row, double *z)
{
  const attn_params *p = row->p;
  const double lowest = -1.7976931348623157e308;
  double temperature = temperature_of(p, row->h);
  int kind = temperature_kind(temperature), any_nan = 0, any_finite = 0;
  int everywhere = row->scores && p->scores_stage != ATTN_SCORES_MASKED;
  int32_t lo = everywhere ? 0 : row->view.lo, hi = everywhere ? p->n : row->view.hi;
  row_state state = row_empty();
  for (int32_t j = lo; j < hi; j++) {
    int attended;
    z[j] = score_of(row, j, &attended);
    if (!attended)
      continue;
    any_finite |= z[j] >= lowest;
    z[j] = z[j] < lowest ? lowest : z[j];
    any_nan |= z[j] != z[j];
    if (state.attended++ == 0)
      state.first = j;
    if (z[j] > state.max) {
      state.max = z[j];
      state.argmax = j;
    }
  }
  if (any_nan)
    state.max = __builtin_nan("");
  else if (kind != T_INFINITE && !any_finite)
    state.max = -__builtin_inf();
  exact_sum sum = {0, 0}, moment = {0, 0};
  for (int32_t j = row->view.lo; j < row->view.hi; j++) {
    double score = z[j], t = score - state.max;
    if (z[j] < lowest) {
      z[j] = -1;
      continue;
    }
    z[j] = row_is_void(&state) ? 0 : row_weigh(kind, t, temperature);
    sum_add(&sum, z[j]);
    sum_add(&moment, z[j] == 0                               ? 0
                     : kind == T_INFINITE && score == lowest ? -__builtin_inf()
                                                             : z[j] * t);
  }
  state.sum = state.total = sum_of(sum);
  state.moment = sum_of(moment);
  return state;
}

/*
 * Channel c of the output where the sum of the values leaves the doubles, though their mean does
 * not, but by rounding.
 */
static double large_mean(const row64 *row, const double *e, int32_t c, double denominator)
{
  const double scale = 0x1p-64, max = 1.7976931348623157e308 * 0x1p-64;
  exact_sum sum = {0, 0};
  for (int32_t j = row->view.lo; j < row->view.hi; j++)
    if (e[j] >= 0 || e[j] != e[j])
      sum_add(&sum, e[j] * (row->v[(size_t)j * row->v_stride + (size_t)c] * scale));
  double mean = sum_of(sum) / denominator;
  if (mean - mean == 0)
    mean = mean > max ? max : mean < -max ? -max : mean;
  return mean / scale;
}

static void write_row(const row64 *row, const row_state *state, const double *e)
{
  const attn_params *p = row->p;
  double sink = p->sinks ? ((const double *)p->sinks)[row->h] : 0;
  double denominator = row_denominator(state, temperature_of(p, row->h), p->sinks ? &sink : NULL);
  for (int32_t c = 0; c < p->value_dim; c++)
    row->sums[c] = (exact_sum){0, 0};
  for (int32_t j = 0; row->weights && j < p->n; j++)
    row->weights[j] = 0;
  for (int32_t j = row->view.lo; j < row->view.hi; j++) {
    if (e[j] < 0)
      continue;
    const double *v = row->v + (size_t)j * row->v_stride;
    for (int32_t c = 0; c < p->value_dim; c++)
      sum_add(&row->sums[c], e[j] * v[c]);
    if (row->weights)
      row->weights[j] = e[j] / denominator;
  }
  for (int32_t c = 0; c < p->value_dim; c++) {
    double sum = sum_of(row->sums[c]),
           mean = sum - sum == 0 ? sum / denominator : large_mean(row, e, c, denominator);
    row->out[c] = state->attended ? mean + 0 : 0; /* +0 of −0 */
  }
}

static void write_summary(const attn_params *p, double temperature, size_t at,
                          const row_state *state)
{
  row_summary summary = row_summarize(state, temperature);
  if (p->lse)
    ((double *)p->lse)[at] = summary.lse;
  if (p->attended) {
    p->attended[at] = summary.attended;
    p->argmax[at] = summary.argmax;
    ((double *)p->entropy)[at] = summary.entropy;
    ((double *)p->kl)[at] = summary.kl;
    ((double *)p->expected_score)[at] = summary.expected_score;
    ((double *)p->max_weight)[at] = summary.max_weight;
  }
}

int32_t attn_forward_f64(const attn_params *p, double *out, const double *q, const double *k,
                         const double *v, void *scratch)
{
  if (p->precision != ATTN_FLOAT)
    return ATTN_E_RANGE;
  strides qs = strides_of(p, p->heads, p->m, p->dim),
          os = strides_of(p, p->heads, p->m, p->value_dim);
  strides ks = strides_of(p, p->kv_heads, p->n, p->dim),
          vs = strides_of(p, p->kv_heads, p->n, p->value_dim);
  int32_t group = p->heads / p->kv_heads;
  exact_sum *sums = scratch;
  double *z = (double *)(sums + p->value_dim);
  for (int32_t b = 0; b < p->batch; b++)
    for (int32_t h = 0; h < p->heads; h++)
      for (int32_t i = 0; i < p->m; i++) {
        size_t at = row_index(p, b, h, i);
        int64_t weights = weights_at(p, b, h, i);
        row64 row = {.p = p,
                     .h = h,
                     .view = row_view_of(p, b, h, i),
                     .q = q + (size_t)b * qs.batch + (size_t)h * qs.head + (size_t)i * qs.position,
                     .k = k + (size_t)b * ks.batch + (size_t)(h / group) * ks.head,
                     .v = v + (size_t)b * vs.batch + (size_t)(h / group) * vs.head,
                     .k_stride = ks.position,
                     .v_stride = vs.position,
                     .out =
                         out + (size_t)b * os.batch + (size_t)h * os.head + (size_t)i * os.position,
                     .weights = weights < 0 ? NULL : (double *)p->weights + weights,
                     .scores = p->scores ? (double *)p->scores + at * (size_t)p->n : NULL,
                     .sums = sums};
        for (int32_t j = 0; row.scores && j < p->n; j++)
          row.scores[j] = -__builtin_inf();
        row_state state = attend_row(&row, z);
        write_row(&row, &state, z);
        write_summary(p, temperature_of(p, h), at, &state);
      }
  return ATTN_OK;
}

size_t attn_scratch_bytes_f64(const attn_params *p)
{
  return (size_t)p->value_dim * sizeof(exact_sum) + (size_t)p->n * sizeof(double);
}
