/*
 * Attention over bytes, from a cache (ATTN_CACHE_Q8) or from round.c. Both products are sums of
 * integers, which scales turn into floats. Queries and weights are rounded to 15 bits and a sign
 * for a cache, to 7 bits and a sign for bytes from round.c.
 */
#include "integer_tiles.h"
#include "kernel.h"

static int numbers_of(const call *s) { return numbers_by(s->dot_form, s->int8 != NULL); }

/* ---- Scores ---- */

/* A query's largest channel as an integer: a sum over all channels must stay below 2^31. */
static double largest_query(int32_t dim)
{
  double max = 2147483647.0 / (128.0 * (dim + 1));
  return max < MAX_SPLIT ? (double)(int32_t)max : MAX_SPLIT;
}

/* Rounded to nearest even. */
static int32_t to_integer(double x) { return (int32_t)(x + F64_ROUNDS - F64_ROUNDS); }

void attn_pack_byte_queries(call *s, const head_job *job, const query_rows *set)
{
  enum { EIGHT = 8 };
  const int32_t dim = s->p->dim;
  const double limit = largest_query(dim);
  const int by = numbers_of(s);
  for (int x = 0; x < set->count; x++) {
    const float *q = query_of_row(s, job, set, x);
    int32_t *to = (int32_t *)(void *)s->queries + x * stride_by(by);
    int32_t all = 0;
    double max = 0;
    double sum = 0;
    for (int32_t c = 0; c < dim; c++) {
      double size = q[c] < 0 ? -(double)q[c] : q[c];
      max = size > max ? size : max;
      sum += size;
    }
    double unit = max > 0 && sum - sum == 0 ? limit / max : 0;
    for (int32_t c = 0; c < dim; c += EIGHT, to += 2 * TILE4 * stride_by(by)) {
      int32_t n[EIGHT];
      for (int32_t l = 0; l < EIGHT; l++)
        all += n[l] = unit > 0 && c + l < dim ? to_integer(q[c + l] * unit) : 0;
      put_numbers(by, to, v_load_i(n), v_load_i(n + 4));
    }
    s->starts[x] = start_of(s->dot_form, all);
    /* NaN or infinity anywhere makes NaN of all scores */
    s->query_factors[x] =
        sum - sum == 0 ? score_factor(s->p->scale / s->power * max / limit) : __builtin_nanf("");
  }
}

INLINE void add_products(f64x2 sums[2], f32x4 x, f32x4 y)
{
  sums[0] += v_low_double(x) * v_low_double(y);
  sums[1] += v_high_double(x) * v_high_double(y);
}

/*
 * A query's product with the reference of keys, which the scores of their differences lack. In
 * double, so that it is as exact as a sum of integers.
 */
KERNEL float reference_score(const call *s, const float *q, const float *reference)
{
  enum { EIGHT = 8 };
  const int32_t dim = s->p->dim;
  const int32_t whole = dim & ~(EIGHT - 1);
  f64x2 sums[4] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
  for (int32_t c = 0; c < whole; c += EIGHT) {
    add_products(sums, v_load(q + c), v_load(reference + c));
    add_products(sums + 2, v_load(q + c + 4), v_load(reference + c + 4));
  }
  for (int32_t c = whole; c < dim; c += 4)
    add_products(sums, load_at(q, c, dim), v_load(reference + c));
  const f64x2 sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  return nearest_float(s->p->scale / s->power * (sum[0] + sum[1]));
}

/*
 * Makes scores of the integers of row r, for keys with these scales. Where a scale is negative, the
 * query's product with the reference or the mean is added: one for each key of a panel.
 */
INLINE void scale_scores(const call *s, int r, float *scores, int32_t count, const float *scales,
                         const f32x4 products[2])
{
  const i32x4 start = v_splat_i(s->starts[r]);
  const f32x4 factor = v_splat(s->query_factors[r]);
  for (int32_t j = 0; j < count; j += PANEL)
    for (int l = 0; l < 2; l++) {
      float *at = scores + j + 4 * l;
      const f32x4 scale = v_load(scales + j + 4 * l);
      const i32x4 product = (i32x4)products[l] & ((i32x4)scale >> 31);
      v_store(at, v_float(v_load_i(at) + start) * factor * scale + (f32x4)product);
    }
}

/* Row r of scores, in place. `first` keys from the beginning of a cache have other references. */
static void finish_scores(const call *s, const head_job *job, const query_rows *set, int r,
                          float *scores, int32_t count, const float *scales, int32_t first)
{
  const float *q = query_of_row(s, job, set, r);
  const float *const *references = job->span.references;
  if (first) {
    const f32x4 product = v_splat(reference_score(s, q, references[1]));
    f32x4 products[2] = {product, product};
    products[0][0] = reference_score(s, q, references[0]);
    scale_scores(s, r, scores, first, scales, products);
  }
  if (count > first) {
    const f32x4 product =
        v_splat(s->int8 ? s->int8->mean_score[r] : reference_score(s, q, references[2]));
    const f32x4 products[2] = {product, product};
    scale_scores(s, r, scores + first, count - first, scales + first, products);
  }
}

void attn_score_bytes(const call *s, const head_job *job, const query_rows *set, float *scores,
                      int32_t from, int32_t hi)
{
  const int32_t at = from - job->span.start;
  const int32_t count = (hi - from + PANEL - 1) & ~(PANEL - 1);
  const size_t words = words_of(s->p->dim);
  /* integers, which become floats where they are */
  attn_integers(numbers_of(s), set->count,
                &(product){.to = (int32_t *)(void *)scores,
                           .step = SCORE_STRIDE,
                           .x = (const int32_t *)(const void *)s->queries,
                           .panel = (const int8_t *)job->span.keys + (size_t)at * words * WORD,
                           .panel_bytes = PANEL * words * WORD,
                           .words = words,
                           .count = (size_t)count / PANEL});
  const int32_t first = s->int8 || from > 0 ? 0 : PANEL;
  for (int r = 0; r < set->count; r++, scores += SCORE_STRIDE)
    finish_scores(s, job, set, r, scores, count, job->span.key_scales + at, first);
}

/* ---- Values ---- */

/*
 * A row's weights times the scales of the values, as integers relative to the largest, to (words,
 * TILE4, stride_by). Returns the unit of the integers. A key of weight 0 becomes 0 even if its
 * scale is NaN, as it may be behind the last key.
 */
KERNEL float round_weights(const call *s, int32_t *to, int32_t *start, const float *w,
                           const float *scales, int32_t count)
{
  const int by = numbers_of(s);
  const float limit = s->int8 ? 127.0f : (float)MAX_SPLIT;
  const f32x4 zero = v_splat(0);
  f32x4 max[2] = {zero, zero};
  f32x4 total[2] = {zero, zero};
  i32x4 sum = v_splat_i(0);
  for (int32_t j = 0; j < count; j += 8)
    for (int l = 0; l < 2; l++) {
      f32x4 e = v_load(w + j + 4 * l);
      max[l] = v_max(max[l], e * v_load(scales + j + 4 * l));
      total[l] += e;
    }
  float all = v_hsum(total[0] + total[1]);
  float largest = v_hmax(v_max(max[0], max[1]));
  if (all != all)
    largest = __builtin_inff(); /* a weight of NaN makes NaN of all sums: 0·∞ */
  const float inverse = limit / largest;
  /* a largest as small as this rounds everything to 0: a second scale would not be worth it */
  const f32x4 unit = v_splat(inverse > 0x1p126f ? 0 : inverse);
  const f32x4 magic = v_keep_float(F32_ROUNDS);
  for (int32_t j = 0; j < count; j += 8, to += 2 * TILE4 * stride_by(by)) {
    i32x4 n[2];
    for (int l = 0; l < 2; l++) {
      n[l] =
          (i32x4)(v_max(zero, v_load(w + j + 4 * l) * v_load(scales + j + 4 * l)) * unit + magic) -
          (i32x4)magic;
      sum += n[l];
    }
    put_numbers(by, to, n[0], n[1]);
  }
  *start = start_of(s->dot_form, v_hsum_i(sum));
  return largest / limit;
}

/* Whether a row attends to a value that counts as NaN, even with a weight of 0. */
static int attends_to_nan(const call *s, const row_view *view, const float *scales, int32_t from,
                          int32_t count)
{
  for (int32_t j = 0; j < count; j++)
    if (scales[j] != scales[j] && attn_key_attended(s->p, view, from + j))
      return 1;
  return 0;
}

void attn_sum_bytes(call *s, const head_job *job, const query_rows *set, float *sums,
                    const float *w, int32_t from, int32_t to, double divisor)
{
  /* whole panels; keys that are not attended weigh 0 */
  const int32_t at = from - job->span.start;
  const int32_t count = (to - from + PANEL - 1) & ~(PANEL - 1);
  const float *scales = job->span.value_scales + at;
  const int by = numbers_of(s);
  int32_t starts[TILE4];
  float units[TILE4];
  for (int r = 0; r < set->count; r++) {
    units[r] = round_weights(s, s->numbers + r * stride_by(by), &starts[r], w + r * SCORE_STRIDE,
                             scales, count);
    units[r] = (float)(units[r] / divisor);
    if (job->span.nan_scales && attends_to_nan(s, &set->view[r], scales, from, count))
      units[r] = __builtin_nanf("");
  }
  /* integers, (rows, width), which become the sums where they are */
  attn_integers(by, set->count,
                &(product){.to = (int32_t *)(void *)sums,
                           .step = s->width,
                           .x = s->numbers,
                           .panel = (const int8_t *)job->span.values + at * STRIP,
                           .panel_bytes = strip_rows(SPAN, job->span.value_rows, 0) * STRIP,
                           .words = words_of(count),
                           .count = s->width / STRIP});
  for (int r = 0; r < set->count; r++, sums += s->width)
    for (size_t c = 0; c < s->width; c += 4)
      v_store(sums + c, v_float(v_load_i(sums + c) + v_splat_i(starts[r])) * v_splat(units[r]));
}
