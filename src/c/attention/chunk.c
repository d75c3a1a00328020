/* A chunk of the query rows of one kv head, over all the spans of keys that they see. */
#include "kernel.h"

/* Numbers of at least this size, or at most its inverse, are rare. Slower code computes them. */
#define HUGE 0x1p100f

/* The largest score at T = ∞: SPAN differences of two such scores add up to a float. */
#define MAX_SUMMED 0x1p117f

int attn_halves_in_place(const call *s, const head_job *job, int32_t first, int32_t end)
{
  if (!job->cache || job->cache->type != ATTN_CACHE_F16 || job->cache->not_finite ||
      end - first > 2 * TILE4)
    return 0;
  /* HALF_SCALE takes it to the last power of two; the fraction of p->scale is below 1 (call.c) */
  const float max = 32768.0f;
  int small = 1;
  for (int32_t r = first; r < end; r++) {
    const float *q = query_at(s, job, job->kv_head * job->group + r % job->group, r / job->group);
    for (int32_t c = 0; c < s->p->dim; c++)
      small &= q[c] < max && q[c] > -max;
  }
  return small;
}

/* Weights get the factor that halves lack. */
static void scale_for_halves(const query_rows *set, float *w, int32_t count)
{
  for (int x = 0; x < set->count; x++, w += SCORE_STRIDE)
    for (int32_t j = 0; j < count; j += 4)
      v_store(w + j, v_load(w + j) * v_splat(HALF_SCALE));
}

static int all_finite(const float *x, size_t count)
{
  i32x4 not_finite = {0, 0, 0, 0};
  for (size_t c = 0; c < count; c += 4)
    not_finite |= (v_load(x + c) - v_load(x + c)) != v_splat(0);
  return !v_any(not_finite);
}

/* Whether a sum is so small that RANGE_SCALE would make it lose bits. */
static int any_small(const float *x, size_t count)
{
  i32x4 small = {0, 0, 0, 0};
  for (size_t c = 0; c < count; c += 4) {
    f32x4 y = v_load(x + c);
    small |= (y != v_splat(0)) & (y < v_splat(1 / HUGE)) & (y > v_splat(-1 / HUGE));
  }
  return v_any(small);
}

void attn_attend_span(call *s, const head_job *job, const query_rows *set, span_state *states,
                      float *acc, double *segments)
{
  const int32_t start = job->span.start;
  int32_t lo = set->lo > start ? set->lo : start;
  int32_t hi = start + SPAN < set->hi ? start + SPAN : set->hi;
  /* whole steps, so that the four lanes of each sum belong to fixed positions */
  int32_t from = lo & ~(KEY_STEP - 1);
  int32_t to = (hi + KEY_STEP - 1) & ~(KEY_STEP - 1);
  float *scores = s->scores + (from - start);
  size_t width = s->width;
  attn_score_span(s, job, set, from, hi);
  attn_weigh_rows(s, job, set, states, scores, from, to);
  float *weights = scores; /* in the same place */
  const float *w = weights + (lo - from);
  for (int x = 0; s->p->segments && x < set->count; x++, segments += s->p->segment_count) {
    attn_sum_segments(s->p, segments, weights + x * SCORE_STRIDE, from, to);
    states[x].segments = segments;
  }
  if (job->span.form == SPAN_F16)
    scale_for_halves(set, weights, to - from);
  int finite = attn_sum_values(s, job, set, acc, w, lo, hi, CARE_NONE);
  for (int care = CARE_MASKS; care <= CARE_RANGE && !finite; care++) {
    attn_sum_values(s, job, set, s->spare, w, lo, hi, care);
    for (size_t x = 0; x < (size_t)set->count; x++)
      if (!all_finite(acc + x * width, width)) {
        states[x].divided_by = care == CARE_RANGE ? RANGE_SCALE : 1.0;
        if (care == CARE_RANGE)
          states[x].row.beyond |= any_small(acc + x * width, width);
        __builtin_memcpy(acc + x * width, s->spare + x * width, width * sizeof(float));
      }
    finite = all_finite(acc, (size_t)set->count * width);
  }
}

/*
 * How many of the remaining rows go together. If the last rows do not fit into one set, they are
 * halved: a set of one row alone would wait for each multiply-add.
 */
static int32_t rows_together(const call *s, const head_job *job, int32_t remaining)
{
  const int bytes = s->int8 || (job->cache && job->cache->type == ATTN_CACHE_Q8);
  /* chains of channels are short beside a sink, and five rows slower (tuning.md#sink-rows) */
  const int32_t max = s->p->sinks || bytes || job->halves_in_place ? TILE4 : ROWS;
  if (remaining <= max)
    return remaining;
  return remaining < 2 * max ? (remaining + 1) / 2 : max;
}

static row_temperature row_temperature_of(const call *s, double value)
{
  row_temperature t = {.kind = temperature_kind(value), .value = value};
  t.unit = s->plain && t.kind != T_INFINITE ? s->power : 1;
  t.inverse = nearest_float((double)t.unit / value); /* T = 0 and T = ∞ do not use it */
  /* with so small a unit/T, even a difference beyond the floats may weigh more than 0 */
  t.max_score = t.kind == T_INFINITE                         ? MAX_SUMMED
                : t.kind == T_FINITE && t.inverse < 1 / HUGE ? HUGE
                                                             : F32_MAX;
  /* with a scale of 2^122·T, the smallest float moves a logit by 2^-27 */
  t.in_double = t.kind == T_FINITE && (t.inverse > HUGE || s->largest_scale > 0x1p122 * value);
  if (t.kind == T_ZERO) {
    /*
     * The rounding of a subnormal is at most 2^-150, and largest_scale times that in a score. A
     * score 2^25 times as large keeps the 24 bits of a float. Scores in z lack the unit.
     */
    double lost = s->largest_scale / t.unit * 0x1p-125;
    t.near_zero = nearest_float(lost > 1 / HUGE ? lost : 1 / HUGE);
  }
  return t;
}

/*
 * R rows make ⌈R/max⌉ sets with the max of rows_together: rows are halved only where two sets are
 * needed anyway. As max is at least TILE4, a chunk has at most CHUNK / TILE4 sets.
 */
query_rows attn_query_rows(const call *s, const head_job *job, int32_t r, int32_t end)
{
  const attn_params *p = s->p;
  query_rows set = {.count = rows_together(s, job, end - r), .lo = p->n};
  for (int x = 0; x < set.count; x++) {
    int32_t i = (r + x) / job->group;
    int32_t h = job->kv_head * job->group + (r + x) % job->group;
    set.i[x] = i;
    set.h[x] = h;
    set.view[x] = row_view_of(p, job->b, h, i);
    set.t[x] = row_temperature_of(s, temperature_of(p, h));
    if (set.view[x].lo < set.view[x].hi) {
      set.lo = set.view[x].lo < set.lo ? set.view[x].lo : set.lo;
      set.hi = set.view[x].hi > set.hi ? set.view[x].hi : set.hi;
    }
    int64_t at = weights_at(p, job->b, h, i);
    set.weights[x] = at < 0 ? NULL : (float *)p->weights + at;
    set.scores[x] =
        p->scores ? (float *)p->scores + row_index(p, job->b, h, i) * (size_t)p->n : NULL;
  }
  if (s->unmasked_scores) {
    set.lo = 0;
    set.hi = p->n;
  }
  return set;
}

int attn_reaches(const query_rows *set, int32_t start)
{
  return set->lo < start + SPAN && set->hi > start;
}

/*
 * Some rows over the span that is loaded; their results if this is their last span. The first of
 * them has the state `at` of the chunk.
 */
static void attend_rows(call *s, const head_job *job, const query_rows *set, int32_t at)
{
  const int32_t start = job->span.start;
  const int begins = set->lo >= start;
  const int ends = set->hi <= start + SPAN;
  span_state span[ROWS];
  attn_attend_span(s, job, set, span, s->acc, s->segments);
  for (int x = 0; x < set->count; x++) {
    const float *acc = s->acc + (size_t)x * s->width;
    row_state *state = &s->states[at + x];
    double *segments = s->segment_totals + (size_t)(at + x) * (size_t)s->p->segment_count;
    double *totals = begins && ends ? NULL : s->totals + (size_t)(at + x) * s->width;
    if (begins)
      *state = row_empty();
    attn_merge_span(s, &set->t[x], state, &span[x], totals, acc, segments);
    if (ends)
      attn_end_row(s, job, set, x, state, &(row_sums){totals, acc, span[x].divided_by, segments});
  }
}

/* Reads a number of each cache line, so that the queries are near when they are needed. */
static void prefetch_queries(const call *s, const head_job *job, const query_rows *set)
{
  for (int x = 0; x < set->count; x++) {
    const volatile float *q = query_of_row(s, job, set, x);
    for (int32_t c = 0; c < s->p->dim; c += 16)
      (void)q[c];
  }
}

void attn_attend_chunk(call *s, head_job *job, int32_t first, int32_t end)
{
  const row_state nothing = row_empty();
  int32_t lo = s->p->n;
  int32_t hi = 0;
  int32_t count = 0;
  job->halves_in_place = attn_halves_in_place(s, job, first, end);
  for (int32_t r = first; r < end;) {
    query_rows *set = &s->sets[count];
    *set = attn_query_rows(s, job, r, end);
    lo = set->lo < lo ? set->lo : lo;
    hi = set->hi > hi ? set->hi : hi;
    for (int x = 0; x < set->count; x++) {
      attn_clear_results(s, set, x);
      if (set->lo >= set->hi)
        attn_end_row(s, job, set, x, &nothing, NULL);
    }
    r += set->count;
    count++;
  }
  const query_rows *sets_end = s->sets + count;
  for (int32_t start = lo / SPAN * SPAN; start < hi; start += SPAN) {
    attn_load_span(s, job, start, lo, hi, end - first);
    int32_t at = 0;
    for (const query_rows *set = s->sets; set < sets_end; at += set->count, set++) {
      if (!attn_reaches(set, start))
        continue;
      /* if the chunk has one set of rows, its queries stay packed, unless each span rounds anew */
      if (count > 1 || s->int8 || start == lo / SPAN * SPAN)
        attn_pack_queries(s, job, set);
      if (set + 1 < sets_end)
        prefetch_queries(s, job, set + 1);
      attend_rows(s, job, set, at);
    }
  }
}
