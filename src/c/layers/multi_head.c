/* The multi-head layer (statements 10 and 11), step by step as layers.h states it. */
#include "layers.h"
#include "attention/options.h"
#include "base/arena.h"

struct attn_multi_head {
  const attn_matrix *wq, *wk, *wv, *wo;
  const float *bq, *bk, *bv, *bo;
  const float *q_norm, *k_norm; /* (dim) or NULL */
  int32_t one_plus;
  double epsilon;
  const float *cos, *sin; /* (positions, rotary_dim/2) or NULL */
  int32_t rotary_dim, interleaved, residual;
};

size_t attn_multi_head_bytes(void) { return sizeof(attn_multi_head); }

void attn_multi_head_init(attn_multi_head *layer, const attn_matrix *q, const attn_matrix *k,
                          const attn_matrix *v, const attn_matrix *o)
{
  *layer = (attn_multi_head){.wq = q, .wk = k, .wv = v, .wo = o};
}

void attn_multi_head_set_biases(attn_multi_head *layer, const float *q, const float *k,
                                const float *v, const float *o)
{
  layer->bq = q;
  layer->bk = k;
  layer->bv = v;
  layer->bo = o;
}

void attn_multi_head_set_qk_norm(attn_multi_head *layer, const float *q, const float *k,
                                 int32_t one_plus, double epsilon)
{
  layer->q_norm = q;
  layer->k_norm = k;
  layer->one_plus = one_plus;
  layer->epsilon = epsilon;
}

void attn_multi_head_set_rope(attn_multi_head *layer, const float *cos, const float *sin,
                              int32_t rotary_dim, int32_t interleaved)
{
  layer->cos = cos;
  layer->sin = sin;
  layer->rotary_dim = rotary_dim;
  layer->interleaved = interleaved;
}

void attn_multi_head_set_residual(attn_multi_head *layer, int32_t residual)
{
  layer->residual = residual;
}

typedef struct {
  float *q, *k, *v, *o;
  void *attend;
} parts;

static arena lay_out(const attn_team *team, const attn_params *p, parts *a, void *base)
{
  arena r = {.base = base};
  uint64_t rows = (uint64_t)p->batch * (uint64_t)p->m, dim = (uint64_t)p->dim,
           value_dim = (uint64_t)p->value_dim;
  a->q = arena_allocate(&r, rows * (uint64_t)p->heads * dim, sizeof(float));
  a->k = arena_allocate(&r, rows * (uint64_t)p->kv_heads * dim, sizeof(float));
  a->v = arena_allocate(&r, rows * (uint64_t)p->kv_heads * value_dim, sizeof(float));
  a->o = arena_allocate(&r, rows * (uint64_t)p->heads * value_dim, sizeof(float));
  a->attend = arena_allocate(&r, attn_team_attend_bytes(team, p), 1);
  return r;
}

size_t attn_multi_head_room(const attn_multi_head *layer, const attn_team *team,
                            const attn_params *p)
{
  (void)layer;
  parts a;
  arena r = lay_out(team, p, &a, NULL);
  return arena_bytes(&r);
}

static int is(const attn_matrix *w, int64_t rows, int32_t columns)
{
  return attn_matrix_rows(w) == rows && attn_matrix_columns(w) == columns;
}

static int fits(const attn_multi_head *layer, const attn_params *p, const attn_cache *cache)
{
  int32_t model = attn_matrix_columns(layer->wq);
  return p->positions_first && is(layer->wq, (int64_t)p->heads * p->dim, model) &&
         is(layer->wk, (int64_t)p->kv_heads * p->dim, model) &&
         is(layer->wv, (int64_t)p->kv_heads * p->value_dim, model) &&
         attn_matrix_columns(layer->wo) == (int64_t)p->heads * p->value_dim &&
         (!layer->residual || attn_matrix_rows(layer->wo) == model) &&
         layer->rotary_dim <= p->dim &&
         (cache ? p->batch == 1 && p->n == attn_cache_length(cache) + p->m : p->n == p->m);
}

/* QK-norm and RoPE of the queries or the keys, (batch, m, heads, dim). */
static void place(const attn_multi_head *layer, const attn_params *p, float *x, int32_t heads,
                  const float *norm, const int32_t *positions)
{
  size_t dim = (size_t)p->dim, row = (size_t)heads * dim;
  if (norm)
    attn_rms_norm(x, dim, x, dim, p->batch * p->m * heads, p->dim, norm, layer->one_plus,
                  layer->epsilon);
  if (!layer->cos)
    return;
  size_t past = positions ? 0 : (size_t)(p->n - p->m) * (size_t)(layer->rotary_dim / 2);
  for (int32_t b = 0; b < p->batch; b++)
    attn_rope(x + (size_t)b * (size_t)p->m * row, p->m, heads, row, dim, layer->cos + past,
              layer->sin + past, positions ? positions + (size_t)b * (size_t)p->m : NULL,
              layer->rotary_dim, layer->interleaved);
}

int32_t attn_multi_head_forward(const attn_multi_head *layer, attn_team *team, const attn_params *p,
                                float *out, const float *x, const int32_t *positions,
                                attn_cache *cache, void *room)
{
  if (!fits(layer, p, cache))
    return ATTN_E_SHAPE;
  parts a;
  lay_out(team, p, &a, room);
  int32_t rows = p->batch * p->m;
  size_t model = (size_t)attn_matrix_columns(layer->wq), size = (size_t)attn_matrix_rows(layer->wo);
  size_t q_size = (size_t)attn_matrix_rows(layer->wq), k_size = (size_t)attn_matrix_rows(layer->wk),
         v_size = (size_t)attn_matrix_rows(layer->wv),
         o_size = (size_t)attn_matrix_columns(layer->wo);
  attn_matmul(team, a.k, k_size, x, model, rows, layer->wk, layer->bk);
  attn_matmul(team, a.v, v_size, x, model, rows, layer->wv, layer->bv);
  place(layer, p, a.k, p->kv_heads, layer->k_norm, positions);
  if (cache) {
    int32_t status = attn_cache_append(cache, a.k, a.v, p->m, 1);
    if (status != ATTN_OK)
      return status;
  }
  attn_matmul(team, a.q, q_size, x, model, rows, layer->wq, layer->bq);
  place(layer, p, a.q, p->heads, layer->q_norm, positions);
  attn_team_attend(team, p, a.o, a.q, cache ? NULL : a.k, cache ? NULL : a.v, cache, a.attend);
  attn_matmul(team, out, size, a.o, o_size, rows, layer->wo, layer->bo);
  if (layer->residual)
    attn_add(out, out, x, (size_t)rows * size);
  return ATTN_OK;
}
