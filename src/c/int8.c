/*
 * Attention in integers of 8 bits (ATTN_INT8), after SageAttention (Zhang et al., arXiv 2410.02367): queries, keys, weights and values are
 * rounded to bytes, each query, key and value with a scale of its own, and both products are exact sums of integers. Keys first
 * lose what all of a span have in common in each channel, where that makes the key smaller: a query gets its product with it back
 * in float32, and so nothing of the score is lost.
 *
 * Products take the numbers of a query or a row of weights, the same in all lanes, with a panel of eight keys or channels, in words of 32
 * bits: four bytes, or in the wide form of dots.h two numbers of 16 bits. The integers are the same in all forms.
 */
#include "dots.h"
#include "tiled.h"

/* The largest number of a vector that is rounded to bytes. */
#define MOST 127.0f
/* 1.5·2^23: adding it rounds to an integer that stands in the low bits. */
#define MAGIC 12582912.0f
/* Vectors of smaller numbers count as zero: their scale would be subnormal. */
#define LEAST 2e-36f

enum { LOAD = 16 }; /* keys whose weights become words together */

static int is_wide(const call *s) { return s->form == DOT_WIDE; }

/* Words of so many numbers, in fours. */
static size_t words_of(const call *s, int32_t size) { return (size_t)((size + 3) / 4) * (is_wide(s) ? 2 : 1); }

/* The longest vector, in whole strips. */
static size_t room_of(const attn_params *p)
{
  return whole_strips((size_t)(p->dim > p->value_dim ? p->dim : p->value_dim));
}

/* Vectors of a span, each of room_of numbers: constants, what keys lose and what they and queries are multiplied by; then room for four. */
enum { ZEROS, ONES, MEAN, KEYS, QUERIES, ROOM };

size_t attn_int8_bytes(const attn_params *p) { return sizeof(int8_span) + (ROOM + 4) * room_of(p) * sizeof(float); }

static float *vector_of(const call *s, int which) { return s->int8->vectors + (size_t)which * room_of(s->p); }

/* A vector less one of the span's, times another, filled up with zeros to whole strips. Returns the largest |number|, NaN if any is not finite. */
KERNEL float take(const call *s, float *to, const float *x, int32_t size, int lost, int factor)
{
  const float *less = vector_of(s, lost), *times = vector_of(s, factor);
  i32x4 most = v_splat_i(0);
  ROLLED for (int32_t c = 0; c < (int32_t)whole_strips((size_t)size); c += 4)
  {
    f32x4 y = load_at(x, c, size);
    y = (y - v_load(less + c)) * v_load(times + c);
    v_store(to + c, y);
    most = v_max_i(most, (i32x4)y & v_splat_i(INT32_MAX)); /* in the order of the numbers, infinity and NaN last */
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

/* What turns bytes into those of the form's second operand. */
static int32_t flip_of(const call *s) { return s->form == DOT_UNSIGNED ? (int32_t)0x80808080 : 0; }

/* What takes the 128 off again that these are too large by: as often as the first operand's integers say, which add up to `sum`. */
static int32_t start_of(const call *s, i32x4 sum) { return s->form == DOT_UNSIGNED ? v_hsum_i(sum * -128) : 0; }

/* Four integers as the words of a vector, `step` words apart; returns where the next go. */
INLINE int32_t *put_words(int wide, int32_t *to, size_t step, i32x4 n, int32_t flip)
{
  i32x4 halves = v_narrow(n, n);
  if (!wide) {
    *to = v_narrow_bytes(halves, halves)[0] ^ flip;
    return to + step;
  }
  to[0] = halves[0];
  to[step] = halves[1];
  return to + 2 * step;
}

/* Returns sums of the integers. */
KERNEL i32x4 round_vector(const call *s, int32_t *to, size_t step, const float *x, float inverse, int32_t flip)
{
  i32x4 sum = v_splat_i(0);
  ROLLED for (int32_t c = 0; c < s->p->dim; c += 4)
  {
    i32x4 n = rounded(v_load(x + c), inverse);
    sum += n;
    to = put_words(is_wide(s), to, step, n, flip);
  }
  return sum;
}

/* ---- A span -------------------------------------------------------------------------------------------------------- */

/* to += share·x, or share·|x|. */
INLINE void add_vector(float *to, const float *x, float share, const int32_t bits, int32_t size)
{
  ROLLED for (int32_t c = 0; c < size; c += 4)
      v_store(to + c, v_load(to + c) + (f32x4)((i32x4)v_load(x + c) & v_splat_i(bits)) * v_splat(share));
}

/* The mean of the keys that are finite and not too small to count. Leaves the largest |number| of each key as its scale. */
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
 * Which keys lose the mean; and how large each channel is in them, relative to the largest of a key. Keys are divided by the root of that and
 * queries multiplied, so that no channel is lost beside large ones, in neither. No factor is above 1, or finite numbers might not stay so.
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
  const size_t words = words_of(s, s->p->dim);
  float *key = vector_of(s, ROOM);
  for (int32_t j = from; j < count; j++) {
    float most = take(s, key, k + (size_t)j * stride, s->p->dim, s->int8->key_shared[j] ? MEAN : ZEROS, KEYS);
    s->int8->key_scale[j] = scale_of(most);
    round_vector(s, (int32_t *)(void *)s->panels + (size_t)(j / PANEL) * words * PANEL + (size_t)(j % PANEL), PANEL,
                 key, inverse_of(most), flip_of(s));
  }
}

/* Where the block of key j begins: (blocks, strips, keys of a block in words, STRIP). */
static int32_t *block_at(const call *s, int32_t j)
{
  return (int32_t *)(void *)s->values + words_of(s, j / BLOCK * BLOCK) * s->width;
}

/* Words of a strip in the block of key j, for whole loads of keys. */
static size_t block_words(const call *s, int32_t j, int32_t count)
{
  int32_t left = count - j / BLOCK * BLOCK;
  return words_of(s, left < BLOCK ? (left + LOAD - 1) & ~(LOAD - 1) : BLOCK);
}

/* Four keys at a time, whose numbers of a channel make words. */
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
    const size_t strip = block_words(s, j, count) * STRIP;
    int32_t *to = block_at(s, j) + words_of(s, j % BLOCK & ~3) * STRIP;
    for (size_t c = 0; c < s->width; c += 4) {
      f32x4 y[4];
      UNROLLED for (int l = 0; l < 4; l++) y[l] = (f32x4)rounded(v_load(x + (size_t)l * size + c), inverse[l]);
      v_transpose(y);
      UNROLLED for (int l = 0; l < 4; l++)
          put_words(is_wide(s), to + c / STRIP * strip + c % STRIP + (size_t)l, STRIP, (i32x4)y[l], flip_of(s));
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
  span->count = count;
  for (size_t c = 0; c < room_of(s->p); c++)
    vector_of(s, ONES)[c] = 1;
  take_mean(s, k, job->k_stride, known);
  even_out(s, k, job->k_stride, known);
  round_keys(s, k, job->k_stride, from, count);
  round_values(s, job->v + (size_t)start * job->v_stride, job->v_stride, from, count);
}

/* ---- Scores -------------------------------------------------------------------------------------------------------- */

void attn_round_queries(const call *s, const head_job *job, const row_group *g)
{
  int8_span *span = s->int8;
  const double scale = s->p->scale / s->scale;
  const float *keys = vector_of(s, KEYS), *mean = vector_of(s, MEAN);
  float *q = vector_of(s, ROOM);
  for (int x = 0; x < GROUP; x++) {
    const float *query = query_row(s, job, g, x < g->count ? x : 0);
    f32x4 product = v_splat(0);
    float most = take(s, q, query, s->p->dim, ZEROS, QUERIES);
    ROLLED for (int32_t c = 0; c < s->p->dim; c += 4) product += v_load(q + c) * v_load(keys + c) * v_load(mean + c);
    i32x4 sum = round_vector(s, (int32_t *)(void *)s->queries + x, GROUP, q, inverse_of(most), 0);
    span->start[x] = start_of(s, sum);
    span->factor[x] = attn_nearest_float(scale * scale_of(most) / span->least_root);
    span->offset[x] = attn_nearest_float(scale * v_hsum(product) / span->least_root);
  }
}

/*
 * to[r][0..8) = Σ x_r·b of each of `count` panels, one after another: the only part of int8.c where time is spent, but for rounding
 * weights. (Integers, which become floats where they are.)
 */
INLINE void integers(const int wide, int32_t *to, size_t to_step, const int32_t *x, /* (words, GROUP) */
                     const int32_t *panel, size_t panel_step,                       /* (words, PANEL) */
                     size_t words, size_t count)
{
  for (; count > 0; count--, to += PANEL, panel += panel_step) {
    i32x4 n[GROUP][2];
    const int32_t *b = panel;
    UNROLLED for (int r = 0; r < GROUP; r++) n[r][0] = n[r][1] = v_splat_i(0);
    ROLLED for (size_t w = 0; w < words * GROUP; w += GROUP, b += PANEL)
    {
      i32x4 low = v_load_i(b), high = v_load_i(b + 4);
      UNROLLED for (int r = 0; r < GROUP; r++)
      {
        i32x4 a = v_splat_i(x[w + (size_t)r]);
        n[r][0] = wide ? v_dot((i16x8)a, (i16x8)low, n[r][0]) : v_dot8(a, low, n[r][0]);
        n[r][1] = wide ? v_dot((i16x8)a, (i16x8)high, n[r][1]) : v_dot8(a, high, n[r][1]);
      }
    }
    UNROLLED for (int r = 0; r < GROUP; r++)
    {
      v_store_i(to + (size_t)r * to_step, n[r][0]);
      v_store_i(to + (size_t)r * to_step + 4, n[r][1]);
    }
  }
}

typedef void integers_kernel(int32_t *to, size_t to_step, const int32_t *x, const int32_t *panel, size_t panel_step,
                             size_t words, size_t count);

KERNEL void integers_wide(int32_t *to, size_t to_step, const int32_t *x, const int32_t *panel, size_t panel_step,
                          size_t words, size_t count)
{
  integers(1, to, to_step, x, panel, panel_step, words, count);
}

KERNEL void integers_narrow(int32_t *to, size_t to_step, const int32_t *x, const int32_t *panel, size_t panel_step,
                            size_t words, size_t count)
{
  integers(0, to, to_step, x, panel, panel_step, words, count);
}

static integers_kernel *kernel_of(const call *s) { return V_DOT8 && !is_wide(s) ? integers_narrow : integers_wide; }

void attn_score_rounded(const call *s, float *scores, int32_t from, int32_t hi, int32_t start)
{
  const int8_span *span = s->int8;
  const size_t words = words_of(s, s->p->dim);
  const int32_t at = from - start, count = (hi - from + PANEL - 1) & ~(PANEL - 1);
  kernel_of(s)((int32_t *)(void *)scores, SCORES, (const int32_t *)(const void *)s->queries,
               (const int32_t *)(const void *)s->panels + (size_t)at * words, words * PANEL, words,
               (size_t)count / PANEL);
  for (int r = 0; r < GROUP; r++, scores += SCORES) {
    const i32x4 first = v_splat_i(span->start[r]);
    const f32x4 factor = v_splat(span->factor[r]);
    const i32x4 offset = (i32x4)v_splat(span->offset[r]);
    ROLLED for (int32_t j = 0; j < count; j += 8)
    {
      UNROLLED for (int l = j; l < j + 8; l += 4)
          v_store(scores + l, v_float(v_load_i(scores + l) + first) * (factor * v_load(span->key_scale + at + l)) +
                                  (f32x4)(offset & v_load_i(span->key_shared + at + l)));
    }
  }
}

/* ---- Values -------------------------------------------------------------------------------------------------------- */

/*
 * A row's weights times the scales of the values as words GROUP apart, relative to the largest; returns what one is worth. As in
 * bytes.c, a key of weight 0 has no part in it, and a weight of NaN makes NaN of all sums.
 */
KERNEL float round_weights(const call *s, int32_t *to, int32_t *start, const float *w, const float *scales,
                           int32_t count)
{
  const int wide = is_wide(s);
  const f32x4 zero = v_splat(0);
  f32x4 most[4] = {{0}}, total[4] = {{0}};
  i32x4 sums = v_splat_i(0);
  ROLLED for (int32_t j = 0; j < count; j += LOAD)
  {
    UNROLLED for (int l = 0; l < 4; l++)
    {
      f32x4 e = v_load(w + j + 4 * l);
      most[l] = v_max(most[l], e * v_load(scales + j + 4 * l));
      total[l] += e;
    }
  }
  float all = v_hsum((total[0] + total[1]) + (total[2] + total[3]));
  float largest = v_hmax(v_max(v_max(most[0], most[1]), v_max(most[2], most[3])));
  if (all != all)
    largest = __builtin_inff();
  const float inverse = MOST / largest, unit = inverse > 0x1p126f ? 0 : inverse; /* so little is 0 */
  ROLLED for (int32_t j = 0; j < count; j += LOAD)
  {
    i32x4 n[4];
    UNROLLED for (int l = 0; l < 4; l++)
    {
      n[l] = rounded(v_max(zero, v_load(w + j + 4 * l) * v_load(scales + j + 4 * l)), unit);
      sums += n[l];
    }
    i32x4 words = v_narrow(n[0], n[1]), more = v_narrow(n[2], n[3]);
    for (int left = wide ? 2 : 1; left > 0; left--, words = more, to += 4 * GROUP) {
      if (!wide)
        words = v_narrow_bytes(words, more);
      UNROLLED for (int l = 0; l < 4; l++) to[l * GROUP] = words[l];
    }
  }
  *start = start_of(s, sums);
  return largest / MOST;
}

void attn_sum_rounded(const call *s, const row_group *g, float *sums, const float *w, int32_t from, int32_t to,
                      int32_t start, double divisor)
{
  int8_span *span = s->int8;
  const int32_t at = from - start, count = (to - from + LOAD - 1) & ~(LOAD - 1);
  int32_t starts[GROUP];
  float factors[GROUP];
  for (int x = 0; x < GROUP; x++) /* what is missing is like the first */
    factors[x] = round_weights(s, span->weights + x, &starts[x], w + (x < g->count ? x : 0) * SCORES,
                               span->value_scale + at, count);
  attn_finish_worths(s, g, factors, span->value_scale + at, from, span->wild ? count : 0, divisor);
  int32_t *n = (int32_t *)(void *)sums; /* (GROUP, width), which become the sums */
  kernel_of(s)(n, s->width, span->weights, block_at(s, at) + words_of(s, at % BLOCK) * STRIP,
               block_words(s, at, span->count) * STRIP, words_of(s, count), s->width / STRIP);
  for (int r = 0; r < g->count; r++, sums += s->width)
    ROLLED for (size_t c = 0; c < s->width; c += 4)
        v_store(sums + c, v_float(v_load_i(sums + c) + v_splat_i(starts[r])) * v_splat(factors[r]));
}
