/* The attention of a layer in a pass: its temperatures, its statistics, its weights. */
#include "pass.h"
#include "vmath.h"

/* Where one layer's attention leaves what; results each (heads, t), of four bytes, or NULL. */
typedef struct {
  float *out; /* (t, heads, head_dim) */
  void *result[RESULTS];
  const int32_t *head_slot; /* which heads' weights are written */
} places;

static void *at_layer(const attn_pass *p, void *all, int32_t layer)
{
  return all ? (float *)all + (size_t)layer * (size_t)p->d->heads * (size_t)p->t : NULL;
}

/* The layer's attention with one temperature for all heads. */
static void attend_as(attn_pass *p, attn_team *team, int32_t layer, double temperature, const places *to)
{
  attn_params *params = &p->params;
  const weights_wish *wish = &p->wish[layer];
  void *const *r = to->result;
  attn_set_temperature(params, temperature);
  attn_set_window(params, p->d->layer[layer].left, -1);
  attn_want_weights(params, wish->weights, to->head_slot, wish->chosen, p->last_row, 1);
  attn_want_stats(params, r[ATTENDED], r[ENTROPY], r[KL], r[EXPECTED_SCORE], r[MAX_WEIGHT], r[ARGMAX]);
  attn_want_lse(params, r[LSE]);
  attn_team_attend(team, params, to->out, p->q, NULL, NULL, p->d->layer[layer].cache, p->room);
}

/* Takes head h from one place to another. */
static void take_head(const attn_pass *p, const places *to, const places *from, int32_t h)
{
  size_t t = (size_t)p->t, size = (size_t)p->d->head_dim, heads = (size_t)p->d->heads;
  for (size_t i = 0; i < t; i++) {
    size_t at = (i * heads + (size_t)h) * size;
    __builtin_memcpy(to->out + at, from->out + at, size * sizeof(float));
  }
  for (int x = 0; x < RESULTS; x++)
    if (to->result[x])
      __builtin_memcpy((float *)to->result[x] + (size_t)h * t, (float *)from->result[x] + (size_t)h * t,
                       t * sizeof(float));
}

/*
 * Heads with temperatures of their own: all heads are computed with each temperature there is, and each keeps what its own
 * gave. So no other head changes by a bit.
 */
static void attend_mixed(attn_pass *p, attn_team *team, int32_t layer, const double *temperature, const places *to)
{
  int32_t heads = p->d->heads;
  const int32_t *chosen = p->wish[layer].head_slot;
  places spare = {.out = p->spare, .head_slot = p->slots};
  for (int x = 0; x < RESULTS; x++)
    spare.result[x] = to->result[x] ? p->spare + (size_t)p->t * (size_t)heads * (size_t)(p->d->head_dim + x) : NULL;
  for (int32_t h = 0; h < heads; h++) {
    int32_t first = 0;
    while (temperature[first] != temperature[h])
      first++;
    if (first < h)
      continue;
    for (int32_t g = 0; g < heads; g++)
      p->slots[g] = temperature[g] != temperature[h] ? -1 : chosen ? chosen[g] : g;
    attend_as(p, team, layer, temperature[h], &spare);
    for (int32_t g = h; g < heads; g++)
      if (temperature[g] == temperature[h])
        take_head(p, to, &spare, g);
  }
}

/* exp(z_0/T − lse), or what follows from the other statistics; see attn_pass_want_stats. */
static void weigh_first(attn_pass *p, int32_t layer, const float *lse)
{
  const attn_decoder *d = p->d;
  const decoder_layer *l = &d->layer[layer];
  size_t all = (size_t)layer * (size_t)d->heads * (size_t)p->t, size = (size_t)d->head_dim;
  float *key = p->first_key;
  attn_cache_read(l->cache, key, key + (size_t)d->kv_heads * size, 0, 1);
  for (int32_t h = 0; h < d->heads; h++)
    for (int32_t i = 0; i < p->t; i++) {
      size_t at = (size_t)h * (size_t)p->t + (size_t)i, statistic = all + at;
      const float *q = p->q + ((size_t)i * (size_t)d->heads + (size_t)h) * size;
      const float *k = key + (size_t)(h / (d->heads / d->kv_heads)) * size;
      double z = 0, temperature = d->temperature[layer * d->heads + h], weight = 0;
      for (size_t c = 0; c < size; c++)
        z += (double)q[c] * (double)k[c];
      z *= d->scale;
      if (d->softcap > 0)
        z = d->softcap * f64_tanh(z / d->softcap);
      if (l->left >= 0 && p->position + i > l->left)
        weight = 0;
      else if (p->argmax[statistic] == 0)
        weight = p->max_weight[statistic];
      else if (temperature > 0)
        weight = f64_exp(z / temperature - (double)lse[at]);
      p->first_weight[statistic] = (float)weight;
    }
}

void attn_pass_attend(attn_pass *p, attn_team *team, int32_t layer)
{
  const double *temperature = p->d->temperature + (size_t)layer * (size_t)p->d->heads;
  void *stats[RESULTS] = {p->attended, p->entropy, p->kl, p->expected_score, p->max_weight, p->argmax};
  places to = {.out = p->a, .head_slot = p->wish[layer].head_slot};
  for (int x = 0; x < LSE; x++)
    to.result[x] = at_layer(p, stats[x], layer);
  to.result[LSE] = p->attended ? p->lse : NULL;
  int32_t same = 1;
  for (int32_t h = 1; h < p->d->heads; h++)
    same &= temperature[h] == temperature[0];
  if (same)
    attend_as(p, team, layer, temperature[0], &to);
  else
    attend_mixed(p, team, layer, temperature, &to);
  if (p->attended)
    weigh_first(p, layer, p->lse);
}
