/* The multi-head layer (statements 10 and 11), step by step as layers.h writes it. */
#include "layers.h"
#include "block.h"
#include "attention/options.h"

struct attn_multi_head {
  const attn_matrix *wq; /* (heads·dim, model) */
  const attn_matrix *wk; /* (kv_heads·dim, model) */
  const attn_matrix *wv; /* (kv_heads·value_dim, model) */
  const attn_matrix *wo; /* (outputs, heads·value_dim) */
  const float *bq;       /* (rows of its matrix), or NULL */
  const float *bk;       /* (rows of its matrix), or NULL */
  const float *bv;       /* (rows of its matrix), or NULL */
  const float *bo;       /* (rows of its matrix), or NULL */
  const float *q_norm;   /* (dim), or NULL */
  const float *k_norm;   /* (dim), or NULL */
  int32_t one_plus;
  double epsilon;
  const float *cos; /* (positions, rotary_dim/2), or NULL */
  const float *sin; /* (positions, rotary_dim/2), or NULL */
  int32_t rotary_dim;
  int32_t interleaved;
  int32_t residual;
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

/* The block of a call, with its arrays in memory; with memory NULL it is only measured. */
static arena lay_out(void *memory, attention_block *b, void **attend, const attn_multi_head *layer,
                     const attn_team *team, const attn_params *p)
{
  const uint64_t rows = (uint64_t)p->batch * (uint64_t)p->m;
  const uint64_t f = sizeof(float);
  const size_t q_size = (size_t)p->heads * (size_t)p->dim;
  const size_t k_size = (size_t)p->kv_heads * (size_t)p->dim;
  const size_t v_size = (size_t)p->kv_heads * (size_t)p->value_dim;
  const uint64_t a_size = (uint64_t)p->heads * (uint64_t)p->value_dim;
  inputs_size inputs = {0};
  arena a = {.base = memory};
  *b = (attention_block){
      .q = {layer->wq, layer->bq, layer->q_norm, NULL, q_size, p->heads, p->dim, 0},
      .k = {layer->wk, layer->bk, layer->k_norm, NULL, k_size, p->kv_heads, p->dim, 0},
      .v = {layer->wv, layer->bv, NULL, NULL, v_size, p->kv_heads, p->value_dim, 0},
      .one_plus = layer->one_plus,
      .epsilon = layer->epsilon,
      .o = layer->wo,
      .o_bias = layer->bo,
  };
  attn_block_reserve(&inputs, b, p->batch * p->m);
  b->inputs = attn_inputs_allocate(&a, &inputs);
  b->q.y = arena_allocate(&a, rows * q_size, f);
  b->k.y = arena_allocate(&a, rows * k_size, f);
  b->v.y = arena_allocate(&a, rows * v_size, f);
  b->a = arena_allocate(&a, rows * a_size, f);
  *attend = arena_allocate(&a, attn_team_attend_bytes(team, p), 1);
  return a;
}

size_t attn_multi_head_scratch_bytes(const attn_multi_head *layer, const attn_team *team,
                                     const attn_params *p)
{
  attention_block b;
  void *attend;
  arena a = lay_out(NULL, &b, &attend, layer, team, p);
  return arena_bytes(&a);
}

static int has_shape(const attn_matrix *w, int64_t rows, int32_t columns)
{
  return attn_matrix_rows(w) == rows && attn_matrix_columns(w) == columns;
}

static int fits(const attn_multi_head *layer, const attn_params *p, const attn_cache *cache)
{
  const int32_t model = attn_matrix_columns(layer->wq);
  const int64_t heads = p->heads;
  const int64_t kv_heads = p->kv_heads;
  if (!p->positions_first || layer->rotary_dim > p->dim)
    return 0;
  if (!has_shape(layer->wq, heads * p->dim, model) ||
      !has_shape(layer->wk, kv_heads * p->dim, model) ||
      !has_shape(layer->wv, kv_heads * p->value_dim, model) ||
      attn_matrix_columns(layer->wo) != heads * p->value_dim)
    return 0;
  if (layer->residual && attn_matrix_rows(layer->wo) != model)
    return 0;
  return cache ? p->batch == 1 && p->n == attn_cache_length(cache) + p->m : p->n == p->m;
}

int32_t attn_multi_head_forward(const attn_multi_head *layer, attn_team *team, const attn_params *p,
                                float *out, const float *x, const int32_t *positions,
                                attn_cache *cache, void *scratch)
{
  const row_range rows = {0, p->batch * p->m};
  attention_block b;
  void *attend;
  if (!fits(layer, p, cache))
    return ATTN_E_SHAPE;
  lay_out(scratch, &b, &attend, layer, team, p);
  b.x = x;
  b.y = out;
  b.rotation = (rotation){layer->cos, layer->sin,  layer->rotary_dim, layer->interleaved,
                          p->m,       p->n - p->m, positions};

  /* q, k, v = x·W_Qᵀ + b_Q, x·W_Kᵀ + b_K, x·W_Vᵀ + b_V */
  attn_block_input(&b, team, rows);
  attn_block_project(&b, team, rows, rows);

  /* k = rotate(norm(k)), and the cache takes k and v */
  attn_block_norm_and_rotate(&b, &b.k, team, rows);
  if (cache) {
    const int32_t status = attn_cache_append(cache, b.k.y, b.v.y, p->m, 1);
    if (status != ATTN_OK)
      return status;
  }

  /* q = rotate(norm(q)) */
  attn_block_norm_and_rotate(&b, &b.q, team, rows);

  /* a = attention(q, k, v) */
  attn_team_attend(team, p, b.a, b.q.y, cache ? NULL : b.k.y, cache ? NULL : b.v.y, cache, attend);

  /* out = a·W_Oᵀ + b_O (+ x) */
  attn_block_output(&b, team, rows);
  if (layer->residual)
    attn_add(out, out, x, (size_t)row_count(rows) * (size_t)attn_matrix_rows(layer->wo));
  return ATTN_OK;
}
