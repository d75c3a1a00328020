/*
 * Attention in integers of 8 bits (ATTN_INT8), after SageAttention (Zhang et al., arXiv
 * 2410.02367): queries, keys, weights and values are rounded to bytes, each query, key and value
 * with a scale of its own, and both products are exact sums of integers. Keys first lose what all
 * of a span have in common in each channel, where that makes the key smaller: a query gets its
 * product with it back in float32, and so nothing of the score is lost.
 *
 * Here a span is rounded, and the queries for it; the products are those of bytes.c.
 */
#include "integer_tiles.h"
#include "kernel.h"

/* The largest number of a vector that is rounded to bytes. */
#define MOST 127.0f
/* 1.5·2^23: adding it rounds to an integer that stands in the low bits. */
#define MAGIC 12582912.0f
/* Vectors of smaller numbers count as zero: their scale would be subnormal. */
#define LEAST 2e-36f

/* The longest vector, in whole strips. */
static size_t room_of(const attn_params *p)
{
  return whole_strips((size_t)(p->dim > p->value_dim ? p->dim : p->value_dim));
}

/*
 * Vectors of a span, each of room_of numbers: constants, what keys lose and what they and queries
 * are multiplied by; then room for four.
 */
enum { ZEROS, ONES, MEAN, KEYS, QUERIES, ROOM };

size_t attn_int8_bytes(const attn_params *p)
{
  return sizeof(int8_span) + (ROOM + 4) * room_of(p) * sizeof(float);
}

static float *vector_of(const call *s, int which)
{
  return s->int8->vectors + (size_t)which * room_of(s->p);
}

/*
 * A vector less one of the span's, times another, filled up with zeros to whole strips. Returns the
 * largest |number|, NaN if any is not finite.
 */
KERNEL float take(const call *s, float *to, const float *x, int32_t size, int lost, int factor)
{
  const float *less = vector_of(s, lost), *times = vector_of(s, factor);
  i32x4 most = v_splat_i(0);
  ROLLED for (int32_t c = 0; c < (int32_t)whole_strips((size_t)size); c += 4)
  {
    f32x4 y = load_at(x, c, size);
    y = (y - v_load(less + c)) * v_load(times + c);
    v_store(to + c, y);
    /* in the order of the numbers, infinity and NaN last */
    most = v_max_i(most, (i32x4)y & v_splat_i(INT32_MAX));
  }
  float largest = v_hmax((f32x4)most);
  return v_any(most >= v_splat_i(0x7F800000)) ? __builtin_nanf("") : largest;
}

static float scale_of(float most) { return most < LEAST ? 0 : most / MOST; }

static float inverse_of(float most) { return most < LEAST ? 0 : MOST / most; }

INLINE i32x4 rounded(f32x4 x, float inverse)
{
  return (i32x4)(x * v_splat(inverse) + v_splat(MAGIC)) - (i32x4)v_splat(MAGIC);
}

/* Four of them as a word of a panel. */
INLINE int32_t word_of(const call *s, i32x4 n)
{
  i32x4 halves = v_pack(n, n);
  return v_pack_bytes(halves, halves)[0] ^ flip_of(s->form);
}

/*
 * ---- A span
 * --------------------------------------------------------------------------------------------------------
 */

/* to += share·x, or share·|x|. */
INLINE void add_vector(float *to, const float *x, float share, const int32_t bits, int32_t size)
{
  ROLLED for (int32_t c = 0; c < size; c += 4) v_store(
      to + c, v_load(to + c) + (f32x4)((i32x4)v_load(x + c) & v_splat_i(bits)) * v_splat(share));
}

/*
 * The mean of the keys that are finite and not too small to count. Leaves the largest |number| of
 * each key as its scale.
 */
static void take_mean(const call *s, const float *k, size_t stride, int32_t count)
{
  float *key = vector_of(s, ROOM), *mean = vector_of(s, MEAN);
  int32_t taken = 0;
  for (int32_t j = 0; j < count; j++) {
    float most = take(s, key, k + (size_t)j * stride, s->p->dim, ZEROS, ONES);
    s->int8->key_scale[j] = most;
    if (most >= LEAST && ++taken)
      add_vector(mean, key, 1 / (float)count, -1, s->p->dim);
  }
  for (int32_t c = 0; c < s->p->dim && taken > 0; c++)
    mean[c] *= (float)count / (float)taken;
}

/*
 * Which keys lose the mean; and how large each channel is in them, relative to the largest of a
 * key. Keys are divided by the root of that and queries multiplied, so that no channel is lost
 * beside large ones, in neither. No factor is above 1, or finite numbers might not stay so.
 */
static void even_out(const call *s, const float *k, size_t stride, int32_t count)
{
  int8_span *span = s->int8;
  float *key = vector_of(s, ROOM), *roots = vector_of(s, QUERIES);
  for (int32_t j = 0; j < count; j++) {
    const float *x = k + (size_t)j * stride;
    float most = take(s, key, x, s->p->dim, MEAN, ONES);
    if (most < span->key_scale[j])
      span->key_shared[j] = -1;
    else
      most = take(s, key, x, s->p->dim, ZEROS, ONES);
    if (most >= LEAST)
      add_vector(roots, key, 1 / most, INT32_MAX, s->p->dim);
  }
  span->least_root = 1;
  for (int32_t c = 0; c < s->p->dim; c++) {
    float root = __builtin_sqrtf(roots[c] / (float)(count > 0 ? count : 1));
    roots[c] = root > 0.0625f ? root : 0.0625f;
    span->least_root = roots[c] < span->least_root ? roots[c] : span->least_root;
  }
  for (int32_t c = 0; c < s->p->dim; c++)
    vector_of(s, KEYS)[c] = span->least_root / roots[c];
}

static void round_keys(const call *s, const float *k, size_t stride, int32_t from, int32_t count)
{
  const size_t words = words_of(s->p->dim);
  float *key = vector_of(s, ROOM);
  for (int32_t j = from; j < count; j++) {
    float most = take(s, key, k + (size_t)j * stride, s->p->dim,
                      s->int8->key_shared[j] ? MEAN : ZEROS, KEYS);
    s->int8->key_scale[j] = scale_of(most);
    int32_t *to =
        (int32_t *)(void *)s->panels + (size_t)(j / PANEL) * words * PANEL + (size_t)(j % PANEL);
    ROLLED for (size_t w = 0; w < words; w++, to += PANEL) *to =
        word_of(s, rounded(v_load(key + WORD * w), inverse_of(most)));
  }
}

/* Four keys at a time, whose numbers of a channel make a word. */
static void round_values(const call *s, const float *v, size_t stride, int32_t from, int32_t count)
{
  const size_t size = room_of(s->p);
  float *x = vector_of(s, ROOM), inverse[4] = {0};
  for (int32_t j = from; j < count; j++, x += size) {
    float most = take(s, x, v + (size_t)j * stride, s->p->value_dim, ZEROS, ONES);
    s->int8->value_scale[j] = scale_of(most);
    s->int8->wild |= most != most;
    inverse[j % 4] = inverse_of(most);
    if (j % 4 < 3 && j + 1 < count)
      continue;
    x -= (size_t)(j % 4) * size;
    const size_t strip = whole_panels((size_t)count) / WORD * STRIP;
    int32_t *to = (int32_t *)(void *)s->values + j / WORD * STRIP;
    for (size_t c = 0; c < s->width; c += 4) {
      f32x4 y[4];
      UNROLLED for (int l = 0; l < 4; l++) y[l] =
          (f32x4)rounded(v_load(x + (size_t)l * size + c), inverse[l]);
      v_transpose(y);
      UNROLLED for (int l = 0; l < 4; l++) to[c / STRIP * strip + c % STRIP + (size_t)l] =
          word_of(s, (i32x4)y[l]);
    }
    x -= size;
  }
}

void attn_round_span(const call *s, const head_job *job, int32_t start, int32_t from, int32_t count)
{
  const float *k = job->k + (size_t)start * job->k_stride;
  int8_span *span = s->int8;
  /* the mean and all is of the keys there are, whichever of them these rows see */
  int32_t end = s->p->lengths && s->p->lengths[job->b] < s->p->n ? s->p->lengths[job->b] : s->p->n;
  int32_t known = end < start ? 0 : end - start < SPAN ? end - start : SPAN;
  __builtin_memset(span, 0, attn_int8_bytes(s->p));
  for (size_t c = 0; c < room_of(s->p); c++)
    vector_of(s, ONES)[c] = 1;
  take_mean(s, k, job->k_stride, known);
  even_out(s, k, job->k_stride, known);
  round_keys(s, k, job->k_stride, from, count);
  round_values(s, job->v + (size_t)start * job->v_stride, job->v_stride, from, count);
}

/*
 * ---- Scores
 * --------------------------------------------------------------------------------------------------------
 */

void attn_round_queries(const call *s, const head_job *job, const row_group *g)
{
  int8_span *span = s->int8;
  const double scale = s->p->scale / s->scale;
  const float *keys = vector_of(s, KEYS), *mean = vector_of(s, MEAN);
  float *q = vector_of(s, ROOM);
  const int by = numbers_by(s->form, 1);
  for (int x = 0; x < g->count; x++) {
    const float *query = query_row(s, job, g, x);
    int32_t *to = (int32_t *)(void *)s->queries + x * room_by(by);
    f32x4 product = v_splat(0);
    i32x4 sum = v_splat_i(0);
    float most = take(s, q, query, s->p->dim, ZEROS, QUERIES);
    ROLLED for (int32_t c = 0; c < s->p->dim; c += 4) product +=
        v_load(q + c) * v_load(keys + c) * v_load(mean + c);
    ROLLED for (int32_t c = 0; c < s->p->dim; c += 8, to += 2 * TILE4 * room_by(by))
    {
      i32x4 low = rounded(v_load(q + c), inverse_of(most)),
            high = rounded(v_load(q + c + 4), inverse_of(most));
      sum += low + high;
      put_numbers(by, to, low, high);
    }
    s->starts[x] = start_of(s->form, v_hsum_i(sum));
    s->query_factors[x] = nearest_float(scale * scale_of(most) / span->least_root);
    span->offset[x] = nearest_float(scale * v_hsum(product) / span->least_root);
  }
}

void attn_add_shared(const call *s, float *scores, int r, int32_t at, int32_t count)
{
  const i32x4 offset = (i32x4)v_splat(s->int8->offset[r]);
  ROLLED for (int32_t j = 0; j < count; j += 4) v_store(
      scores + j, v_load(scores + j) + (f32x4)(offset & v_load_i(s->int8->key_shared + at + j)));
}
