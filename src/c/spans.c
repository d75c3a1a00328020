/* A group of rows over one span of keys: scores, weights, values. */
#include "tiled.h"

/* Panel after panel, up to `count` keys. */
INLINE void scores_of_rows(const int rows, const int chain, float *scores, const float *q, const float *panels,
                           int32_t dim, int32_t count)
{
  for (int32_t j = 0; j < count; j += PANEL, panels += (size_t)dim * PANEL)
    panel_scores(rows, chain, scores + j, q, panels, dim);
}

/* By itself, so that an engine which compiles in the background is done with it soon. */
KERNEL void score_five(float *scores, const float *q, const float *panels, int32_t dim, int32_t count)
{
  scores_of_rows(5, CHANNEL_CHAIN, scores, q, panels, dim, count);
}

KERNEL void score_panels(int rows, float *scores, const float *q, const float *panels, int32_t dim, int32_t count)
{
  if (rows == 5)
    score_five(scores, q, panels, dim, count);
  else if (rows == 4)
    scores_of_rows(4, CHANNEL_CHAIN, scores, q, panels, dim, count);
  else if (rows == 3)
    scores_of_rows(3, CHANNEL_CHAIN, scores, q, panels, dim, count);
  else if (rows == 2)
    scores_of_rows(2, CHANNEL_CHAIN, scores, q, panels, dim, count);
  else
    scores_of_rows(1, CHANNEL_CHAIN, scores, q, panels, dim, count);
}

KERNEL void score_panels_finely(int rows, float *scores, const float *q, const float *panels, int32_t dim,
                                int32_t count)
{
  if (rows == 4)
    scores_of_rows(4, FINE_CHAIN, scores, q, panels, dim, count);
  else
    for (int r = 0; r < rows; r++)
      scores_of_rows(1, FINE_CHAIN, scores + r * SCORES, q + r, panels, dim, count);
}

/* Scores of a group's keys [from, hi) of the span that begins at `start`, and 0 up to a whole turn. */
static void score_span(const call *s, const head_job *job, const row_group *g, int32_t from, int32_t hi, int32_t start)
{
  /* so few halves that they are still near when they are floats */
  const int32_t most = job->half_panels ? TURN : SPAN;
  if (job->bytes)
    attn_score_bytes(s, job, g, s->scores + (from - start), from, hi, start);
  else if (s->int8)
    attn_score_rounded(s, s->scores + (from - start), from, hi, start);
  else
    for (int32_t j = from, end; j < hi; j = end) {
      end = hi - j < most ? hi : j + most;
      const float *panels = attn_panels(s, job, j - start, end - start);
      if (s->p->sinks)
        score_panels_finely(g->count, s->scores + (j - start), s->queries, panels, s->p->dim, end - j);
      else
        score_panels(g->count, s->scores + (j - start), s->queries, panels, s->p->dim, end - j);
    }
  for (int32_t j = (hi + PANEL - 1) & ~(PANEL - 1); j % TURN; j += 4)
    for (int x = 0; x < g->count; x++)
      v_store(s->scores + x * SCORES + (j - start), v_splat(0));
}

static int all_finite(const float *x, size_t count)
{
  i32x4 odd = {0, 0, 0, 0};
  for (size_t c = 0; c < count; c += 4)
    odd |= (v_load(x + c) - v_load(x + c)) != v_splat(0);
  return !v_any(odd);
}

void attn_span(const call *s, const head_job *job, const row_group *g, int32_t start, span_state *span, float *acc)
{
  int32_t lo = g->lo > start ? g->lo : start, end = start + SPAN < g->hi ? start + SPAN : g->hi;
  /* whole turns, so that the four lanes of each sum belong to fixed positions */
  int32_t from = lo & ~(TURN - 1), to = (end + TURN - 1) & ~(TURN - 1);
  size_t padded = s->padded;
  score_span(s, job, g, from, end, start);
  attn_weigh_rows(s, g, span, s->scores + (from - start), from, to);
  attn_sum_values(s, job, g, acc, s->scores + (lo - start), lo, end, start, CARE_NONE);
  for (int care = CARE_MASKS; care <= CARE_RANGE && !all_finite(acc, (size_t)g->count * padded); care++) {
    attn_sum_values(s, job, g, s->spare, s->scores + (lo - start), lo, end, start, care);
    for (size_t x = 0; x < (size_t)g->count; x++)
      if (!all_finite(acc + x * padded, padded)) {
        span[x].scale = care == CARE_RANGE ? RANGE_SCALE : 1.0;
        __builtin_memcpy(acc + x * padded, s->spare + x * padded, padded * sizeof(float));
      }
  }
}
