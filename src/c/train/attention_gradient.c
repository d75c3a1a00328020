/*
 * The gradient of attention in pieces, which a team of threads shares. A piece has all rows of some
 * kv heads, so it alone writes their dk and dv. The numbers that all heads share are added up at
 * the end, head after head.
 */
#include "attention_gradient_row.h"
#include "base/arena.h"

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

/* Lays the shared memory out from `base`, or measures it. */
static size_t layout_shared(gradient_call *call, const attn_gradient *g, void *base)
{
  const attn_params *p = g->p;
  arena a = {.base = base};
  call->sums = arena_allocate(&a, (size_t)p->batch * (size_t)p->heads, sizeof *call->sums);
  call->key_scale = NULL;
  if (g->key_scale)
    call->key_scale =
        arena_allocate(&a, (size_t)p->batch * (size_t)p->kv_heads * (size_t)p->n, sizeof(double));
  call->mask = g->mask ? arena_allocate(&a, mask_length(p), sizeof(double)) : NULL;
  return arena_bytes(&a);
}

size_t attn_gradient_shared_bytes_f32(const attn_gradient *g, const attn_team *team)
{
  gradient_call call;
  (void)team;
  return layout_shared(&call, g, NULL);
}

size_t attn_gradient_shared_bytes_f64(const attn_gradient *g, const attn_team *team)
{
  return attn_gradient_shared_bytes_f32(g, team);
}

size_t attn_gradient_scratch_bytes_f64(const attn_gradient *g)
{
  row_gradient r;
  return attn_row_gradient_place(&r, g->p, NULL);
}

size_t attn_gradient_scratch_bytes_f32(const attn_gradient *g)
{
  return attn_gradient_scratch_bytes_f64(g);
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

static void add_to(int single, void *to, size_t at, double factor, const double *x, int32_t size)
{
  for (int32_t c = 0; c < size; c++)
    put_number(single, to, at + (size_t)c, number_at(single, to, at + (size_t)c) + factor * x[c]);
}

static void clear(const gradient_call *call, void *x, size_t at, size_t stride, int32_t size)
{
  for (int32_t j = 0; j < call->p->n; j++)
    for (int32_t c = 0; c < size; c++)
      put_number(call->single, x, at + (size_t)j * stride + (size_t)c, 0);
}

static void row_of_head(const gradient_call *call, row_gradient *r, int32_t b, int32_t h, int32_t i)
{
  const attn_params *p = call->p;
  const int32_t kv_head = h / (p->heads / p->kv_heads);
  const size_t query = (size_t)b * call->query.batch + (size_t)h * call->query.head +
                       (size_t)i * call->query.position;
  const size_t key = (size_t)b * call->key.batch + (size_t)kv_head * call->key.head;
  const size_t value = (size_t)b * call->value.batch + (size_t)kv_head * call->value.head;
  attn_row_gradient(r, call, b, h, i);
  for (int32_t c = 0; c < p->dim; c++)
    put_number(call->single, call->dq, query + (size_t)c, sum_of(r->dq[c]));
  for (int32_t j = r->row.view.lo; j < r->row.view.hi; j++) {
    if (!row64_attends(&r->row, j))
      continue;
    add_to(call->single, call->dk, key + (size_t)j * call->key.position, r->factors[j], r->query,
           p->dim);
    add_to(call->single, call->dv, value + (size_t)j * call->value.position, r->weights[j],
           r->d_out, p->value_dim);
  }
}

static void kv_head_in_double(const gradient_call *call, row_gradient *r, int32_t b,
                              int32_t kv_head)
{
  const attn_params *p = call->p;
  const int32_t group = p->heads / p->kv_heads;
  clear(call, call->dk, (size_t)b * call->key.batch + (size_t)kv_head * call->key.head,
        call->key.position, p->dim);
  clear(call, call->dv, (size_t)b * call->value.batch + (size_t)kv_head * call->value.head,
        call->value.position, p->value_dim);
  r->mask = call->mask;
  r->key_scale = call->key_scale;
  if (r->key_scale)
    r->key_scale += ((size_t)b * (size_t)p->kv_heads + (size_t)kv_head) * (size_t)p->n;
  for (int32_t h = kv_head * group; h < (kv_head + 1) * group; h++) {
    r->sums = &call->sums[(size_t)b * (size_t)p->heads + (size_t)h];
    for (int32_t i = 0; i < p->m; i++)
      row_of_head(call, r, b, h, i);
  }
}

static void run_piece(void *task, int32_t index, void *scratch)
{
  const gradient_call *call = task;
  const attn_params *p = call->p;
  const int32_t batches = p->batch / batch_pieces(call), heads = p->kv_heads / head_pieces(call);
  const int32_t b = index / head_pieces(call) * batches,
                kv_head = index % head_pieces(call) * heads;
  row_gradient r = {.row.p = p};
  attn_row_gradient_place(&r, p, scratch);
  for (int32_t x = 0; x < batches; x++)
    for (int32_t y = 0; y < heads; y++)
      kv_head_in_double(call, &r, b + x, kv_head + y);
}

/* ---- The sums of all heads */

static void finish(const gradient_call *call)
{
  const attn_gradient *g = call->g;
  const attn_params *p = call->p;
  for (int32_t h = 0; h < p->heads; h++) {
    head_sums sum = {0, 0, 0};
    for (int32_t b = 0; b < p->batch; b++) {
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
    for (int32_t head = 0; head < p->batch * p->kv_heads; head++)
      sum += call->key_scale[(size_t)head * (size_t)p->n + (size_t)j];
    put_number(call->single, g->key_scale, (size_t)j, sum);
  }
  for (size_t at = 0; g->mask && at < mask_length(p); at++)
    put_number(call->single, g->mask, at, call->mask[at]);
}

static void run(gradient_call *call, attn_team *team, void *shared)
{
  const attn_params *p = call->p;
  const size_t bytes = layout_shared(call, call->g, shared);
  call->query = strides_of(p, p->heads, p->m, p->dim);
  call->key = strides_of(p, p->kv_heads, p->n, p->dim);
  call->value = strides_of(p, p->kv_heads, p->n, p->value_dim);
  call->out = strides_of(p, p->heads, p->m, p->value_dim);
  __builtin_memset(shared, 0, bytes);
  attn_team_run(team, run_piece, call, batch_pieces(call) * head_pieces(call),
                attn_gradient_size(call->g));
  if (!attn_team_lost(team))
    finish(call);
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
                        .d_out = d_output};
  (void)output;
  (void)lse;
  run(&call, team, shared);
  return ATTN_OK;
}

int32_t attn_gradient_f64(const attn_gradient *g, attn_team *team, double *dq, double *dk,
                          double *dv, const double *q, const double *k, const double *v,
                          const double *d_output, void *shared)
{
  gradient_call call = {
      .g = g, .p = g->p, .dq = dq, .dk = dk, .dv = dv, .q = q, .k = k, .v = v, .d_out = d_output};
  run(&call, team, shared);
  return ATTN_OK;
}
