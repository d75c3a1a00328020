/*
 * float32 attention: tiled, with online softmax, in memory that does not grow with m or n.
 *
 * The order of every sum is fixed by key positions and channels alone. Keys are read in spans of
 * SPAN, each under its own maximum; spans then merge in order. Short chains of additions keep the
 * error from growing with n, and spans are independent of each other.
 *
 * The work for one kv head goes chunk by chunk of its query rows. A span's keys are packed once per
 * chunk. Then the rows, query by query with the heads of a group side by side, go through the span.
 */
#include "base/arena.h"
#include "integer_tiles.h"
#include "kernel.h"

size_t attn_width(const attn_params *p) { return whole_strips((size_t)p->value_dim); }

/*
 * Lays the scratch out from `base`; with a NULL base only measures it. The cache and its type are
 * not known here, so there is always scratch for bytes.
 */
static size_t layout_scratch(const attn_params *p, call *s, void *base)
{
  size_t width = attn_width(p);
  size_t dim = words_of(p->dim) * WORD; /* whole words of bytes */
  size_t span = p->n < SPAN ? whole_panels((size_t)p->n) : SPAN;
  size_t segments = (size_t)p->segment_count;
  size_t numbers = SPAN / WORD * TILE4 * (size_t)stride_by(BY_PAIRS);
  arena a = {.base = base};
  s->panels = arena_allocate(&a, span * dim, sizeof(float));
  s->values = arena_allocate(&a, span * width, sizeof(float));
  s->queries = arena_allocate(&a, ROWS * dim, sizeof(f32x4));
  s->scores = arena_allocate(&a, ROWS * SCORE_STRIDE, sizeof(float));
  s->numbers = arena_allocate(&a, numbers, sizeof(int32_t));
  s->starts = arena_allocate(&a, TILE4, sizeof(int32_t));
  s->query_factors = arena_allocate(&a, TILE4, sizeof(float));
  s->sums = arena_allocate(&a, SPAN / BLOCK * ROWS * width, sizeof(float));
  s->acc = arena_allocate(&a, ROWS * width, sizeof(float));
  s->spare = arena_allocate(&a, ROWS * width, sizeof(float));
  s->int8 = arena_allocate(&a, p->precision == ATTN_INT8 ? attn_int8_bytes(p) : 0, 1);
  s->in_double =
      (row64){.sums = arena_allocate(&a, (size_t)p->value_dim, sizeof(exact_sum)),
              .key = arena_allocate(&a, (size_t)p->dim, sizeof(double)),
              .value = arena_allocate(&a, (size_t)(p->value_dim + p->dim), sizeof(double)),
              .numbers = arena_allocate(&a, (size_t)(p->value_dim + p->dim), sizeof(float)),
              .segments = arena_allocate(&a, segments, sizeof(exact_sum))};
  s->segments = arena_allocate(&a, ROWS * segments, sizeof(double));
  s->segment_totals = arena_allocate(&a, CHUNK * segments, sizeof(double));
  s->totals = arena_allocate(&a, CHUNK * width, sizeof(double));
  s->states = arena_allocate(&a, CHUNK, sizeof(row_state));
  s->sets = arena_allocate(&a, CHUNK / TILE4, sizeof(query_rows));
  return arena_bytes(&a);
}

size_t attn_scratch_bytes_f32(const attn_params *p)
{
  call s;
  return layout_scratch(p, &s, NULL);
}

static double largest_key_scale(const attn_params *p)
{
  const float *key_scale = p->key_scale;
  float max = 0;
  for (int32_t j = 0; j < p->n; j++) {
    float size = key_scale[j] < 0 ? -key_scale[j] : key_scale[j];
    max = size > max && size <= F32_MAX ? size : max;
  }
  return max;
}

call attn_begin_call(const attn_params *p, const attn_cache *cache, void *scratch)
{
  call s = {.p = p, .softcap = nearest_float(p->softcap)};
  /*
   * A fraction below 1 cannot take a query out of the floats, and a power of two rounds nothing. If
   * the power is beyond the floats, the fraction is larger or very small. Then scores that leave
   * the floats are mended, and queries that lose bits are noticed (beyond.c).
   */
  int exponent;
  f64_split(p->scale, &exponent);
  s.power = (float)f64_power2(exponent > 127 ? 127 : exponent < -149 ? -149 : exponent);
  s.fraction = p->scale / s.power;
  /*
   * How far the rounding of subnormals is multiplied. The products of all channels may be off, and
   * get the scale and the key's. A scaled score, itself rounded, gets the key's alone. With a
   * softcap, score/softcap is rounded and then multiplied by the softcap.
   */
  double size = p->dim * (p->scale < 0 ? -p->scale : p->scale);
  s.largest_scale = p->key_scale ? (size > 1 ? size : 1) * largest_key_scale(p) : size;
  if (p->softcap > s.largest_scale)
    s.largest_scale = p->softcap;
  s.unmasked_scores = p->scores && p->scores_stage != ATTN_SCORES_MASKED;
  /* a scale beyond 2^±64, a bound that was not tuned, is multiplied into every score */
  s.plain = plain_scores(p) && exponent > -64 && exponent < 64;
  s.q_strides = strides_of(p, p->heads, p->m, p->dim);
  s.out_strides = strides_of(p, p->heads, p->m, p->value_dim);
  s.width = attn_width(p);
  layout_scratch(p, &s, scratch);
  s.dot_form = cache ? cache->dot_form : attn_dot_form(8);
  if (p->precision != ATTN_INT8)
    s.int8 = NULL;
  return s;
}

head_job attn_head_job(const call *s, const arrays *a, int32_t head)
{
  const attn_params *p = s->p;
  int32_t b = head / p->kv_heads;
  int32_t kv_head = head % p->kv_heads;
  head_job job = {.b = b,
                  .kv_head = kv_head,
                  .group = p->heads / p->kv_heads,
                  .queries = a->queries + (size_t)b * s->q_strides.batch,
                  .out = a->out + (size_t)b * s->out_strides.batch,
                  .cache = a->cache};
  if (!a->cache) {
    strides ks = strides_of(p, p->kv_heads, p->n, p->dim);
    strides vs = strides_of(p, p->kv_heads, p->n, p->value_dim);
    job.k = a->k + (size_t)b * ks.batch + (size_t)kv_head * ks.head;
    job.v = a->v + (size_t)b * vs.batch + (size_t)kv_head * vs.head;
    job.k_stride = ks.position;
    job.v_stride = vs.position;
  }
  return job;
}

static void attend(const attn_params *p, const arrays *a, void *scratch)
{
  call s = attn_begin_call(p, a->cache, scratch);
  /* without queries there may be very many heads */
  for (int32_t head = 0; p->m && head < p->batch * p->kv_heads; head++) {
    head_job job = attn_head_job(&s, a, head);
    int32_t rows = p->m * job.group;
    for (int32_t first = 0; first < rows; first += CHUNK)
      attn_attend_chunk(&s, &job, first, rows - first < CHUNK ? rows : first + CHUNK);
  }
}

int32_t attn_forward_f32(const attn_params *p, float *out, const float *q, const float *k,
                         const float *v, void *scratch)
{
  attend(p, &(arrays){.out = out, .queries = q, .k = k, .v = v}, scratch);
  return ATTN_OK; /* always: attn_init, the setters and the caller check all arguments */
}

int32_t attn_check_cache(const attn_params *p, const attn_cache *cache)
{
  if (p->precision != ATTN_FLOAT)
    return ATTN_E_RANGE;
  int fits = p->batch == 1 && p->kv_heads == cache->kv_heads && p->dim == cache->dim &&
             p->value_dim == cache->value_dim && p->n == cache->length;
  return fits ? ATTN_OK : ATTN_E_SHAPE;
}

int32_t attn_cache_attend(const attn_params *p, float *out, const float *q, const attn_cache *cache,
                          void *scratch)
{
  int32_t status = attn_check_cache(p, cache);
  if (status == ATTN_OK)
    attend(p, &(arrays){.out = out, .queries = q, .cache = cache}, scratch);
  return status;
}
