/* Numbers as the tile loops read them, and gradients back from there. */
#include "attention_gradient_head.h"
#include "base/sums.h"

/* ---- Numbers that tiles can take */

/* lse beyond it has too few bits left behind the point: tuning.md#gradient-lse */
#define MAX_LSE 0x1p14f
/* Products and sums of them stay far below the largest float. */
#define MAX_NUMBER 0x1p100

/* The largest |x| of an array; infinite or NaN if some number is. */
static float largest_size(const float *x, int32_t size)
{
  const i32x4 bits = v_splat_i(INT32_MAX);
  i32x4 max = {0, 0, 0, 0};
  int32_t c = 0;
  for (; c + 4 <= size; c += 4)
    max = v_max_i(max, (i32x4)v_load(x + c) & bits);
  max = v_max_i(max, (i32x4)v_load_tail(x + c, (size_t)(size - c)) & bits);
  int32_t all = max[0];
  for (int l = 1; l < 4; l++)
    all = max[l] > all ? max[l] : all;
  float result;
  __builtin_memcpy(&result, &all, sizeof result);
  return result;
}

INLINE int finite(float x) { return x - x == 0; }

INLINE double size_of(double x) { return x < 0 ? -x : x; }

/* ⟨do, o⟩, in double. */
static double mean_of(const float *d_out, const float *out, int32_t size)
{
  f64x2 sum = {0, 0};
  int32_t c = 0;
  for (; c + 4 <= size; c += 4) {
    const f32x4 x = v_load(d_out + c), y = v_load(out + c);
    sum += v_low_double(x) * v_low_double(y);
    sum += v_high_double(x) * v_high_double(y);
  }
  double total = sum[0] + sum[1];
  for (; c < size; c++)
    total += (double)d_out[c] * out[c];
  return total;
}

/* log Σ exp of the keys and the sink; the row's part in a head's sums if it has a sink. */
static double lse_of(gradient_tiles *t, double lse, double mean)
{
  const attn_params *p = t->p;
  if (!p->sinks)
    return lse;
  const double T = temperature_of(p, t->h), logit = ((const float *)p->sinks)[t->h] / T;
  const double max = lse > logit ? lse : logit, min = lse > logit ? logit : lse;
  const double all = max + f64_log1p(f64_exp(min - max));
  const double weight = f64_exp(logit - all), d_sink = -weight * mean / T;
  if (finite((float)all) && size_of(all) <= MAX_LSE && weight > 0) {
    t->in_double.sums->sink += d_sink;
    t->in_double.sums->temperature -= d_sink * logit;
  }
  return all;
}

/* Whether numbers of these sizes keep all products and sums of a row within the floats. */
static int fits(const gradient_tiles *t, double query, double d_out)
{
  const attn_params *p = t->p;
  const double T = temperature_of(p, t->h), factor = t->max_factor / T;
  const double score = query * t->max_key * p->dim;
  const double slope = 2 * d_out * t->max_value * p->value_dim;
  const double both = query > t->max_key ? query : t->max_key;
  if (!(T > 1 / MAX_NUMBER && T < MAX_NUMBER))
    return 0;
  if (p->softcap > 0 && !(p->softcap > 0x1p-60 && p->softcap < 0x1p60))
    return 0;
  return score < MAX_NUMBER && score * factor < MAX_NUMBER && slope < MAX_NUMBER &&
         slope / T < MAX_NUMBER && (factor == 0 || (factor > 0x1p-60 && factor < 0x1p60)) &&
         slope * factor * (1 + both) * ((double)p->m + p->n) < MAX_NUMBER;
}

static int sees_not_finite(const gradient_tiles *t, const row_view *view)
{
  for (int32_t x = 0; x < t->not_finite_count; x++)
    if (attn_key_attended(t->p, view, t->not_finite[x]))
      return 1;
  return 0;
}

/* ---- Keys */

/* Eight keys as a panel; those that are NULL are 0. */
static void pack_panel(float *panel, const float *const *keys, int32_t size)
{
  for (int half = 0; half < PANEL; half += 4) {
    int32_t c = 0;
    for (; c < size; c += 4) {
      const int32_t rest = size - c < 4 ? size - c : 4;
      f32x4 x[4];
      for (int l = 0; l < 4; l++)
        x[l] = !keys[half + l] ? v_splat(0)
               : rest == 4     ? v_load(keys[half + l] + c)
                               : v_load_tail(keys[half + l] + c, (size_t)rest);
      v_transpose(x);
      for (int32_t l = 0; l < rest; l++)
        v_store(panel + (size_t)(c + l) * PANEL + half, x[l]);
    }
  }
}

/* A row, or 0 if it is NULL, into strips with `rows` rows each. */
static void pack_strips(float *strips, const float *x, int32_t size, int32_t rows)
{
  for (int32_t c = 0; c < size; c += STRIP, strips += rows * STRIP)
    for (int half = 0; half < STRIP; half += 4) {
      const int32_t from = c + half, rest = size - from;
      v_store(strips + half, !x || rest <= 0 ? v_splat(0)
                             : rest >= 4     ? v_load(x + from)
                                             : v_load_tail(x + from, (size_t)rest));
    }
}

/* Notes key j if it or its value is not finite; else compares it with the largest ones. */
static int look_at_key(gradient_tiles *t, int32_t j, const float *k, const float *v)
{
  const attn_params *p = t->p;
  const float key = largest_size(k, p->dim), value = largest_size(v, p->value_dim);
  const float scale = p->key_scale ? ((const float *)p->key_scale)[j] : 1;
  if (!finite(key) || !finite(value) || !finite(scale)) {
    t->not_finite[t->not_finite_count++] = j;
    return 0;
  }
  const double factor = size_of(p->scale * (double)scale);
  t->max_key = key > t->max_key ? key : t->max_key;
  t->max_value = value > t->max_value ? value : t->max_value;
  t->max_factor = factor > t->max_factor ? factor : t->max_factor;
  return 1;
}

void attn_gradient_pack_keys(gradient_tiles *t)
{
  const attn_params *p = t->p;
  const gradient_call *call = t->call;
  const float *k =
      (const float *)call->k + (size_t)t->b * call->key.batch + (size_t)t->kv_head * call->key.head;
  const float *v = (const float *)call->v + (size_t)t->b * call->value.batch +
                   (size_t)t->kv_head * call->value.head;
  const int32_t keys = (p->n + KEYS - 1) / KEYS * KEYS;
  t->not_finite_count = 0;
  t->max_key = t->max_value = 0;
  t->max_factor = p->key_scale ? 0 : size_of(p->scale);
  for (int32_t j = 0; j < keys; j += PANEL) {
    const float *key[PANEL] = {NULL}, *value[PANEL] = {NULL};
    const size_t block = (size_t)(j / KEYS) * KEYS;
    for (int32_t l = 0; l < PANEL; l++) {
      const float *kj = k + (size_t)(j + l) * call->key.position,
                  *vj = v + (size_t)(j + l) * call->value.position;
      if (j + l < p->n && look_at_key(t, j + l, kj, vj)) {
        key[l] = kj;
        value[l] = vj;
      }
      pack_strips(t->key_strips + block * t->width + (size_t)(j + l - (int32_t)block) * STRIP,
                  key[l], p->dim, KEYS);
    }
    pack_panel(t->key_panels + (size_t)j * (size_t)p->dim, key, p->dim);
    pack_panel(t->value_panels + (size_t)j * (size_t)p->value_dim, value, p->value_dim);
  }
  __builtin_memset(t->dk, 0, (size_t)keys * t->width * sizeof(float));
  __builtin_memset(t->dv, 0, (size_t)keys * t->value_width * sizeof(float));
}

/* Channel c of key j, in strips of KEYS keys. */
INLINE size_t place_of_key(size_t width, int32_t j, int32_t c)
{
  return (size_t)(j / KEYS) * KEYS * width + (size_t)(c / STRIP) * KEYS * STRIP +
         (size_t)(j % KEYS) * STRIP + (size_t)(c % STRIP);
}

static void write_rows(float *to, size_t stride, const float *sums, size_t width, int32_t size,
                       int32_t from, int32_t to_key, int32_t parts, size_t part_size)
{
  for (int32_t j = from; j < to_key; j++)
    for (int32_t c = 0; c < size; c++) {
      const float *x = sums + place_of_key(width, j, c);
      float sum = *x;
      for (int32_t part = 1; part < parts; part++)
        sum += x[(size_t)part * part_size];
      to[(size_t)j * stride + (size_t)c] = sum;
    }
}

void attn_gradient_write_keys(const gradient_tiles *t, int32_t from, int32_t to, int32_t parts,
                              size_t part_size)
{
  const attn_params *p = t->p;
  const gradient_call *call = t->call;
  float *dk =
      (float *)call->dk + (size_t)t->b * call->key.batch + (size_t)t->kv_head * call->key.head;
  float *dv =
      (float *)call->dv + (size_t)t->b * call->value.batch + (size_t)t->kv_head * call->value.head;
  write_rows(dk, call->key.position, t->dk, t->width, p->dim, from, to, parts, part_size);
  write_rows(dv, call->value.position, t->dv, t->value_width, p->value_dim, from, to, parts,
             part_size);
}

void attn_gradient_add_row(gradient_tiles *t)
{
  const attn_params *p = t->p;
  const row_gradient *r = &t->in_double;
  for (int32_t j = r->row.view.lo; j < r->row.view.hi; j++) {
    if (!row64_attends(&r->row, j))
      continue;
    for (int32_t c = 0; c < p->dim; c++) {
      float *x = t->dk + place_of_key(t->width, j, c);
      *x = row_float(*x + r->factors[j] * r->query[c]);
    }
    for (int32_t c = 0; c < p->value_dim; c++) {
      float *x = t->dv + place_of_key(t->value_width, j, c);
      *x = row_float(*x + r->weights[j] * r->d_out[c]);
    }
  }
  float *dq = (float *)t->call->dq + query_place(t->call, t->b, t->h, r->row.i);
  for (int32_t c = 0; c < p->dim; c++)
    dq[c] = row_float(sum_of(r->dq[c]));
}

/* ---- Queries */

/* A row, or 0 if it is NULL, into its group. */
static void pack_group(float *groups, const float *x, int32_t size, int32_t row)
{
  float *to = groups + (size_t)(row / ROWS) * ROWS * (size_t)size + row % ROWS;
  for (int32_t c = 0; c < size; c++, to += ROWS)
    *to = x ? x[c] : 0;
}

void attn_gradient_pack_queries(gradient_tiles *t, int32_t h, int32_t first, int32_t count)
{
  const attn_params *p = t->p;
  const gradient_call *call = t->call;
  t->h = h;
  t->first = first;
  t->count = count;
  t->in_double.sums = &t->sums[(size_t)t->b * (size_t)p->heads + (size_t)h];
  for (int32_t x = 0; x < QUERIES; x++) {
    const float *query = NULL, *d_out = NULL;
    if (x < count) {
      const int32_t i = first + x;
      tile_row *row = &t->rows[x];
      *row = (tile_row){.view = row_view_of(p, t->b, h, i)};
      const size_t out_at = out_place(call, t->b, h, i);
      query = (const float *)call->q + query_place(call, t->b, h, i);
      d_out = (const float *)call->d_out + out_at;
      if (row->view.lo < row->view.hi) {
        const float q_size = largest_size(query, p->dim),
                    o_size = largest_size(d_out, p->value_dim);
        const double mean = mean_of(d_out, call->output + out_at, p->value_dim);
        const double lse = call->lse[row_index(p, t->b, h, i)];
        row->in_double = !finite(q_size) || !finite(o_size) || !finite((float)mean) ||
                         !fits(t, q_size, o_size) || !(size_of(lse) <= MAX_LSE) ||
                         sees_not_finite(t, &row->view);
        const double all = row->in_double ? lse : lse_of(t, lse, mean);
        row->in_double |= !(size_of(all) <= MAX_LSE);
        row->minus_lse = (float)-all;
        row->mean = (float)mean;
      }
      if (row->in_double) {
        row->view.hi = row->view.lo;
        query = d_out = NULL;
      }
    }
    pack_group(t->query_groups, query, p->dim, x);
    pack_group(t->d_out_groups, d_out, p->value_dim, x);
    pack_strips(t->query_strips + x * STRIP, query, p->dim, QUERIES);
    pack_strips(t->d_out_strips + x * STRIP, d_out, p->value_dim, QUERIES);
  }
  __builtin_memset(t->dq, 0, QUERIES * t->width * sizeof(float));
}

void attn_gradient_write_queries(const gradient_tiles *t)
{
  for (int32_t x = 0; x < t->count; x++) {
    float *dq = (float *)t->call->dq + query_place(t->call, t->b, t->h, t->first + x);
    for (int32_t c = 0; c < t->p->dim; c++)
      dq[c] = t->dq[(c / STRIP * QUERIES + x) * STRIP + c % STRIP];
  }
}
