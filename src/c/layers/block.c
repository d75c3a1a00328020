#include "block.h"
#include "layers.h"

/* Time for each number, in multiply-adds: tuning.md#step-costs */
#define PLACE_COST 4.0
#define PREPARE_COST 4.0

void attn_block_reserve(inputs_size *size, const attention_block *b, int32_t rows)
{
  attn_inputs_reserve(size, b->q.w, rows);
  attn_inputs_reserve(size, b->k.w, rows);
  attn_inputs_reserve(size, b->v.w, rows);
  attn_inputs_reserve(size, b->o, rows);
}

void attn_block_prepare(const attention_block *b, row_range rows)
{
  const attn_matrix *matrices[] = {b->q.w, b->k.w, b->v.w};
  attn_inputs_prepare(&b->inputs, b->x, matrices, 3, rows);
}

static void prepare_input(const void *block, row_range rows) { attn_block_prepare(block, rows); }

void attn_block_input(const attention_block *b, attn_team *team, row_range rows)
{
  attn_share_rows(team, prepare_input, b, rows, PREPARE_COST * attn_matrix_columns(b->q.w));
}

void attn_block_project(const attention_block *b, attn_team *team, row_range rows,
                        row_range attending)
{
  const shared_product products[] = {product_of(b->q.y, b->q.w, b->q.bias, attending),
                                     product_of(b->k.y, b->k.w, b->k.bias, rows),
                                     product_of(b->v.y, b->v.w, b->v.bias, rows)};
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
  attn_inputs_prepare(&b->inputs, b->a, &b->o, 1, rows);
}

void attn_block_output(const attention_block *b, attn_team *team, row_range rows)
{
  const shared_product product = product_of(b->y, b->o, b->o_bias, rows);
  attn_share_rows(team, prepare_output, b, rows, PREPARE_COST * attn_matrix_columns(b->o));
  attn_share_products(team, &b->inputs, &product, 1);
}
