/* Weighted sums of the values, block by block. Divided by the weights they are a row's output. */
#include "kernel.h"

/*
 * A block's values. Channel c of key j lies at v + ⌊c/STRIP⌋·strip + j·step, in bytes, plus c%STRIP
 * floats or halves.
 */
typedef struct {
  const char *v;
  size_t step;
  size_t strip;
} block_view;

/* The keys from `from` on. */
static block_view view_block(const call *s, const head_job *job, int32_t from)
{
  const key_span *span = &job->span;
  const size_t at = (size_t)(from - span->start);
  const size_t lane = at % BLOCK;
  const char *v = span->values;
  if (span->form == SPAN_F32_ROWS) {
    const size_t row = span->value_stride * sizeof(float);
    return (block_view){v + at * row, row, STRIP * sizeof(float)};
  }
  const size_t step = bytes_of_eight(span->form == SPAN_F16);
  /* (keys of the blocks before)·width, then (keys before it in its strip)·STRIP, in numbers */
  return (block_view){v + ((at - lane) / STRIP * s->width + lane) * step, step,
                      strip_rows(BLOCK, span->value_rows, at) * step};
}

/* The weighted values of the keys [from, to) of one block, or of several whole ones. */
typedef struct {
  float *sums; /* (blocks, ROWS, width) */
  size_t width;
  const float *w; /* (rows, SCORE_STRIDE), at key `from` */
  block_view view;
  int32_t from;
  int32_t to; /* of the first block */
  int blocks;
} block_job;

/*
 * With a `count` of 1, strip after strip of one block. Else block.blocks is 1 or `count`: `count`
 * strips of one block at a time, or the same strip of `count` blocks, which lie behind one another.
 * If strips are left over, some are done twice.
 */
INLINE void values_of_rows(const int rows, const int is_f16, const int count, const block_job block)
{
  const size_t strip = block.view.strip;
  place_steps next = {strip, 0, STRIP};
  size_t channels = (size_t)count * STRIP;
  if (count > 1 && block.blocks > 1) {
    next = (place_steps){block.width / STRIP * strip, BLOCK, ROWS * block.width};
    channels = STRIP;
  } else if (block.width < channels) {
    next = (place_steps){0, 0, 0};
    channels = STRIP;
  }
  for (size_t c = 0; c < block.width; c += channels) {
    size_t at = c + channels < block.width ? c : block.width - channels;
    block_values(rows, is_f16, count, block.sums + at, block.width, block.w,
                 block.view.v + at / STRIP * strip, block.view.step, &next, block.from, block.to);
  }
}

/* By itself, as score_rows (scores.c) is. */
KERNEL void sum_rows(const block_job *block) { values_of_rows(ROWS, 0, 1, *block); }

/* Five rows, if ROWS is six. */
KERNEL void sum_five(const block_job *block) { values_of_rows(5, 0, 1, *block); }

/* How many places one or two rows read at once, as far as registers allow. */
INLINE int streams_of(const int is_f16, int rows)
{
  return rows == 1 || (rows == 2 && !is_f16) ? STREAMS : 1;
}

/* One to four rows. */
INLINE void sum_up_to_four(const int is_f16, int rows, const block_job *block)
{
  if (rows == 4)
    values_of_rows(4, is_f16, 1, *block);
  else if (rows == 3)
    values_of_rows(3, is_f16, 1, *block);
  else if (rows == 2)
    values_of_rows(2, is_f16, streams_of(is_f16, 2), *block);
  else
    values_of_rows(1, is_f16, streams_of(is_f16, 1), *block);
}

KERNEL void sum_block(int rows, const block_job *block)
{
  if (rows == ROWS)
    sum_rows(block);
  else if (ROWS == 6 && rows > 4)
    sum_five(block);
  else
    sum_up_to_four(0, rows, block);
}

KERNEL void sum_halves(int rows, const block_job *block) { sum_up_to_four(1, rows, block); }

/* The same sums in the same order for row x, of the keys it attends to. Values get `scale`. */
static void sum_attended(const call *s, const query_rows *set, int x, const block_job *block,
                         float scale)
{
  const block_view *view = &block->view;
  const float *w = block->w + x * SCORE_STRIDE;
  float *sums = block->sums + (size_t)x * s->width;
  for (size_t c = 0; c < s->width; c += 4) {
    const char *channel = view->v + c / STRIP * view->strip + c % STRIP * sizeof(float);
    f32x4 total = v_splat(0);
    f32x4 chain = v_splat(0);
    for (int32_t j = block->from; j < block->to; j++) {
      const size_t at = (size_t)(j - block->from);
      f32x4 value =
          v_load((const float *)(const void *)(channel + at * view->step)) * v_splat(scale);
      if (attn_key_attended(s->p, &set->view[x], j))
        chain = v_madd(v_splat(w[at]), value, chain);
      if (j % KEY_CHAIN == KEY_CHAIN - 1 || j + 1 == block->to) {
        total += chain;
        chain = v_splat(0);
      }
    }
    v_store(sums + c, total);
  }
}

/* Over the keys [from, to) of one block or of several whole ones; sums: (blocks, ROWS, width). */
static void sum_keys(const call *s, const head_job *job, const query_rows *set, float *sums,
                     const float *w, int32_t from, int32_t to, int blocks, int care)
{
  const block_job block = {.sums = sums,
                           .width = s->width,
                           .w = w,
                           .view = view_block(s, job, from),
                           .from = from,
                           .to = from + (to - from) / blocks,
                           .blocks = blocks};
  /* no finite half needs passing over, and no sum of them leaves the floats */
  if (job->span.form == SPAN_F16)
    sum_halves(set->count, &block);
  else if (care == CARE_NONE)
    sum_block(set->count, &block);
  else
    for (int x = 0; x < set->count; x++)
      sum_attended(s, set, x, &block, care == CARE_RANGE ? 1.0f / RANGE_SCALE : 1.0f);
}

/* How many blocks are summed at once: whole ones are far enough apart to be read side by side. */
static int max_blocks(const head_job *job, const query_rows *set, int care)
{
  if (care != CARE_NONE || span_of_bytes(job) || job->span.form == SPAN_F32_ROWS)
    return 1;
  return streams_of(job->span.form == SPAN_F16, set->count);
}

int attn_sum_values(call *s, const head_job *job, const query_rows *set, float *acc, const float *w,
                    int32_t from, int32_t to, int care)
{
  const int bytes = span_of_bytes(job);
  const int max = max_blocks(job, set, care);
  const int32_t block = job->span.form == SPAN_Q8 ? SPAN : BLOCK;
  const size_t size = ROWS * s->width;
  const size_t used = (size_t)set->count * s->width;
  int parts = 0;
  int blocks;
  for (int32_t j = from; j < to; parts += blocks) {
    blocks = j % block || to - j < max * block ? 1 : max;
    int32_t next = (j / block + blocks) * block;
    int32_t end = next < to ? next : to;
    int32_t before = bytes ? j % KEY_STEP : 0; /* integers begin at a whole step */
    float *sums = s->sums + (size_t)parts * size;
    const float *weights = w + (j - from) - before;
    if (bytes)
      attn_sum_bytes(s, job, set, sums, weights, j - before, end,
                     care == CARE_RANGE ? RANGE_SCALE : 1);
    else
      sum_keys(s, job, set, sums, weights, j, end, blocks, care);
    j = end;
  }
  f32x4 zero[2] = {v_splat(0), v_splat(0)}; /* as long as every sum is finite */
  for (size_t c = 0; c < used; c += STRIP) {
    const float *sums = s->sums + c;
    f32x4 sum[2] = {v_load(sums), v_load(sums + 4)};
    for (int part = 1; part < parts; part++) {
      sums += size;
      sum[0] += v_load(sums);
      sum[1] += v_load(sums + 4);
    }
    if (job->span.form == SPAN_F16)
      put_in_order(sum);
    for (int l = 0; l < 2; l++) {
      zero[l] += sum[l] - sum[l];
      v_store(acc + c + 4 * l, sum[l]);
    }
  }
  return v_hsum(zero[0] + zero[1]) == 0;
}

/* Four channels from c on, a multiple of four. */
INLINE void totals_at(f64x2 x[2], const row_sums *sums, int32_t c)
{
  if (sums->totals) {
    const f64x2_u *totals = (const f64x2_u *)(const void *)(sums->totals + c);
    x[0] = totals[0];
    x[1] = totals[1];
  } else {
    f32x4 sum = v_load(sums->sums + c);
    x[0] = v_low_double(sum);
    x[1] = v_high_double(sum);
  }
}

void attn_write_means(float *out, const row_sums *sums, double share, int32_t size)
{
  f64x2 x[2];
  f32x4 zero = v_splat(0); /* as long as every mean is finite */
  if (!sums->totals)
    share *= sums->divided_by; /* a power of two */
  for (int32_t c = 0; c < size; c += 4) {
    totals_at(x, sums, c);
    f32x4 mean = v_floats(x[0] * share, x[1] * share) + v_splat(0); /* +0 of −0 */
    store_at(out, c, size, mean);
    zero += mean - mean;
  }
  for (int32_t c = 0; c < size && v_hsum(zero) != 0; c++) {
    double mean = (sums->totals ? sums->totals[c] : (double)sums->sums[c]) * share;
    if (mean - mean == 0 && out[c] - out[c] != 0)
      out[c] = mean < 0 ? -F32_MAX : F32_MAX;
  }
}
