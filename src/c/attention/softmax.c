/*
 * From scores to weights, one row of a span at a time: the row's maximum, exp and sums. The sums
 * serve output, log-sum-exp and statistics.
 */
#include "kernel.h"

/*
 * The sum of a span's weights e. The others are for statistics: Σ e with its lanes added in double,
 * Σ e·(score − max) and Σ e·(score − max)².
 */
typedef struct {
  float sum;
  double total;
  double moment;
  double square;
} span_sums;

INLINE double sum_lanes(const f32x4 x[4])
{
  f64x2 sum = {0, 0};
  for (int l = 0; l < 4; l++)
    sum += v_low_double(x[l]) + v_high_double(x[l]);
  return sum[0] + sum[1];
}

INLINE float sum_vectors(const f32x4 x[4]) { return v_hsum((x[0] + x[1]) + (x[2] + x[3])); }

/* `count` scores (a multiple of KEY_STEP) z → weights e, at T = 0 or ∞. */
KERNEL void weigh_at_limit(int kind, f32x4 sums[4], float *e, const float *z, int32_t count,
                           float max)
{
  for (int l = 0; l < 4; l++)
    sums[l] = v_splat(0);
  for (int32_t j = 0; j < count; j += KEY_STEP)
    for (int l = 0; l < 4; l++) {
      f32x4 t = v_load(z + j + 4 * l) - v_splat(max);
      f32x4 x = weigh_without_exp(kind, t);
      v_store(e + j + 4 * l, x);
      sums[l] += x;
    }
}

/*
 * The first half of exp, at t = (z − max)/T, as a reduced exponent and a power of two. `exponents`
 * receives t if they are wanted.
 */
INLINE void split_exponents(const int wanted, float *reduced, float *power, float *exponents,
                            const float *z, int32_t count, float max, float inverse_t)
{
  for (int32_t j = 0; j < count;
       j += KEY_STEP, z += KEY_STEP, reduced += KEY_STEP, power += KEY_STEP) {
    float *t_at = wanted ? exponents + j : NULL;
    for (int l = 0; l < KEY_STEP; l += 4) {
      f32x4 t = v_exp_range((v_load(z + l) - v_splat(max)) * v_splat(inverse_t));
      f32x4 two;
      if (wanted)
        v_store(t_at + l, t);
      v_store(reduced + l, v_exp_reduce(t, &two));
      v_store(power + l, two);
    }
  }
}

/*
 * z → weights e at a finite T: the first half of exp for all keys, then the second. `exponents`
 * gets (z − max)/T, bounded below where exp is 0, unless it is NULL.
 */
KERNEL void weigh_exp(f32x4 sums_out[4], float *e, float *exponents, const float *z, int32_t count,
                      float max, float inverse_t)
{
  float reduced[SPAN];
  float power[SPAN];
  f32x4 sums[4] = {{0}};
  if (exponents)
    split_exponents(1, reduced, power, exponents, z, count, max, inverse_t);
  else
    split_exponents(0, reduced, power, NULL, z, count, max, inverse_t);
  for (int32_t j = 0; j < count; j += KEY_STEP)
    for (int l = 0; l < 4; l++) {
      f32x4 x = v_exp_finish(v_load(reduced + j + 4 * l), v_load(power + j + 4 * l));
      sums[l] += x;
      v_store(e + j + 4 * l, x);
    }
  for (int l = 0; l < 4; l++)
    sums_out[l] = sums[l];
}

/*
 * Adds Σ e·x and Σ e·x² over a block of keys, with finite x. Blocks are added in double: where the
 * largest score lies far from most of the weight, the variance is a small difference of these sums.
 */
KERNEL void add_products(double *sum, double *square, const float *e, const float *x, int32_t count)
{
  f32x4 sums[4] = {{0}};
  f32x4 squares[4] = {{0}};
  for (int32_t j = 0; j < count; j += KEY_STEP)
    for (int l = 0; l < 4; l++) {
      f32x4 weight = v_load(e + j + 4 * l);
      f32x4 t = v_load(x + j + 4 * l);
      sums[l] = v_madd(weight, t, sums[l]);
      squares[l] = v_madd(weight * t, t, squares[l]);
    }
  *sum += sum_lanes(sums);
  *square += sum_lanes(squares);
}

/* Σ e·(z − max)² in double: the squares may leave the floats. */
static double sum_squares(const float *e, const float *z, int32_t count, float max)
{
  f64x2 sums[2] = {{0, 0}, {0, 0}};
  for (int32_t j = 0; j < count; j += 4) {
    f32x4 x = v_load(e + j);
    f32x4 t = v_max(v_load(z + j) - v_splat(max), v_splat(LOWEST));
    sums[0] += v_low_double(x) * v_low_double(t) * v_low_double(t);
    sums[1] += v_high_double(x) * v_high_double(t) * v_high_double(t);
  }
  f64x2 sum = sums[0] + sums[1];
  return sum[0] + sum[1];
}

/* Σ e·(z − max) over a block of keys; copies e to z. 0·∞ is not 0: a masked key has z = −∞. */
KERNEL double block_moment(float *z, const float *e, int32_t count, float max)
{
  f32x4 moments[4] = {{0}};
  for (int32_t j = 0; j < count; j += KEY_STEP)
    for (int l = 0; l < 4; l++) {
      f32x4 x = v_load(e + j + 4 * l);
      f32x4 t = v_max(v_load(z + j + 4 * l) - v_splat(max), v_splat(LOWEST));
      moments[l] = v_madd(x, t, moments[l]);
      v_store(z + j + 4 * l, x);
    }
  return sum_lanes(moments);
}

/* Where the block of key j ends. Blocks lie at fixed positions, wherever `from` is. */
INLINE int32_t block_end(int32_t j, int32_t to)
{
  int32_t end = (j / BLOCK + 1) * BLOCK;
  return end < to ? end : to;
}

/*
 * Σ e with every term in double. If one weight is nearly all, its rounding would swallow the others
 * and with them the entropy. If all are nearly equal, a rounded sum would lose their differences
 * and with them KL.
 */
static double sum_exactly(const float *e, int32_t count)
{
  f64x2 sums[4] = {{0, 0}};
  for (int32_t j = 0; j < count; j += 8)
    for (int l = 0; l < 2; l++) {
      f32x4 x = v_load(e + j + 4 * l);
      sums[2 * l] += v_low_double(x);
      sums[2 * l + 1] += v_high_double(x);
    }
  f64x2 sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  return sum[0] + sum[1];
}

/* z → weights in place, for the keys [from, to). */
static span_sums weigh_row(const call *s, const row_temperature *t, float *z, int32_t from,
                           int32_t to, float max)
{
  const int32_t count = to - from;
  /*
   * At larger T, (z − max)/T is too near the bottom of the floats for the statistics. The limit of
   * 32 was not tuned.
   */
  const int scaled = t->kind == T_FINITE && t->value <= 32;
  const int wanted = s->p->stats != NULL;
  float own[SPAN];
  float *e = wanted && !scaled ? own : z;
  f32x4 sums[4];
  if (t->kind == T_FINITE)
    weigh_exp(sums, e, wanted && scaled ? own : NULL, z, count, max, t->inverse);
  else
    weigh_at_limit(t->kind, sums, e, z, count, max);
  span_sums result = {.sum = sum_vectors(sums)};
  if (wanted)
    result.total = sum_lanes(sums);
  if (wanted && scaled) {
    double moment = 0;
    double square = 0;
    for (int32_t j = from; j < to; j = block_end(j, to))
      add_products(&moment, &square, z + (j - from), own + (j - from), block_end(j, to) - j);
    result.moment = moment * t->value;
    result.square = square * t->value * t->value;
  } else if (wanted) {
    result.square = sum_squares(e, z, count, max) * t->unit * t->unit;
    for (int32_t j = from; j < to; j = block_end(j, to)) {
      int32_t keys = block_end(j, to) - j;
      result.moment += block_moment(z + (j - from), e + (j - from), keys, max) * t->unit;
    }
  }
  return result;
}

/* Lanes that are attended, or that equal max. */
INLINE i32x4 found_scores(const float *z, int attended, float max)
{
  f32x4 x = v_load(z);
  return attended ? x != v_splat(-__builtin_inff()) : x == v_splat(max);
}

/* First position of `count` scores (a multiple of KEY_STEP) where one is found. */
INLINE int32_t find_score(const float *z, int32_t count, const int attended, float max)
{
  for (int32_t j = 0; j < count; j += KEY_STEP) {
    i32x4 found[4];
    for (int l = 0; l < 4; l++)
      found[l] = found_scores(z + j + 4 * l, attended, max);
    if (v_any((found[0] | found[1]) | (found[2] | found[3])))
      return j + __builtin_ctz(v_bits(found[0]) | v_bits(found[1]) << 4 | v_bits(found[2]) << 8 |
                               v_bits(found[3]) << 12);
  }
  return 0;
}

/*
 * The maximum of scores that are all −∞ or NaN: a NaN if there is one, else 0. With 0, each has a
 * weight of 0 in this span. If the row's other spans add nothing either, its result is NaN where
 * one of these keys was attended.
 */
static float nothing_finite(const float *z, int32_t count)
{
  for (int32_t j = 0; j < count; j++)
    if (z[j] != z[j])
      return z[j];
  return 0;
}

/*
 * Σ e·(score − ⟨score⟩)². The key at max has e = 1, so the spread is at least the square's share
 * 1/Σe, and the difference loses few bits.
 */
static double spread_of(const span_sums *sums, double total)
{
  double spread = total == 0 ? 0 : sums->square - sums->moment * (sums->moment / total);
  return spread < 0 ? 0 : spread; /* by rounding */
}

/* Whether floats are too coarse for scores of a row that are near 0, or for its query. */
INLINE int too_coarse(const call *s, const head_job *job, const query_rows *set, int x,
                      const float *z, int32_t from, int32_t to, float largest)
{
  if (s->small_channels[x] && attn_small_channels_matter(s, job, set, x, from, to))
    return 1;
  /* at T = 0 the order of scores counts, however small they are */
  const float near_zero = set->t[x].near_zero;
  return largest < near_zero && largest > -near_zero &&
         attn_small_scores_matter(s, job, set, x, z, from, to);
}

/* The first key that a row attends, and the first one with the largest score. */
INLINE void find_keys(const call *s, const row_view *view, row_state *row, const float *z,
                      int32_t from, int32_t count, float largest)
{
  row->first = !s->plain ? from + find_score(z, count, 1, 0) : view->lo > from ? view->lo : from;
  row->argmax = from + find_score(z, count, 0, largest);
}

/* The sums of a row that its statistics need, from its weights e. */
INLINE void keep_statistics(row_state *row, const span_sums *sums, const float *e, int32_t count)
{
  const int exactly = sums->sum < 2 || 4 * sums->sum > (float)row->attended;
  row->total = exactly ? sum_exactly(e, count) : sums->total;
  row->moment = sums->moment;
  row->spread = spread_of(sums, row->total);
}

/* Scores of one row become weights in place. Their sums go to `row`, which is empty before. */
static void weigh_keys(const call *s, const head_job *job, const query_rows *set, int x,
                       row_state *row, float *z, int32_t from, int32_t to)
{
  const int32_t count = to - from;
  const float none = -__builtin_inff();
  float largest = attn_final_scores(s, job, set, x, row, z, from, to);
  if (row->attended) {
    row->beyond |= too_coarse(s, job, set, x, z, from, to, largest);
    for (int32_t j = from; set->weights[x] && j < to; j += 4)
      store_at(set->weights[x], j, s->p->n, v_load(z + (j - from)));
    if (s->p->stats)
      find_keys(s, &set->view[x], row, z, from, count, largest);
  }
  float max = largest == none ? nothing_finite(z, count) : largest;
  span_sums sums = weigh_row(s, &set->t[x], z, from, to, max);
  row->sum = sums.sum;
  if (s->p->stats)
    keep_statistics(row, &sums, z, count);
  const int finite_or_nan = largest != none || max != 0;
  if (finite_or_nan)
    row->max = (double)max * set->t[x].unit;
}

void attn_weigh_rows(const call *s, const head_job *job, const query_rows *set, span_state *states,
                     float *scores, int32_t from, int32_t to)
{
  for (int x = 0; x < set->count; x++) {
    states[x] = (span_state){.row = row_empty(), .divided_by = 1.0};
    weigh_keys(s, job, set, x, &states[x].row, scores + x * SCORE_STRIDE, from, to);
  }
}
