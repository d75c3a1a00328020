/* The weighted sum of the values, for up to ROWS rows over one block; and at last the means, which are a row's output. */
#include "tiled.h"

/* Channel c of key j of a block at v[c / STRIP * strip + j * stride + c % STRIP]. */
typedef struct {
  const float *v;
  size_t stride, strip;
  const uint16_t *halves; /* not NULL: the strips are these, half_strip apart, and `room` has some of them as floats */
  size_t half_strip;
  int wild;
  float *room;
} block_view;

/* The keys [from, to) of the span that begins at `start`. */
static block_view view_block(const call *s, const head_job *job, int32_t from, int32_t to, int32_t start)
{
  size_t at = (size_t)(from - start), lane = at % BLOCK, width = whole_strips(s->padded);
  if (job->value_rows == 0)
    return (block_view){.v = job->values + at * job->value_stride, .stride = job->value_stride, .strip = STRIP};
  size_t strip = strip_rows(job->value_rows, at) * STRIP, first = (at - lane) * width + lane * STRIP;
  if (!job->half_values)
    return (block_view){.v = job->values + first, .stride = STRIP, .strip = strip};
  return (block_view){.stride = STRIP,
                      .strip = (size_t)(to - from) * STRIP,
                      .halves = job->half_values + first,
                      .half_strip = strip,
                      .wild = job->cache->wild,
                      .room = s->values};
}

KERNEL const float *widened_strips(const block_view *block, size_t first, size_t count)
{
  for (size_t x = 0; x < count; x++)
    attn_widen(block->wild, block->room + x * block->strip, block->halves + (first + x) * block->half_strip,
               block->strip);
  return block->room;
}

/* `count` strips from that of channel c on. */
INLINE const float *strips_at(const block_view *block, size_t c, size_t count)
{
  return block->halves ? widened_strips(block, c / STRIP, count) : block->v + c / STRIP * block->strip;
}

/* `wide` vectors at a time, then whole strips, then what is left. */
INLINE void values_of_rows(const int rows, const int wide, float *sums, size_t padded, const float *w,
                           const block_view *block, int32_t from, int32_t to)
{
  const size_t strip = block->strip, stride = block->stride;
  size_t c = 0;
  for (; c + 4 * wide <= padded; c += 4 * wide)
    block_values(rows, wide, sums + c, padded, w, strips_at(block, c, wide / 2), stride, strip, from, to);
  for (; wide > 2 && c + STRIP <= padded; c += STRIP)
    block_values(rows, 2, sums + c, padded, w, strips_at(block, c, 1), stride, strip, from, to);
  if (c < padded)
    block_values(rows, 1, sums + c, padded, w, strips_at(block, c, 1), stride, strip, from, to);
}

/* By itself, as score_five of spans.c is. */
KERNEL void sum_five(float *sums, size_t padded, const float *w, const block_view *block, int32_t from, int32_t to)
{
  values_of_rows(5, 2, sums, padded, w, block, from, to);
}

KERNEL void sum_block(int rows, float *sums, size_t padded, const float *w, const block_view *block, int32_t from,
                      int32_t to)
{
  if (rows == 5)
    sum_five(sums, padded, w, block, from, to);
  else if (rows == 4)
    values_of_rows(4, 2, sums, padded, w, block, from, to);
  else if (rows == 3)
    values_of_rows(3, 2, sums, padded, w, block, from, to);
  else if (rows == 2)
    values_of_rows(2, 4, sums, padded, w, block, from, to);
  else
    values_of_rows(1, 8, sums, padded, w, block, from, to);
}

/* The same sums in the same order for one row, over only the keys it attends to, of values times `scale`. */
static void sum_attended(const call *s, const row_view *view, float *sums, const float *w, const block_view *block,
                         int32_t from, int32_t to, float scale)
{
  for (size_t c = 0; c < s->padded; c += 4) {
    const float *channel = strips_at(block, c, 1) + c % STRIP;
    f32x4 total = v_splat(0), chain = v_splat(0);
    for (int32_t j = from; j < to; j++) {
      f32x4 value = v_load(channel + (size_t)(j - from) * block->stride) * v_splat(scale);
      if (attn_key_attended(s->p, view, j))
        chain = v_madd(v_splat(w[j - from]), value, chain);
      if (j % KEY_CHAIN == KEY_CHAIN - 1 || j + 1 == to) {
        total += chain;
        chain = v_splat(0);
      }
    }
    v_store(sums + c, total);
  }
}

/* The sums over the keys [from, to) of one block, to `sums` (ROWS, padded). */
static void sum_keys(const call *s, const head_job *job, const row_group *g, float *sums, const float *w, int32_t from,
                     int32_t to, int32_t start, int care)
{
  block_view block = view_block(s, job, from, to, start);
  if (care == CARE_NONE)
    sum_block(g->count, sums, s->padded, w, &block, from, to);
  else
    for (int x = 0; x < g->count; x++)
      sum_attended(s, &g->view[x], sums + (size_t)x * s->padded, w + x * SCORES, &block, from, to,
                   care == CARE_RANGE ? 1.0f / RANGE_SCALE : 1.0f);
}

void attn_sum_values(const call *s, const head_job *job, const row_group *g, float *acc, const float *w, int32_t from,
                     int32_t to, int32_t start, int care)
{
  const int32_t block = job->bytes ? FOLD : BLOCK;
  const size_t size = ROWS * s->padded, used = (size_t)g->count * s->padded;
  int parts = 0;
  for (int32_t j = from; j < to; parts++) {
    int32_t next = (j / block + 1) * block, end = next < to ? next : to;
    float *sums = s->sums + (size_t)parts * size;
    if (job->bytes)
      attn_sum_bytes(s, job, g, sums, w + (j - from) - j % 16, j - j % 16, end, start,
                     care == CARE_RANGE ? RANGE_SCALE : 1);
    else if (s->int8)
      attn_sum_rounded(s, g, sums, w + (j - from) - j % 16, j - j % 16, end, start,
                       care == CARE_RANGE ? RANGE_SCALE : 1);
    else
      sum_keys(s, job, g, sums, w + (j - from), j, end, start, care);
    j = end;
  }
  for (size_t c = 0; c < used; c += 4) {
    f32x4 sum = v_load(s->sums + c);
    for (int part = 1; part < parts; part++)
      sum += v_load(s->sums + (size_t)part * size + c);
    v_store(acc + c, sum);
  }
}

/* Four channels from c on, a multiple of four. Adding 0 makes +0 of −0, as it does where spans come together. */
INLINE void totals_at(f64x2 x[2], const row_sums *sums, int32_t c, int32_t size)
{
  if (sums->totals) {
    for (int l = 0; l < 2; l++)
      x[l] = c + 2 * l < size ? v_load_double(sums->totals + c + 2 * l, size - c - 2 * l) : (f64x2){0, 0};
  } else {
    f32x4 sum = v_load(sums->sums + c);
    x[0] = 0 + sums->scale * v_low_double(sum);
    x[1] = 0 + sums->scale * v_high_double(sum);
  }
}

void attn_write_means(float *out, const row_sums *sums, double share, int32_t size)
{
  f64x2 x[2];
  f32x4 odd = v_splat(0);
  for (int32_t c = 0; c < size; c += 4) {
    totals_at(x, sums, c, size);
    f32x4 mean = v_floats(x[0] * share, x[1] * share);
    store_at(out, c, size, mean);
    odd += mean - mean;
  }
  for (int32_t c = 0; c < size && v_hsum(odd) != 0; c++) {
    double mean = (sums->totals ? sums->totals[c] : sums->scale * (double)sums->sums[c]) * share;
    if (mean - mean == 0 && out[c] - out[c] != 0)
      out[c] = mean < 0 ? LOWEST : -LOWEST;
  }
}
