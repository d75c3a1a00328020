/*
 * The options of a call, and their meaning for one row. The float32 and float64 kernels and the
 * cache all read them here.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "attn.h"
#include "base/math.h"

struct attn_params {
  int32_t batch;
  int32_t heads;
  int32_t kv_heads;
  int32_t m;
  int32_t n;
  int32_t dim;
  int32_t value_dim;
  int32_t positions_first;
  double scale;
  double temperature;
  double softcap;
  const double *temperatures; /* (heads), in place of the one, or NULL */
  int32_t precision;
  int32_t causal;
  int32_t offset;
  int32_t left;
  int32_t right;
  const int32_t *offsets; /* (batch) or NULL */
  const int32_t *lengths; /* (batch) or NULL */
  int32_t mask_kind;
  int32_t mask_size[4];
  const void *mask;
  const void *key_scale;
  const void *alibi;
  const void *sinks;
  void *weights;
  const int32_t *head_slot;
  const int32_t *row_slot;
  int32_t chosen_heads;
  int32_t chosen_rows;
  int32_t scores_stage;
  void *scores;
  void *lse;
  void *stats;          /* (ATTN_STATISTICS, …), or NULL */
  size_t plane;         /* from one statistic to the next */
  void *segments;       /* (batch, heads, m, segment_count), or NULL */
  const int32_t *edges; /* (segment_count + 1) */
  int32_t segment_count;
};

enum { T_FINITE, T_ZERO, T_INFINITE };

INLINE int temperature_kind(double temperature)
{
  return temperature == 0 ? T_ZERO : temperature > F64_MAX ? T_INFINITE : T_FINITE;
}

INLINE double temperature_of(const attn_params *p, int32_t h)
{
  return p->temperatures ? p->temperatures[h] : p->temperature;
}

/* Whether no option changes scores, apart from the scale and each row's range of keys. */
INLINE int plain_scores(const attn_params *p)
{
  return !p->key_scale && !(p->softcap > 0) && !p->mask_kind && !p->alibi;
}

/* Distances in elements from one batch, head and position to the next. */
typedef struct {
  size_t batch;
  size_t head;
  size_t position;
} strides;

INLINE strides strides_of(const attn_params *p, int32_t heads, int32_t positions, int32_t size)
{
  size_t all = (size_t)heads * (size_t)positions * (size_t)size;
  if (p->positions_first)
    return (strides){all, (size_t)size, (size_t)heads * (size_t)size};
  return (strides){all, (size_t)positions * (size_t)size, (size_t)size};
}

/* The keys lo ≤ j < hi that one query row may see. A mask may hide some of them. */
typedef struct {
  int32_t lo;
  int32_t hi;
  int32_t position; /* i + offset */
  int32_t mask_step;
  size_t mask_at; /* element of the mask for key 0; key j is mask_step·j further */
} row_view;

INLINE row_view row_view_of(const attn_params *p, int32_t b, int32_t h, int32_t i)
{
  int64_t position = (int64_t)(p->offsets ? p->offsets[b] : p->offset) + i;
  int64_t lo = 0;
  int64_t hi = p->n;
  if (p->lengths && p->lengths[b] < hi)
    hi = p->lengths[b];
  if (p->causal && position + 1 < hi)
    hi = position + 1;
  if (p->left >= 0 && position - p->left > lo)
    lo = position - p->left;
  if (p->right >= 0 && position + p->right + 1 < hi)
    hi = position + p->right + 1;
  row_view view = {.position = (int32_t)position};
  if (p->mask_kind) {
    const int32_t *size = p->mask_size;
    view.mask_step = size[3] == 1 ? 0 : 1;
    if (size[3] != 1 && size[3] < hi)
      hi = size[3];
    size_t row = size[0] == 1 ? 0 : (size_t)b;
    row = row * (size_t)size[1] + (size[1] == 1 ? 0 : (size_t)h);
    row = row * (size_t)size[2] + (size[2] == 1 ? 0 : (size_t)i);
    view.mask_at = row * (size_t)size[3];
  }
  if (lo < hi) {
    view.lo = (int32_t)lo;
    view.hi = (int32_t)hi;
  }
  return view;
}

/*
 * ---- Options that are added to scores, in floats
 *
 * Attention and its gradient both have them from here.
 */

/* Those of one row. */
typedef struct {
  const float *mask;     /* at key 0, or NULL; −∞ masks a key */
  int32_t columns;       /* of the mask */
  const uint8_t *select; /* at key 0, or NULL; 0 masks a key */
  int has_slope;
  float slope; /* of ALiBi */
} row_biases;

INLINE row_biases row_biases_of(const attn_params *p, int32_t h, const row_view *view)
{
  row_biases b = {.columns = p->mask_size[3]};
  if (p->mask_kind == ATTN_MASK_ADD)
    b.mask = (const float *)p->mask + view->mask_at;
  if (p->mask_kind == ATTN_MASK_SELECT)
    b.select = (const uint8_t *)p->mask + view->mask_at;
  b.has_slope = p->alibi != NULL;
  if (b.has_slope)
    b.slope = ((const float *)p->alibi)[h];
  return b;
}

/* Four floats from position j of an array of n. */
INLINE f32x4 load_at(const float *p, int32_t j, int32_t n)
{
  return j + 4 <= n ? v_load(p + j) : v_load_tail(p + j, j < n ? (size_t)(n - j) : 0);
}

/* All ones where a mask that selects lets key j..j+3 through. */
INLINE i32x4 selected(const uint8_t *select, const row_view *view, int32_t j)
{
  i32x4 on;
  for (int l = 0; l < 4; l++)
    on[l] = j + l < view->hi && select[view->mask_step * (j + l)] ? -1 : 0;
  return on;
}

/* ALiBi: the slope of a head times the distance between its query and key j..j+3. */
INLINE f32x4 distance_bias(float slope, const row_view *view, int32_t j)
{
  i32x4 distance = v_splat_i(view->position) - v_positions(j);
  i32x4 sign = distance >> 31;
  return v_splat(slope) * v_float((distance ^ sign) - sign);
}

/* The scores of keys j..j+3 with the biases; *seen loses the keys that they mask. */
INLINE f32x4 add_biases(const row_biases *b, const row_view *view, int32_t j, f32x4 score,
                        i32x4 *seen)
{
  if (b->mask) {
    f32x4 bias = view->mask_step ? load_at(b->mask, j, b->columns) : v_splat(*b->mask);
    *seen &= bias != v_splat(-__builtin_inff());
    score += bias;
  }
  if (b->select)
    *seen &= selected(b->select, view, j);
  if (b->has_slope)
    score -= distance_bias(b->slope, view, j);
  return score;
}

/* Whether the row attends to key j; for float32 data. */
int attn_key_attended(const attn_params *p, const row_view *view, int32_t j);

/* The row's place in an output of (batch, heads, m). */
INLINE size_t row_index(const attn_params *p, int32_t b, int32_t h, int32_t i)
{
  return ((size_t)b * (size_t)p->heads + (size_t)h) * (size_t)p->m + (size_t)i;
}

/* First element of the row's weights, or −1 if they are not wanted. */
INLINE int64_t weights_at(const attn_params *p, int32_t b, int32_t h, int32_t i)
{
  if (!p->weights)
    return -1;
  int32_t head = p->head_slot ? p->head_slot[h] : h;
  int32_t row = p->row_slot ? p->row_slot[i] : i;
  if (head < 0 || row < 0)
    return -1;
  return (((int64_t)b * p->chosen_heads + head) * p->chosen_rows + row) * p->n;
}

#endif
