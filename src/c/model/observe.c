/* The attention of a layer in a pass: its temperatures, its statistics, its weights. */
#include "pass.h"
#include "base/math.h"

/* Of results, each (layers, heads, t) of four bytes, those of one layer. */
static void *at_layer(const attn_pass *p, void *all, int32_t layer)
{
  return all ? (float *)all + (size_t)layer * (size_t)p->d->heads * (size_t)p->t : NULL;
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
  attn_params *params = &p->params;
  const decoder_layer *l = &p->d->layer[layer];
  const weights_wish *wish = &p->wish[layer];
  const size_t first = (size_t)p->from * (size_t)p->d->heads * (size_t)p->d->head_dim;
  params->m = p->t - p->from;
  params->offset = p->position + p->from;
  attn_set_temperatures(params, p->d->temperature + (size_t)layer * (size_t)p->d->heads);
  attn_set_window(params, l->left, -1);
  attn_want_weights(params, wish->weights, wish->head_slot, wish->chosen, p->last_row + p->from, 1);
  attn_want_stats(params, at_layer(p, p->attended, layer), at_layer(p, p->entropy, layer),
                  at_layer(p, p->kl, layer), at_layer(p, p->expected_score, layer),
                  at_layer(p, p->max_weight, layer), at_layer(p, p->argmax, layer));
  attn_want_lse(params, p->attended ? p->lse : NULL);
  attn_team_attend(team, params, p->a + first, p->q + first, NULL, NULL, l->cache, p->room);
  if (p->attended)
    weigh_first(p, layer, p->lse);
}
