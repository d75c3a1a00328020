/* The weights and options of a latent layer, and the packing of W_UK and W_UV. */
#include "latent_layer.h"
#include "base/arena.h"

size_t attn_latent_bytes(void) { return sizeof(attn_latent); }

int32_t attn_latent_init(attn_latent *layer, int32_t heads, int32_t latent, int32_t nope,
                         int32_t rope, int32_t value_dim)
{
  if (heads < 1 || latent < 1 || nope < 1 || rope < 0 || value_dim < 1)
    return ATTN_E_RANGE;
  const int64_t max_dim = attn_max_dim();
  if ((int64_t)latent + rope > max_dim || (int64_t)nope + rope > max_dim || value_dim > max_dim)
    return ATTN_E_LIMIT;
  *layer = (attn_latent){
      .heads = heads, .latent = latent, .nope = nope, .rope = rope, .value_dim = value_dim};
  return ATTN_OK;
}

void attn_latent_set_weights(attn_latent *layer, const attn_matrix *down, const attn_matrix *key,
                             const void *up, const attn_matrix *q, const attn_matrix *o)
{
  layer->down = down;
  layer->key = key;
  layer->up = up;
  layer->q = q;
  layer->o = o;
}

void attn_latent_set_query_down(attn_latent *layer, const attn_matrix *q_down, const float *q_norm)
{
  layer->q_down = q_down;
  layer->q_norm = q_norm;
}

void attn_latent_set_norm(attn_latent *layer, const float *kv_norm, double epsilon)
{
  layer->kv_norm = kv_norm;
  layer->epsilon = epsilon;
}

void attn_latent_set_rope(attn_latent *layer, const float *cos, const float *sin,
                          int32_t interleaved)
{
  layer->cos = cos;
  layer->sin = sin;
  layer->interleaved = interleaved;
}

void attn_latent_set_residual(attn_latent *layer, int32_t residual) { layer->residual = residual; }

/* ---- W_UK and W_UV of each head */

head_matrices attn_latent_matrices(const attn_latent *l)
{
  arena a = {0};
  head_matrices at;
  at.keys = (size_t)a.used;
  arena_allocate(&a, attn_matrix_bytes(ATTN_F32, l->nope, l->latent), 1);
  at.transposed = (size_t)a.used;
  arena_allocate(&a, attn_matrix_bytes(ATTN_F32, l->latent, l->nope), 1);
  at.values = (size_t)a.used;
  arena_allocate(&a, attn_matrix_bytes(ATTN_F32, l->value_dim, l->latent), 1);
  at.bytes = (size_t)a.used;
  return at;
}

size_t attn_latent_up_bytes(const attn_latent *layer)
{
  arena a = {0};
  arena_allocate(&a, (uint64_t)layer->heads, attn_latent_matrices(layer).bytes);
  return arena_bytes(&a);
}

static attn_matrix *start_matrix(void *at, int32_t rows, int32_t columns)
{
  attn_matrix_init(at, ATTN_F32, rows, columns);
  return at;
}

/* W (rows, columns) as it is stored. Returns the source behind it. */
static const float *pack_matrix(void *at, const float *w, int32_t rows, int32_t columns)
{
  attn_matrix_pack(start_matrix(at, rows, columns), ATTN_F32, (const uint8_t *)w, 0, rows);
  return w + (size_t)rows * (size_t)columns;
}

void attn_latent_pack_up(const attn_latent *layer, void *up, const float *kv_b)
{
  const head_matrices at = attn_latent_matrices(layer);
  const int32_t latent = layer->latent;
  char *to = up;
  for (int32_t h = 0; h < layer->heads; h++, to += at.bytes) {
    attn_matrix_pack_transposed(start_matrix(to + at.transposed, latent, layer->nope), kv_b);
    kv_b = pack_matrix(to + at.keys, kv_b, layer->nope, latent);
    kv_b = pack_matrix(to + at.values, kv_b, layer->value_dim, latent);
  }
}
