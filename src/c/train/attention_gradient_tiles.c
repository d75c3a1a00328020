/* The five products of the gradient, tile by tile. */
#include "attention_gradient_head.h"
#include "base/arena.h"

/* Terms in one chain of additions; chains are added in order. Errors of a score count most. */
enum { TERMS = 32, SCORE_TERMS = 16 };

/*
 * The tile loop: to (ROWS, STRIP) = or += Σ_c a_rc b_c, where a_rc is a[r·row_step + c·step] and
 * b_c are eight numbers.
 */
INLINE void tile(const int32_t terms, const size_t row_step, const size_t step, float *to,
                 size_t to_stride, const float *a, const float *b, int32_t count, int add)
{
  for (int32_t from = 0; from < count; from += terms, add = 1) {
    const int32_t end = from + terms < count ? from + terms : count;
    f32x4 sum[ROWS][2];
    for (int r = 0; r < ROWS; r++)
      sum[r][0] = sum[r][1] = v_splat(0);
    ROLLED
    for (int32_t c = from; c < end; c++, a += step, b += STRIP) {
      const f32x4 b0 = v_load(b);
      const f32x4 b1 = v_load(b + 4);
      UNROLLED
      for (int r = 0; r < ROWS; r++) {
        const f32x4 x = v_splat(a[(size_t)r * row_step]);
        sum[r][0] = v_madd(x, b0, sum[r][0]);
        sum[r][1] = v_madd(x, b1, sum[r][1]);
      }
    }
    float *y = to;
    for (int r = 0; r < ROWS; r++, y += to_stride)
      for (int half = 0; half < 2; half++)
        v_store(y + 4 * half, add ? v_load(y + 4 * half) + sum[r][half] : sum[r][half]);
  }
}

/* Products of the groups with the panels of a block, as far as their ranges reach. */
KERNEL void pair_products(float *to,           /* (QUERIES, LINE) */
                          const float *groups, /* (GROUPS, size, ROWS) */
                          const float *panels, /* (KEYS/PANEL, size, PANEL) */
                          int32_t size, const key_range *ranges /* (GROUPS) */)
{
  for (int32_t j = 0; j < KEYS; j += PANEL, panels += (size_t)size * PANEL)
    for (int g = 0; g < GROUPS; g++)
      if (ranges[g].from <= j && j < ranges[g].to)
        tile(SCORE_TERMS, 1, ROWS, to + (size_t)g * ROWS * LINE + j, LINE,
             groups + (size_t)g * ROWS * (size_t)size, panels, size, 0);
}

/* sums += factors·strips, for each group over the keys of its range. */
KERNEL void add_to_queries(float *sums,          /* (width/STRIP, QUERIES, STRIP) */
                           const float *factors, /* (QUERIES, LINE) */
                           const float *strips,  /* (width/STRIP, KEYS, STRIP) */
                           size_t width, const key_range *ranges /* (GROUPS) */)
{
  for (size_t c = 0; c < width; c += STRIP, sums += QUERIES * STRIP, strips += KEYS * STRIP)
    for (int g = 0; g < GROUPS; g++)
      tile(TERMS, LINE, 1, sums + g * ROWS * STRIP, STRIP,
           factors + g * ROWS * LINE + ranges[g].from, strips + ranges[g].from * STRIP,
           ranges[g].to - ranges[g].from, 1);
}

/* sums += weightsᵀ·strips, for each ROWS keys over the query rows [from, to) that see them. */
KERNEL void add_to_keys(float *sums,          /* (width/STRIP, KEYS, STRIP) */
                        const float *weights, /* (QUERIES, LINE) */
                        const float *strips,  /* (width/STRIP, QUERIES, STRIP) */
                        size_t width, const key_range *rows /* (KEYS/ROWS) */)
{
  for (size_t c = 0; c < width; c += STRIP, sums += KEYS * STRIP, strips += QUERIES * STRIP)
    for (int32_t j = 0; j < KEYS; j += ROWS)
      tile(TERMS, 1, LINE, sums + j * STRIP, STRIP, weights + rows[j / ROWS].from * LINE + j,
           strips + rows[j / ROWS].from * STRIP, rows[j / ROWS].to - rows[j / ROWS].from, 1);
}

/* The keys of a block that each group sees, in whole panels; whether there are any. */
static int ranges_of(const gradient_tiles *t, int32_t start, key_range *ranges)
{
  int any = 0;
  for (int g = 0; g < GROUPS; g++) {
    int32_t lo = KEYS;
    int32_t hi = 0;
    for (int32_t x = g * ROWS; x < (g + 1) * ROWS && x < t->count; x++) {
      const row_view *view = &t->rows[x].view;
      if (view->lo >= view->hi)
        continue;
      lo = view->lo - start < lo ? view->lo - start : lo;
      hi = view->hi - start > hi ? view->hi - start : hi;
    }
    lo = lo < 0 ? 0 : lo / PANEL * PANEL;
    hi = hi > KEYS ? KEYS : (hi + PANEL - 1) / PANEL * PANEL;
    ranges[g] = lo < hi ? (key_range){lo, hi} : (key_range){0, 0};
    any |= lo < hi;
  }
  return any;
}

/* For each ROWS keys of the block: the range of query rows in which some see them. */
static void rows_of(const gradient_tiles *t, const key_range *ranges, key_range *rows)
{
  for (int32_t j = 0; j < KEYS; j += ROWS) {
    key_range *r = &rows[j / ROWS];
    *r = (key_range){0, 0};
    for (int g = 0; g < GROUPS; g++) {
      if (ranges[g].to <= j || ranges[g].from >= j + ROWS)
        continue;
      if (r->to == 0)
        r->from = g * ROWS;
      r->to = (g + 1) * ROWS < t->count ? (g + 1) * ROWS : t->count;
    }
  }
}

static void block_of_keys(gradient_tiles *t, int32_t block)
{
  const attn_params *p = t->p;
  const int32_t start = block * KEYS;
  const size_t at = (size_t)block * KEYS;
  key_range ranges[GROUPS];
  key_range rows[KEYS / ROWS];
  if (!ranges_of(t, start, ranges))
    return;
  rows_of(t, ranges, rows);
  pair_products(t->weights, t->query_groups, t->key_panels + at * (size_t)p->dim, p->dim, ranges);
  pair_products(t->factors, t->d_out_groups, t->value_panels + at * (size_t)p->value_dim,
                p->value_dim, ranges);
  for (int32_t x = 0; x < GROUPS * ROWS; x++)
    attn_gradient_weigh(t, x, start, ranges[x / ROWS]);
  add_to_queries(t->dq, t->factors, t->key_strips + at * t->width, t->width, ranges);
  add_to_keys(t->dv + at * t->value_width, t->weights, t->d_out_strips, t->value_width, rows);
  add_to_keys(t->dk + at * t->width, t->factors, t->query_strips, t->width, rows);
}

static void block_of_queries(gradient_tiles *t, int32_t h, int32_t first)
{
  const int32_t remaining = t->p->m - first;
  attn_gradient_pack_queries(t, h, first, remaining < QUERIES ? remaining : QUERIES);
  for (int32_t block = 0; block * KEYS < t->p->n; block++)
    block_of_keys(t, block);
  attn_gradient_write_queries(t);
  for (int32_t x = 0; x < t->count; x++)
    if (t->rows[x].in_double) {
      attn_row_gradient(&t->in_double, t->call, t->b, h, first + x);
      attn_gradient_add_row(t);
    }
}

void attn_gradient_kv_head(gradient_tiles *t, int32_t part, int32_t parts)
{
  const attn_params *p = t->p;
  const int32_t group = p->heads / p->kv_heads;
  int32_t block = 0;
  attn_gradient_pack_keys(t);
  for (int32_t h = t->kv_head * group; h < (t->kv_head + 1) * group; h++)
    for (int32_t first = 0; first < p->m; first += QUERIES, block++)
      if (block % parts == part)
        block_of_queries(t, h, first);
}

size_t attn_gradient_place_tiles(gradient_tiles *t, const attn_gradient *g, void *base)
{
  const attn_params *p = g->p;
  const size_t dim = (size_t)p->dim;
  const size_t value_dim = (size_t)p->value_dim;
  const size_t f = sizeof(float);
  const size_t keys = ((size_t)p->n + KEYS - 1) / KEYS * KEYS;
  arena a = {.base = base};
  t->p = p;
  t->width = whole_strips(dim);
  t->value_width = whole_strips(value_dim);
  t->key_panels = arena_allocate(&a, keys * dim, f);
  t->value_panels = arena_allocate(&a, keys * value_dim, f);
  t->key_strips = arena_allocate(&a, keys * t->width, f);
  t->dk = arena_allocate(&a, keys * t->width, f);
  t->dv = arena_allocate(&a, keys * t->value_width, f);
  t->not_finite = arena_allocate(&a, (size_t)p->n, sizeof(int32_t));
  t->query_groups = arena_allocate(&a, QUERIES * dim, f);
  t->d_out_groups = arena_allocate(&a, QUERIES * value_dim, f);
  t->query_strips = arena_allocate(&a, QUERIES * t->width, f);
  t->d_out_strips = arena_allocate(&a, QUERIES * t->value_width, f);
  t->dq = arena_allocate(&a, QUERIES * t->width, f);
  t->rows = arena_allocate(&a, QUERIES, sizeof(tile_row));
  t->weights = arena_allocate(&a, QUERIES * LINE, f);
  t->factors = arena_allocate(&a, QUERIES * LINE, f);
  const size_t row = attn_row_gradient_place(&t->in_double, p, NULL);
  void *in_double = arena_allocate(&a, row, 1);
  if (base)
    attn_row_gradient_place(&t->in_double, p, in_double);
  return row ? arena_bytes(&a) : 0;
}

size_t attn_gradient_sums_of_head(const attn_params *p)
{
  const size_t keys = ((size_t)p->n + KEYS - 1) / KEYS * KEYS;
  return keys * (whole_strips((size_t)p->dim) + whole_strips((size_t)p->value_dim));
}

void attn_gradient_place_sums(gradient_tiles *t, int32_t part)
{
  const attn_params *p = t->p;
  const size_t keys = ((size_t)p->n + KEYS - 1) / KEYS * KEYS;
  const size_t head = (size_t)t->b * (size_t)p->kv_heads + (size_t)t->kv_head;
  t->dk = t->call->key_sums +
          (head * (size_t)t->call->parts + (size_t)part) * attn_gradient_sums_of_head(p);
  t->dv = t->dk + keys * t->width;
}
