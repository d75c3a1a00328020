/*
 * The weighted sum of the values, for up to ROWS rows over one block; and at last the means, which
 * are a row's output.
 */
#include "kernel.h"

/*
 * Channels from ⌊c/STRIP⌋·STRIP on of key j of a block, at v + ⌊c/STRIP⌋·strip + j·step bytes:
 * floats or halves.
 */
typedef struct {
  const char *v;
  size_t step, strip;
} block_view;

/* The keys from `from` on of the span that begins at `start`. */
static block_view view_block(const call *s, const head_job *job, int32_t from, int32_t start)
{
  size_t at = (size_t)(from - start), lane = at % BLOCK, width = s->width;
  if (job->value_rows == 0)
    return (block_view){(const char *)(job->values + at * job->value_stride),
                        job->value_stride * sizeof(float), STRIP * sizeof(float)};
  const size_t step = bytes_of_eight(job->half_values != NULL);
  const char *v = job->half_values ? (const char *)job->half_values : (const char *)job->values;
  return (block_view){v + ((at - lane) / STRIP * width + lane) * step, step,
                      strip_rows(BLOCK, job->value_rows, at) * step};
}

/*
 * `count` strips at a time, the last of which may have been done before; or one strip of each of so
 * many blocks, which lie behind one another (`blocks` is 1 or `count`). A single strip is done at
 * all places.
 */
INLINE void values_of_rows(const int rows, const int half, const int count, int blocks, float *sums,
                           size_t width, const float *w, const block_view *block, int32_t from,
                           int32_t to)
{
  const size_t strip = block->strip;
  place_steps next = {strip, 0, STRIP};
  size_t channels = (size_t)count * STRIP;
  if (blocks > 1)
    next = (place_steps){width / STRIP * strip, BLOCK, ROWS * width}, channels = STRIP;
  else if (width < channels)
    next = (place_steps){0, 0, 0}, channels = STRIP;
  for (size_t c = 0; c < width; c += channels) {
    size_t at = c + channels < width ? c : width - channels;
    block_values(rows, half, count, sums + at, width, w, block->v + at / STRIP * strip, block->step,
                 &next, from, to);
  }
}

/* By itself, as score_group of spans.c is. */
KERNEL void sum_group(float *sums, size_t width, const float *w, const block_view *block,
                      int32_t from, int32_t to)
{
  values_of_rows(ROWS, 0, 1, 1, sums, width, w, block, from, to);
}

/* Where six go together. */
KERNEL void sum_five(float *sums, size_t width, const float *w, const block_view *block,
                     int32_t from, int32_t to)
{
  values_of_rows(5, 0, 1, 1, sums, width, w, block, from, to);
}

/* At how many places: for few rows two, as far as registers allow. */
INLINE int streams_of(const int half, int rows)
{
  return rows == 1 || (rows == 2 && !half) ? STREAMS : 1;
}

INLINE void values_of_few(const int half, int rows, int blocks, float *sums, size_t width,
                          const float *w, const block_view *block, int32_t from, int32_t to)
{
  if (rows == 4)
    values_of_rows(4, half, 1, 1, sums, width, w, block, from, to);
  else if (rows == 3)
    values_of_rows(3, half, 1, 1, sums, width, w, block, from, to);
  else if (rows == 2)
    values_of_rows(2, half, streams_of(half, 2), blocks, sums, width, w, block, from, to);
  else
    values_of_rows(1, half, streams_of(half, 1), blocks, sums, width, w, block, from, to);
}

KERNEL void sum_block(int rows, int blocks, float *sums, size_t width, const float *w,
                      const block_view *block, int32_t from, int32_t to)
{
  if (rows == ROWS)
    sum_group(sums, width, w, block, from, to);
  else if (ROWS > TILE4 + 1 && rows > TILE4)
    sum_five(sums, width, w, block, from, to);
  else
    values_of_few(0, rows, blocks, sums, width, w, block, from, to);
}

KERNEL void sum_halves(int rows, int blocks, float *sums, size_t width, const float *w,
                       const block_view *block, int32_t from, int32_t to)
{
  values_of_few(1, rows, blocks, sums, width, w, block, from, to);
}

/*
 * The same sums in the same order for one row, over only the keys it attends to, of values times
 * `scale`.
 */
static void sum_attended(const call *s, const row_view *view, float *sums, const float *w,
                         const block_view *block, int32_t from, int32_t to, float scale)
{
  for (size_t c = 0; c < s->width; c += 4) {
    const char *channel = block->v + c / STRIP * block->strip + c % STRIP * sizeof(float);
    f32x4 total = v_splat(0), chain = v_splat(0);
    for (int32_t j = from; j < to; j++) {
      f32x4 value =
          v_load((const float *)(const void *)(channel + (size_t)(j - from) * block->step)) *
          v_splat(scale);
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

/*
 * The sums over the keys [from, to) of one block, or of each of several whole ones, to `sums`
 * (blocks, ROWS, width).
 */
static void sum_keys(const call *s, const head_job *job, const row_group *g, float *sums,
                     const float *w, int32_t from, int32_t to, int blocks, int32_t start, int care)
{
  block_view block = view_block(s, job, from, start);
  to = from + (to - from) / blocks;
  /* finite halves have nothing that is to be passed over, and no sum of them leaves the floats */
  if (job->half_values)
    sum_halves(g->count, blocks, sums, s->width, w, &block, from, to);
  else if (care == CARE_NONE)
    sum_block(g->count, blocks, sums, s->width, w, &block, from, to);
  else
    for (int x = 0; x < g->count; x++)
      sum_attended(s, &g->view[x], sums + (size_t)x * s->width, w + x * SCORES, &block, from, to,
                   care == CARE_RANGE ? 1.0f / RANGE_SCALE : 1.0f);
}

int attn_sum_values(const call *s, const head_job *job, const row_group *g, float *acc,
                    const float *w, int32_t from, int32_t to, int32_t start, int care)
{
  const int32_t block = job->bytes && !s->int8 ? SPAN : BLOCK;
  const size_t size = ROWS * s->width, used = (size_t)g->count * s->width;
  /* whole blocks of strips are far enough from each other to be read side by side */
  const int most =
      job->bytes || care || !job->value_rows ? 1 : streams_of(job->half_values != NULL, g->count);
  int parts = 0, blocks;
  for (int32_t j = from; j < to; parts += blocks) {
    blocks = j % block || to - j < most * block ? 1 : most;
    int32_t next = (j / block + blocks) * block, end = next < to ? next : to;
    float *sums = s->sums + (size_t)parts * size;
    if (job->bytes)
      attn_sum_bytes(s, job, g, sums, w + (j - from) - j % 16, j - j % 16, end, start,
                     care == CARE_RANGE ? RANGE_SCALE : 1);
    else
      sum_keys(s, job, g, sums, w + (j - from), j, end, blocks, start, care);
    j = end;
  }
  f32x4 odd[2] = {v_splat(0), v_splat(0)}; /* 0, as long as nothing is infinite or NaN */
  for (size_t c = 0; c < used; c += STRIP) {
    const float *sums = s->sums + c;
    f32x4 sum[2] = {v_load(sums), v_load(sums + 4)};
    for (int part = 1; part < parts; part++) {
      sums += size;
      sum[0] += v_load(sums);
      sum[1] += v_load(sums + 4);
    }
    if (job->half_values)
      put_in_order(sum);
    UNROLLED for (int i = 0; i < 2; i++)
    {
      odd[i] += sum[i] - sum[i];
      v_store(acc + c + 4 * i, sum[i]);
    }
  }
  return v_hsum(odd[0] + odd[1]) == 0;
}

/* Four channels from c on, a multiple of four. */
INLINE void totals_at(f64x2 x[2], const row_sums *sums, int32_t c)
{
  if (sums->totals) {
    const f64x2_u *totals = (const f64x2_u *)(const void *)(sums->totals + c);
    x[0] = totals[0], x[1] = totals[1];
  } else {
    f32x4 sum = v_load(sums->sums + c);
    x[0] = v_low_double(sum), x[1] = v_high_double(sum);
  }
}

void attn_write_means(float *out, const row_sums *sums, double share, int32_t size)
{
  f64x2 x[2];
  f32x4 odd = v_splat(0);
  if (!sums->totals)
    share *= sums->scale; /* a power of two */
  for (int32_t c = 0; c < size; c += 4) {
    totals_at(x, sums, c);
    f32x4 mean = v_floats(x[0] * share, x[1] * share) + v_splat(0); /* +0 of −0 */
    store_at(out, c, size, mean);
    odd += mean - mean;
  }
  for (int32_t c = 0; c < size && v_hsum(odd) != 0; c++) {
    double mean = (sums->totals ? sums->totals[c] : (double)sums->sums[c]) * share;
    if (mean - mean == 0 && out[c] - out[c] != 0)
      out[c] = mean < 0 ? LOWEST : -LOWEST;
  }
}
