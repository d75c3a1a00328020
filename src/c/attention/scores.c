/*
 * The scores of some query rows over one span of keys: products, then one row at a time their
 * scale, softcap, biases and masks, and their maximum.
 *
 * A number z in call.scores, of a row with the temperature t:
 *   attn_score_span    z = Σ_c (fraction·q_c)·k_c, where fraction·power is p->scale
 *   shape_row          z·t.unit is the score of an attended key; z = −∞ of another. A plain row has
 *                      t.unit = call.power. Else shape_scores multiplies, and t.unit is 1.
 *   attn_mend_scores   a z that should be finite: the score in double, over t.unit
 *   weigh_row          softmax.c: e = exp((z − max)·t.inverse), where t.inverse is t.unit/T
 *   scale_for_halves   e·HALF_SCALE over float16, whose values lack that factor
 * The weights that are wanted are z until attn_end_row. row_state is about scores, not about this
 * z. (attn.h and row64.c write z for the score itself.)
 */
#include "kernel.h"

/*
 * Scores of `count` keys. With two panels, the first and the second half of the keys are read at
 * the same time. Memory brings two places far apart faster than one (tuning.md#streams). If the
 * number of panels is odd, one panel is computed twice.
 */
INLINE void scores_of_rows(const int rows, const int is_f16, const int panels, int chain,
                           float *scores, const float *queries, const void *keys, int32_t dim,
                           int32_t count)
{
  const char *panel[STREAMS];
  float *to[STREAMS];
  int32_t whole = (count + PANEL - 1) / PANEL;
  int32_t length = (whole + panels - 1) / panels;
  for (int p = 0; p < panels; p++) {
    int32_t first = p * length < whole - length ? p * length : whole - length;
    panel[p] = (const char *)keys + (size_t)first * (size_t)dim * bytes_of_eight(is_f16);
    to[p] = scores + first * PANEL;
  }
  for (int32_t j = 0; j < length; j++) {
    panel_scores(rows, is_f16, panels, chain, to, queries, panel, dim);
    for (int p = 0; p < panels; p++)
      to[p] += PANEL;
  }
}

/*
 * ROWS rows. It is a function of its own, because engines compile function by function in the
 * background. A small one is ready sooner.
 */
KERNEL void score_rows(int chain, float *scores, const float *queries, const void *keys,
                       int32_t dim, int32_t count)
{
  scores_of_rows(ROWS, 0, 1, chain, scores, queries, keys, dim, count);
}

/* Five rows, if ROWS is six. */
KERNEL void score_five(int chain, float *scores, const float *queries, const void *keys,
                       int32_t dim, int32_t count)
{
  scores_of_rows(5, 0, 1, chain, scores, queries, keys, dim, count);
}

/* One to four rows. */
INLINE void score_up_to_four(const int is_f16, int rows, int chain, float *scores,
                             const float *queries, const void *keys, int32_t dim, int32_t count)
{
  if (rows == 4)
    scores_of_rows(4, is_f16, 1, chain, scores, queries, keys, dim, count);
  else if (rows == 3)
    scores_of_rows(3, is_f16, 1, chain, scores, queries, keys, dim, count);
  else if (rows == 2)
    scores_of_rows(2, is_f16, 1, chain, scores, queries, keys, dim, count);
  else
    scores_of_rows(1, is_f16, STREAMS, chain, scores, queries, keys, dim, count);
}

/* Up to ROWS rows. One to four have their loops in here; more are functions of their own. */
KERNEL void score_panels(int rows, int chain, float *scores, const float *queries, const void *keys,
                         int32_t dim, int32_t count)
{
  if (rows == ROWS)
    score_rows(chain, scores, queries, keys, dim, count);
  else if (ROWS == 6 && rows > 4)
    score_five(chain, scores, queries, keys, dim, count);
  else
    score_up_to_four(0, rows, chain, scores, queries, keys, dim, count);
}

KERNEL void score_half_panels(int rows, int chain, float *scores, const float *queries,
                              const void *keys, int32_t dim, int32_t count)
{
  score_up_to_four(1, rows, chain, scores, queries, keys, dim, count);
  for (int r = 0; r < rows; r++) {
    float *end = scores + r * SCORE_STRIDE + count;
    for (float *at = scores + r * SCORE_STRIDE; at < end; at += PANEL) {
      f32x4 y[2] = {v_load(at), v_load(at + 4)};
      put_in_order(y);
      v_store(at, y[0]);
      v_store(at + 4, y[1]);
    }
  }
}

void attn_score_span(call *s, const head_job *job, const query_rows *set, int32_t from, int32_t hi)
{
  const int32_t start = job->span.start;
  const int32_t dim = s->p->dim;
  const int32_t count = hi - from;
  const int chain = s->p->sinks ? FINE_CHAIN : CHANNEL_CHAIN;
  const int is_f16 = job->span.form == SPAN_F16;
  float *scores = s->scores + (from - start);
  const char *keys = job->span.keys; /* floats or halves */
  keys += (size_t)(from - start) * (size_t)dim * (is_f16 ? sizeof(uint16_t) : sizeof(float));
  if (span_of_bytes(job))
    attn_score_bytes(s, job, set, scores, from, hi);
  else if (is_f16)
    score_half_panels(set->count, chain, scores, s->queries, keys, dim, count);
  else
    score_panels(set->count, chain, scores, s->queries, keys, dim, count);
  for (int32_t j = (hi + PANEL - 1) & ~(PANEL - 1); j % KEY_STEP; j += 4)
    for (int x = 0; x < set->count; x++)
      v_store(s->scores + x * SCORE_STRIDE + (j - start), v_splat(0));
}

/*
 * Turns the dot products of the keys [from, to) into scores: scale, softcap and biases. A masked
 * key gets −∞ by selection, not by a sum, so that a NaN in it is gone. Returns how many keys are
 * attended. *above says whether a score is to be mended.
 */
static int32_t shape_scores(const call *s, const query_rows *set, int x, float *z, int32_t from,
                            int32_t to, int *above)
{
  const attn_params *p = s->p;
  const row_view *view = &set->view[x];
  const f32x4 masked = v_splat(-__builtin_inff());
  const row_biases biases = row_biases_of(p, set->h[x], view);
  const i32x4 counted = v_splat_i(s->unmasked_scores && set->scores[x] ? -1 : 0);
  const i32x4 bits = v_keep(INT32_MAX);
  i32x4 attended = {0, 0, 0, 0};
  i32x4 largest = {0, 0, 0, 0};
  for (int32_t j = from; j < to; j += 4, z += 4) {
    f32x4 score = v_load(z) * v_splat(s->power);
    i32x4 seen = inside(j, view->lo, view->hi);
    if (p->key_scale)
      score *= load_at(p->key_scale, j, p->n);
    f32x4 raw = score;
    if (set->scores[x] && p->scores_stage == ATTN_SCORES_RAW)
      store_at(set->scores[x], j, p->n, score);
    /* NaN of a product that left the floats, for its limit may be wrong */
    if (p->softcap > 0)
      score = v_select(raw - raw == v_splat(0),
                       v_splat(s->softcap) * v_tanh(score / v_splat(s->softcap)), raw - raw);
    if (set->scores[x] && p->scores_stage == ATTN_SCORES_CAPPED)
      store_at(set->scores[x], j, p->n, score);
    score = add_biases(&biases, view, j, score, &seen);
    if (set->scores[x] && p->scores_stage == ATTN_SCORES_MASKED)
      store_at(set->scores[x], j, p->n, v_select(seen, score, masked));
    attended -= seen;
    largest = v_max_size(largest, score, bits & (seen | counted));
    v_store(z, v_select(seen, score, masked));
  }
  *above = v_any_above(largest, set->t[x].max_score);
  return attended[0] + attended[1] + attended[2] + attended[3];
}

/* −∞ for the keys [from, to) that lie outside [lo, hi). `from` and `to` are multiples of four. */
INLINE void mask_scores(float *z, int32_t from, int32_t to, int32_t lo, int32_t hi)
{
  for (int32_t j = from; j < to; j += 4, z += 4)
    v_store(z, v_select(inside(j, lo, hi), v_load(z), v_splat(-__builtin_inff())));
}

/* Whether the vectors with the keys [lo, hi) have a score above max_score in size, or NaN. */
KERNEL int scores_above(const float *z, int32_t from, int32_t lo, int32_t hi, float max_score)
{
  const i32x4 bits = v_keep(INT32_MAX);
  i32x4 largest = {0, 0, 0, 0};
  for (int32_t j = lo & ~3; j < hi; j += 4)
    largest = v_max_size(largest, v_load(z + (j - from)), bits);
  return v_any_above(largest, max_score);
}

/* Plain scores as a result; whether one of them leaves the floats. */
static int store_scores(const call *s, const query_rows *set, int x, const float *z, int32_t from,
                        int32_t to)
{
  const row_view *view = &set->view[x];
  const i32x4 bits = v_keep(INT32_MAX);
  i32x4 largest = {0, 0, 0, 0};
  for (int32_t j = from; j < to; j += 4, z += 4) {
    f32x4 score = v_load(z) * v_splat(s->power);
    largest = v_max_size(largest, score, bits);
    if (!s->unmasked_scores)
      score = v_select(inside(j, view->lo, view->hi), score, v_splat(-__builtin_inff()));
    store_at(set->scores[x], j, s->p->n, score);
  }
  return v_any_above(largest, F32_MAX);
}

/*
 * Whole KEY_STEPs in which every key is attended. largest_score compares their scores with
 * max_score on its way to the maximum. Those of other steps are compared before some of them are
 * masked.
 */
typedef struct {
  int32_t from;
  int32_t to;
} whole_steps;

/*
 * The scores of one row, shaped; returns how many keys are attended. *above is about scores that
 * are not in *steps.
 */
INLINE int32_t shape_row(const call *s, const query_rows *set, int x, float *z, int32_t from,
                         int32_t to, int *above, whole_steps *steps)
{
  const row_view *view = &set->view[x];
  int32_t lo = view->lo > from ? view->lo : from;
  int32_t hi = view->hi < to ? view->hi : to;
  int32_t attended = hi > lo ? hi - lo : 0;
  if (!s->plain || set->t[x].kind == T_INFINITE) {
    attended = shape_scores(s, set, x, z, from, to, above);
  } else {
    int32_t first = (lo + KEY_STEP - 1) & ~(KEY_STEP - 1);
    int32_t last = hi & ~(KEY_STEP - 1);
    *above = 0;
    if (attended && first < last) {
      *steps = (whole_steps){first, last};
      *above = scores_above(z, from, lo, first, set->t[x].max_score) |
               scores_above(z, from, last, hi, set->t[x].max_score);
    } else if (attended) {
      *above = scores_above(z, from, lo, hi, set->t[x].max_score);
    }
    if (set->scores[x])
      *above |= store_scores(s, set, x, z, from, to);
    /* only the ends are masked */
    int32_t masked_until = lo < to ? (lo + 3) & ~3 : to;
    int32_t masked_from = (attended ? hi : masked_until) & ~3;
    mask_scores(z, from, masked_until, lo, hi);
    mask_scores(z + (masked_from - from), masked_from, to, lo, hi);
  }
  return attended;
}

INLINE void add_largest(const int sizes_too, f32x4 largest[4], i32x4 sizes[4], const float *z,
                        int32_t from, int32_t to)
{
  const i32x4 bits = v_keep(INT32_MAX);
  for (int32_t j = from; j < to; j += KEY_STEP)
    for (int l = 0; l < 4; l++) {
      f32x4 x = v_load(z + j + 4 * l);
      largest[l] = v_max(largest[l], x);
      if (sizes_too)
        sizes[l] = v_max_size(sizes[l], x, bits);
    }
}

/*
 * The largest score of a row. NaN is passed over here; as a weight it will reach the sums. *above
 * says whether a score of the whole steps exceeds max_score in size, or is NaN.
 */
KERNEL float largest_score(const float *z, int32_t from, int32_t to, whole_steps steps,
                           float max_score, int *above)
{
  const f32x4 none = v_splat(-__builtin_inff());
  f32x4 largest[4] = {none, none, none, none};
  i32x4 sizes[4] = {{0}};
  add_largest(0, largest, sizes, z, 0, steps.from - from);
  add_largest(1, largest, sizes, z, steps.from - from, steps.to - from);
  add_largest(0, largest, sizes, z, steps.to - from, to - from);
  *above =
      v_any_above(v_max_i(v_max_i(sizes[0], sizes[1]), v_max_i(sizes[2], sizes[3])), max_score);
  return v_hmax(v_max(v_max(largest[0], largest[1]), v_max(largest[2], largest[3])));
}

float attn_final_scores(const call *s, const head_job *job, const query_rows *set, int x,
                        row_state *row, float *z, int32_t from, int32_t to)
{
  const float max_score = set->t[x].max_score;
  whole_steps steps = {from, from};
  int above;
  int above_within;
  row->attended = shape_row(s, set, x, z, from, to, &above, &steps);
  float largest = largest_score(z, from, to, steps, max_score, &above_within);
  if (above || above_within) {
    row->beyond = attn_mend_scores(s, job, set, x, z, from, to);
    largest = largest_score(z, from, to, steps, max_score, &above_within);
  }
  return largest;
}
