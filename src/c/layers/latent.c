/* A call of the latent layer (statement 14), in both forms, as layers.h writes it. */
#include "latent_layer.h"
#include "block.h"
#include "attention/options.h"

typedef struct {
  const attn_latent *layer;
  head_matrices matrices;
  row_range rows; /* batch·m: new positions */
  int32_t batch;
  int32_t m;
  int32_t n;
  size_t kept;          /* latent + rope: numbers that a position keeps */
  size_t dim;           /* nope + rope */
  attention_block down; /* projects x: to q or its latent, c in place of k, k_R in place of v */
  attention_block up;   /* projects the query's latent to q, and o to out */
  float *latents;       /* (batch, n, kept) */
  float *fresh;         /* (batch, m, kept): those of the new positions */
  float *keys;          /* expanded: (batch, n, heads, dim) */
  float *values;        /* expanded: (batch, n, heads, value_dim) */
  float *inner;         /* absorbed: (batch, m, heads, kept), the queries of the latents */
  float *result;        /* absorbed: (batch, m, heads, kept), the weighted latents */
  void *attend;
} latent_call;

/* One head, of which nothing is rotated. */
static head_projection latent_of(const attn_matrix *w, const float *norm, float *y, size_t stride)
{
  const int32_t size = attn_matrix_rows(w);
  return (head_projection){.w = w,
                           .norm = norm,
                           .y = y,
                           .stride = stride,
                           .heads = 1,
                           .dim = size,
                           .first_rotated = size};
}

/* The blocks and their arrays, without x, the place of k_R, rotation and out. */
static void lay_out_blocks(latent_call *s, arena *a)
{
  const attn_latent *l = s->layer;
  const uint64_t rows = (uint64_t)s->rows.end;
  const uint64_t heads = (uint64_t)l->heads;
  const uint64_t f = sizeof(float);
  inputs_size inputs = {0};
  s->fresh = arena_allocate(a, rows * s->kept, f);
  s->up.q = (head_projection){.w = l->q,
                              .y = arena_allocate(a, rows * heads * s->dim, f),
                              .stride = (size_t)l->heads * s->dim,
                              .heads = l->heads,
                              .dim = l->nope + l->rope,
                              .first_rotated = l->nope};
  s->up.a = arena_allocate(a, rows * heads * (uint64_t)l->value_dim, f);
  s->up.o = l->o;
  s->down.q = s->up.q;
  if (l->q_down) {
    const size_t size = (size_t)attn_matrix_rows(l->q_down);
    float *q_latent = arena_allocate(a, rows * size, f);
    s->down.q = latent_of(l->q_down, l->q_norm, q_latent, size);
    s->up.x = q_latent;
  }
  s->down.k = latent_of(l->down, l->kv_norm, s->fresh, s->kept);
  s->down.v = (head_projection){.w = l->key, .stride = s->kept, .heads = 1, .dim = l->rope};
  s->down.epsilon = l->epsilon;
  attn_block_reserve(&inputs, &s->down, s->rows.end);
  attn_block_reserve(&inputs, &s->up, s->rows.end);
  s->down.inputs = s->up.inputs = attn_inputs_allocate(a, &inputs);
}

/* A call with its arrays in memory; with memory NULL it is only measured. */
static arena lay_out(void *memory, latent_call *s, const attn_latent *l, const attn_team *team,
                     const attn_params *p, int32_t absorbed)
{
  const uint64_t rows = (uint64_t)p->batch * (uint64_t)p->m;
  const uint64_t f = sizeof(float);
  const uint64_t all = (uint64_t)p->batch * (uint64_t)p->n;
  const uint64_t heads = (uint64_t)l->heads;
  arena a = {.base = memory};
  *s = (latent_call){
      .layer = l,
      .matrices = attn_latent_matrices(l),
      .rows = {0, p->batch * p->m},
      .batch = p->batch,
      .m = p->m,
      .n = p->n,
      .kept = (size_t)(l->latent + l->rope),
      .dim = (size_t)(l->nope + l->rope),
  };
  lay_out_blocks(s, &a);
  if (absorbed) {
    s->inner = arena_allocate(&a, rows * heads * s->kept, f);
    s->result = arena_allocate(&a, rows * heads * s->kept, f);
  } else {
    s->keys = arena_allocate(&a, all * heads * s->dim, f);
    s->values = arena_allocate(&a, all * heads * (uint64_t)l->value_dim, f);
  }
  s->attend = arena_allocate(&a, attn_team_attend_bytes(team, p), 1);
  return a;
}

size_t attn_latent_scratch_bytes(const attn_latent *layer, const attn_team *team,
                                 const attn_params *p, int32_t absorbed)
{
  latent_call s;
  arena a = lay_out(NULL, &s, layer, team, p, absorbed);
  return arena_bytes(&a);
}

/*
 * ---- Steps of one head, which a team shares. The block has none like them: W_UK and W_UV stand
 * between the projections of x and attention.
 */

static const attn_matrix *matrix_of(const latent_call *s, int32_t head, size_t which)
{
  return (const attn_matrix *)(const void *)(s->layer->up + (size_t)head * s->matrices.bytes +
                                             which);
}

/* Copies `size` numbers of each row. */
static void copy_rows(float *to, size_t to_stride, const float *from, size_t from_stride,
                      int32_t rows, size_t size)
{
  for (int32_t i = 0; i < rows; i++, to += to_stride, from += from_stride)
    for (size_t c = 0; c < size; c++)
      to[c] = from[c];
}

/* Keys (W_UK·c beside k_R) and values W_UV·c of all positions. */
static void expand_head(void *task, int32_t h, void *scratch)
{
  const latent_call *s = task;
  const attn_latent *l = s->layer;
  const int32_t rows = s->batch * s->n;
  const size_t heads = (size_t)l->heads;
  const size_t value_dim = (size_t)l->value_dim;
  float *k = s->keys + (size_t)h * s->dim;
  float *v = s->values + (size_t)h * value_dim;
  (void)scratch;
  attn_matmul(NULL, k, heads * s->dim, s->latents, s->kept, rows, matrix_of(s, h, s->matrices.keys),
              NULL);
  copy_rows(k + l->nope, heads * s->dim, s->latents + l->latent, s->kept, rows, (size_t)l->rope);
  attn_matmul(NULL, v, heads * value_dim, s->latents, s->kept, rows,
              matrix_of(s, h, s->matrices.values), NULL);
}

/* The queries that meet the latents: W_UKᵀ·q_C beside q_R. */
static void absorb_query(void *task, int32_t h, void *scratch)
{
  const latent_call *s = task;
  const attn_latent *l = s->layer;
  const int32_t rows = s->rows.end;
  const size_t heads = (size_t)l->heads;
  const float *q = s->up.q.y + (size_t)h * s->dim;
  float *inner = s->inner + (size_t)h * s->kept;
  (void)scratch;
  attn_matmul(NULL, inner, heads * s->kept, q, heads * s->dim, rows,
              matrix_of(s, h, s->matrices.transposed), NULL);
  copy_rows(inner + l->latent, heads * s->kept, q + l->nope, heads * s->dim, rows, (size_t)l->rope);
}

/* W_UV times the weighted latent. */
static void absorb_value(void *task, int32_t h, void *scratch)
{
  const latent_call *s = task;
  const size_t heads = (size_t)s->layer->heads;
  const size_t value_dim = (size_t)s->layer->value_dim;
  float *o = s->up.a + (size_t)h * value_dim;
  const float *result = s->result + (size_t)h * s->kept;
  (void)scratch;
  attn_matmul(NULL, o, heads * value_dim, result, heads * s->kept, s->rows.end,
              matrix_of(s, h, s->matrices.values), NULL);
}

/* ---- The call */

static int attention_fits(const attn_latent *l, const attn_params *p, int32_t absorbed)
{
  const int32_t kept = l->latent + l->rope;
  const int32_t dim = l->nope + l->rope;
  if (!p->positions_first || p->heads != l->heads || p->n < p->m)
    return 0;
  if (absorbed)
    return p->kv_heads == 1 && p->dim == kept && p->value_dim == kept;
  return p->kv_heads == l->heads && p->dim == dim && p->value_dim == l->value_dim;
}

static int weights_fit(const attn_latent *l)
{
  const int32_t model = attn_matrix_columns(l->down);
  const int32_t query = l->q_down ? attn_matrix_rows(l->q_down) : model;
  const int64_t heads = l->heads;
  if (attn_matrix_rows(l->down) != l->latent)
    return 0;
  if (l->key ? attn_matrix_rows(l->key) != l->rope || attn_matrix_columns(l->key) != model
             : l->rope != 0)
    return 0;
  if (l->q_down && attn_matrix_columns(l->q_down) != model)
    return 0;
  if (attn_matrix_columns(l->q) != query || attn_matrix_rows(l->q) != heads * (l->nope + l->rope))
    return 0;
  if (attn_matrix_columns(l->o) != heads * l->value_dim)
    return 0;
  return !l->residual || attn_matrix_rows(l->o) == model;
}

/*
 * The calling thread copies the new latents behind the others, because a cache outlives the call,
 * and a lost thread may write late.
 */
static void append_latents(const latent_call *s)
{
  for (size_t b = 0; b < (size_t)s->batch; b++)
    copy_rows(s->latents + (b * (size_t)s->n + (size_t)(s->n - s->m)) * s->kept, s->kept,
              s->fresh + b * (size_t)s->m * s->kept, s->kept, s->m, s->kept);
}

/*
 * o = Σ_j p_j W_UV·c_j. `rows` and `keys` count multiply-adds for each channel of nope, over all
 * heads.
 */
static void attend(latent_call *s, attn_team *team, const attn_params *p, int32_t absorbed)
{
  const attn_latent *l = s->layer;
  const double heads = (double)l->heads * l->latent;
  const double rows = (double)s->batch * s->m * heads;
  const double keys = (double)s->batch * s->n * heads;
  if (absorbed) {
    attn_team_run(team, absorb_query, s, l->heads, rows * l->nope);
    attn_team_attend(team, p, s->result, s->inner, s->latents, s->latents, NULL, s->attend);
    attn_team_run(team, absorb_value, s, l->heads, rows * l->value_dim);
  } else {
    attn_team_run(team, expand_head, s, l->heads, keys * (l->nope + l->value_dim));
    attn_team_attend(team, p, s->up.a, s->up.q.y, s->keys, s->values, NULL, s->attend);
  }
}

int32_t attn_latent_forward(const attn_latent *layer, attn_team *team, const attn_params *p,
                            float *out, const float *x, const int32_t *positions, float *latents,
                            int32_t absorbed, void *scratch)
{
  latent_call s;
  if (!attention_fits(layer, p, absorbed) || !weights_fit(layer))
    return ATTN_E_SHAPE;
  lay_out(scratch, &s, layer, team, p, absorbed);
  s.latents = latents;
  s.down.x = x;
  s.down.v.y = s.fresh + layer->latent;
  s.up.y = out;
  s.down.rotation = s.up.rotation = (rotation){
      layer->cos, layer->sin, layer->rope, layer->interleaved, p->m, p->n - p->m, positions};

  /* c, k_R = W_DKV·x, W_KR·x, and W_DQ·x or q = W_Q·x */
  attn_block_input(&s.down, team, s.rows);
  attn_block_project(&s.down, team, s.rows, s.rows);

  /* c = norm(c), k_R = RoPE(k_R), and both are appended */
  attn_block_norm_and_rotate(&s.down, &s.down.k, team, s.rows);
  attn_block_norm_and_rotate(&s.down, &s.down.v, team, s.rows);
  append_latents(&s);

  /* q = W_UQ·norm(W_DQ·x) */
  if (layer->q_down) {
    attn_block_norm_and_rotate(&s.down, &s.down.q, team, s.rows);
    attn_block_input(&s.up, team, s.rows);
    attn_block_project(&s.up, team, s.rows, s.rows);
  }

  /* q_R = RoPE(q_R) */
  attn_block_norm_and_rotate(&s.up, &s.up.q, team, s.rows);

  /* o = Σ_j p_j W_UV·c_j */
  attend(&s, team, p, absorbed);

  /* out = W_O·o (+ x) */
  attn_block_output(&s.up, team, s.rows);
  if (layer->residual)
    attn_add(out, out, x, (size_t)s.rows.end * (size_t)attn_matrix_rows(layer->o));
  return ATTN_OK;
}
