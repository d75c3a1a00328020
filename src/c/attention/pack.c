/*
 * Inputs as the inner loops read them: keys in transposed panels, values in strips, queries four
 * times over.
 */
#include "kernel.h"

/* Panels of the keys [from, count) at k, from a multiple of PANEL; lanes beyond count are 0. */
static void pack_keys(float *panels, const float *k, size_t stride, int32_t from, int32_t count,
                      int32_t dim)
{
  panels += (size_t)from * (size_t)dim;
  for (int32_t j = from; j < count; j += PANEL, panels += (size_t)dim * PANEL) {
    int32_t c = 0;
    if (j + PANEL <= count)
      for (; c + 4 <= dim; c += 4)
        UNROLLED for (int half = 0; half < PANEL; half += 4)
        {
          f32x4 x[4];
          UNROLLED for (int l = 0; l < 4; l++) x[l] =
              v_load(k + (size_t)(j + half + l) * stride + c);
          v_transpose(x);
          UNROLLED for (int l = 0; l < 4; l++) v_store(panels + (c + l) * PANEL + half, x[l]);
        }
    for (; c < dim; c++)
      for (int l = 0; l < PANEL; l++)
        panels[c * PANEL + l] = j + l < count ? k[(size_t)(j + l) * stride + c] : 0;
  }
}

/* A strip of so many values at v; what lies beyond the last channel is 0. */
static void pack_strip(float *strip, const float *v, size_t stride, size_t rows, int32_t channels)
{
  for (float *end = strip + rows * STRIP; strip < end; strip += STRIP, v += stride) {
    v_store(strip, v_load_tail(v, channels < 4 ? (size_t)channels : 4));
    v_store(strip + 4, v_load_tail(v + 4, channels < 4       ? 0
                                          : channels < STRIP ? (size_t)channels - 4
                                                             : 4));
  }
}

/* Two strips at once: a line of cache of each value, fetched once. */
static void pack_two_strips(float *strip, const float *v, size_t stride, size_t rows)
{
  float *other = strip + rows * STRIP;
  for (float *end = other; strip < end; strip += STRIP, other += STRIP, v += stride)
    UNROLLED for (int c = 0; c < STRIP; c += 4)
    {
      f32x4 x = v_load(v + c), y = v_load(v + STRIP + c);
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
    const size_t rows = strip_rows(BLOCK, (size_t)count, (size_t)j), strip = rows * STRIP;
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

/*
 * Whether halves can be multiplied where they are: by few rows, whose queries stay in the floats
 * when they take the factor. For two groups that is still faster than to widen them once, unless
 * most of the halves are subnormal (below 6e-5), as floats then are, too.
 */
static int in_place(const call *s, const head_job *job, int32_t first, int32_t end)
{
  if (end - first > 2 * TILE4 || job->cache->wild)
    return 0;
  const float most = 32768.0f; /* the fraction of p->scale is below 2 */
  int small = 1;
  for (int32_t r = first; r < end; r++) {
    const float *q = query_at(s, job, job->kv_head * job->group + r % job->group, r / job->group);
    for (int32_t c = 0; c < s->p->dim; c++)
      small &= q[c] < most && q[c] > -most;
  }
  return small;
}

/* Where a span of a cache can be read as it is; halves may have to be widened first. */
static void load_cached_span(const call *s, head_job *job, int32_t start, int32_t from,
                             int32_t count, int32_t first, int32_t end)
{
  const attn_cache *c = job->cache;
  size_t at = (size_t)start, number = cache_number_bytes(c->type), dim = cache_key_size(c);
  const char *keys = cache_keys(c, job->kv_head) + at * dim * number;
  const float *scales = cache_scales(c, job->kv_head) + at;
  const char *values = cache_values(c, job->kv_head);
  job->bytes = c->type == ATTN_CACHE_Q8;
  job->half_panels = job->half_values = NULL;
  const size_t width = cache_value_size(c), left = cache_rows(c) - at;
  values += at * width * number;
  job->value_rows = left;
  if (job->bytes) {
    job->byte_keys = (const int8_t *)keys;
    job->byte_values = (const int8_t *)values;
    job->key_scales = scales;
    job->value_scales = scales + cache_rows(c);
    job->wild = c->wild;
    return;
  }
  job->panels = (const float *)(const void *)keys;
  job->values = (const float *)(const void *)values;
  if (c->type == ATTN_CACHE_F32)
    return;
  const uint16_t *half_panels = (const uint16_t *)(const void *)keys;
  const uint16_t *half_values = (const uint16_t *)(const void *)values;
  if (in_place(s, job, first, end)) {
    job->half_panels = half_panels;
    job->half_values = half_values;
    return;
  }
  const size_t skipped = (size_t)from * dim;
  widen(s->panels + skipped, half_panels + skipped, whole_panels((size_t)count) * dim - skipped);
  for (size_t j = (size_t)from; j < (size_t)count; j += BLOCK)
    for (size_t x = 0; x < width; x += STRIP)
      widen(s->values + j * width + strip_rows(BLOCK, (size_t)count, j) * x,
            half_values + j * width + strip_rows(BLOCK, left, j) * x,
            strip_rows(BLOCK, (size_t)count, j) * STRIP);
  job->panels = s->panels;
  job->values = s->values;
  job->value_rows = (size_t)count;
}

void attn_load_span(const call *s, head_job *job, int32_t start, int32_t lo, int32_t hi,
                    int32_t first, int32_t end)
{
  int32_t dim = s->p->dim, size = s->p->value_dim;
  int32_t from = lo > start ? (lo - start) / BLOCK * BLOCK : 0,
          count = hi - start < SPAN ? hi - start : SPAN;
  if (job->cache) {
    load_cached_span(s, job, start, from, count, first, end);
    return;
  }
  if (s->int8) {
    attn_round_span(s, job, start, from, count);
    job->bytes = 1;
    job->wild = s->int8->wild;
    job->byte_keys = (const int8_t *)(const void *)s->panels;
    job->byte_values = (const int8_t *)(const void *)s->values;
    job->key_scales = s->int8->key_scale;
    job->value_scales = s->int8->value_scale;
    job->value_rows = whole_panels((size_t)count);
    return;
  }
  const float *v = job->v + (size_t)start * job->v_stride;
  pack_keys(s->panels, job->k + (size_t)start * job->k_stride, job->k_stride, from, count, dim);
  job->panels = s->panels;
  /*
   * Packing costs about what two rows gain by it. Without it every row must have whole strips; few
   * rows of others, as of 20 or 100 channels, take 1.5 times as long for it.
   */
  if (end - first >= FEW || size % STRIP) {
    pack_values(s->values, v, job->v_stride, from, count, size);
    job->values = s->values;
    job->value_rows = (size_t)count;
  } else {
    job->values = v;
    job->value_stride = job->v_stride;
    job->value_rows = 0;
  }
}

void attn_pack_queries(const call *s, const head_job *job, const row_group *g)
{
  if (job->bytes) {
    (s->int8 ? attn_round_queries : attn_pack_byte_queries)(s, job, g);
    return;
  }
  /* a product of two floats, rounded once, is the same in float and by way of double */
  const float scale = (float)s->query_scale, factor = job->half_panels ? HALF_SCALE : 1;
  const size_t step = (size_t)g->count * 4;
  for (int x = 0; x < g->count; x++) {
    const float *q = query_row(s, job, g, x), *end = q + s->p->dim;
    float *to = s->queries + 4 * x;
    for (; scale == s->query_scale && end - q >= 4; q += 4, to += 4 * step) {
      f32x4 scaled = v_load(q) * v_splat(scale) * v_splat(factor);
      UNROLLED for (int l = 0; l < 4; l++) v_store(to + (size_t)l * step, v_splat(scaled[l]));
    }
    for (; q < end; q++, to += step)
      v_store(to, v_splat((float)(*q * s->query_scale) * factor));
  }
}
