#include "attend.h"
#include "base/math.h"

/* Numbers in a plane of statistics, (layers, heads, t). */
static size_t plane_size(const attn_pass *p)
{
  return (size_t)p->d->layers * (size_t)p->d->heads * (size_t)p->t;
}

/* The part of a layer in a plane of statistics, of four bytes each. */
static void *statistic(const attn_pass *p, int32_t which, int32_t layer)
{
  const size_t at = (size_t)layer * (size_t)p->d->heads * (size_t)p->t;
  return p->stats ? (float *)p->stats + (size_t)which * plane_size(p) + at : NULL;
}

/* The part of a layer in the sums over segments. */
static float *segments_of(const attn_pass *p, int32_t layer)
{
  const size_t rows = (size_t)layer * (size_t)p->d->heads * (size_t)p->t;
  return p->segments ? p->segments + rows * (size_t)p->params.segment_count : NULL;
}

/* The weight of position 0: exp(z_0/T − lse), or as another statistic already says it. */
static double first_weight(const attn_pass *p, int32_t layer, int32_t h, int32_t i)
{
  const attn_decoder *d = p->d;
  const int32_t left = d->layer[layer].window_left;
  const size_t size = (size_t)d->head_dim;
  const size_t row = (size_t)h * (size_t)p->t + (size_t)i;
  const double temperature = d->temperature[layer * d->heads + h];
  const layer_request *request = &p->request[layer];
  const int32_t *attended = statistic(p, ATTN_STAT_N, layer);
  const int32_t *argmax = statistic(p, ATTN_STAT_ARGMAX, layer);
  if ((left >= 0 && p->position + i > left) || attended[row] == 0)
    return 0;
  if (argmax[row] == 0)
    return (double)((const float *)statistic(p, ATTN_STAT_MAX, layer))[row];
  /* where T is so small that lse ends at the largest float, the largest score has all the weight */
  const double lse = (double)p->lse[row];
  if (!(temperature > 0) || lse >= F32_MAX || lse <= -F32_MAX)
    return 0;

  const float *q = p->q + ((size_t)i * (size_t)d->heads + (size_t)h) * size;
  const float *k = p->first_key + (size_t)(h / (d->heads / d->kv_heads)) * size;
  double z = 0;
  for (size_t c = 0; c < size; c++)
    z += (double)q[c] * (double)k[c];
  z *= d->scale;
  if (d->softcap > 0)
    z = d->softcap * f64_tanh(z / d->softcap);
  if (request->mask) {
    const size_t mask_head = request->mask_heads > 1 ? (size_t)h : 0;
    z += (double)request->mask[(mask_head * (size_t)p->t + (size_t)i) * (size_t)p->length];
  }
  return f64_exp(z / temperature - lse);
}

static void weigh_first(const attn_pass *p, int32_t layer)
{
  const attn_decoder *d = p->d;
  float *key = p->first_key;
  float *value = key + (size_t)d->kv_heads * (size_t)d->head_dim;
  float *out = statistic(p, PASS_FIRST_WEIGHT, layer);
  attn_cache_read(d->layer[layer].cache, key, value, 0, 1);
  for (int32_t h = 0; h < d->heads; h++)
    for (int32_t i = 0; i < p->t; i++)
      *out++ = (float)first_weight(p, layer, h, i);
}

void attn_pass_attend(const attn_pass *p, attn_team *team, int32_t layer, row_range rows)
{
  const attn_decoder *d = p->d;
  const decoder_layer *l = &d->layer[layer];
  const layer_request *request = &p->request[layer];
  const int32_t *row_slot = request->all_tokens ? NULL : p->last_row + rows.first;
  const size_t first = (size_t)rows.first * (size_t)d->heads * (size_t)d->head_dim;
  attn_params params = p->params;
  params.m = row_count(rows);
  params.offset = p->position + rows.first;
  attn_set_temperatures(&params, d->temperature + (size_t)layer * (size_t)d->heads);
  attn_set_window(&params, l->window_left, -1);
  if (request->mask)
    attn_set_mask(&params, ATTN_MASK_ADD, request->mask, 1, request->mask_heads, p->t, p->length);
  attn_want_weights(&params, request->weights, request->head_slot, request->chosen, row_slot,
                    request->all_tokens ? p->t : 1);
  params.segments = segments_of(p, layer);
  attn_want_stats(&params, statistic(p, 0, layer), plane_size(p));
  attn_want_lse(&params, p->stats ? p->lse : NULL);
  attn_team_attend(team, &params, p->a + first, p->q + first, NULL, NULL, l->cache, p->attend);
  if (p->stats)
    weigh_first(p, layer);
}
