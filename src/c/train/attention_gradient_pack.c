/* Numbers as the tile loops read them, and gradients back from there. */
#include "attention_gradient_head.h"
#include "base/sums.h"

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
      const int32_t from = c + half;
      const int32_t rest = size - from;
      v_store(strips + half, !x || rest <= 0 ? v_splat(0)
                             : rest >= 4     ? v_load(x + from)
                                             : v_load_tail(x + from, (size_t)rest));
    }
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
  t->max_factor = p->key_scale ? 0 : p->scale < 0 ? -p->scale : p->scale;
  for (int32_t j = 0; j < keys; j += PANEL) {
    const float *key[PANEL] = {NULL};
    const float *value[PANEL] = {NULL};
    const size_t block = (size_t)(j / KEYS) * KEYS;
    const int32_t rest = p->n > j ? p->n - j : 0;
    const int32_t count = rest < PANEL ? rest : PANEL;
    float key_sizes[PANEL];
    float value_sizes[PANEL];
    attn_gradient_largest(key_sizes, k + (size_t)j * call->key.position, call->key.position, count,
                          p->dim);
    attn_gradient_largest(value_sizes, v + (size_t)j * call->value.position, call->value.position,
                          count, p->value_dim);
    for (int32_t l = 0; l < PANEL; l++) {
      if (l < count && attn_gradient_note_key(t, j + l, key_sizes[l], value_sizes[l])) {
        key[l] = k + (size_t)(j + l) * call->key.position;
        value[l] = v + (size_t)(j + l) * call->value.position;
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
  attn_gradient_begin_rows(t);
  for (int32_t x = 0; x < QUERIES; x++) {
    const float *query = NULL;
    const float *d_out = NULL;
    if (x < count && !t->rows[x].in_double) {
      query = (const float *)call->q + query_place(call, t->b, h, first + x);
      d_out = (const float *)call->d_out + out_place(call, t->b, h, first + x);
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
