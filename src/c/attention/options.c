/* The options of a call: each setter checks what it is given, so the kernels need not. */
#include "options.h"
#include "base/sizes.h"

size_t attn_params_bytes(void) { return sizeof(attn_params); }

int32_t attn_is_relaxed(void) { return V_RELAXED; }

int32_t attn_max_dim(void) { return MAX_DIM; }

/*
 * Elements of a·b·c·d, or −1 if the array would not fit in 4 GiB of doubles, or if a·b or c·d alone
 * would not. Every partial product is below 2^60.
 */
static int64_t elements(int32_t a, int32_t b, int32_t c, int32_t d)
{
  const int64_t max = (int64_t)1 << 29;
  int64_t ab = (int64_t)a * b;
  int64_t cd = (int64_t)c * d;
  if (ab > max || cd > max || (cd && ab > max / cd))
    return -1;
  return ab * cd;
}

int32_t attn_init(attn_params *p, int32_t batch, int32_t heads, int32_t kv_heads, int32_t m,
                  int32_t n, int32_t dim, int32_t value_dim)
{
  if (batch < 1 || heads < 1 || kv_heads < 1 || m < 0 || n < 0 || dim < 1 || value_dim < 1)
    return ATTN_E_RANGE;
  if (heads % kv_heads)
    return ATTN_E_SHAPE;
  if (dim > MAX_DIM || value_dim > MAX_DIM || m > 1 << 30 || n > 1 << 30)
    return ATTN_E_LIMIT;
  if (elements(batch, heads, m, dim) < 0 || elements(batch, heads, m, value_dim) < 0 ||
      elements(batch, kv_heads, n, dim) < 0 || elements(batch, kv_heads, n, value_dim) < 0)
    return ATTN_E_LIMIT;
  *p = (attn_params){.batch = batch,
                     .heads = heads,
                     .kv_heads = kv_heads,
                     .m = m,
                     .n = n,
                     .dim = dim,
                     .value_dim = value_dim,
                     .scale = 1.0 / __builtin_sqrt(dim),
                     .temperature = 1.0,
                     .left = -1,
                     .right = -1};
  return ATTN_OK;
}

int32_t attn_set_layout(attn_params *p, int32_t positions_first)
{
  if (positions_first != 0 && positions_first != 1)
    return ATTN_E_RANGE;
  p->positions_first = positions_first;
  return ATTN_OK;
}

int32_t attn_set_precision(attn_params *p, int32_t precision)
{
  if (precision < ATTN_FLOAT || precision > ATTN_INT8)
    return ATTN_E_RANGE;
  p->precision = precision;
  return ATTN_OK;
}

int32_t attn_set_scale(attn_params *p, double scale)
{
  if (!(scale - scale == 0))
    return ATTN_E_RANGE;
  p->scale = scale;
  return ATTN_OK;
}

int32_t attn_set_temperature(attn_params *p, double temperature)
{
  if (!(temperature >= 0))
    return ATTN_E_RANGE;
  p->temperature = temperature;
  p->temperatures = NULL;
  return ATTN_OK;
}

int32_t attn_set_temperatures(attn_params *p, const double *temperatures)
{
  for (int32_t h = 0; temperatures && h < p->heads; h++)
    if (!(temperatures[h] >= 0))
      return ATTN_E_RANGE;
  p->temperatures = temperatures;
  return ATTN_OK;
}

int32_t attn_set_softcap(attn_params *p, double softcap)
{
  if (!(softcap >= 0 && softcap - softcap == 0))
    return ATTN_E_RANGE;
  p->softcap = softcap;
  return ATTN_OK;
}

void attn_set_key_scale(attn_params *p, const void *key_scale) { p->key_scale = key_scale; }

void attn_set_causal(attn_params *p, int32_t causal) { p->causal = causal != 0; }

int32_t attn_set_offset(attn_params *p, int32_t offset, const int32_t *offsets)
{
  const int32_t max = 1 << 29; /* so that positions stay far from overflow */
  for (int32_t b = 0; b < (offsets ? p->batch : 1); b++) {
    int32_t x = offsets ? offsets[b] : offset;
    if (x > max || x < -max)
      return ATTN_E_RANGE;
  }
  p->offset = offset;
  p->offsets = offsets;
  return ATTN_OK;
}

int32_t attn_set_window(attn_params *p, int32_t left, int32_t right)
{
  if (left < -1 || right < -1)
    return ATTN_E_RANGE;
  p->left = left;
  p->right = right;
  return ATTN_OK;
}

void attn_set_key_lengths(attn_params *p, const int32_t *lengths) { p->lengths = lengths; }

int32_t attn_set_mask(attn_params *p, int32_t kind, const void *mask, int32_t b, int32_t h,
                      int32_t rows, int32_t columns)
{
  if (kind != ATTN_MASK_SELECT && kind != ATTN_MASK_ADD)
    return ATTN_E_RANGE;
  if ((b != 1 && b != p->batch) || (h != 1 && h != p->heads) || (rows != 1 && rows != p->m) ||
      columns < 0 || (columns > p->n && columns != 1))
    return ATTN_E_SHAPE;
  if (elements(b, h, rows, columns) < 0)
    return ATTN_E_LIMIT;
  p->mask_kind = kind;
  p->mask = mask;
  p->mask_size[0] = b;
  p->mask_size[1] = h;
  p->mask_size[2] = rows;
  p->mask_size[3] = columns;
  return ATTN_OK;
}

void attn_set_alibi(attn_params *p, const void *slopes) { p->alibi = slopes; }

void attn_set_sinks(attn_params *p, const void *sinks) { p->sinks = sinks; }

void attn_want_weights(attn_params *p, void *weights, const int32_t *head_slot,
                       int32_t chosen_heads, const int32_t *row_slot, int32_t chosen_rows)
{
  p->weights = weights;
  p->head_slot = head_slot;
  p->row_slot = row_slot;
  p->chosen_heads = head_slot ? chosen_heads : p->heads;
  p->chosen_rows = row_slot ? chosen_rows : p->m;
}

int32_t attn_want_scores(attn_params *p, int32_t stage, void *scores)
{
  if (stage < ATTN_SCORES_RAW || stage > ATTN_SCORES_MASKED)
    return ATTN_E_RANGE;
  p->scores_stage = stage;
  p->scores = scores;
  return ATTN_OK;
}

void attn_want_lse(attn_params *p, void *lse) { p->lse = lse; }

void attn_want_stats(attn_params *p, void *stats, size_t plane)
{
  p->stats = stats;
  p->plane = plane;
}

int32_t attn_want_segments(attn_params *p, void *sums, const int32_t *edges, int32_t count)
{
  if (count < 0)
    return ATTN_E_RANGE;
  if (count > ATTN_MAX_SEGMENTS || elements(p->batch, p->heads, p->m, count) < 0)
    return ATTN_E_LIMIT;
  for (int32_t x = 0; count > 0 && x <= count; x++)
    if (edges[x] < (x > 0 ? edges[x - 1] : 0))
      return ATTN_E_RANGE;
  p->segments = sums;
  p->edges = edges;
  p->segment_count = count;
  return ATTN_OK;
}

int attn_key_attended(const attn_params *p, const row_view *view, int32_t j)
{
  if (j < view->lo || j >= view->hi)
    return 0;
  size_t at = view->mask_at + (size_t)(view->mask_step * j);
  if (p->mask_kind == ATTN_MASK_SELECT)
    return ((const uint8_t *)p->mask)[at] != 0;
  return p->mask_kind != ATTN_MASK_ADD || ((const float *)p->mask)[at] != -__builtin_inff();
}
