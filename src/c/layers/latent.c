/* The latent layer (statement 14), in both forms, as layers.h writes it. */
#include "layers.h"
#include "block.h"
#include "attention/options.h"

struct attn_latent {
  int32_t heads, latent, nope, rope, value_dim;
  const attn_matrix *down;   /* W_DKV (latent, model) */
  const attn_matrix *key;    /* W_KR (rope, model), or NULL if rope is 0 */
  const attn_matrix *q_down; /* W_DQ (query's latent, model), or NULL */
  const attn_matrix *q;      /* (heads·(nope + rope), query's latent or model) */
  const attn_matrix *o;      /* (outputs, heads·value_dim) */
  const char *up;            /* (heads) of head_up */
  const float *q_norm;       /* (query's latent), or NULL */
  const float *kv_norm;      /* (latent), or NULL */
  double epsilon;
  const float *cos, *sin; /* (positions, rope/2), or NULL */
  int32_t interleaved, residual;
};

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

/* Where the three matrices of a head begin in its part of `up`, and the bytes of that part. */
typedef struct {
  size_t keys;       /* W_UK (nope, r), for the expanded form */
  size_t transposed; /* W_UKᵀ (r, nope), for the absorbed form */
  size_t values;     /* W_UV (value_dim, r) */
  size_t bytes;
} head_up;

static head_up up_of(const attn_latent *l)
{
  arena a = {0};
  head_up up;
  up.keys = (size_t)a.used;
  arena_allocate(&a, attn_matrix_bytes(ATTN_F32, l->nope, l->latent), 1);
  up.transposed = (size_t)a.used;
  arena_allocate(&a, attn_matrix_bytes(ATTN_F32, l->latent, l->nope), 1);
  up.values = (size_t)a.used;
  arena_allocate(&a, attn_matrix_bytes(ATTN_F32, l->value_dim, l->latent), 1);
  up.bytes = (size_t)a.used;
  return up;
}

size_t attn_latent_up_bytes(const attn_latent *layer)
{
  arena a = {0};
  arena_allocate(&a, (uint64_t)layer->heads, up_of(layer).bytes);
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
  head_up at = up_of(layer);
  int32_t latent = layer->latent;
  char *to = up;
  for (int32_t h = 0; h < layer->heads; h++, to += at.bytes) {
    attn_matrix_pack_transposed(start_matrix(to + at.transposed, latent, layer->nope), kv_b);
    kv_b = pack_matrix(to + at.keys, kv_b, layer->nope, latent);
    kv_b = pack_matrix(to + at.values, kv_b, layer->value_dim, latent);
  }
}

/* ---- A call */

typedef struct {
  const attn_latent *layer;
  const attn_params *p;
  head_up up;
  int32_t batch, m, n;
  size_t kept;            /* latent + rope: numbers that a position keeps */
  size_t dim;             /* nope + rope */
  prepared_inputs inputs; /* of x, then of the query's latent, then of o */
  rotation rotation;
  float *latents;  /* (batch, n, kept) */
  float *fresh;    /* (batch, m, kept): those of the new positions */
  float *q_latent; /* (batch, m, query's latent) */
  float *q;        /* (batch, m, heads, dim) */
  float *o;        /* (batch, m, heads, value_dim) */
  float *keys;     /* expanded: (batch, n, heads, dim) */
  float *values;   /* expanded: (batch, n, heads, value_dim) */
  float *inner;    /* absorbed: (batch, m, heads, kept), the queries of the latents */
  float *result;   /* absorbed: (batch, m, heads, kept), the weighted latents */
  void *attend;
} latent_call;

static prepared_inputs allocate_inputs(arena *a, const attn_latent *l, int32_t rows)
{
  inputs_size size = {0};
  attn_inputs_reserve(&size, l->down, rows);
  if (l->key)
    attn_inputs_reserve(&size, l->key, rows);
  if (l->q_down)
    attn_inputs_reserve(&size, l->q_down, rows);
  attn_inputs_reserve(&size, l->q, rows);
  attn_inputs_reserve(&size, l->o, rows);
  return attn_inputs_allocate(a, &size);
}

/* A call with its arrays in memory; with memory NULL it is only measured. */
static arena lay_out(void *memory, latent_call *s, const attn_latent *l, const attn_team *team,
                     const attn_params *p, int32_t absorbed)
{
  const uint64_t rows = (uint64_t)p->batch * (uint64_t)p->m, f = sizeof(float);
  const uint64_t all = (uint64_t)p->batch * (uint64_t)p->n, heads = (uint64_t)l->heads;
  const uint64_t value_dim = (uint64_t)l->value_dim;
  arena a = {.base = memory};
  *s = (latent_call){
      .layer = l,
      .p = p,
      .up = up_of(l),
      .batch = p->batch,
      .m = p->m,
      .n = p->n,
      .kept = (size_t)(l->latent + l->rope),
      .dim = (size_t)(l->nope + l->rope),
  };
  s->inputs = allocate_inputs(&a, l, p->batch * p->m);
  s->fresh = arena_allocate(&a, rows * s->kept, f);
  s->q_latent = arena_allocate(&a, l->q_down ? rows * (uint64_t)attn_matrix_rows(l->q_down) : 0, f);
  s->q = arena_allocate(&a, rows * heads * s->dim, f);
  s->o = arena_allocate(&a, rows * heads * value_dim, f);
  if (absorbed) {
    s->inner = arena_allocate(&a, rows * heads * s->kept, f);
    s->result = arena_allocate(&a, rows * heads * s->kept, f);
  } else {
    s->keys = arena_allocate(&a, all * heads * s->dim, f);
    s->values = arena_allocate(&a, all * heads * value_dim, f);
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

/* ---- Steps of one head, which a team shares */

static const attn_matrix *matrix_of(const latent_call *s, int32_t head, size_t which)
{
  return (const attn_matrix *)(const void *)(s->layer->up + (size_t)head * s->up.bytes + which);
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
  const size_t heads = (size_t)l->heads, value_dim = (size_t)l->value_dim;
  float *k = s->keys + (size_t)h * s->dim, *v = s->values + (size_t)h * value_dim;
  (void)scratch;
  attn_matmul(NULL, k, heads * s->dim, s->latents, s->kept, rows, matrix_of(s, h, s->up.keys),
              NULL);
  copy_rows(k + l->nope, heads * s->dim, s->latents + l->latent, s->kept, rows, (size_t)l->rope);
  attn_matmul(NULL, v, heads * value_dim, s->latents, s->kept, rows, matrix_of(s, h, s->up.values),
              NULL);
}

/* The queries that meet the latents: W_UKᵀ·q_C beside q_R. */
static void absorb_query(void *task, int32_t h, void *scratch)
{
  const latent_call *s = task;
  const attn_latent *l = s->layer;
  const int32_t rows = s->batch * s->m;
  const size_t heads = (size_t)l->heads;
  const float *q = s->q + (size_t)h * s->dim;
  float *inner = s->inner + (size_t)h * s->kept;
  (void)scratch;
  attn_matmul(NULL, inner, heads * s->kept, q, heads * s->dim, rows,
              matrix_of(s, h, s->up.transposed), NULL);
  copy_rows(inner + l->latent, heads * s->kept, q + l->nope, heads * s->dim, rows, (size_t)l->rope);
}

/* W_UV times the weighted latent. */
static void absorb_value(void *task, int32_t h, void *scratch)
{
  const latent_call *s = task;
  const size_t heads = (size_t)s->layer->heads, value_dim = (size_t)s->layer->value_dim;
  float *o = s->o + (size_t)h * value_dim;
  const float *result = s->result + (size_t)h * s->kept;
  (void)scratch;
  attn_matmul(NULL, o, heads * value_dim, result, heads * s->kept, s->batch * s->m,
              matrix_of(s, h, s->up.values), NULL);
}

/* ---- The steps around them */

static row_range all_rows(const latent_call *s) { return (row_range){0, s->batch * s->m}; }

/* c, k_R and the query (or its latent) of each new position, from x (rows, model). */
static void project(const latent_call *s, attn_team *team, const float *x)
{
  const attn_latent *l = s->layer;
  const row_range rows = all_rows(s);
  const attn_matrix *first = l->q_down ? l->q_down : l->q;
  const attn_matrix *matrices[] = {l->down, first, l->key};
  const shared_product products[] = {
      {s->fresh, s->kept, l->down, NULL, rows},
      product_of(l->q_down ? s->q_latent : s->q, first, NULL, rows),
      {s->fresh + l->latent, s->kept, l->key, NULL, rows},
  };
  const int32_t count = l->key ? 3 : 2;
  attn_inputs_prepare(&s->inputs, x, matrices, count, rows);
  attn_share_products(team, &s->inputs, products, count);
}

/*
 * Norm and rotation of the new latents, which then go behind the others. The calling thread copies
 * them, because a cache outlives the call, and a lost thread may write late.
 */
static void append_latents(const latent_call *s)
{
  const attn_latent *l = s->layer;
  const row_range rows = all_rows(s);
  if (l->kv_norm)
    attn_rms_norm(s->fresh, s->kept, s->fresh, s->kept, rows.end, l->latent, l->kv_norm, 0,
                  l->epsilon);
  attn_rotate_rows(&s->rotation, s->fresh + l->latent, 1, s->kept, s->kept, rows);
  for (size_t b = 0; b < (size_t)s->batch; b++)
    copy_rows(s->latents + (b * (size_t)s->n + (size_t)(s->n - s->m)) * s->kept, s->kept,
              s->fresh + b * (size_t)s->m * s->kept, s->kept, s->m, s->kept);
}

/* Queries from their latents, if there are such, and their rotation. */
static void finish_queries(const latent_call *s, attn_team *team)
{
  const attn_latent *l = s->layer;
  const row_range rows = all_rows(s);
  if (l->q_down) {
    const int32_t size = attn_matrix_rows(l->q_down);
    const shared_product product = product_of(s->q, l->q, NULL, rows);
    if (l->q_norm)
      attn_rms_norm(s->q_latent, (size_t)size, s->q_latent, (size_t)size, rows.end, size, l->q_norm,
                    0, l->epsilon);
    attn_inputs_prepare(&s->inputs, s->q_latent, &l->q, 1, rows);
    attn_share_products(team, &s->inputs, &product, 1);
  }
  attn_rotate_rows(&s->rotation, s->q + l->nope, l->heads, (size_t)l->heads * s->dim, s->dim, rows);
}

static int attention_fits(const attn_latent *l, const attn_params *p, int32_t absorbed)
{
  const int32_t kept = l->latent + l->rope, dim = l->nope + l->rope;
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

int32_t attn_latent_forward(const attn_latent *layer, attn_team *team, const attn_params *p,
                            float *out, const float *x, const int32_t *positions, float *latents,
                            int32_t absorbed, void *scratch)
{
  latent_call s;
  if (!attention_fits(layer, p, absorbed) || !weights_fit(layer))
    return ATTN_E_SHAPE;
  lay_out(scratch, &s, layer, team, p, absorbed);
  s.latents = latents;
  s.rotation = (rotation){.cos = layer->cos,
                          .sin = layer->sin,
                          .rotary_dim = layer->rope,
                          .interleaved = layer->interleaved,
                          .m = s.m,
                          .past = s.n - s.m,
                          .positions = positions};

  /* c, k_R = W_DKV·x, W_KR·x, and W_DQ·x or q */
  project(&s, team, x);

  /* c = norm(c), k_R = RoPE(k_R), and both are appended */
  append_latents(&s);

  /* q = W_UQ·norm(W_DQ·x), q_R = RoPE(q_R) */
  finish_queries(&s, team);

  /* o = Σ_j p_j W_UV·c_j; the multiply-adds are those of all heads for one number of nope */
  const double heads = (double)layer->heads * layer->latent;
  const double rows = (double)s.batch * s.m, keys = (double)s.batch * s.n;
  if (absorbed) {
    attn_team_run(team, absorb_query, &s, layer->heads, rows * heads * layer->nope);
    attn_team_attend(team, p, s.result, s.inner, latents, latents, NULL, s.attend);
    attn_team_run(team, absorb_value, &s, layer->heads, rows * heads * layer->value_dim);
  } else {
    attn_team_run(team, expand_head, &s, layer->heads,
                  keys * heads * (layer->nope + layer->value_dim));
    attn_team_attend(team, p, s.o, s.q, s.keys, s.values, NULL, s.attend);
  }

  /* out = W_O·o (+ x) */
  const shared_product product = product_of(out, layer->o, NULL, all_rows(&s));
  attn_inputs_prepare(&s.inputs, s.o, &layer->o, 1, all_rows(&s));
  attn_share_products(team, &s.inputs, &product, 1);
  if (layer->residual)
    attn_add(out, out, x, (size_t)s.batch * (size_t)s.m * (size_t)attn_matrix_rows(layer->o));
  return ATTN_OK;
}
