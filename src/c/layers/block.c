#include "block.h"
#include "layers.h"

/* Time for each number, in multiply-adds: tuning.md#step-costs */
#define PLACE_COST 4.0
#define PREPARE_COST 4.0

void attn_block_prepare(const attention_block *b, const float *x, row_range rows)
{
  attn_prepare_inputs(&b->inputs, x, (const attn_matrix *[]){b->q.w, b->k.w, b->v.w}, 3, rows);
}

static shared_product product_of(const head_projection *y, row_range rows)
{
  return (shared_product){y->y, y->w, y->bias, rows};
}

void attn_block_project(const attention_block *b, attn_team *team, row_range rows,
                        row_range attending)
{
  const shared_product products[] = {product_of(&b->q, attending), product_of(&b->k, rows),
                                     product_of(&b->v, rows)};
  attn_share_products(team, &b->inputs, products, 3);
}

void attn_rotate_rows(const rotation *r, float *x, int32_t heads, size_t row_stride,
                      size_t head_stride, row_range rows)
{
  const size_t half = (size_t)(r->rotary_dim / 2);
  if (!r->cos || !half)
    return;
  /* sequence by sequence */
  for (int32_t i = rows.first, end; i < rows.end; i = end) {
    const int32_t next = (i / r->m + 1) * r->m;
    const size_t at = r->positions ? 0 : (size_t)(r->past + i % r->m) * half;
    end = next < rows.end ? next : rows.end;
    attn_rope(x + (size_t)i * row_stride, end - i, heads, row_stride, head_stride, r->cos + at,
              r->sin + at, r->positions ? r->positions + i : NULL, r->rotary_dim, r->interleaved);
  }
}

static void place(const attention_block *b, const head_projection *y, row_range rows)
{
  const size_t dim = (size_t)y->dim, row = (size_t)y->heads * dim;
  float *x = y->y + (size_t)rows.first * row;
  if (y->norm)
    attn_rms_norm(x, dim, x, dim, row_count(rows) * y->heads, y->dim, y->norm, b->one_plus,
                  b->epsilon);
  attn_rotate_rows(&b->rotation, y->y, y->heads, row, dim, rows);
}

static void place_keys(const void *block, row_range rows)
{
  const attention_block *b = block;
  place(b, &b->k, rows);
}

static void place_queries(const void *block, row_range rows)
{
  const attention_block *b = block;
  place(b, &b->q, rows);
}

void attn_block_place_keys(const attention_block *b, attn_team *team, row_range rows)
{
  attn_share_rows(team, place_keys, b, rows, PLACE_COST * b->k.heads * b->k.dim);
}

void attn_block_place_queries(const attention_block *b, attn_team *team, row_range rows)
{
  attn_share_rows(team, place_queries, b, rows, PLACE_COST * b->q.heads * b->q.dim);
}

static void prepare_output(const void *block, row_range rows)
{
  const attention_block *b = block;
  attn_prepare_inputs(&b->inputs, b->a, &b->o, 1, rows);
}

void attn_block_output(const attention_block *b, attn_team *team, row_range rows)
{
  const shared_product product = {b->y, b->o, b->o_bias, rows};
  attn_share_rows(team, prepare_output, b, rows, PREPARE_COST * attn_matrix_columns(b->o));
  attn_share_products(team, &b->inputs, &product, 1);
}
