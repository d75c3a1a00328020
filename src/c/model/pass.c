#include "pass.h"
#include "base/arena.h"

static int32_t set_params(attn_params *params, const attn_decoder *d, int32_t t, int32_t position,
                          int32_t length)
{
  int32_t status = attn_init(params, 1, d->heads, d->kv_heads, t, length, d->head_dim, d->head_dim);
  if (status == ATTN_OK)
    status = attn_set_offset(params, position, NULL);
  attn_set_layout(params, 1);
  attn_set_causal(params, 1);
  attn_set_scale(params, d->scale);
  attn_set_softcap(params, d->softcap);
  if (status == ATTN_OK)
    status = attn_want_segments(params, NULL, d->edges, d->segment_count);
  return status;
}

/* Memory for the inputs of every product in a pass. */
static prepared_inputs allocate_inputs(arena *a, const attn_decoder *d, int32_t t, int32_t outputs)
{
  inputs_size size = {0};
  for (int32_t x = 0; x < d->layers; x++) {
    const decoder_layer *l = &d->layer[x];
    const attn_matrix *matrices[] = {l->q, l->k, l->v, l->o, l->gate, l->up, l->down};
    for (size_t y = 0; y < sizeof matrices / sizeof *matrices; y++)
      attn_inputs_reserve(&size, matrices[y], t);
  }
  if (outputs > 0)
    attn_inputs_reserve(&size, d->output, outputs);
  return attn_inputs_allocate(a, &size);
}

/* Attention needs this much, whether all tokens of the last layer attend or only its outputs. */
static size_t attend_bytes(const attn_team *team, const attn_params *params, int32_t t,
                           int32_t outputs)
{
  attn_params last = *params;
  last.m = t - pass_first_output(t, outputs);
  size_t all = attn_team_attend_bytes(team, params);
  size_t some = last.m > 0 ? attn_team_attend_bytes(team, &last) : 0;
  return all > some ? all : some;
}

/* Points p to its arrays, which lie behind it; with memory NULL it is only measured. */
static arena lay_out(void *memory, attn_pass *p, const attn_decoder *d, const attn_team *team,
                     const attn_params *params, int32_t t, int32_t outputs)
{
  const uint64_t n = (uint64_t)t;
  const uint64_t f = sizeof(float);
  const uint64_t dim = (uint64_t)d->dim;
  const uint64_t hidden = (uint64_t)d->hidden;
  const uint64_t size = (uint64_t)d->heads * (uint64_t)d->head_dim;
  const uint64_t kv_size = (uint64_t)d->kv_heads * (uint64_t)d->head_dim;
  arena a = {.base = memory};
  arena_allocate(&a, 1, sizeof *p);
  p->tokens = arena_allocate(&a, n, sizeof *p->tokens);
  p->last_row = arena_allocate(&a, n, sizeof *p->last_row);
  p->request = arena_allocate(&a, (uint64_t)d->layers, sizeof *p->request);
  p->x = arena_allocate(&a, n * dim, f);
  p->h = arena_allocate(&a, n * dim, f);
  p->y = arena_allocate(&a, n * dim, f);
  p->q = arena_allocate(&a, n * size, f);
  p->a = arena_allocate(&a, n * size, f);
  p->k = arena_allocate(&a, n * kv_size, f);
  p->v = arena_allocate(&a, n * kv_size, f);
  p->gate = arena_allocate(&a, n * hidden, f);
  p->up = arena_allocate(&a, n * hidden, f);
  p->logits = arena_allocate(&a, (uint64_t)outputs * (uint64_t)d->vocab, f);
  p->inputs = allocate_inputs(&a, d, t, outputs);
  p->lse = arena_allocate(&a, n * (uint64_t)d->heads, f);
  p->first_key = arena_allocate(&a, 2 * kv_size, f);
  p->attend = arena_allocate(&a, attend_bytes(team, params, t, outputs), 1);
  return a;
}

size_t attn_pass_bytes(const attn_decoder *d, const attn_team *team, int32_t t, int32_t outputs)
{
  attn_params params;
  int32_t length;
  if (t < 1 || t > 1 << 20 || outputs < 0 || outputs > t ||
      attn_decoder_ready(d, d->layers - 1, 0, &length) ||
      set_params(&params, d, t, length, length + t))
    return 0;
  attn_pass p;
  arena a = lay_out(NULL, &p, d, team, &params, t, outputs);
  return arena_bytes(&a);
}

size_t attn_pass_scratch_bytes(const attn_decoder *d, int32_t t)
{
  attn_params params;
  int32_t length;
  if (t < 1 || attn_decoder_ready(d, d->layers - 1, 0, &length) ||
      set_params(&params, d, t, length, length + t))
    return 0;
  return attn_scratch_bytes_f32(&params);
}

/* The product with the output matrix is cut into parts that are no larger than a layer. */
static int32_t output_parts(const attn_decoder *d, int32_t t, int32_t outputs)
{
  const double layer = 2.0 * (d->heads + d->kv_heads) * d->head_dim + 3.0 * d->hidden;
  const double parts = (double)outputs * d->vocab / (layer * t);
  return outputs > 0 ? 1 + (int32_t)parts : 0;
}

static void begin(attn_pass *p, const attn_decoder *d, const attn_team *team,
                  const attn_params *params, int32_t t, int32_t outputs)
{
  *p = (attn_pass){.d = d,
                   .t = t,
                   .outputs = outputs,
                   .end = d->layers,
                   .given = -1,
                   .parts = output_parts(d, t, outputs),
                   .params = *params};
  lay_out(p, p, d, team, params, t, outputs);
  for (int32_t l = 0; l < d->layers; l++)
    p->request[l] = (layer_request){0};
  for (int32_t i = 0; i < t; i++)
    p->last_row[i] = i == t - 1 ? 0 : -1;
}

int32_t attn_pass_begin(attn_pass *p, const attn_decoder *d, const attn_team *team,
                        const int32_t *tokens, int32_t t, int32_t outputs)
{
  attn_params params;
  int32_t length;
  int32_t status = attn_decoder_ready(d, 0, t, &length);
  if (t < 1 || outputs < 0 || outputs > t)
    return ATTN_E_RANGE;
  if (status != ATTN_OK)
    return status;
  for (int32_t i = 0; i < t; i++)
    if (tokens[i] < 0 || tokens[i] >= d->vocab)
      return ATTN_E_RANGE;
  status = set_params(&params, d, t, length, length + t);
  if (status != ATTN_OK)
    return status;
  begin(p, d, team, &params, t, outputs);
  p->position = length;
  p->length = length + t;
  for (int32_t i = 0; i < t; i++)
    p->tokens[i] = tokens[i];
  return ATTN_OK;
}

int32_t attn_pass_begin_again(attn_pass *p, const attn_decoder *d, const attn_team *team,
                              int32_t token, int32_t position, int32_t layer)
{
  attn_params params;
  int32_t length;
  int32_t status = attn_decoder_ready(d, 0, 0, &length);
  if (status == ATTN_OK && (token < 0 || token >= d->vocab || position < 0 || position >= length ||
                            layer < 0 || layer > d->layers))
    status = ATTN_E_RANGE;
  if (status == ATTN_OK)
    status = set_params(&params, d, 1, position, length);
  if (status != ATTN_OK)
    return status;
  const int to_the_end = layer == d->layers;
  begin(p, d, team, &params, 1, to_the_end);
  p->position = position;
  p->length = length;
  p->end = to_the_end ? layer : layer + 1;
  p->again = 1;
  p->tokens[0] = token;
  return ATTN_OK;
}

int32_t attn_pass_begin_at(attn_pass *p, const attn_decoder *d, const attn_team *team,
                           const float *x, int32_t t, int32_t outputs, int32_t layer)
{
  attn_params params;
  int32_t length;
  if (t < 1 || outputs < 0 || outputs > t || layer < 0 || layer > d->layers)
    return ATTN_E_RANGE;
  int32_t status = attn_decoder_ready(d, layer, t, &length);
  if (status == ATTN_OK)
    status = set_params(&params, d, t, length, length + t);
  if (status != ATTN_OK)
    return status;
  begin(p, d, team, &params, t, outputs);
  p->position = length;
  p->length = length + t;
  p->next = layer;
  p->given = layer;
  __builtin_memcpy(p->x, x, (size_t)t * (size_t)d->dim * sizeof *x);
  return ATTN_OK;
}

void attn_pass_want_stats(attn_pass *p, void *stats) { p->stats = stats; }

void attn_pass_want_segments(attn_pass *p, float *sums) { p->segments = sums; }

int32_t attn_pass_want_weights(attn_pass *p, int32_t layer, float *weights,
                               const int32_t *head_slot, int32_t chosen, int32_t all_tokens)
{
  if (layer < 0 || layer >= p->d->layers)
    return ATTN_E_RANGE;
  layer_request *request = &p->request[layer];
  request->weights = weights;
  request->head_slot = head_slot;
  request->chosen = chosen;
  request->all_tokens = all_tokens;
  return ATTN_OK;
}

int32_t attn_pass_set_mask(attn_pass *p, int32_t layer, const float *mask, int32_t mask_heads)
{
  if (layer < 0 || layer >= p->d->layers || (mask_heads != 1 && mask_heads != p->d->heads))
    return ATTN_E_RANGE;
  p->request[layer].mask = mask;
  p->request[layer].mask_heads = mask_heads;
  return ATTN_OK;
}

void attn_pass_want_all_tokens(attn_pass *p) { p->all_tokens = 1; }
