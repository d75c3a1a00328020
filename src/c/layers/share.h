/*
 * share.h: steps of a layer that a team of threads shares, by rows or by outputs of matrices.
 *
 * A row is one token of a pass, or one position of a batch. The bits of a step do not depend on how
 * it is shared.
 */
#ifndef SHARE_H
#define SHARE_H

#include "base/arena.h"
#include "team.h"
#include "weights.h"

/* The rows [first, end). */
typedef struct {
  int32_t first;
  int32_t end;
} row_range;

static inline int32_t row_count(row_range rows) { return rows.end - rows.first; }

/* Does a step for some rows. A range begins at a multiple of four after the first row. */
typedef void row_step(const void *context, row_range rows);

/* cost: the time of one row, in multiply-adds. */
void attn_share_rows(attn_team *team, row_step *step, const void *context, row_range rows,
                     double cost);

/*
 * Inputs of products, prepared for each kind of matrix that multiplies them. Products that follow
 * each other may use the same memory.
 */
typedef struct {
  void *kind[ATTN_MULTIPLY_KINDS];
} prepared_inputs;

/* Bytes of each kind. */
typedef struct {
  uint64_t kind[ATTN_MULTIPLY_KINDS];
} inputs_size;

/* Makes the size enough for products of `rows` inputs with w. */
void attn_inputs_reserve(inputs_size *size, const attn_matrix *w, int32_t rows);
prepared_inputs attn_inputs_allocate(arena *a, const inputs_size *size);

/*
 * Prepares x (all rows, columns) for products with these matrices, all of which have that many
 * columns. rows.first is a multiple of four.
 */
void attn_inputs_prepare(const prepared_inputs *inputs, const float *x,
                         const attn_matrix *const *matrices, int32_t count, row_range rows);

/* One product x·Wᵀ + bias. */
typedef struct {
  float *out;    /* (all rows, stride), of which `rows` are written */
  size_t stride; /* rows of w, or more */
  const attn_matrix *w;
  const float *bias; /* (rows of w), or NULL */
  row_range outputs; /* rows of w: all of them, or a part of attn_part_of_outputs */
  row_range rows;    /* begins at a multiple of four; may be empty */
  const float *x;    /* (all rows, x_stride), read as they are; NULL: the prepared inputs */
  size_t x_stride;   /* columns of w, or more */
} shared_product;

static inline row_range all_outputs(const attn_matrix *w)
{
  return (row_range){0, attn_matrix_rows(w)};
}

/* One of `parts` parts of the outputs, for products that are done one after the other. */
row_range attn_part_of_outputs(const attn_matrix *w, int32_t part, int32_t parts);

/* A product of prepared inputs, whose results lie one behind the other. */
static inline shared_product product_of(float *out, const attn_matrix *w, const float *bias,
                                        row_range rows)
{
  return (shared_product){.out = out,
                          .stride = (size_t)attn_matrix_rows(w),
                          .w = w,
                          .bias = bias,
                          .outputs = all_outputs(w),
                          .rows = rows};
}

/*
 * Does a few products of the same inputs in one step. `inputs` may be NULL if all read x as it is,
 * which only F32, F16 and BF16 weights can.
 */
void attn_share_products(attn_team *team, const prepared_inputs *inputs,
                         const shared_product *products, int32_t count);

#endif
