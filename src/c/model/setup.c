/* The setters check a model, so that passes need not. */
#include "setup.h"
#include "attention/options.h"
#include "attention/cache_layout.h"
#include "base/arena.h"

/* Points d to its arrays, which lie behind it; with memory NULL it is only measured. */
static arena lay_out(void *memory, attn_decoder *d, int32_t layers, int32_t heads)
{
  arena a = {.base = memory};
  arena_allocate(&a, 1, sizeof *d);
  d->layer = arena_allocate(&a, (uint64_t)layers, sizeof *d->layer);
  d->temperature = arena_allocate(&a, (uint64_t)layers * (uint64_t)heads, sizeof *d->temperature);
  return a;
}

size_t attn_decoder_bytes(int32_t layers, int32_t heads)
{
  attn_decoder d;
  if (layers < 1 || heads < 1 || layers > 1 << 16 || heads > 1 << 16)
    return 0;
  const arena a = lay_out(NULL, &d, layers, heads);
  return a.used < 1 << 30 ? (size_t)a.used : 0;
}

int32_t attn_decoder_init(attn_decoder *d, int32_t layers, int32_t dim, int32_t heads,
                          int32_t kv_heads, int32_t head_dim, int32_t hidden, int32_t vocab,
                          double eps)
{
  /* the floats of a row, and their bytes, stay a positive int32_t */
  const int32_t max_size = 1 << 28;
  if (layers < 1 || dim < 1 || heads < 1 || kv_heads < 1 || head_dim < 2 || hidden < 1 ||
      vocab < 1 || !(eps >= 0 && eps - eps == 0) || !attn_decoder_bytes(layers, heads))
    return ATTN_E_RANGE;
  if (heads % kv_heads || head_dim % 2)
    return ATTN_E_SHAPE;
  if (head_dim > attn_max_dim() || dim > max_size || hidden > max_size || vocab > max_size ||
      heads > max_size / head_dim)
    return ATTN_E_LIMIT;
  *d = (attn_decoder){.layers = layers,
                      .dim = dim,
                      .heads = heads,
                      .kv_heads = kv_heads,
                      .head_dim = head_dim,
                      .hidden = hidden,
                      .vocab = vocab,
                      .activation = ATTN_SILU,
                      .eps = eps,
                      .scale = 1.0 / __builtin_sqrt(head_dim),
                      .embedding_scale = 1};
  lay_out(d, d, layers, heads);
  for (int32_t l = 0; l < layers; l++)
    d->layer[l] = (decoder_layer){.window_left = -1};
  for (int32_t x = 0; x < layers * heads; x++)
    d->temperature[x] = 1.0;
  return ATTN_OK;
}

static int has_shape(const attn_matrix *w, int32_t rows, int32_t columns)
{
  return w && attn_matrix_rows(w) == rows && attn_matrix_columns(w) == columns;
}

static decoder_layer *layer_of(attn_decoder *d, int32_t layer)
{
  return layer >= 0 && layer < d->layers ? &d->layer[layer] : NULL;
}

int32_t attn_decoder_set_embedding(attn_decoder *d, const attn_matrix *embedding, double scale)
{
  if (!has_shape(embedding, d->vocab, d->dim))
    return ATTN_E_SHAPE;
  d->embedding = embedding;
  d->embedding_scale = (float)scale;
  return ATTN_OK;
}

static int is_softcap(double softcap) { return softcap >= 0 && softcap - softcap == 0; }

int32_t attn_decoder_set_output(attn_decoder *d, const float *norm, const attn_matrix *output,
                                double softcap)
{
  if (!has_shape(output, d->vocab, d->dim))
    return ATTN_E_SHAPE;
  if (!is_softcap(softcap))
    return ATTN_E_RANGE;
  d->norm = norm;
  d->output = output;
  d->final_softcap = softcap;
  return ATTN_OK;
}

int32_t attn_decoder_set_scores(attn_decoder *d, double scale, double softcap)
{
  if (!(scale - scale == 0) || !is_softcap(softcap))
    return ATTN_E_RANGE;
  d->scale = scale;
  d->softcap = softcap;
  return ATTN_OK;
}

int32_t attn_decoder_set_activation(attn_decoder *d, int32_t activation)
{
  if (activation < ATTN_SILU || activation > ATTN_GELU_TANH)
    return ATTN_E_RANGE;
  d->activation = activation;
  return ATTN_OK;
}

int32_t attn_decoder_set_attention(attn_decoder *d, int32_t layer, const float *norm,
                                   const attn_matrix *q, const attn_matrix *k, const attn_matrix *v,
                                   const attn_matrix *o)
{
  decoder_layer *l = layer_of(d, layer);
  int32_t size = d->heads * d->head_dim;
  int32_t kv_size = d->kv_heads * d->head_dim;
  if (!l)
    return ATTN_E_RANGE;
  if (!has_shape(q, size, d->dim) || !has_shape(k, kv_size, d->dim) ||
      !has_shape(v, kv_size, d->dim) || !has_shape(o, d->dim, size))
    return ATTN_E_SHAPE;
  l->attn_norm = norm;
  l->q = q;
  l->k = k;
  l->v = v;
  l->o = o;
  return ATTN_OK;
}

int32_t attn_decoder_set_feed_forward(attn_decoder *d, int32_t layer, const float *norm,
                                      const attn_matrix *gate, const attn_matrix *up,
                                      const attn_matrix *down)
{
  decoder_layer *l = layer_of(d, layer);
  if (!l)
    return ATTN_E_RANGE;
  if (!has_shape(gate, d->hidden, d->dim) || !has_shape(up, d->hidden, d->dim) ||
      !has_shape(down, d->dim, d->hidden))
    return ATTN_E_SHAPE;
  l->ffn_norm = norm;
  l->gate = gate;
  l->up = up;
  l->down = down;
  return ATTN_OK;
}

int32_t attn_decoder_set_biases(attn_decoder *d, int32_t layer, const float *q, const float *k,
                                const float *v, const float *o)
{
  decoder_layer *l = layer_of(d, layer);
  if (!l)
    return ATTN_E_RANGE;
  l->q_bias = q;
  l->k_bias = k;
  l->v_bias = v;
  l->o_bias = o;
  return ATTN_OK;
}

int32_t attn_decoder_set_feed_forward_biases(attn_decoder *d, int32_t layer, const float *gate,
                                             const float *up, const float *down)
{
  decoder_layer *l = layer_of(d, layer);
  if (!l)
    return ATTN_E_RANGE;
  l->gate_bias = gate;
  l->up_bias = up;
  l->down_bias = down;
  return ATTN_OK;
}

int32_t attn_decoder_set_head_norms(attn_decoder *d, int32_t layer, const float *q, const float *k)
{
  decoder_layer *l = layer_of(d, layer);
  if (!l)
    return ATTN_E_RANGE;
  l->q_norm = q;
  l->k_norm = k;
  return ATTN_OK;
}

int32_t attn_decoder_set_post_norms(attn_decoder *d, int32_t layer, const float *attention,
                                    const float *feed_forward)
{
  decoder_layer *l = layer_of(d, layer);
  if (!l)
    return ATTN_E_RANGE;
  l->attn_post_norm = attention;
  l->ffn_post_norm = feed_forward;
  return ATTN_OK;
}

int32_t attn_decoder_set_rope(attn_decoder *d, int32_t layer, const float *cos, const float *sin,
                              int32_t positions, int32_t interleaved)
{
  decoder_layer *l = layer_of(d, layer);
  if (!l || positions < 0)
    return ATTN_E_RANGE;
  l->cos = cos;
  l->sin = sin;
  l->rope_positions = positions;
  l->interleaved = interleaved != 0;
  return ATTN_OK;
}

int32_t attn_decoder_set_window(attn_decoder *d, int32_t layer, int32_t left)
{
  decoder_layer *l = layer_of(d, layer);
  if (!l || left < -1)
    return ATTN_E_RANGE;
  l->window_left = left;
  return ATTN_OK;
}

int32_t attn_decoder_set_cache(attn_decoder *d, int32_t layer, attn_cache *cache)
{
  decoder_layer *l = layer_of(d, layer);
  if (!l)
    return ATTN_E_RANGE;
  if (cache->kv_heads != d->kv_heads || cache->dim != d->head_dim ||
      cache->value_dim != d->head_dim)
    return ATTN_E_SHAPE;
  l->cache = cache;
  return ATTN_OK;
}

int32_t attn_decoder_set_segments(attn_decoder *d, const int32_t *edges, int32_t count)
{
  attn_params params;
  int32_t status = attn_init(&params, 1, 1, 1, 0, 0, 1, 1);
  if (status == ATTN_OK)
    status = attn_want_segments(&params, NULL, edges, count);
  if (status != ATTN_OK)
    return status;
  d->edges = edges;
  d->segment_count = count;
  return ATTN_OK;
}

int32_t attn_decoder_set_temperature(attn_decoder *d, int32_t layer, int32_t head,
                                     double temperature)
{
  if (!layer_of(d, layer) || head < 0 || head >= d->heads || !(temperature >= 0))
    return ATTN_E_RANGE;
  d->temperature[layer * d->heads + head] = temperature;
  return ATTN_OK;
}

int32_t attn_decoder_ready(const attn_decoder *d, int32_t first, int32_t t, int32_t *length)
{
  *length = 0;
  if (!d->embedding || !d->output || !d->norm)
    return ATTN_E_SHAPE;
  for (int32_t x = 0; x < d->layers; x++) {
    const decoder_layer *l = &d->layer[x];
    if (!l->attn_norm || !l->ffn_norm || !l->cos || !l->sin || !l->cache)
      return ATTN_E_SHAPE;
  }
  for (int32_t x = first; x < d->layers; x++) {
    const decoder_layer *l = &d->layer[x];
    *length = attn_cache_length(d->layer[first].cache);
    if (attn_cache_length(l->cache) != *length)
      return ATTN_E_SHAPE;
    if (t > l->cache->capacity - *length || t > l->rope_positions - *length)
      return ATTN_E_LIMIT;
  }
  return ATTN_OK;
}
