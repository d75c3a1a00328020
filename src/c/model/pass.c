/* Laying a pass out in memory, and beginning it. */
#include "pass.h"

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
  return status;
}

/* Of the forms that quantised weights want inputs in, whichever weights they are. */
static int kind_is_used(int32_t kind)
{
  return attn_multiply_kind(ATTN_Q8_0) == kind || attn_multiply_kind(ATTN_Q4_0) == kind;
}

/* Bytes in all, or 0; with a pass, points it to its parts. */
static size_t layout(const attn_decoder *d, const attn_team *team, const attn_params *params,
                     int32_t t, int32_t outputs, attn_pass *p)
{
  attn_pass none;
  char *base = (char *)p;
  if (!p)
    p = &none;
  size_t n = (size_t)t, f = sizeof(float), dim = (size_t)d->dim, hidden = (size_t)d->hidden;
  size_t size = (size_t)d->heads * (size_t)d->head_dim,
         kv_size = (size_t)d->kv_heads * (size_t)d->head_dim;
  int32_t columns = d->dim > d->hidden ? d->dim : d->hidden;
  columns = (size_t)columns > size ? columns : (int32_t)size;
  /* room for whole blocks of the widest type; matrices of narrower columns need less */
  int32_t whole = (columns + 255) / 256 * 256;
  size_t quantised = attn_multiply_scratch_bytes(ATTN_Q8_0, t, whole);
  /*
   * few tokens that go on in the last layer are shared out by spans of keys, for which there must
   * be room
   */
  attn_params few = *params;
  few.m = t - pass_first_output(t, outputs);
  size_t room = attn_team_attend_bytes(team, params),
         room_few = few.m > 0 ? attn_team_attend_bytes(team, &few) : 0;
  struct {
    void *at; /* of a pointer */
    size_t count, bytes;
  } parts[] = {{&p->tokens, n, sizeof(int32_t)},
               {&p->last_row, n, sizeof(int32_t)},
               {&p->request, (size_t)d->layers, sizeof(weights_request)},
               {&p->x, n * dim, f},
               {&p->h, n * dim, f},
               {&p->y, n * dim, f},
               {&p->q, n * size, f},
               {&p->a, n * size, f},
               {&p->k, n * kv_size, f},
               {&p->v, n * kv_size, f},
               {&p->gate, n * hidden, f},
               {&p->up, n * hidden, f},
               {&p->logits, (size_t)outputs * (size_t)d->vocab, f},
               {&p->inputs.kind[0], attn_multiply_scratch_bytes(ATTN_F32, t, columns), 1},
               {&p->inputs.kind[1], kind_is_used(1) ? quantised : 0, 1},
               {&p->inputs.kind[2], kind_is_used(2) ? quantised : 0, 1},
               {&p->lse, n * (size_t)d->heads, f},
               {&p->first_key, 2 * kv_size, f},
               {&p->attend, room > room_few ? room : room_few, 1}};
  uint64_t used = (sizeof(attn_pass) + 15) & ~(size_t)15;
  for (size_t x = 0; x < sizeof parts / sizeof *parts; x++) {
    *(char **)parts[x].at = base ? base + used : NULL;
    used += ((uint64_t)parts[x].count * parts[x].bytes + 15) & ~(uint64_t)15;
  }
  return used < 0xFFFF0000 ? (size_t)used : 0;
}

size_t attn_pass_bytes(const attn_decoder *d, const attn_team *team, int32_t t, int32_t outputs)
{
  attn_params params;
  int32_t length;
  if (t < 1 || t > 1 << 20 || outputs < 0 || outputs > t || attn_decoder_ready(d, 0, &length) ||
      set_params(&params, d, t, length, length + t))
    return 0;
  return layout(d, team, &params, t, outputs, NULL);
}

size_t attn_pass_scratch_bytes(const attn_decoder *d, int32_t t)
{
  attn_params params;
  int32_t length;
  if (t < 1 || attn_decoder_ready(d, 0, &length) || set_params(&params, d, t, length, length + t))
    return 0;
  return attn_scratch_bytes_f32(&params);
}

static void begin(attn_pass *p, const attn_decoder *d, const attn_team *team,
                  const attn_params *params, int32_t t, int32_t outputs)
{
  *p = (attn_pass){.d = d, .t = t, .outputs = outputs, .end = d->layers, .params = *params};
  layout(d, team, params, t, outputs, p);
  for (int32_t l = 0; l < d->layers; l++)
    p->request[l] = (weights_request){0};
  for (int32_t i = 0; i < t; i++)
    p->last_row[i] = i == t - 1 ? 0 : -1;
}

int32_t attn_pass_begin(attn_pass *p, const attn_decoder *d, const attn_team *team,
                        const int32_t *tokens, int32_t t, int32_t outputs)
{
  attn_params params;
  int32_t length, status = attn_decoder_ready(d, t, &length);
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
  int32_t length, status = attn_decoder_ready(d, 0, &length);
  if (status == ATTN_OK && (token < 0 || token >= d->vocab || position < 0 || position >= length ||
                            layer < 0 || layer >= d->layers))
    status = ATTN_E_RANGE;
  if (status == ATTN_OK)
    status = set_params(&params, d, 1, position, length);
  if (status != ATTN_OK)
    return status;
  begin(p, d, team, &params, 1, 0);
  p->position = position;
  p->length = length;
  p->end = layer + 1;
  p->again = 1;
  p->tokens[0] = token;
  return ATTN_OK;
}

void attn_pass_want_stats(attn_pass *p, int32_t *attended, float *entropy, float *kl,
                          float *expected_score, float *max_weight, int32_t *argmax,
                          float *first_weight)
{
  p->attended = attended;
  p->entropy = entropy;
  p->kl = kl;
  p->expected_score = expected_score;
  p->max_weight = max_weight;
  p->argmax = argmax;
  p->first_weight = first_weight;
}

int32_t attn_pass_want_weights(attn_pass *p, int32_t layer, float *weights,
                               const int32_t *head_slot, int32_t chosen)
{
  if (layer < 0 || layer >= p->d->layers)
    return ATTN_E_RANGE;
  p->request[layer] = (weights_request){weights, head_slot, chosen};
  return ATTN_OK;
}
