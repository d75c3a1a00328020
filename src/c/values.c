/* The weighted sum of the values, for up to four rows over one block. */
#include "tiled.h"

/* Whole strips, or with wide > 2 several at once where they lie side by side; then what is left. */
INLINE void values_of_rows(const int rows, const int wide, float *sums, size_t padded, const float *w,
                           const head_job *job, const float *v, int32_t from, int32_t to)
{
  size_t c = 0;
  if (job->strip_stride == STRIP)
    for (; c + 4 * wide <= padded; c += 4 * wide)
      block_values(rows, wide, sums + c, padded, w, v + c, job->value_stride, from, to);
  for (; c + STRIP <= padded; c += STRIP)
    block_values(rows, 2, sums + c, padded, w, v + c / STRIP * job->strip_stride, job->value_stride, from, to);
  if (c < padded)
    block_values(rows, 1, sums + c, padded, w, v + c / STRIP * job->strip_stride, job->value_stride, from, to);
}

KERNEL void sum_block(int rows, float *sums, size_t padded, const float *w, const head_job *job, const float *v,
                      int32_t from, int32_t to)
{
  if (rows == 4)
    values_of_rows(4, 2, sums, padded, w, job, v, from, to);
  else if (rows == 3)
    values_of_rows(3, 2, sums, padded, w, job, v, from, to);
  else if (rows == 2)
    values_of_rows(2, 4, sums, padded, w, job, v, from, to);
  else
    values_of_rows(1, 8, sums, padded, w, job, v, from, to);
}

/* The same sums in the same order for one row, over only the keys it attends to, of values times `scale`. */
static void sum_attended(const call *s, const row_view *view, float *sums, const float *w, const head_job *job,
                         const float *v, int32_t from, int32_t to, float scale)
{
  for (size_t c = 0; c < s->padded; c += 4) {
    const float *channel = v + c / STRIP * job->strip_stride + c % STRIP;
    f32x4 total = v_splat(0), chain = v_splat(0);
    for (int32_t j = from; j < to; j++) {
      f32x4 value = v_load(channel + (size_t)(j - from) * job->value_stride) * v_splat(scale);
      if (key_attended(s->p, view, j))
        chain = v_madd(v_splat(w[j - from]), value, chain);
      if (j % KEY_CHAIN == KEY_CHAIN - 1 || j + 1 == to) {
        total += chain;
        chain = v_splat(0);
      }
    }
    v_store(sums + c, total);
  }
}

void attn_add_values(const call *s, const head_job *job, const row_group *g, float *acc, const float *keep,
                     const float *w, int32_t from, int32_t to, int32_t start, int care)
{
  const float *v = job->bytes ? NULL : job->values + (size_t)(from - start) * job->value_stride;
  size_t padded = s->padded;
  if (job->bytes)
    attn_sum_bytes(s, job, g, w - from % 16, from - from % 16, to, start, care == CARE_RANGE ? RANGE_SCALE : 1);
  else if (care == CARE_NONE)
    sum_block(g->count, s->sums, padded, w, job, v, from, to);
  else
    for (int x = 0; x < g->count; x++)
      sum_attended(s, &g->view[x], s->sums + (size_t)x * padded, w + x * BLOCK, job, v, from, to,
                   care == CARE_RANGE ? 1.0f / RANGE_SCALE : 1.0f);
  for (int x = 0; x < g->count; x++)
    for (size_t c = (size_t)x * padded; c < (size_t)(x + 1) * padded; c += 4)
      v_store(acc + c, v_load(acc + c) * v_splat(keep[x]) + v_load(s->sums + c));
}
