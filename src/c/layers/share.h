/*
 * share.h: steps of a layer that a team of threads shares, by rows or by outputs of matrices.
 *
 * A row is one token of a pass, or one position of a batch. The bits of a step do not depend on how
 * it is shared.
 */
#ifndef SHARE_H
#define SHARE_H

#include "team.h"
#include "weights.h"

/* The rows [first, end). */
typedef struct {
  int32_t first, end;
} row_range;

static inline int32_t row_count(row_range rows) { return rows.end - rows.first; }

/* Does a step for some rows. A range begins at a multiple of four after the first row. */
typedef void row_step(const void *context, row_range rows);

/* cost: the time of one row, in multiply-adds. */
void attn_share_rows(attn_team *team, row_step *step, const void *context, row_range rows,
                     double cost);

/*
 * Inputs of products, in each form that some matrix multiplies. The memory is the caller's:
 * attn_multiply_scratch_bytes for each kind that occurs.
 */
typedef struct {
  void *kind[ATTN_MULTIPLY_KINDS];
} prepared_inputs;

/*
 * Prepares x (rows, columns) for products with these matrices, all of which have `columns` columns.
 * rows.first is a multiple of four.
 */
void attn_prepare_inputs(const prepared_inputs *inputs, const float *x,
                         const attn_matrix *const *matrices, int32_t count, row_range rows);

/* One product of prepared inputs: x·Wᵀ + bias. */
typedef struct {
  float *out; /* (all rows, rows of w), of which `rows` are written */
  const attn_matrix *w;
  const float *bias; /* (rows of w), which is added, or NULL */
  row_range rows;    /* begins at a multiple of four; may be empty */
} shared_product;

/* Does one to three products of the same inputs in one step. */
void attn_share_products(attn_team *team, const prepared_inputs *inputs,
                         const shared_product *products, int32_t count);

#endif
