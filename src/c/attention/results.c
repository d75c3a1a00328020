/* The results of a row, and the online softmax that merges its spans. */
#include "kernel.h"

/* totals = a·totals + b·acc, or where there were none yet, b·acc. */
static void merge_totals(const call *s, double *totals, const float *acc, int empty, double a,
                         double b)
{
  for (size_t c = 0; c < s->width; c += 4) {
    f64x2_u *to = (f64x2_u *)(void *)(totals + c);
    f32x4 sum = v_load(acc + c);
    f64x2 x[2] = {b * v_low_double(sum), b * v_high_double(sum)};
    f64x2 before[2] = {{0, 0}, {0, 0}};
    for (int l = 0; l < 2; l++) {
      if (!empty)
        before[l] = a * to[l];
      to[l] = before[l] + x[l];
    }
  }
}

/*
 * ---- Sums of weights over segments of the keys
 *
 * The order of each sum follows from key positions: four lanes within a block, whose sums are added
 * in double.
 */

/* Σ w over the keys [lo, hi) of one block; w is at key `from`, a multiple of four. */
INLINE double sum_weights(const float *w, int32_t from, int32_t lo, int32_t hi)
{
  const f32x4 none = v_splat(0);
  int32_t j = lo & ~3;
  f32x4 sum = v_select(inside(j, lo, hi), v_load(w + (j - from)), none);
  for (j += 4; j + 4 <= hi; j += 4)
    sum += v_load(w + (j - from));
  if (j < hi)
    sum += v_select(inside(j, lo, hi), v_load(w + (j - from)), none);
  return v_hsum(sum);
}

void attn_sum_segments(const attn_params *p, double *sums, const float *w, int32_t from, int32_t to)
{
  for (int32_t segment = 0; segment < p->segment_count; segment++) {
    const int32_t first = p->edges[segment];
    const int32_t last = p->edges[segment + 1];
    const int32_t hi = last < to ? last : to;
    sums[segment] = 0;
    for (int32_t j = first > from ? first : from; j < hi;) {
      const int32_t next = (j / BLOCK + 1) * BLOCK;
      const int32_t end = next < hi ? next : hi;
      sums[segment] += sum_weights(w, from, j, end);
      j = end;
    }
  }
}

/* totals = a·totals + b·sums, or where there were none yet, b·sums. */
static void merge_segments(const attn_params *p, double *totals, const double *sums, int empty,
                           double a, double b)
{
  for (int32_t segment = 0; segment < p->segment_count; segment++)
    totals[segment] = (empty ? 0 : a * totals[segment]) + b * sums[segment];
}

static int any_attended(const attn_params *p, const row_view *view, int32_t from, int32_t to)
{
  const int32_t end = to < view->hi ? to : view->hi;
  for (int32_t j = from > view->lo ? from : view->lo; j < end; j++)
    if (attn_key_attended(p, view, j))
      return 1;
  return 0;
}

/* The results of a row; totals NULL: its weights are 0, or NaN. */
static void write_segments(const attn_params *p, float *to, const row_view *view,
                           const double *totals, double denominator)
{
  for (int32_t segment = 0; segment < p->segment_count; segment++) {
    to[segment] = totals ? row_float(totals[segment] / denominator) : 0;
    if (denominator != denominator)
      to[segment] =
          any_attended(p, view, p->edges[segment], p->edges[segment + 1]) ? __builtin_nanf("") : 0;
  }
}

/* ---- Spans of keys and whole rows ---- */

/* The spread of a row and a span together, each with its own mean. */
static double merged_spread(const row_state *row, const row_state *added, double a, double b)
{
  const double weight = a * row->total;
  const double other = b * added->total;
  const double apart =
      (row->max - added->max) + (row->moment / row->total - added->moment / added->total);
  return a * row->spread + b * added->spread + apart * apart * (weight * other / (weight + other));
}

void attn_merge_span(const call *s, const row_temperature *t, row_state *row,
                     const span_state *state, double *totals, const float *acc, double *segments)
{
  const row_state *added = &state->row;
  if (row->attended == 0)
    row->first = added->first;
  if (added->max > row->max)
    row->argmax = added->argmax;
  row->attended += added->attended;
  row->beyond |= added->beyond;
  if (added->max == -__builtin_inf())
    return;
  double max = added->max > row->max || added->max != added->max ? added->max : row->max;
  int empty = row->sum == 0;
  double a = empty ? 0 : weight_in_double(t->kind, row->max, max, t->value);
  double b = weight_in_double(t->kind, added->max, max, t->value);
  if (s->p->stats)
    row->spread = empty ? b * added->spread : merged_spread(row, added, a, b);
  row->moment = (empty ? 0 : a * (row->moment + (row->max - max) * row->total)) +
                b * (added->moment + (added->max - max) * added->total);
  row->total = (empty ? 0 : a * row->total) + b * added->total;
  row->sum = a * row->sum + b * added->sum;
  row->max = max;
  if (totals)
    merge_totals(s, totals, acc, empty, a, b * state->divided_by);
  if (state->segments)
    merge_segments(s->p, segments, state->segments, empty, a, b);
}

void attn_clear_results(const call *s, const query_rows *set, int x)
{
  float *arrays[] = {set->weights[x], set->scores[x]};
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
    f32x4 z = load_at(weights, j, n);
    f32x4 e = weigh(t->kind, z - v_splat(max), v_splat(t->inverse));
    store_at(weights, j, n, v_select(z == none, v_splat(0), e / v_splat(denominator)));
  }
  /* an attended score of −∞ looks masked, and its weight is 0, unless the row has become NaN */
  for (int32_t j = 0; j < n && denominator != denominator; j++)
    if (attn_key_attended(s->p, view, j))
      weights[j] = denominator;
}

void attn_end_row(const call *s, const head_job *job, const query_rows *set, int x,
                  const row_state *row, const row_sums *sums)
{
  const attn_params *p = s->p;
  const row_temperature *t = &set->t[x];
  if ((row->beyond || t->in_double) && row->sum == row->sum) {
    attn_attend_in_double(s, job, set, x);
    return;
  }
  float *out = row_out(s, job, set, x);
  float *weights = set->weights[x];
  double sink = p->sinks ? ((const float *)p->sinks)[set->h[x]] : 0;
  double denominator = row_denominator(row, t->value, p->sinks ? &sink : NULL);
  if (row->sum == 0)
    for (int32_t c = 0; c < p->value_dim; c++)
      out[c] = row->attended && denominator != denominator ? (float)denominator : 0;
  else
    attn_write_means(out, sums, 1.0 / denominator, p->value_dim);
  if (weights)
    write_weights(s, &set->view[x], t, weights, row_is_void(row) ? 0 : (float)(row->max / t->unit),
                  (float)denominator);
  const size_t at = row_index(p, job->b, set->h[x], set->i[x]);
  if (p->segments)
    write_segments(p, (float *)p->segments + at * (size_t)p->segment_count, &set->view[x],
                   row->sum == 0 ? NULL : sums->segments, denominator);
  row_write_summary(p, at, row, t->value, 1);
}
