/*
 * products.h: matrix products of training, whose operands lie as they are.
 *
 * Weights change at every step, so they are not packed once for all. Each piece of a product packs
 * the rows that it multiplies, a block of the summed index at a time. The inner loop is the tile of
 * matrix/chains.h.
 */
#ifndef TRAIN_PRODUCTS_H
#define TRAIN_PRODUCTS_H

#include "team.h"

/* A matrix A(row, k) at `at + row·row_step + k·k_step`. One of the steps is 1. */
typedef struct {
  const float *at;
  size_t row_step;
  size_t k_step;
} product_operand;

/*
 * One product C(i, j) = start(i, j) + Σ_k A(i, k)·B(j, k), k < depth. C and start are (rows,
 * columns). The sum of an output begins with start, or with 0 if that is NULL. Its order depends on
 * depth alone.
 */
typedef struct {
  float *out;
  const float *start; /* or NULL; may be out */
  product_operand a;
  product_operand b;
  int32_t rows;
  int32_t columns;
  int32_t depth;
} train_product;

/* Bytes of scratch that a thread needs. */
size_t attn_train_product_bytes(void);

void attn_train_multiply(attn_team *team, const train_product *p);

#endif
