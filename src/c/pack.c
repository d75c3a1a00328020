/* Inputs as the inner loops read them: keys in transposed panels, values in whole vectors, queries four at a time. */
#include "half.h"
#include "tiled.h"

/* Panels of the keys [0, count) at k; lanes beyond count are 0. */
static void pack_keys(float *panels, const float *k, size_t stride, int32_t count, int32_t dim)
{
  for (int32_t j = 0; j < count; j += PANEL, panels += (size_t)dim * PANEL) {
    int32_t c = 0;
    if (j + PANEL <= count)
      for (; c + 4 <= dim; c += 4)
        for (int half = 0; half < PANEL; half += 4) {
          f32x4 x[4];
          for (int l = 0; l < 4; l++)
            x[l] = v_load(k + (size_t)(j + half + l) * stride + c);
          v_transpose(x);
          for (int l = 0; l < 4; l++)
            v_store(panels + (c + l) * PANEL + half, x[l]);
        }
    for (; c < dim; c++)
      for (int l = 0; l < PANEL; l++)
        panels[c * PANEL + l] = j + l < count ? k[(size_t)(j + l) * stride + c] : 0;
  }
}

/* Strips of STRIP channels, key after key in each; what lies beyond the last channel is 0. */
static void pack_values(float *values, const float *v, size_t stride, int32_t count, int32_t size)
{
  for (int32_t c = 0; c < size; c += STRIP)
    for (int32_t j = 0; j < count; j++, values += STRIP) {
      const float *from = v + (size_t)j * stride + c;
      if (size - c >= STRIP) {
        v_store(values, v_load(from));
        v_store(values + 4, v_load(from + 4));
      } else {
        int32_t rest = size - c;
        v_store(values, v_load_tail(from, rest < 4 ? (size_t)rest : 4));
        v_store(values + 4, v_load_tail(from + 4, rest > 4 ? (size_t)rest - 4 : 0));
      }
    }
}

/* A span of a cache of halves as floats, in the same order; up to seven more than `count`, for which both have room. */
static void widen(float *to, const uint16_t *from, size_t count)
{
  for (size_t x = 0; x < count; x += 8) {
    f32x4 y[2];
    v_halves(y, (i16x8)v_load_i(from + x), 1);
    v_store(to + x, y[0]);
    v_store(to + x + 4, y[1]);
  }
}

/* What can be read where it is, and halves widened. */
static void load_cached_span(const call *s, head_job *job, int32_t start, int32_t count)
{
  const attn_cache *c = job->cache;
  size_t at = (size_t)start, rows = ((size_t)count + PANEL - 1) & ~(size_t)(PANEL - 1);
  size_t number = cache_number_bytes(c->type), dim = cache_key_size(c);
  const char *keys = cache_keys(c, job->kv_head) + at * dim * number,
             *values = cache_values(c, job->kv_head) + at * s->padded * number;
  job->bytes = c->type == ATTN_CACHE_Q8;
  if (job->bytes) {
    job->byte_keys = (const int8_t *)keys;
    job->byte_values = (const int8_t *)values;
    job->key_scales = cache_scales(c, job->kv_head) + at;
    job->value_scales = job->key_scales + cache_rows(c);
  } else if (c->type == ATTN_CACHE_F16) {
    widen(s->panels, (const uint16_t *)(const void *)keys, rows * dim);
    widen(s->values, (const uint16_t *)(const void *)values, (size_t)count * s->padded);
    job->panels = s->panels;
    job->values = s->values;
    job->value_stride = s->padded;
    job->strip_stride = STRIP;
  } else {
    job->panels = (const float *)(const void *)keys;
  }
}

void attn_load_span(const call *s, head_job *job, int32_t start, int32_t rows)
{
  int32_t dim = s->p->dim, size = s->p->value_dim;
  int32_t count = s->p->n - start < SPAN ? s->p->n - start : SPAN;
  if (job->cache)
    load_cached_span(s, job, start, count);
  if (!job->v)
    return;
  const float *v = job->v + (size_t)start * job->v_stride;
  if (job->k) {
    pack_keys(s->panels, job->k + (size_t)start * job->k_stride, job->k_stride, count, dim);
    job->panels = s->panels;
  }
  /* Packing costs about what two rows gain by it. Without it every row must have whole vectors, as a cache's have. */
  if (rows >= FEW || (job->k && size % 4)) {
    pack_values(s->values, v, job->v_stride, count, size);
    job->values = s->values;
    job->value_stride = STRIP;
    job->strip_stride = (size_t)count * STRIP;
  } else {
    job->values = v;
    job->value_stride = job->v_stride;
    job->strip_stride = STRIP;
  }
}

void attn_pack_queries(const call *s, const head_job *job, const row_group *g)
{
  if (job->bytes) {
    attn_pack_byte_queries(s, job, g);
    return;
  }
  for (int x = 0; x < g->count; x++) {
    const float *q = job->q + (size_t)g->h[x] * s->q_strides.head + (size_t)g->i[x] * s->q_strides.position;
    for (int32_t c = 0; c < s->p->dim; c++)
      s->queries[c * GROUP + x] = (float)(q[c] * s->query_scale);
  }
}
