/*
 * The gradient of attention in pieces, which a team of threads shares. A piece has all rows of some
 * kv heads, so it alone writes their dk and dv. The numbers that all heads share are added up at
 * the end, head after head.
 */
#include "attention_gradient_head.h"
#include "base/arena.h"
#include "layers.h"

size_t attn_gradient_bytes(void) { return sizeof(attn_gradient); }

int32_t attn_gradient_init(attn_gradient *g, const attn_params *p)
{
  if (p->precision != ATTN_FLOAT)
    return ATTN_E_RANGE;
  for (int32_t h = 0; h < p->heads; h++)
    if (temperature_kind(temperature_of(p, h)) != T_FINITE)
      return ATTN_E_RANGE;
  *g = (attn_gradient){.p = p};
  return ATTN_OK;
}

int32_t attn_gradient_want_key_scale(attn_gradient *g, void *d_key_scale)
{
  g->key_scale = d_key_scale;
  return d_key_scale && !g->p->key_scale ? ATTN_E_RANGE : ATTN_OK;
}

int32_t attn_gradient_want_sinks(attn_gradient *g, void *d_sinks)
{
  g->sinks = d_sinks;
  return d_sinks && !g->p->sinks ? ATTN_E_RANGE : ATTN_OK;
}

int32_t attn_gradient_want_mask(attn_gradient *g, void *d_mask)
{
  g->mask = d_mask;
  return d_mask && g->p->mask_kind != ATTN_MASK_ADD ? ATTN_E_RANGE : ATTN_OK;
}

void attn_gradient_want_scalars(attn_gradient *g, double *d_scale, double *d_temperature)
{
  g->scale = d_scale;
  g->temperature = d_temperature;
}

static size_t mask_length(const attn_params *p)
{
  size_t length = 1;
  for (int axis = 0; axis < 4; axis++)
    length *= (size_t)p->mask_size[axis];
  return length;
}

/* ---- Memory */

/* Pieces at least, where rows can be split: tuning.md#gradient-parts */
enum { MIN_PIECES = 8 };

/*
 * Parts into which the query rows of a kv head are split. Each has sums of its own for dk and dv,
 * which are added at the end. Rows that add to the same numbers of a mask stay together.
 */
static int32_t parts_of(const attn_gradient *g)
{
  const attn_params *p = g->p;
  const int64_t blocks = (int64_t)(p->heads / p->kv_heads) * ((p->m + QUERIES - 1) / QUERIES);
  const int64_t heads = (int64_t)p->batch * p->kv_heads;
  const int64_t parts = heads < MIN_PIECES ? (MIN_PIECES + heads - 1) / heads : 1;
  if (g->mask)
    return 1;
  return blocks < 1 ? 1 : (int32_t)(parts < blocks ? parts : blocks);
}

/* Lays the memory that threads share out from `base`, or measures it. */
static size_t layout_shared(gradient_call *call, const attn_team *team, void *base)
{
  const attn_gradient *g = call->g;
  const attn_params *p = g->p;
  const size_t rows = (size_t)p->batch * (size_t)p->heads;
  const size_t heads = (size_t)p->batch * (size_t)p->kv_heads;
  arena a = {.base = base};
  call->parts = call->single ? parts_of(g) : 1;
  const size_t parts = (size_t)call->parts;
  call->sums = arena_allocate(&a, parts * rows, sizeof *call->sums);
  call->key_scale = NULL;
  if (g->key_scale)
    call->key_scale = arena_allocate(&a, parts * heads * (size_t)p->n, sizeof(double));
  call->mask = g->mask ? arena_allocate(&a, mask_length(p), sizeof(double)) : NULL;
  call->cleared = (size_t)a.used;
  if (call->single) {
    call->key_sums =
        arena_allocate(&a, parts > 1 ? heads * parts * attn_gradient_sums_of_head(p) : 0, 4);
    call->own_output = arena_allocate(&a, rows * (size_t)p->m * (size_t)p->value_dim, 4);
    call->own_lse = arena_allocate(&a, rows * (size_t)p->m, 4);
    call->attend = arena_allocate(&a, attn_team_attend_bytes(team, p), 1);
  }
  return arena_bytes(&a);
}

size_t attn_gradient_shared_bytes_f32(const attn_gradient *g, const attn_team *team)
{
  gradient_call call = {.g = g, .single = 1};
  return layout_shared(&call, team, NULL);
}

size_t attn_gradient_shared_bytes_f64(const attn_gradient *g, const attn_team *team)
{
  gradient_call call = {.g = g};
  return layout_shared(&call, team, NULL);
}

size_t attn_gradient_scratch_bytes_f64(const attn_gradient *g)
{
  row_gradient r;
  return attn_row_gradient_place(&r, g->p, NULL);
}

size_t attn_gradient_scratch_bytes_f32(const attn_gradient *g)
{
  gradient_tiles t;
  const size_t own = attn_gradient_place_tiles(&t, g, NULL);
  const size_t forward = attn_scratch_bytes_f32(g->p);
  return own && forward > own ? forward : own;
}

double attn_gradient_size(const attn_gradient *g)
{
  const attn_params *p = g->p;
  return (double)p->batch * p->heads * p->m * p->n * (3.0 * p->dim + 2.0 * p->value_dim);
}

/* ---- Pieces */

/* All rows that add to the same numbers of a mask make one piece. */
static int32_t batch_pieces(const gradient_call *call)
{
  return call->mask && call->p->mask_size[0] == 1 ? 1 : call->p->batch;
}

static int32_t head_pieces(const gradient_call *call)
{
  return call->mask && call->p->mask_size[1] == 1 ? 1 : call->p->kv_heads;
}

/* The sums of keys that a part of a kv head adds to; NULL if they are not wanted. */
static double *key_scale_at(const gradient_call *call, int32_t b, int32_t kv_head, int32_t part)
{
  const attn_params *p = call->p;
  const size_t head = (size_t)b * (size_t)p->kv_heads + (size_t)kv_head;
  const size_t heads = (size_t)p->batch * (size_t)p->kv_heads;
  return call->key_scale ? call->key_scale + ((size_t)part * heads + head) * (size_t)p->n : NULL;
}

/* One part of a kv head, in floats. */
static void head_in_tiles(const gradient_call *call, int32_t b, int32_t kv_head, int32_t part,
                          void *scratch)
{
  const attn_params *p = call->p;
  gradient_tiles t = {.call = call, .b = b, .kv_head = kv_head, .in_double.row.p = p};
  attn_gradient_place_tiles(&t, call->g, scratch);
  t.sums = call->sums + (size_t)part * (size_t)p->batch * (size_t)p->heads;
  t.in_double.key_scale = key_scale_at(call, b, kv_head, part);
  t.in_double.mask = call->mask;
  if (call->parts > 1)
    attn_gradient_place_sums(&t, part);
  attn_gradient_kv_head(&t, part, call->parts);
  if (call->parts == 1)
    attn_gradient_write_keys(&t, 0, p->n, 1, 0);
}

static void head_in_double(const gradient_call *call, int32_t b, int32_t kv_head, void *scratch)
{
  row_gradient r = {.row.p = call->p};
  attn_row_gradient_place(&r, call->p, scratch);
  r.key_scale = key_scale_at(call, b, kv_head, 0);
  r.mask = call->mask;
  attn_gradient_kv_head_f64(&r, call, b, kv_head);
}

static void run_piece(void *task, int32_t index, void *scratch)
{
  const gradient_call *call = task;
  const attn_params *p = call->p;
  const int32_t batches = p->batch / batch_pieces(call);
  const int32_t heads = p->kv_heads / head_pieces(call);
  const int32_t part = index % call->parts;
  const int32_t unit = index / call->parts;
  const int32_t b = unit / head_pieces(call) * batches;
  const int32_t kv_head = unit % head_pieces(call) * heads;
  for (int32_t x = b; x < b + batches; x++)
    for (int32_t y = kv_head; y < kv_head + heads; y++)
      if (call->single)
        head_in_tiles(call, x, y, part, scratch);
      else
        head_in_double(call, x, y, scratch);
}

/* dk and dv of some keys of a kv head, from the sums of all parts. */
static void merge_piece(void *task, int32_t index, void *scratch)
{
  const gradient_call *call = task;
  const attn_params *p = call->p;
  const int32_t blocks = (p->n + KEYS - 1) / KEYS;
  const int32_t head = index / blocks;
  const int32_t from = index % blocks * KEYS;
  gradient_tiles t;
  attn_gradient_place_tiles(&t, call->g, NULL);
  (void)scratch;
  t.call = call;
  t.b = head / p->kv_heads;
  t.kv_head = head % p->kv_heads;
  attn_gradient_place_sums(&t, 0);
  attn_gradient_write_keys(&t, from, p->n - from < KEYS ? p->n : from + KEYS, call->parts,
                           attn_gradient_sums_of_head(p));
}

/* ---- The sums of all heads */

static void finish(const gradient_call *call)
{
  const attn_gradient *g = call->g;
  const attn_params *p = call->p;
  for (int32_t h = 0; h < p->heads; h++) {
    head_sums sum = {0, 0, 0};
    for (int32_t b = 0; b < p->batch * call->parts; b++) {
      const head_sums *x = &call->sums[(size_t)b * (size_t)p->heads + (size_t)h];
      sum = (head_sums){sum.scale + x->scale, sum.temperature + x->temperature, sum.sink + x->sink};
    }
    if (g->scale)
      g->scale[h] = sum.scale;
    if (g->temperature)
      g->temperature[h] = sum.temperature;
    if (g->sinks)
      put_number(call->single, g->sinks, (size_t)h, sum.sink);
  }
  for (int32_t j = 0; g->key_scale && j < p->n; j++) {
    double sum = 0;
    for (int32_t head = 0; head < p->batch * p->kv_heads * call->parts; head++)
      sum += call->key_scale[(size_t)head * (size_t)p->n + (size_t)j];
    put_number(call->single, g->key_scale, (size_t)j, sum);
  }
  for (size_t at = 0; g->mask && at < mask_length(p); at++)
    put_number(call->single, g->mask, at, call->mask[at]);
}

static void run(gradient_call *call, attn_team *team, void *shared)
{
  const attn_params *p = call->p;
  const double size = attn_gradient_size(call->g);
  call->query = strides_of(p, p->heads, p->m, p->dim);
  call->key = strides_of(p, p->kv_heads, p->n, p->dim);
  call->value = strides_of(p, p->kv_heads, p->n, p->value_dim);
  call->out = strides_of(p, p->heads, p->m, p->value_dim);
  __builtin_memset(shared, 0, call->cleared);
  attn_team_run(team, run_piece, call, batch_pieces(call) * head_pieces(call) * call->parts, size);
  if (call->parts > 1)
    attn_team_run(team, merge_piece, call, p->batch * p->kv_heads * ((p->n + KEYS - 1) / KEYS),
                  size);
  if (!attn_team_lost(team))
    finish(call);
}

/* Output and lse of the forward call. */
static int32_t run_forward(gradient_call *call, attn_team *team)
{
  attn_params p = *call->p;
  p.weights = p.scores = p.stats = p.segments = NULL;
  p.lse = call->own_lse;
  call->output = call->own_output;
  call->lse = call->own_lse;
  return attn_team_attend(team, &p, call->own_output, call->q, call->k, call->v, NULL,
                          call->attend);
}

int32_t attn_gradient_f32(const attn_gradient *g, attn_team *team, float *dq, float *dk, float *dv,
                          const float *q, const float *k, const float *v, const float *output,
                          const float *lse, const float *d_output, void *shared)
{
  gradient_call call = {.g = g,
                        .p = g->p,
                        .single = 1,
                        .dq = dq,
                        .dk = dk,
                        .dv = dv,
                        .q = q,
                        .k = k,
                        .v = v,
                        .d_out = d_output,
                        .output = output,
                        .lse = lse};
  layout_shared(&call, team, shared);
  if (!output || !lse) {
    int32_t status = run_forward(&call, team);
    if (status != ATTN_OK)
      return status;
  }
  run(&call, team, shared);
  return ATTN_OK;
}

int32_t attn_gradient_f64(const attn_gradient *g, attn_team *team, double *dq, double *dk,
                          double *dv, const double *q, const double *k, const double *v,
                          const double *d_output, void *shared)
{
  gradient_call call = {
      .g = g, .p = g->p, .dq = dq, .dk = dk, .dv = dv, .q = q, .k = k, .v = v, .d_out = d_output};
  layout_shared(&call, team, shared);
  run(&call, team, shared);
  return ATTN_OK;
}
