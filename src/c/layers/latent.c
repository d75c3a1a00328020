/* The latent layer (statement 14), in both forms, as layers.h states it. */
#include "layers.h"
#include "attention/options.h"
#include "base/arena.h"

struct attn_latent {
  int32_t heads, latent, nope, rope, value_dim;
  const attn_matrix *down, *key, *q, *o, *q_down;
  const char *up;
  const float *q_norm, *kv_norm;
  double epsilon;
  const float *cos, *sin;
  int32_t interleaved, residual;
};

size_t attn_latent_bytes(void) { return sizeof(attn_latent); }

int32_t attn_latent_init(attn_latent *layer, int32_t heads, int32_t latent, int32_t nope,
                         int32_t rope, int32_t value_dim)
{
  if (heads < 1 || latent < 1 || nope < 1 || rope < 0 || value_dim < 1)
    return ATTN_E_RANGE;
  int64_t most = attn_max_dim();
  if ((int64_t)latent + rope > most || (int64_t)nope + rope > most || value_dim > most)
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

/*
 * ---- W_UK and W_UV
 * ----------------------------------------------------------------------------------------------------
 */

/* Where the three matrices of a head lie in `up`, and how large all of them are. */
typedef struct {
  size_t keys;       /* W_UK (nope, r), for the expanded form */
  size_t transposed; /* W_UKᵀ (r, nope), for the absorbed form */
  size_t values;     /* W_UV (value_dim, r) */
  size_t bytes;
} head_up;

static head_up up_of(const attn_latent *l)
{
  arena r = {0};
  head_up up;
  up.keys = 0;
  arena_allocate(&r, attn_matrix_bytes(ATTN_F32, l->nope, l->latent), 1);
  up.transposed = (size_t)r.used;
  arena_allocate(&r, attn_matrix_bytes(ATTN_F32, l->latent, l->nope), 1);
  up.values = (size_t)r.used;
  arena_allocate(&r, attn_matrix_bytes(ATTN_F32, l->value_dim, l->latent), 1);
  up.bytes = (size_t)r.used;
  return up;
}

size_t attn_latent_up_bytes(const attn_latent *layer)
{
  arena r = {0};
  arena_allocate(&r, (uint64_t)layer->heads, up_of(layer).bytes);
  return arena_bytes(&r);
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

/*
 * ---- A call
 * --------------------------------------------------------------------------------------------------------------
 */

typedef struct {
  const attn_latent *layer;
  const attn_params *p;
  head_up up;
  float *latents;  /* (batch, n, r + rope) */
  float *fresh;    /* (batch, m, r + rope): the new ones */
  float *q_latent; /* (batch, m, query's latent) */
  float *q, *o;    /* (batch, m, heads, nope + rope), (batch, m, heads, value_dim) */
  /* expanded: (batch, n, heads, nope + rope), (batch, n, heads, value_dim) */
  float *keys, *values;
  float *inner, *result; /* absorbed: (batch, m, heads, r + rope) each */
  void *attend;
} step;

static arena lay_out(const attn_latent *l, const attn_team *team, const attn_params *p,
                     int32_t absorbed, step *s, void *base)
{
  arena r = {.base = base};
  uint64_t rows = (uint64_t)p->batch * (uint64_t)p->m, all = (uint64_t)p->batch * (uint64_t)p->n;
  uint64_t heads = (uint64_t)l->heads, dim = (uint64_t)(l->nope + l->rope),
           value_dim = (uint64_t)l->value_dim;
  uint64_t kept = (uint64_t)(l->latent + l->rope);
  *s = (step){.layer = l, .p = p, .up = up_of(l)};
  s->fresh = arena_allocate(&r, rows * kept, sizeof(float));
  s->q_latent = arena_allocate(&r, l->q_down ? rows * (uint64_t)attn_matrix_rows(l->q_down) : 0,
                               sizeof(float));
  s->q = arena_allocate(&r, rows * heads * dim, sizeof(float));
  s->o = arena_allocate(&r, rows * heads * value_dim, sizeof(float));
  if (absorbed) {
    s->inner = arena_allocate(&r, rows * heads * kept, sizeof(float));
    s->result = arena_allocate(&r, rows * heads * kept, sizeof(float));
  } else {
    s->keys = arena_allocate(&r, all * heads * dim, sizeof(float));
    s->values = arena_allocate(&r, all * heads * value_dim, sizeof(float));
  }
  s->attend = arena_allocate(&r, attn_team_attend_bytes(team, p), 1);
  return r;
}

size_t attn_latent_scratch_bytes(const attn_latent *layer, const attn_team *team,
                                 const attn_params *p, int32_t absorbed)
{
  step s;
  arena r = lay_out(layer, team, p, absorbed, &s, NULL);
  return arena_bytes(&r);
}

static const attn_matrix *matrix_of(const step *s, int32_t head, size_t which)
{
  return (const attn_matrix *)(const void *)(s->layer->up + (size_t)head * s->up.bytes + which);
}

static void copy_part(float *to, size_t to_stride, const float *from, size_t from_stride,
                      int32_t rows, int32_t size)
{
  for (int32_t i = 0; i < rows; i++, to += to_stride, from += from_stride)
    for (int32_t c = 0; c < size; c++)
      to[c] = from[c];
}

/* Keys and values of one head, from the latents. */
static void expand_head(void *task, int32_t h, void *scratch)
{
  (void)scratch;
  const step *s = task;
  const attn_latent *l = s->layer;
  int32_t rows = s->p->batch * s->p->n;
  size_t kept = (size_t)(l->latent + l->rope), dim = (size_t)(l->nope + l->rope),
         value_dim = (size_t)l->value_dim, heads = (size_t)l->heads;
  float *k = s->keys + (size_t)h * dim;
  attn_matmul(NULL, k, heads * dim, s->latents, kept, rows, matrix_of(s, h, s->up.keys), NULL);
  copy_part(k + l->nope, heads * dim, s->latents + l->latent, kept, rows, l->rope);
  attn_matmul(NULL, s->values + (size_t)h * value_dim, heads * value_dim, s->latents, kept, rows,
              matrix_of(s, h, s->up.values), NULL);
}

/* The queries of one head as the latents meet them: W_UKᵀ·q_C beside q_R. */
static void absorb_query(void *task, int32_t h, void *scratch)
{
  (void)scratch;
  const step *s = task;
  const attn_latent *l = s->layer;
  int32_t rows = s->p->batch * s->p->m;
  size_t kept = (size_t)(l->latent + l->rope), dim = (size_t)(l->nope + l->rope),
         heads = (size_t)l->heads;
  const float *q = s->q + (size_t)h * dim;
  float *inner = s->inner + (size_t)h * kept;
  attn_matmul(NULL, inner, heads * kept, q, heads * dim, rows, matrix_of(s, h, s->up.transposed),
              NULL);
  copy_part(inner + l->latent, heads * kept, q + l->nope, heads * dim, rows, l->rope);
}

/* W_UV times the weighted latent. */
static void absorb_value(void *task, int32_t h, void *scratch)
{
  (void)scratch;
  const step *s = task;
  const attn_latent *l = s->layer;
  size_t kept = (size_t)(l->latent + l->rope), value_dim = (size_t)l->value_dim,
         heads = (size_t)l->heads;
  attn_matmul(NULL, s->o + (size_t)h * value_dim, heads * value_dim, s->result + (size_t)h * kept,
              heads * kept, s->p->batch * s->p->m, matrix_of(s, h, s->up.values), NULL);
}

/* RoPE of rows (batch, m, heads), which begin at x. */
static void turn(const step *s, float *x, int32_t heads, size_t row_stride, size_t head_stride,
                 const int32_t *positions)
{
  const attn_latent *l = s->layer;
  const attn_params *p = s->p;
  size_t past = positions ? 0 : (size_t)(p->n - p->m) * (size_t)(l->rope / 2);
  if (!l->rope || !l->cos)
    return;
  for (int32_t b = 0; b < p->batch; b++, x += (size_t)p->m * row_stride)
    attn_rope(x, p->m, heads, row_stride, head_stride, l->cos + past, l->sin + past,
              positions ? positions + (size_t)b * (size_t)p->m : NULL, l->rope, l->interleaved);
}

/*
 * What is kept of the new positions. It is made in room of its own and copied by the calling
 * thread, because a cache outlives the call, and a thread that was lost in it may write late.
 */
static void write_latents(const step *s, attn_team *team, const float *x, const int32_t *positions)
{
  const attn_latent *l = s->layer;
  const attn_params *p = s->p;
  int32_t rows = p->batch * p->m, kept = l->latent + l->rope;
  size_t stride = (size_t)kept, model = (size_t)attn_matrix_columns(l->down);
  attn_matmul(team, s->fresh, stride, x, model, rows, l->down, NULL);
  if (l->kv_norm)
    attn_rms_norm(s->fresh, stride, s->fresh, stride, rows, l->latent, l->kv_norm, 0, l->epsilon);
  if (l->key)
    attn_matmul(team, s->fresh + l->latent, stride, x, model, rows, l->key, NULL);
  turn(s, s->fresh + l->latent, 1, stride, stride, positions);
  for (int32_t b = 0; b < p->batch; b++)
    copy_part(s->latents + ((size_t)b * (size_t)p->n + (size_t)(p->n - p->m)) * stride, stride,
              s->fresh + (size_t)b * (size_t)p->m * stride, stride, p->m, kept);
}

static void make_queries(const step *s, attn_team *team, const float *x, const int32_t *positions)
{
  const attn_latent *l = s->layer;
  const attn_params *p = s->p;
  int32_t rows = p->batch * p->m;
  size_t model = (size_t)attn_matrix_columns(l->down), dim = (size_t)(l->nope + l->rope),
         row = (size_t)l->heads * dim;
  if (l->q_down) {
    size_t size = (size_t)attn_matrix_rows(l->q_down);
    attn_matmul(team, s->q_latent, size, x, model, rows, l->q_down, NULL);
    if (l->q_norm)
      attn_rms_norm(s->q_latent, size, s->q_latent, size, rows, (int32_t)size, l->q_norm, 0,
                    l->epsilon);
    attn_matmul(team, s->q, row, s->q_latent, size, rows, l->q, NULL);
  } else {
    attn_matmul(team, s->q, row, x, model, rows, l->q, NULL);
  }
  turn(s, s->q + l->nope, l->heads, row, dim, positions);
}

static int fits(const attn_latent *l, const attn_params *p, int32_t absorbed)
{
  int32_t model = attn_matrix_columns(l->down), kept = l->latent + l->rope, dim = l->nope + l->rope;
  int shape = absorbed ? p->kv_heads == 1 && p->dim == kept && p->value_dim == kept
                       : p->kv_heads == l->heads && p->dim == dim && p->value_dim == l->value_dim;
  return shape && p->positions_first && p->heads == l->heads && p->n >= p->m &&
         attn_matrix_rows(l->down) == l->latent &&
         (l->key ? attn_matrix_rows(l->key) == l->rope && attn_matrix_columns(l->key) == model
                 : l->rope == 0) &&
         (!l->q_down || attn_matrix_columns(l->q_down) == model) &&
         attn_matrix_columns(l->q) == (l->q_down ? attn_matrix_rows(l->q_down) : model) &&
         attn_matrix_rows(l->q) == (int64_t)l->heads * dim &&
         attn_matrix_columns(l->o) == (int64_t)l->heads * l->value_dim &&
         (!l->residual || attn_matrix_rows(l->o) == model);
}

int32_t attn_latent_forward(const attn_latent *layer, attn_team *team, const attn_params *p,
                            float *out, const float *x, const int32_t *positions, float *latents,
                            int32_t absorbed, void *room)
{
  if (!fits(layer, p, absorbed))
    return ATTN_E_SHAPE;
  step s;
  lay_out(layer, team, p, absorbed, &s, room);
  s.latents = latents;
  write_latents(&s, team, x, positions);
  make_queries(&s, team, x, positions);
  /* what all heads' matrices cost, of each key or query */
  double up = (double)layer->heads * layer->latent, rows = (double)p->batch * p->m,
         keys = (double)p->batch * p->n;
  if (absorbed) {
    attn_team_run(team, absorb_query, &s, layer->heads, rows * up * layer->nope);
    attn_team_attend(team, p, s.result, s.inner, latents, latents, NULL, s.attend);
    attn_team_run(team, absorb_value, &s, layer->heads, rows * up * layer->value_dim);
  } else {
    attn_team_run(team, expand_head, &s, layer->heads,
                  keys * up * (layer->nope + layer->value_dim));
    attn_team_attend(team, p, s.o, s.q, s.keys, s.values, NULL, s.attend);
  }
  size_t size = (size_t)attn_matrix_rows(layer->o), o_size = (size_t)attn_matrix_columns(layer->o);
  attn_matmul(team, out, size, s.o, o_size, p->batch * p->m, layer->o, NULL);
  if (layer->residual)
    attn_add(out, out, x, (size_t)p->batch * (size_t)p->m * size);
  return ATTN_OK;
}
