/* A group of rows over one span of keys: scores, weights and values, block by block. */
#include "tiled.h"

KERNEL void score_panel(int rows, float *scores, const float *q, const float *panel, int32_t dim, float factor)
{
  if (rows == 4)
    panel_scores(4, CHANNEL_CHAIN, scores, q, panel, dim, factor);
  else if (rows == 3)
    panel_scores(3, CHANNEL_CHAIN, scores, q, panel, dim, factor);
  else if (rows == 2)
    panel_scores(2, CHANNEL_CHAIN, scores, q, panel, dim, factor);
  else
    panel_scores(1, CHANNEL_CHAIN, scores, q, panel, dim, factor);
}

KERNEL void score_panel_finely(int rows, float *scores, const float *q, const float *panel, int32_t dim, float factor)
{
  if (rows == 4)
    panel_scores(4, FINE_CHAIN, scores, q, panel, dim, factor);
  else
    for (int r = 0; r < rows; r++)
      panel_scores(1, FINE_CHAIN, scores + r * BLOCK, q + r, panel, dim, factor);
}

/* Scores, weights and values of one group over the keys [block, end) of a block, into the span's states and acc. */
static void attend_block(const call *s, const head_job *job, const row_group *g, span_state *span, float *acc,
                         int32_t block, int32_t end, int32_t start, int care)
{
  const size_t dim = (size_t)s->p->dim;
  int32_t lo = g->lo > block ? g->lo : block, hi = end;
  if (lo >= hi)
    return;
  /* whole sixteens, so that the four lanes of each sum belong to fixed positions */
  int32_t from = lo & ~15, to = (hi + 15) & ~15;
  for (int32_t j = from; j < to; j += PANEL) {
    float *z = s->scores + (j - from);
    size_t at = (size_t)(j - start) * dim;
    if (j < hi && job->bytes)
      attn_score_bytes(s, job, g, z, j, start);
    else if (j < hi && s->p->sinks)
      score_panel_finely(g->count, z, s->queries, job->panels + at, s->p->dim, s->scale);
    else if (j < hi)
      score_panel(g->count, z, s->queries, job->panels + at, s->p->dim, s->scale);
    else
      for (int x = 0; x < g->count; x++) {
        v_store(z + x * BLOCK, v_splat(0));
        v_store(z + x * BLOCK + 4, v_splat(0));
      }
  }
  float keep[GROUP];
  for (int x = 0; x < g->count; x++)
    keep[x] = attn_fold_row(s, g, x, &span[x].row, s->scores + x * BLOCK, from, to);
  attn_add_values(s, job, g, acc, keep, s->scores + (lo - from), lo, hi, start, care);
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
  int32_t end = start + SPAN < g->hi ? start + SPAN : g->hi;
  int settled[GROUP] = {0}, left = g->count;
  for (int care = CARE_NONE; left; care++) {
    /* later passes are for the rows that need them; the others keep what they have */
    span_state *states = care == CARE_NONE ? span : s->spare_states;
    float *sums = care == CARE_NONE ? acc : s->spare;
    for (int x = 0; x < g->count; x++)
      states[x] = (span_state){row_empty(), care == CARE_RANGE ? RANGE_SCALE : 1.0};
    for (size_t c = 0; c < (size_t)g->count * s->padded; c += 4)
      v_store(sums + c, v_splat(0));
    for (int32_t block = start; block < end; block += BLOCK)
      attend_block(s, job, g, states, sums, block, end < block + BLOCK ? end : block + BLOCK, start, care);
    for (int x = 0; x < g->count; x++) {
      size_t row = (size_t)x * s->padded;
      if (settled[x] || (care != CARE_RANGE && !all_finite(sums + row, s->padded)))
        continue;
      settled[x] = 1;
      left--;
      span[x] = states[x];
      for (size_t c = 0; c < s->padded && sums != acc; c += 4)
        v_store(acc + row + c, v_load(sums + row + c));
    }
  }
}
