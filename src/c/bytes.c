/* Attention over a cache of bytes (ATTN_CACHE_Q8): both products are sums of integers, and scales come in around them. */
#include "tiled.h"

/* What a query's largest channel becomes: a sum over all channels of a key must stay below 2^31. */
static double largest_query(int32_t dim)
{
  double most = 2147483647.0 / (128.0 * (dim + 1));
  return most < 32767.0 ? (double)(int32_t)most : 32767.0;
}

static int32_t pair_of(int32_t even, int32_t odd) { return (int32_t)(((uint32_t)even & 0xFFFF) | (uint32_t)odd << 16); }

/* Rounded to nearest even. */
static int32_t to_integer(double x) { return (int32_t)(x + 6755399441055744.0 - 6755399441055744.0); }

void attn_pack_byte_queries(const call *s, const head_job *job, const row_group *g)
{
  const int32_t dim = s->p->dim;
  const double limit = largest_query(dim);
  int32_t *pairs = (int32_t *)(void *)s->queries;
  for (int x = 0; x < g->count; x++) {
    const float *q = query_row(s, job, g, x);
    double most = 0, sum = 0;
    for (int32_t c = 0; c < dim; c++) {
      double size = q[c] < 0 ? -(double)q[c] : q[c];
      most = size > most ? size : most;
      sum += size;
    }
    double unit = most > 0 && sum - sum == 0 ? limit / most : 0;
    for (int32_t c = 0; c < dim; c += 2)
      pairs[c / 2 * GROUP + x] = pair_of(to_integer(q[c] * unit), c + 1 < dim ? to_integer(q[c + 1] * unit) : 0);
    /* NaN or infinity anywhere makes NaN of all scores */
    s->query_factors[x] =
        sum - sum == 0 ? attn_nearest_float(s->p->scale / s->scale * most / limit) : __builtin_nanf("");
  }
}

/* −128 times the sum of pairs in each lane. */
INLINE i32x4 start_of(i32x4 pairs, i32x4 start)
{
  return v_dot((i16x8)pairs, v_splat_pair(pair_of(-128, -128)), start);
}

/* Panel after panel, up to `count` keys. */
INLINE void dots_of_rows(const int rows, float *scores, const int32_t *q, const int8_t *panels, int32_t pairs,
                         int32_t count)
{
  for (int32_t j = 0; j < count; j += PANEL, panels += (size_t)pairs * 2 * PANEL)
    panel_dots(rows, scores + j, q, panels, pairs);
}

KERNEL void score_panels_bytes(int rows, float *scores, const int32_t *q, const int8_t *panels, const float *scales,
                               int32_t pairs, const float *factors, int32_t count)
{
  if (rows == 4)
    dots_of_rows(4, scores, q, panels, pairs, count);
  else if (rows == 3)
    dots_of_rows(3, scores, q, panels, pairs, count);
  else if (rows == 2)
    dots_of_rows(2, scores, q, panels, pairs, count);
  else
    dots_of_rows(1, scores, q, panels, pairs, count);
  i32x4 starts = v_splat_i(0);
  ROLLED for (int32_t c = 0; c < pairs; c++) starts = start_of(v_load_i(q + c * GROUP), starts);
  for (int r = 0; r < rows; r++, scores += SCORES) {
    const i32x4 start = v_splat_i(starts[r]);
    const f32x4 factor = v_splat(factors[r]);
    ROLLED for (int32_t j = 0; j < count; j += PANEL)
    {
      i32x4 above = v_load_i(scores + j + 4), below = sum_below(v_load_i(scores + j), above, start);
      v_store(scores + j, v_float(below) * factor * v_load(scales + j));
      v_store(scores + j + 4, v_float(above) * factor * v_load(scales + j + 4));
    }
  }
}

void attn_score_bytes(const call *s, const head_job *job, const row_group *g, float *scores, int32_t from, int32_t hi,
                      int32_t start)
{
  int32_t pairs = (s->p->dim + 1) / 2, at = from - start;
  score_panels_bytes(g->count, scores, (const int32_t *)(const void *)s->queries,
                     job->byte_keys + (size_t)at * (size_t)pairs * 2, job->key_scales + at, pairs, s->query_factors,
                     hi - from);
}

/*
 * The rows' weights times the scales of the values, as integers relative to the largest of each row; worth[x] is what one of row x
 * is worth, starts[x] −128 times their sum. A key of weight 0 has no part in it, whatever its scale: where that is NaN, as behind
 * the last key it may be, 0 takes its place.
 */
KERNEL void pack_weights(int rows, int32_t *pairs, int32_t *starts, float *worth, const float *w, const float *scales,
                         int32_t count)
{
  const f32x4 zero = v_splat(0), magic = v_splat(0x1.8p23f); /* adding it leaves a rounded number in the low bits */
  f32x4 largest[GROUP] = {{0}};
  for (int x = 0; x < rows; x++) {
    const float *e = w + x * SCORES;
    f32x4 even = zero, odd = zero, sum = zero;
    int32_t j = 0;
    do {
      f32x4 a = v_load(e + j), b = v_load(e + j + 4);
      even = v_max(even, a * v_load(scales + j));
      odd = v_max(odd, b * v_load(scales + j + 4));
      sum += a + b;
    } while ((j += 8) < count);
    /* a weight of NaN makes NaN of all sums: 0·∞ */
    largest[x] = v_select(sum == sum, v_max(even, odd), v_splat(__builtin_inff()));
  }
  v_transpose(largest);
  f32x4 most = v_max(v_max(largest[0], largest[1]), v_max(largest[2], largest[3])), units = v_splat(32767.0f) / most;
  /* what rounds to 0 beside so small a largest is not worth a second scale */
  units = v_select(units > v_splat(0x1p126f), zero, units);
  v_store(worth, most / v_splat(32767.0f));
  for (int x = 0; x < rows; x++) {
    const float *e = w + x * SCORES;
    const f32x4 unit = v_splat(units[x]);
    i32x4 sum = v_splat_i(0);
    int32_t j = 0;
    do {
      i32x4 n[2];
      UNROLLED for (int l = 0; l < 2; l++)
      {
        n[l] = (i32x4)v_madd(v_max(zero, v_load(e + j + 4 * l) * v_load(scales + j + 4 * l)), unit, magic);
        sum += n[l];
      }
      v_store_i(pairs + x * (FOLD / 2) + j / 2, v_narrow(n[0], n[1]));
    } while ((j += 8) < count);
    /* eight times the bits of magic, times 128, are 0 modulo 2^32 */
    sum *= -128;
    starts[x] = v_hsum_i(sum);
  }
}

INLINE void sum_rows(const int rows, const int wide, int32_t *sums, size_t width, const int32_t *w, const int8_t *v,
                     int32_t pairs)
{
  size_t c = 0;
  for (; wide > 1 && c + 8 * wide <= width; c += 8 * wide)
    block_dots(rows, wide, sums + c, width, w, v + 2 * c, pairs);
  for (; c < width; c += 8)
    block_dots(rows, 1, sums + c, width, w, v + 2 * c, pairs);
}

KERNEL void sum_block_bytes(int rows, int32_t *sums, size_t width, const int32_t *w, const int8_t *v, int32_t pairs)
{
  if (rows == 4)
    sum_rows(4, 1, sums, width, w, v, pairs);
  else if (rows == 3)
    sum_rows(3, 1, sums, width, w, v, pairs);
  else if (rows == 2)
    sum_rows(2, 1, sums, width, w, v, pairs);
  else
    sum_rows(1, 4, sums, width, w, v, pairs);
}

/* Whether a row attends to a value that counts as NaN, even with a weight of 0. */
static int attends_to_nan(const call *s, const row_view *view, const float *scales, int32_t from, int32_t count)
{
  for (int32_t j = 0; j < count; j++)
    if (scales[j] != scales[j] && attn_key_attended(s->p, view, from + j))
      return 1;
  return 0;
}

void attn_finish_worths(const call *s, const row_group *g, float *worth, const float *scales, int32_t from,
                        int32_t count, double divisor)
{
  for (int r = 0; r < g->count; r++) {
    worth[r] = (float)(worth[r] / divisor);
    if (attends_to_nan(s, &g->view[r], scales, from, count))
      worth[r] = __builtin_nanf("");
  }
}

void attn_sum_bytes(const call *s, const head_job *job, const row_group *g, float *sums, const float *w, int32_t from,
                    int32_t to, int32_t start, double divisor)
{
  int32_t starts[GROUP];
  float factors[GROUP];
  const float *scales = job->value_scales + (from - start);
  /* whole eights, as rows of a cache come; what was not attended weighs 0 */
  int32_t count = ((to - from) + 7) & ~7;
  pack_weights(g->count, s->pairs, starts, factors, w, scales, count);
  attn_finish_worths(s, g, factors, scales, from, job->cache->wild ? count : 0, divisor);
  const size_t width = s->width;
  /* integers, (rows, width), which become the sums where they are */
  sum_block_bytes(g->count, (int32_t *)(void *)sums, width, s->pairs, job->byte_values + (size_t)(from - start) * width,
                  count / 2);
  for (int r = 0; r < g->count; r++, sums += width)
    for (size_t c = 0; c < width; c += STRIP) {
      i32x4 odd = v_load_i(sums + c + 4), even = sum_below(v_load_i(sums + c), odd, v_splat_i(starts[r]));
      v_store(sums + c, v_float(__builtin_shufflevector(even, odd, 0, 4, 1, 5)) * v_splat(factors[r]));
      v_store(sums + c + 4, v_float(__builtin_shufflevector(even, odd, 2, 6, 3, 7)) * v_splat(factors[r]));
    }
}
