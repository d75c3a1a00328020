/* The beginning and the end of a row: its results, and how its spans are merged. */
#include "kernel.h"

/* totals = a·totals + b·acc, or where there were none yet, b·acc. */
static void merge_totals(const call *s, double *totals, const float *acc, int first, double a,
                         double b)
{
  for (size_t c = 0; c < s->width; c += 4) {
    f64x2_u *to = (f64x2_u *)(void *)(totals + c);
    f32x4 sum = v_load(acc + c);
    f64x2 x[2] = {b * v_low_double(sum), b * v_high_double(sum)}, before[2] = {{0, 0}, {0, 0}};
    for (int l = 0; l < 2; l++) {
      if (!first)
        before[l] = a * to[l];
      to[l] = before[l] + x[l];
    }
  }
}

/* The spread of a row and a span together, each with its own mean. */
static double merged_spread(const row_state *row, const row_state *span, double a, double b)
{
  const double weight = a * row->total, other = b * span->total;
  const double apart =
      (row->max - span->max) + (row->moment / row->total - span->moment / span->total);
  return a * row->spread + b * span->spread + apart * apart * (weight * other / (weight + other));
}

void attn_merge_span(const call *s, const row_temperature *t, row_state *row,
                     const span_state *state, double *totals, const float *acc)
{
  const row_state *span = &state->row;
  if (row->attended == 0)
    row->first = span->first;
  if (span->max > row->max)
    row->argmax = span->argmax;
  row->attended += span->attended;
  row->beyond |= span->beyond;
  if (span->max == -__builtin_inf())
    return;
  double max = span->max > row->max || span->max != span->max ? span->max : row->max;
  int first = row->sum == 0;
  double a = first ? 0 : row_weigh(t->kind, row->max, max, t->value);
  double b = row_weigh(t->kind, span->max, max, t->value);
  if (s->p->stats)
    row->spread = first ? b * span->spread : merged_spread(row, span, a, b);
  row->moment = (first ? 0 : a * (row->moment + (row->max - max) * row->total)) +
                b * (span->moment + (span->max - max) * span->total);
  row->total = (first ? 0 : a * row->total) + b * span->total;
  row->sum = a * row->sum + b * span->sum;
  row->max = max;
  if (totals)
    merge_totals(s, totals, acc, first, a, b * state->scale);
}

void attn_begin_row(const call *s, const query_rows *rows, int x)
{
  float *arrays[] = {rows->weights[x], rows->scores[x]};
  for (int a = 0; a < 2; a++)
    for (int32_t j = 0; arrays[a] && j < s->p->n; j++)
      arrays[a][j] = -__builtin_inff();
}

/* Scores (n) in units, −∞ where not attended, become weights in place. */
KERNEL void write_weights(const call *s, const row_view *view, const row_temperature *t,
                          float *weights, float max, float denominator)
{
  const int32_t n = s->p->n;
  const f32x4 none = v_splat(-__builtin_inff());
  for (int32_t j = 0; j < n; j += 4) {
    f32x4 z = load_at(weights, j, n), e = weigh(t->kind, z - v_splat(max), v_splat(t->inverse));
    store_at(weights, j, n, v_select(z == none, v_splat(0), e / v_splat(denominator)));
  }
  /* an attended score of −∞ looks masked, and its weight is 0, unless the row has become NaN */
  for (int32_t j = 0; j < n && denominator != denominator; j++)
    if (attn_key_attended(s->p, view, j))
      weights[j] = denominator;
}

void attn_end_row(const call *s, const head_job *job, const query_rows *rows, int x,
                  const row_state *row, const row_sums *sums)
{
  const attn_params *p = s->p;
  const row_temperature *t = &rows->t[x];
  if ((row->beyond || t->in_double) && row->sum == row->sum) {
    attn_attend_in_double(s, job, rows, x);
    return;
  }
  float *out = row_out(s, job, rows, x), *weights = rows->weights[x];
  double sink = p->sinks ? ((const float *)p->sinks)[rows->h[x]] : 0;
  double denominator = row_denominator(row, t->value, p->sinks ? &sink : NULL);
  if (row->sum == 0)
    for (int32_t c = 0; c < p->value_dim; c++)
      out[c] = row->attended && denominator != denominator ? (float)denominator : 0;
  else
    attn_write_means(out, sums, 1.0 / denominator, p->value_dim);
  if (weights)
    write_weights(s, &rows->view[x], t, weights, row_is_void(row) ? 0 : (float)(row->max / t->unit),
                  (float)denominator);
  row_write_summary(p, row_index(p, job->b, rows->h[x], rows->i[x]), row, t->value, 1);
}
