#include "block.h"
#include "layers.h"

/* Time for each number, in multiply-adds: tuning.md#step-costs */
#define PLACE_COST 4.0
#define PREPARE_COST 4.0

enum { PROJECTIONS = 3 };

/* The projections that there are. Returns their number. */
static int32_t projections_of(const attention_block *b, const head_projection **y)
{
  const head_projection *all[PROJECTIONS] = {&b->q, &b->k, &b->v};
  int32_t count = 0;
  for (int32_t i = 0; i < PROJECTIONS; i++)
    if (all[i]->w)
      y[count++] = all[i];
  return count;
}

void attn_block_reserve(inputs_size *size, const attention_block *b, int32_t rows)
{
  const head_projection *y[PROJECTIONS];
  const int32_t count = projections_of(b, y);
  for (int32_t i = 0; i < count; i++)
    attn_inputs_reserve(size, y[i]->w, rows);
  if (b->o)
    attn_inputs_reserve(size, b->o, rows);
}

void attn_block_prepare(const attention_block *b, row_range rows)
{
  const head_projection *y[PROJECTIONS];
  const attn_matrix *matrices[PROJECTIONS];
  const int32_t count = projections_of(b, y);
  for (int32_t i = 0; i < count; i++)
    matrices[i] = y[i]->w;
  attn_inputs_prepare(&b->inputs, b->x, matrices, count, rows);
}

static void prepare_input(const void *block, row_range rows) { attn_block_prepare(block, rows); }

void attn_block_input(const attention_block *b, attn_team *team, row_range rows)
{
  attn_share_rows(team, prepare_input, b, rows, PREPARE_COST * attn_matrix_columns(b->q.w));
}

void attn_block_project(const attention_block *b, attn_team *team, row_range rows,
                        row_range attending)
{
  const head_projection *y[PROJECTIONS];
  shared_product products[PROJECTIONS];
  const int32_t count = projections_of(b, y);
  for (int32_t i = 0; i < count; i++)
    products[i] = (shared_product){.out = y[i]->y,
                                   .stride = y[i]->stride,
                                   .w = y[i]->w,
                                   .bias = y[i]->bias,
                                   .outputs = all_outputs(y[i]->w),
                                   .rows = y[i] == &b->q ? attending : rows};
  attn_share_products(team, &b->inputs, products, count);
}

/* RoPE of the channels behind the first ones of each head. */
static void rotate(const rotation *r, const head_projection *y, row_range rows)
{
  const size_t half = (size_t)(r->rotary_dim / 2);
  float *x = y->y + y->first_rotated;
  if (!r->cos || !half || y->first_rotated == y->dim)
    return;
  /* sequence by sequence */
  int32_t i = rows.first;
  while (i < rows.end) {
    const int32_t next = (i / r->m + 1) * r->m;
    const size_t at = r->positions ? 0 : (size_t)(r->past + i % r->m) * half;
    const int32_t end = next < rows.end ? next : rows.end;
    attn_rope(x + (size_t)i * y->stride, end - i, y->heads, y->stride, (size_t)y->dim, r->cos + at,
              r->sin + at, r->positions ? r->positions + i : NULL, r->rotary_dim, r->interleaved);
    i = end;
  }
}

typedef struct {
  const attention_block *block;
  const head_projection *y;
} norm_step;

static void norm_and_rotate(const void *context, row_range rows)
{
  const norm_step *s = context;
  const attention_block *b = s->block;
  const head_projection *y = s->y;
  const size_t dim = (size_t)y->dim;
  for (int32_t i = rows.first; y->norm && i < rows.end; i++) {
    float *x = y->y + (size_t)i * y->stride;
    attn_rms_norm(x, dim, x, dim, y->heads, y->dim, y->norm, b->one_plus, b->epsilon);
  }
  rotate(&b->rotation, y, rows);
}

void attn_block_norm_and_rotate(const attention_block *b, const head_projection *y, attn_team *team,
                                row_range rows)
{
  const norm_step step = {b, y};
  attn_share_rows(team, norm_and_rotate, &step, rows, PLACE_COST * y->heads * y->dim);
}

static void prepare_output(const void *block, row_range rows)
{
  const attention_block *b = block;
  attn_inputs_prepare(&b->inputs, b->a, &b->o, 1, rows);
}

void attn_block_output(const attention_block *b, attn_team *team, row_range rows)
{
  const shared_product product = product_of(b->y, b->o, b->o_bias, rows);
  attn_share_rows(team, prepare_output, b, rows, PREPARE_COST * attn_matrix_columns(b->o));
  attn_share_products(team, &b->inputs, &product, 1);
}
