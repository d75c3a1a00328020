/*
 * Copies inputs to where the tiles read them: keys into panels, values into strips. Each
 * number of a query is written four times, for the four lanes of a vector.
 */
#include "kernel.h"

/* Panels of the keys from `from`, a multiple of PANEL, to `count`. Lanes beyond it are 0. */
static void pack_keys(float *panels, const float *k, size_t stride, int32_t from, int32_t count,
                      int32_t dim)
{
  panels += (size_t)from * (size_t)dim;
  for (int32_t j = from; j < count; j += PANEL, panels += (size_t)dim * PANEL) {
    int32_t c = 0;
    if (j + PANEL <= count)
      for (; c + 4 <= dim; c += 4)
        for (int lane = 0; lane < PANEL; lane += 4) {
          f32x4 x[4];
          for (int l = 0; l < 4; l++)
            x[l] = v_load(k + (size_t)(j + lane + l) * stride + c);
          v_transpose(x);
          for (int l = 0; l < 4; l++)
            v_store(panels + (c + l) * PANEL + lane, x[l]);
        }
    for (; c < dim; c++)
      for (int l = 0; l < PANEL; l++)
        panels[c * PANEL + l] = j + l < count ? k[(size_t)(j + l) * stride + c] : 0;
  }
}

/* A strip of `rows` values at v, with 0 beyond the last channel. */
static void pack_strip(float *strip, const float *v, size_t stride, size_t rows, int32_t channels)
{
  for (float *end = strip + rows * STRIP; strip < end; strip += STRIP, v += stride) {
    v_store(strip, v_load_tail(v, channels < 4 ? (size_t)channels : 4));
    v_store(strip + 4, v_load_tail(v + 4, channels < 4       ? 0
                                          : channels < STRIP ? (size_t)channels - 4
                                                             : 4));
  }
}

/* Two strips at once: a cache line of each value, fetched once. */
static void pack_two_strips(float *strip, const float *v, size_t stride, size_t rows)
{
  float *other = strip + rows * STRIP;
  for (float *end = other; strip < end; strip += STRIP, other += STRIP, v += stride)
    for (int c = 0; c < STRIP; c += 4) {
      f32x4 x = v_load(v + c);
      f32x4 y = v_load(v + STRIP + c);
      v_store(strip + c, x);
      v_store(other + c, y);
    }
}

/* Blocks of strips of the values [from, count) at v, from a multiple of BLOCK. */
static void pack_values(float *values, const float *v, size_t stride, int32_t from, int32_t count,
                        int32_t size)
{
  values += (size_t)from * whole_strips((size_t)size);
  for (int32_t j = from; j < count; j += BLOCK) {
    const float *block = v + (size_t)j * stride;
    const size_t rows = strip_rows(BLOCK, (size_t)count, (size_t)j);
    const size_t strip = rows * STRIP;
    int32_t c = 0;
    for (; c + 2 * STRIP <= size; c += 2 * STRIP, values += 2 * strip)
      pack_two_strips(values, block + c, stride, rows);
    for (; c < size; c += STRIP, values += strip)
      pack_strip(values, block + c, stride, rows, size - c);
  }
}

/* `count` halves, a multiple of eight, as floats. */
KERNEL void widen(float *to, const uint16_t *from, size_t count)
{
  for (const uint16_t *end = from + count; from < end; from += 8, to += 8) {
    f32x4 y[2];
    v_halves(y, (i16x8)v_load_i(from), 1);
    v_store(to, y[0]);
    v_store(to + 4, y[1]);
  }
}

/* Halves of a cache as floats, in the scratch. */
static key_span widen_span(call *s, const head_job *job, const key_span *halves, int32_t from,
                           int32_t count)
{
  const uint16_t *half_keys = halves->keys;
  const uint16_t *half_values = halves->values;
  const size_t dim = (size_t)s->p->dim;
  const size_t width = cache_value_size(job->cache);
  const size_t skipped = (size_t)from * dim;
  key_span span = *halves;
  widen(s->panels + skipped, half_keys + skipped, whole_panels((size_t)count) * dim - skipped);
  for (size_t j = (size_t)from; j < (size_t)count; j += BLOCK)
    for (size_t c = 0; c < width; c += STRIP)
      widen(s->values + j * width + strip_rows(BLOCK, (size_t)count, j) * c,
            half_values + j * width + strip_rows(BLOCK, halves->value_rows, j) * c,
            strip_rows(BLOCK, (size_t)count, j) * STRIP);
  span.form = SPAN_F32;
  span.keys = s->panels;
  span.values = s->values;
  span.value_rows = (size_t)count;
  return span;
}

/* Where the span of a cache lies, whose numbers can all be read in place, but for some halves. */
static key_span cached_span(call *s, const head_job *job, int32_t start, int32_t from,
                            int32_t count)
{
  static const span_form forms[] = {
      [ATTN_CACHE_F32] = SPAN_F32, [ATTN_CACHE_F16] = SPAN_F16, [ATTN_CACHE_Q8] = SPAN_Q8};
  const attn_cache *c = job->cache;
  const size_t at = (size_t)start;
  const size_t number = cache_number_bytes(c->type);
  key_span span = {.form = forms[c->type],
                   .start = start,
                   .keys = cache_keys(c, job->kv_head) + at * cache_key_size(c) * number,
                   .values = cache_values(c, job->kv_head) + at * cache_value_size(c) * number,
                   .value_rows = cache_rows(c) - at};
  if (span.form == SPAN_Q8) {
    span.key_scales = cache_scales(c, job->kv_head) + at;
    span.value_scales = span.key_scales + cache_rows(c);
    for (int32_t j = 0; j < 2; j++)
      span.references[j] = cache_reference(c, job->kv_head, j);
    span.references[2] = cache_reference(c, job->kv_head, start + PANEL);
    span.nan_scales = c->not_finite;
  }
  if (span.form == SPAN_F16 && !job->halves_in_place)
    return widen_span(s, job, &span, from, count);
  return span;
}

/* A span that is rounded to bytes in the scratch. */
static key_span rounded_span(call *s, const head_job *job, int32_t start, int32_t from,
                             int32_t count)
{
  attn_round_span(s, job, start, from, count);
  return (key_span){.form = SPAN_INT8,
                    .start = start,
                    .keys = s->panels,
                    .values = s->values,
                    .value_rows = whole_panels((size_t)count),
                    .key_scales = s->int8->key_scale,
                    .value_scales = s->int8->value_scale,
                    .nan_scales = s->int8->not_finite};
}

/* Rows of a chunk from which on packed values are faster (tuning.md#pack-values). */
enum { PACK_VALUES_ROWS = 16 };

/* A span of arrays, whose keys are always packed. */
static key_span packed_span(call *s, const head_job *job, int32_t start, int32_t from,
                            int32_t count, int32_t row_count)
{
  const float *v = job->v + (size_t)start * job->v_stride;
  const int32_t size = s->p->value_dim;
  key_span span = {.form = SPAN_F32, .start = start, .keys = s->panels};
  pack_keys(s->panels, job->k + (size_t)start * job->k_stride, job->k_stride, from, count,
            s->p->dim);
  if (row_count >= PACK_VALUES_ROWS || size % STRIP) {
    pack_values(s->values, v, job->v_stride, from, count, size);
    span.values = s->values;
    span.value_rows = (size_t)count;
  } else {
    span.form = SPAN_F32_ROWS;
    span.values = v;
    span.value_stride = job->v_stride;
  }
  return span;
}

void attn_load_span(call *s, head_job *job, int32_t start, int32_t lo, int32_t hi,
                    int32_t row_count)
{
  int32_t from = lo > start ? (lo - start) / BLOCK * BLOCK : 0;
  int32_t count = hi - start < SPAN ? hi - start : SPAN;
  if (job->cache)
    job->span = cached_span(s, job, start, from, count);
  else if (s->int8)
    job->span = rounded_span(s, job, start, from, count);
  else
    job->span = packed_span(s, job, start, from, count, row_count);
}

/* Lanes where a number that is not 0 has become 0 or subnormal. */
INLINE i32x4 lose_bits(f32x4 x, f32x4 scaled, i32x4 sign, i32x4 normal)
{
  return (((i32x4)scaled & ~sign) < normal) & (x != v_splat(0));
}

static void pack_float_queries(call *s, const head_job *job, const query_rows *set)
{
  const float fraction = (float)s->fraction;
  /* if the fraction is a float, floats multiply to the same bits as doubles */
  const int in_floats = fraction == s->fraction;
  const float factor = job->span.form == SPAN_F16 ? HALF_SCALE : 1;
  const size_t step = (size_t)set->count * 4;
  const i32x4 sign = v_keep(INT32_MIN);
  const i32x4 normal = v_keep(0x00800000);
  for (int x = 0; x < set->count; x++) {
    const float *q = query_of_row(s, job, set, x);
    const float *end = q + s->p->dim;
    float *to = s->queries + 4 * x;
    i32x4 small = v_splat_i(0);
    for (; in_floats && end - q >= 4; q += 4, to += 4 * step) {
      f32x4 four = v_load(q);
      f32x4 scaled = four * v_splat(fraction);
      small |= lose_bits(four, scaled, sign, normal);
      scaled *= v_splat(factor);
      for (int l = 0; l < 4; l++)
        v_store(to + (size_t)l * step, v_splat(scaled[l]));
    }
    for (; q < end; q++, to += step) {
      f32x4 scaled = v_splat((float)(*q * s->fraction));
      small |= lose_bits(v_splat(*q), scaled, sign, normal);
      v_store(to, scaled * v_splat(factor));
    }
    s->small_channels[x] = v_any(small);
  }
}

void attn_pack_queries(call *s, const head_job *job, const query_rows *set)
{
  for (int x = 0; x < set->count; x++)
    s->small_channels[x] = 0;
  if (job->span.form == SPAN_Q8)
    attn_pack_byte_queries(s, job, set);
  else if (job->span.form == SPAN_INT8)
    attn_round_queries(s, job, set);
  else
    pack_float_queries(s, job, set);
}
