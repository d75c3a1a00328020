/*
 * Attention in integers of 8 bits (ATTN_INT8), after SageAttention (Zhang et al., arXiv
 * 2410.02367). Queries, keys, weights and values are rounded to bytes. Each query, key and value
 * has a scale of its own, and both products are exact sums of integers. The mean of a span's keys
 * is first subtracted from each key that gets smaller by it. The query's product with the mean is
 * added to the score in float32, so that nothing of it is lost.
 *
 * This file rounds a span, and the queries for it; byte_products.c has the products.
 */
#include "integer_tiles.h"
#include "kernel.h"

/* The largest number of a vector that is rounded to bytes. */
#define MAX_BYTE 127.0f
/* Vectors of smaller numbers count as zero: their scale would be subnormal. */
#define MIN_SIZE 2e-36f
/*
 * A mean of up to 512 floats is off by about this part of the largest of them. A key without the
 * mean that is not larger than that may be nothing but the rounding of the mean.
 */
#define MEAN_ERROR 0x1p-14f

/* The longest vector, in whole strips. */
static size_t vector_size(const attn_params *p)
{
  return whole_strips((size_t)(p->dim > p->value_dim ? p->dim : p->value_dim));
}

/*
 * The vectors of a span, each of vector_size numbers: two constants, the mean of its keys, and the
 * factors of the channels of keys and of queries. Behind them is scratch for four more.
 */
enum { ZEROS, ONES, MEAN, KEYS, QUERIES, SCRATCH };

size_t attn_int8_bytes(const attn_params *p)
{
  return sizeof(int8_span) + (SCRATCH + 4) * vector_size(p) * sizeof(float);
}

static float *vector_of(const call *s, int which)
{
  return s->int8->vectors + (size_t)which * vector_size(s->p);
}

/*
 * to = (x − center)·factor, where the last two are vectors of the span, with zeros up to whole
 * strips. Returns the largest |number|, or NaN if any is not finite.
 */
KERNEL float center_and_scale(const call *s, float *to, const float *x, int32_t size, int center,
                              int factor)
{
  const float *less = vector_of(s, center);
  const float *times = vector_of(s, factor);
  i32x4 max = v_splat_i(0);
  for (int32_t c = 0; c < (int32_t)whole_strips((size_t)size); c += 4) {
    f32x4 y = load_at(x, c, size);
    y = (y - v_load(less + c)) * v_load(times + c);
    v_store(to + c, y);
    /* in the order of the numbers, infinity and NaN last */
    max = v_max_i(max, (i32x4)y & v_splat_i(INT32_MAX));
  }
  float largest = v_hmax((f32x4)max);
  return v_any(max >= v_splat_i(0x7F800000)) ? __builtin_nanf("") : largest;
}

static float scale_of(float max) { return max < MIN_SIZE ? 0 : max / MAX_BYTE; }

static float inverse_of(float max) { return max < MIN_SIZE ? 0 : MAX_BYTE / max; }

INLINE i32x4 rounded(f32x4 x, float inverse)
{
  return (i32x4)(x * v_splat(inverse) + v_splat(F32_ROUNDS)) - (i32x4)v_splat(F32_ROUNDS);
}

/* Four of them as a word of a panel. */
INLINE int32_t word_of(const call *s, i32x4 n)
{
  i32x4 halves = v_pack(n, n);
  return v_pack_bytes(halves, halves)[0] ^ flip_of(s->dot_form);
}

/* ---- A span ---- */

/* to += share·x, or share·|x|. */
INLINE void add_vector(float *to, const float *x, float share, const int32_t bits, int32_t size)
{
  for (int32_t c = 0; c < size; c += 4)
    v_store(to + c,
            v_load(to + c) + (f32x4)((i32x4)v_load(x + c) & v_splat_i(bits)) * v_splat(share));
}

/*
 * The mean of the keys that are finite and not too small to count. Leaves the largest |number| of
 * each key as its scale, and returns the largest of all.
 */
static float find_mean(call *s, const float *k, size_t stride, int32_t count)
{
  float *key = vector_of(s, SCRATCH);
  float *mean = vector_of(s, MEAN);
  int32_t counted = 0;
  float largest = 0;
  for (int32_t j = 0; j < count; j++) {
    float max = center_and_scale(s, key, k + (size_t)j * stride, s->p->dim, ZEROS, ONES);
    s->int8->key_scale[j] = max;
    largest = max > largest ? max : largest;
    if (max >= MIN_SIZE && ++counted)
      add_vector(mean, key, 1 / (float)count, -1, s->p->dim);
  }
  for (int32_t c = 0; c < s->p->dim && counted > 0; c++)
    mean[c] *= (float)count / (float)counted;
  return largest;
}

/*
 * Decides from which keys the mean is subtracted: their scales become negative. Then finds a factor
 * for each channel: the root of its mean size, relative to the largest channel of each key. Keys
 * are divided by the factor and queries are multiplied by it. So rounding loses small channels of
 * neither. No factor is above 1, or finite numbers might become infinite. `largest` is that of all
 * keys.
 */
static void balance_channels(call *s, const float *k, size_t stride, int32_t count, float largest)
{
  int8_span *span = s->int8;
  float *key = vector_of(s, SCRATCH);
  float *roots = vector_of(s, QUERIES);
  for (int32_t j = 0; j < count; j++) {
    const float *x = k + (size_t)j * stride;
    float smallest = MIN_SIZE;
    float max = center_and_scale(s, key, x, s->p->dim, MEAN, ONES);
    if (max < span->key_scale[j]) {
      span->key_scale[j] = -max;
      smallest = MEAN_ERROR * largest > MIN_SIZE ? MEAN_ERROR * largest : MIN_SIZE;
    } else
      max = center_and_scale(s, key, x, s->p->dim, ZEROS, ONES);
    if (max >= smallest)
      add_vector(roots, key, 1 / max, INT32_MAX, s->p->dim);
  }
  span->min_channel_root = 1;
  for (int32_t c = 0; c < s->p->dim; c++) {
    float root = __builtin_sqrtf(roots[c] / (float)(count > 0 ? count : 1));
    roots[c] = root > 0.0625f ? root : 0.0625f;
    span->min_channel_root = roots[c] < span->min_channel_root ? roots[c] : span->min_channel_root;
  }
  for (int32_t c = 0; c < s->p->dim; c++)
    vector_of(s, KEYS)[c] = span->min_channel_root / roots[c];
}

static void round_keys(call *s, const float *k, size_t stride, int32_t from, int32_t count)
{
  const size_t words = words_of(s->p->dim);
  float *key = vector_of(s, SCRATCH);
  for (int32_t j = from; j < count; j++) {
    const int mean_removed = has_reference(s->int8->key_scale[j]);
    float max = center_and_scale(s, key, k + (size_t)j * stride, s->p->dim,
                                 mean_removed ? MEAN : ZEROS, KEYS);
    const float sign = mean_removed ? -1 : 1;
    s->int8->key_scale[j] = sign * scale_of(max);
    int32_t *to =
        (int32_t *)(void *)s->panels + (size_t)(j / PANEL) * words * PANEL + (size_t)(j % PANEL);
    for (size_t w = 0; w < words; w++, to += PANEL)
      *to = word_of(s, rounded(v_load(key + WORD * w), sign * inverse_of(max)));
  }
}

/* Four keys at a time, whose numbers of a channel make a word. */
static void round_values(call *s, const float *v, size_t stride, int32_t from, int32_t count)
{
  const size_t size = vector_size(s->p);
  float *x = vector_of(s, SCRATCH);
  float inverse[4] = {0};
  for (int32_t j = from; j < count; j++, x += size) {
    float max = center_and_scale(s, x, v + (size_t)j * stride, s->p->value_dim, ZEROS, ONES);
    s->int8->value_scale[j] = scale_of(max);
    s->int8->not_finite |= max != max;
    inverse[j % 4] = inverse_of(max);
    if (j % 4 < 3 && j + 1 < count)
      continue;
    x -= (size_t)(j % 4) * size;
    const size_t strip = whole_panels((size_t)count) / WORD * STRIP;
    int32_t *to = (int32_t *)(void *)s->values + j / WORD * STRIP;
    for (size_t c = 0; c < s->width; c += 4) {
      f32x4 y[4];
      for (int l = 0; l < 4; l++)
        y[l] = (f32x4)rounded(v_load(x + (size_t)l * size + c), inverse[l]);
      v_transpose(y);
      for (int l = 0; l < 4; l++)
        to[c / STRIP * strip + c % STRIP + (size_t)l] = word_of(s, (i32x4)y[l]);
    }
    x -= size;
  }
}

void attn_round_span(call *s, const head_job *job, int32_t start, int32_t from, int32_t count)
{
  const float *k = job->k + (size_t)start * job->k_stride;
  int8_span *span = s->int8;
  /* the statistics are those of all keys of the span, whichever of them this set sees */
  int32_t end = s->p->lengths && s->p->lengths[job->b] < s->p->n ? s->p->lengths[job->b] : s->p->n;
  int32_t known = end < start ? 0 : end - start < SPAN ? end - start : SPAN;
  __builtin_memset(span, 0, attn_int8_bytes(s->p));
  for (size_t c = 0; c < vector_size(s->p); c++)
    vector_of(s, ONES)[c] = 1;
  /* the kernels compute with whole panels */
  if (count % PANEL) {
    const size_t keys = words_of(s->p->dim) * WORD;
    const size_t rows = whole_panels((size_t)count);
    __builtin_memset((char *)s->panels + (rows - PANEL) * keys, 0, PANEL * keys);
    __builtin_memset(s->values, 0, rows * s->width);
  }
  float largest = find_mean(s, k, job->k_stride, known);
  balance_channels(s, k, job->k_stride, known, largest);
  round_keys(s, k, job->k_stride, from, count);
  round_values(s, job->v + (size_t)start * job->v_stride, job->v_stride, from, count);
}

/* ---- Scores ---- */

void attn_round_queries(call *s, const head_job *job, const query_rows *set)
{
  int8_span *span = s->int8;
  const double scale = s->p->scale / s->power;
  const float *keys = vector_of(s, KEYS);
  const float *mean = vector_of(s, MEAN);
  float *q = vector_of(s, SCRATCH);
  const int by = numbers_by(s->dot_form, 1);
  for (int x = 0; x < set->count; x++) {
    const float *query = query_of_row(s, job, set, x);
    int32_t *to = (int32_t *)(void *)s->queries + x * stride_by(by);
    f32x4 product = v_splat(0);
    i32x4 sum = v_splat_i(0);
    float max = center_and_scale(s, q, query, s->p->dim, ZEROS, QUERIES);
    for (int32_t c = 0; c < s->p->dim; c += 4)
      product += v_load(q + c) * v_load(keys + c) * v_load(mean + c);
    for (int32_t c = 0; c < s->p->dim; c += 8, to += 2 * TILE4 * stride_by(by)) {
      i32x4 low = rounded(v_load(q + c), inverse_of(max));
      i32x4 high = rounded(v_load(q + c + 4), inverse_of(max));
      sum += low + high;
      put_numbers(by, to, low, high);
    }
    s->starts[x] = start_of(s->dot_form, v_hsum_i(sum));
    s->query_factors[x] = score_factor(scale * scale_of(max) / span->min_channel_root);
    span->mean_score[x] = score_factor(scale * v_hsum(product) / span->min_channel_root);
  }
}
