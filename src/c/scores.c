/*
 * From dot products to weights, one row of a block at a time: softcap, biases and masks, the running maximum, exp, and the
 * sums that output, log-sum-exp and statistics are read from.
 */
#include "tiled.h"

/*
 * Turns the scaled dot products of the keys [from, to) into scores: softcap, biases, and −∞ where nothing is attended.
 * Masks are selections, never sums, so that NaN in a masked key is gone. Returns how many keys are attended.
 */
KERNEL int32_t shape_scores(const call *s, const row_group *g, int x, float *z, int32_t from, int32_t to)
{
  const attn_params *p = s->p;
  const row_view *view = &g->view[x];
  const f32x4 masked = v_splat(-__builtin_inff());
  const float *bias = p->mask_kind == ATTN_MASK_ADD ? (const float *)p->mask + view->mask_at : NULL;
  const uint8_t *select = p->mask_kind == ATTN_MASK_SELECT ? (const uint8_t *)p->mask + view->mask_at : NULL;
  float slope = p->alibi ? ((const float *)p->alibi)[g->h[x]] : 0;
  i32x4 attended = {0, 0, 0, 0};
  for (int32_t j = from; j < to; j += 4, z += 4) {
    f32x4 score = v_load(z);
    i32x4 seen = inside(j, view->lo, view->hi);
    if (p->key_scale)
      score *= load_at(p->key_scale, j, p->n);
    if (g->scores[x] && p->scores_stage == ATTN_SCORES_RAW)
      store_at(g->scores[x], j, p->n, score);
    if (p->softcap > 0)
      score = v_splat(s->softcap) * v_tanh(score / v_splat(s->softcap));
    if (g->scores[x] && p->scores_stage == ATTN_SCORES_CAPPED)
      store_at(g->scores[x], j, p->n, score);
    if (bias) {
      f32x4 b = view->mask_step ? load_at(bias, j, p->mask_size[3]) : v_splat(*bias);
      seen &= (b != masked);
      score += b;
    }
    if (select) {
      i32x4 on;
      for (int l = 0; l < 4; l++)
        on[l] = j + l < view->hi && select[view->mask_step * (j + l)] ? -1 : 0;
      seen &= on;
    }
    if (p->alibi) {
      i32x4 distance = v_splat_i(view->position) - v_positions(j);
      i32x4 sign = distance >> 31;
      score -= v_splat(slope) * __builtin_convertvector((distance ^ sign) - sign, f32x4);
    }
    /* −∞ marks masked keys from here on; but at T = ∞ an attended score of −∞ weighs as much as any */
    if (s->kind == T_INFINITE)
      score = v_max(score, v_splat(LOWEST));
    score = v_select(seen, score, masked);
    attended -= seen;
    if (g->scores[x] && p->scores_stage == ATTN_SCORES_MASKED)
      store_at(g->scores[x], j, p->n, score);
    v_store(z, score);
  }
  return attended[0] + attended[1] + attended[2] + attended[3];
}

/* Over the weights of a block: their sum, and for the statistics Σ e in double and Σ e·t. */
typedef struct {
  float sum;
  double total, moment;
} block_sums;

INLINE double sum_lanes(const f32x4 x[4])
{
  f64x2 sum = {0, 0};
  for (int l = 0; l < 4; l++)
    sum += v_low_double(x[l]) + v_high_double(x[l]);
  return sum[0] + sum[1];
}

/* z → weights in place over `count` scores (a multiple of 16); `unit`: inverse_t is 1. */
INLINE block_sums weigh_scores(const int kind, const int unit, const int want_stats, float *z, int32_t count, float max,
                               float inverse_t)
{
  f32x4 sums[4], moments[4];
  for (int l = 0; l < 4; l++)
    sums[l] = moments[l] = v_splat(0);
  for (int32_t j = 0; j < count; j += 16)
    for (int l = 0; l < 4; l++) {
      f32x4 score = v_load(z + j + 4 * l), t = score - v_splat(max);
      f32x4 e = unit ? v_exp(t) : weigh(kind, t, v_splat(inverse_t));
      v_store(z + j + 4 * l, e);
      sums[l] += e;
      if (!want_stats)
        continue;
      /* 0·∞ is not 0: a masked key has t = −∞ */
      t = v_max(t, v_splat(LOWEST));
      if (kind == T_INFINITE)
        t = v_select(score == v_splat(LOWEST), v_splat(-__builtin_inff()), t);
      moments[l] = v_madd(e, t, moments[l]);
    }
  block_sums result = {.sum = v_hsum((sums[0] + sums[1]) + (sums[2] + sums[3]))};
  if (want_stats) {
    result.total = sum_lanes(sums);
    result.moment = sum_lanes(moments);
  }
  return result;
}

KERNEL float weigh_exp(float *z, int32_t count, float max, float inverse_t)
{
  return inverse_t == 1 ? weigh_scores(T_FINITE, 1, 0, z, count, max, 1).sum
                        : weigh_scores(T_FINITE, 0, 0, z, count, max, inverse_t).sum;
}

KERNEL void weigh_exp_stats(block_sums *sums, float *z, int32_t count, float max, float inverse_t)
{
  *sums = inverse_t == 1 ? weigh_scores(T_FINITE, 1, 1, z, count, max, 1)
                         : weigh_scores(T_FINITE, 0, 1, z, count, max, inverse_t);
}

/*
 * Σ e with every term in double. Where one weight is nearly all, its rounding would swallow the others, and with them the
 * entropy; where all are nearly equal, their sum must not round away what tells them apart, and with it KL.
 */
static double sum_exactly(const float *e, int32_t count)
{
  f64x2 sums[2] = {{0, 0}, {0, 0}};
  for (int32_t j = 0; j < count; j += 4) {
    sums[0] += v_low_double(v_load(e + j));
    sums[1] += v_high_double(v_load(e + j));
  }
  sums[0] += sums[1];
  return sums[0][0] + sums[0][1];
}

static block_sums weigh_row(const call *s, float *z, int32_t count, float max, int32_t attended)
{
  block_sums sums = {0};
  if (s->kind == T_FINITE && !s->p->attended)
    sums.sum = weigh_exp(z, count, max, s->inverse_t);
  else if (s->kind == T_FINITE)
    weigh_exp_stats(&sums, z, count, max, s->inverse_t);
  else if (s->kind == T_ZERO)
    sums = weigh_scores(T_ZERO, 0, 1, z, count, max, 0);
  else
    sums = weigh_scores(T_INFINITE, 0, 1, z, count, max, 0);
  if (s->p->attended && (sums.sum < 2 || 4 * sums.sum > (float)attended))
    sums.total = sum_exactly(z, count);
  return sums;
}

KERNEL float weigh_one(const call *s, float t)
{
  f32x4 x = v_splat(t);
  return (s->kind == T_FINITE ? weigh(T_FINITE, x, v_splat(s->inverse_t))
          : s->kind == T_ZERO ? weigh(T_ZERO, x, x)
                              : weigh(T_INFINITE, x, x))[0];
}

/* First position of `count` scores (a multiple of 16) that is attended, or that equals max. */
static int32_t find_score(const float *z, int32_t count, int attended, float max)
{
  const f32x4 masked = v_splat(-__builtin_inff());
  for (int32_t j = 0; j < count; j += 4) {
    f32x4 x = v_load(z + j);
    i32x4 found = attended ? x != masked : x == v_splat(max);
    for (int32_t l = 0; l < 4 && v_any(found); l++)
      if (found[l])
        return j + l;
  }
  return 0;
}

/*
 * Scores that are all −∞ or NaN: NaN if there is one. Otherwise they weigh nothing for now; if it stays so, the row's result
 * is NaN when any of them was attended.
 */
static float nothing_finite(float *z, int32_t count)
{
  for (int32_t j = 0; j < count; j++)
    if (z[j] != z[j])
      return z[j];
  for (int32_t j = 0; j < count; j++)
    z[j] = 0;
  return -__builtin_inff();
}

float attn_fold_row(const call *s, const row_group *g, int x, row_state *row, float *z, int32_t from, int32_t to)
{
  const row_view *view = &g->view[x];
  int32_t lo = view->lo > from ? view->lo : from, hi = view->hi < to ? view->hi : to;
  int32_t attended = hi > lo ? hi - lo : 0;
  if (!s->plain)
    attended = shape_scores(s, g, x, z, from, to);
  else if (lo > from || hi < to)
    for (int32_t j = from; j < to; j += 4)
      if (j < lo || j + 4 > hi)
        v_store(z + (j - from), v_select(inside(j, lo, hi), v_load(z + (j - from)), v_splat(-__builtin_inff())));
  if (g->weights[x] && attended)
    for (int32_t j = from; j < to; j += 4)
      store_at(g->weights[x], j, s->p->n, v_load(z + (j - from)));

  /* NaN is passed over here; as a weight it will reach the sums */
  f32x4 largest[2] = {v_splat(-__builtin_inff()), v_splat(-__builtin_inff())};
  for (int32_t j = 0; j < to - from; j += 8) {
    largest[0] = v_max(largest[0], v_load(z + j));
    largest[1] = v_max(largest[1], v_load(z + j + 4));
  }
  float block_max = v_hmax(v_max(largest[0], largest[1])), old_max = (float)row->max;
  float max = block_max > old_max ? block_max : old_max;
  if (s->p->attended && attended) {
    if (row->attended == 0)
      row->first = from + find_score(z, to - from, 1, 0);
    if (block_max > old_max)
      row->argmax = from + find_score(z, to - from, 0, block_max);
  }
  row->attended += attended;
  if (max == -__builtin_inff())
    max = nothing_finite(z, to - from);
  if (max == -__builtin_inff())
    return 1.0f;
  block_sums sums = weigh_row(s, z, to - from, max, attended);
  float keep = weigh_one(s, old_max - max);
  if (s->p->attended && row->sum != 0) {
    double keep_exactly = row_weigh(s->kind, row->max - max, s->p->temperature);
    row->moment = keep_exactly * (row->moment + (row->max - max) * row->total);
    row->total *= keep_exactly;
  }
  row->moment += sums.moment;
  row->total += sums.total;
  row->sum = row->sum * keep + sums.sum;
  row->max = max;
  return keep;
}
