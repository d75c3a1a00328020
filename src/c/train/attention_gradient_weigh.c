/* From scores and dP to weights and to factors, a row of a tile at a time. */
#include "attention_gradient_head.h"

/* The numbers of a row that its keys share. */
typedef struct {
  float scale;
  float inverse_t;
  float minus_lse;
  float mean;
} row_numbers;

static void clear(float *x, int32_t from, int32_t to)
{
  for (int32_t j = from; j < to; j++)
    x[j] = 0;
}

/* Keys that need nothing but the scale, whole vectors from `from` to `to`. */
KERNEL void weigh_plain(float *weights, float *factors, int32_t from, int32_t to, row_numbers n)
{
  const f32x4 scale = v_keep_float(n.scale * n.inverse_t);
  const f32x4 minus_lse = v_keep_float(n.minus_lse);
  const f32x4 mean = v_keep_float(n.mean);
  for (int32_t j = from; j < to; j += 4) {
    f32x4 p = v_exp(v_madd(v_load(weights + j), scale, minus_lse));
    v_store(weights + j, p);
    v_store(factors + j, p * (v_load(factors + j) - mean) * scale);
  }
}

/* The sums over all keys that are wanted: dz, dr, z and the dot products of four keys from j on. */
static void add_wanted(gradient_tiles *t, const row_view *view, int32_t j, i32x4 seen, f32x4 dz,
                       f32x4 dr, f32x4 z, f32x4 dot)
{
  const attn_params *p = t->p;
  row_gradient *r = &t->in_double;
  for (int32_t l = 0; l < 4; l++) {
    if (!seen[l])
      continue;
    const double key_scale = p->key_scale ? ((const float *)p->key_scale)[j + l] : 1;
    const double product = (double)dr[l] * dot[l];
    r->sums->scale += key_scale * product;
    if (dz[l] != 0) /* 0·∞ where a bias has left the floats */
      r->sums->temperature -= (double)dz[l] * z[l] / temperature_of(p, t->h);
    if (r->key_scale)
      r->key_scale[j + l] += p->scale * product;
    if (r->mask)
      r->mask[view->mask_at + (size_t)(view->mask_step * (j + l))] += dz[l];
  }
}

/* Keys with any options, from key `start + from` on. */
KERNEL void weigh_any(gradient_tiles *t, const row_view *view, float *weights, float *factors,
                      int32_t start, key_range range, row_numbers n)
{
  const attn_params *p = t->p;
  const attn_gradient *g = t->call->g;
  const int wants = g->key_scale || g->mask || g->scale || g->temperature;
  const f32x4 one = v_splat(1);
  const f32x4 softcap = v_splat((float)p->softcap);
  const f32x4 none = v_splat(0);
  const row_biases biases = row_biases_of(p, t->h, view);
  for (int32_t at = range.from; at < range.to; at += 4) {
    const int32_t j = start + at;
    const i32x4 places = v_positions(j);
    i32x4 seen = (places >= v_splat_i(view->lo)) & (places < v_splat_i(view->hi));
    const f32x4 dot = v_load(weights + at);
    f32x4 key_scale = v_splat(n.scale);
    f32x4 slope = one;
    if (p->key_scale)
      key_scale *= load_at(p->key_scale, j, p->n);
    f32x4 z = dot * key_scale;
    if (p->softcap > 0) {
      const f32x4 share = v_tanh(z / softcap);
      z = softcap * share;
      slope = (one - share) * (one + share);
    }
    z += add_biases(&biases, view, j, none, &seen);
    const f32x4 logit = v_madd(z, v_splat(n.inverse_t), v_splat(n.minus_lse));
    const f32x4 p_j = v_select(seen, v_exp(logit), none);
    const f32x4 ds = p_j * (v_load(factors + at) - v_splat(n.mean));
    v_store(weights + at, p_j);
    /* the small numbers of a large T or scale would lose bits on their own */
    v_store(factors + at, v_select(seen, ds * slope * (key_scale * v_splat(n.inverse_t)), none));
    if (wants) {
      const f32x4 dz = ds * v_splat(n.inverse_t);
      add_wanted(t, view, j, seen, dz, dz * slope, z, dot);
    }
  }
}

void attn_gradient_weigh(gradient_tiles *t, int32_t x, int32_t start, key_range range)
{
  const attn_params *p = t->p;
  const attn_gradient *g = t->call->g;
  float *weights = t->weights + x * LINE;
  float *factors = t->factors + x * LINE;
  const row_view *view = &t->rows[x].view;
  int32_t lo = 0;
  int32_t hi = 0;
  if (x < t->count) {
    lo = view->lo - start > range.from ? view->lo - start : range.from;
    hi = view->hi - start < range.to ? view->hi - start : range.to;
  }
  if (lo < hi) {
    const row_numbers n = {(float)p->scale, (float)(1 / temperature_of(p, t->h)),
                           t->rows[x].minus_lse, t->rows[x].mean};
    if (plain_scores(p) && !g->scale && !g->temperature)
      weigh_plain(weights, factors, range.from, range.to, n);
    else
      weigh_any(t, view, weights, factors, start, range, n);
  } else {
    lo = hi = 0;
  }
  clear(weights, 0, lo);
  clear(weights, hi, KEYS);
  clear(factors, 0, lo);
  clear(factors, hi, KEYS);
}
