/* A group of rows over one span of keys: scores, weights, values. */
#include "kernel.h"

/*
 * Up to `count` keys, so many panels at once, which are far from each other: at places in one page
 * of memory, or a few, this would be fetched slowly. Where panels are left over, some are done
 * twice.
 */
INLINE void scores_of_rows(const int rows, const int half, const int panels, int chain,
                           float *scores, const float *q, const void *keys, int32_t dim,
                           int32_t count)
{
  const char *panel[STREAMS];
  float *to[STREAMS];
  int32_t whole = (count + PANEL - 1) / PANEL, length = (whole + panels - 1) / panels;
  for (int p = 0; p < panels; p++) {
    int32_t first = p * length < whole - length ? p * length : whole - length;
    panel[p] = (const char *)keys + (size_t)first * (size_t)dim * bytes_of_eight(half);
    to[p] = scores + first * PANEL;
  }
  for (int32_t j = 0; j < length; j++) {
    panel_scores(rows, half, panels, chain, to, q, panel, dim);
    for (int p = 0; p < panels; p++)
      to[p] += PANEL;
  }
}

/* By itself, so that an engine which compiles in the background is done with it soon. */
KERNEL void score_group(int chain, float *scores, const float *q, const float *panels, int32_t dim,
                        int32_t count)
{
  scores_of_rows(ROWS, 0, 1, chain, scores, q, panels, dim, count);
}

/* Where six go together. */
KERNEL void score_five(int chain, float *scores, const float *q, const float *panels, int32_t dim,
                       int32_t count)
{
  scores_of_rows(5, 0, 1, chain, scores, q, panels, dim, count);
}

INLINE void scores_of_few(const int half, int rows, int chain, float *scores, const float *q,
                          const void *panels, int32_t dim, int32_t count)
{
  if (rows == 4)
    scores_of_rows(4, half, 1, chain, scores, q, panels, dim, count);
  else if (rows == 3)
    scores_of_rows(3, half, 1, chain, scores, q, panels, dim, count);
  else if (rows == 2)
    scores_of_rows(2, half, 1, chain, scores, q, panels, dim, count);
  else
    scores_of_rows(1, half, STREAMS, chain, scores, q, panels, dim, count);
}

KERNEL void score_panels(int rows, int chain, float *scores, const float *q, const float *panels,
                         int32_t dim, int32_t count)
{
  if (rows == ROWS)
    score_group(chain, scores, q, panels, dim, count);
  else if (ROWS > TILE4 + 1 && rows > TILE4)
    score_five(chain, scores, q, panels, dim, count);
  else
    scores_of_few(0, rows, chain, scores, q, panels, dim, count);
}

KERNEL void score_halves(int rows, int chain, float *scores, const float *q, const uint16_t *panels,
                         int32_t dim, int32_t count)
{
  scores_of_few(1, rows, chain, scores, q, panels, dim, count);
  for (int r = 0; r < rows; r++)
    for (float *at = scores + r * SCORES, *end = at + count; at < end; at += PANEL) {
      f32x4 y[2] = {v_load(at), v_load(at + 4)};
      put_in_order(y);
      v_store(at, y[0]);
      v_store(at + 4, y[1]);
    }
}

/*
 * Scores of a group's keys [from, hi) of the span that begins at `start`, and 0 up to a whole turn.
 */
static void score_span(const call *s, const head_job *job, const row_group *g, int32_t from,
                       int32_t hi, int32_t start)
{
  float *scores = s->scores + (from - start);
  const size_t at = (size_t)(from - start) * (size_t)s->p->dim;
  const int chain = s->p->sinks ? FINE_CHAIN : CHANNEL_CHAIN;
  if (job->bytes)
    attn_score_bytes(s, job, g, scores, from, hi, start);
  else if (job->half_panels)
    score_halves(g->count, chain, scores, s->queries, job->half_panels + at, s->p->dim, hi - from);
  else
    score_panels(g->count, chain, scores, s->queries, job->panels + at, s->p->dim, hi - from);
  for (int32_t j = (hi + PANEL - 1) & ~(PANEL - 1); j % TURN; j += 4)
    for (int x = 0; x < g->count; x++)
      v_store(s->scores + x * SCORES + (j - start), v_splat(0));
}

/* Weights get the factor that halves lack. */
static void take_factor(const row_group *g, float *w, int32_t count)
{
  for (int x = 0; x < g->count; x++, w += SCORES)
    for (int32_t j = 0; j < count; j += 4)
      v_store(w + j, v_load(w + j) * v_splat(HALF_SCALE));
}

static int all_finite(const float *x, size_t count)
{
  i32x4 odd = {0, 0, 0, 0};
  for (size_t c = 0; c < count; c += 4)
    odd |= (v_load(x + c) - v_load(x + c)) != v_splat(0);
  return !v_any(odd);
}

void attn_span(const call *s, const head_job *job, const row_group *g, int32_t start,
               span_state *span, float *acc)
{
  int32_t lo = g->lo > start ? g->lo : start, end = start + SPAN < g->hi ? start + SPAN : g->hi;
  /* whole turns, so that the four lanes of each sum belong to fixed positions */
  int32_t from = lo & ~(TURN - 1), to = (end + TURN - 1) & ~(TURN - 1);
  size_t width = s->width;
  score_span(s, job, g, from, end, start);
  attn_weigh_rows(s, g, span, s->scores + (from - start), from, to);
  if (job->half_values)
    take_factor(g, s->scores + (from - start), to - from);
  int finite = attn_sum_values(s, job, g, acc, s->scores + (lo - start), lo, end, start, CARE_NONE);
  for (int care = CARE_MASKS; care <= CARE_RANGE && !finite; care++) {
    attn_sum_values(s, job, g, s->spare, s->scores + (lo - start), lo, end, start, care);
    for (size_t x = 0; x < (size_t)g->count; x++)
      if (!all_finite(acc + x * width, width)) {
        span[x].scale = care == CARE_RANGE ? RANGE_SCALE : 1.0;
        __builtin_memcpy(acc + x * width, s->spare + x * width, width * sizeof(float));
      }
    finite = all_finite(acc, (size_t)g->count * width);
  }
}
