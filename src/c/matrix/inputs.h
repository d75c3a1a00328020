/*
 * Inputs of a product, prepared. Four of them make a tile4, side by side. If one input remains at
 * the end, it stays by itself; two or three are filled up with zeros. So a tile has four rows or
 * one.
 *
 *   floats      a tile is (columns, rows)
 *   quantised   a tile is a sequence of blocks, one for each block32 of columns:
 *     quants    (p/2, row, p%2) of 16 bits, p = i16_place(c); or (c/4, row, c%4) of 8 bits
 *     d         the scale of each row, a float32
 *     sum       the sum of each row's quants, a float32
 *     with 8 bits, or for one row:
 *       −128·sum, and −128 times the sum of the first half, integers
 *
 * 32 inputs x become d·q with d = max|x|/127, q = x·(127/max|x|) to the nearest, ties to even.
 */
#ifndef INPUTS_H
#define INPUTS_H

#include "panel.h"

INLINE int32_t inputs_round_up(int32_t m)
{
  return m % TILE4 == 1 ? m : (m + TILE4 - 1) & ~(TILE4 - 1);
}

/* Bytes of a block's quants. `i16`: they have 16 bits. */
INLINE int32_t input_quants(int i16, int32_t rows) { return BLOCK32 * rows * (i16 ? 2 : 1); }

/* Bytes of a block. One row's numbers fill a vector in either form, so blocks stay aligned. */
INLINE int32_t input_block(int i16, int32_t rows)
{
  return input_quants(i16, rows) + (i16 && rows > 1 ? 8 : 16) * rows;
}

/* Bytes of one input in a tile4. */
INLINE size_t input_bytes(const weight_type *t, int i16, int32_t columns)
{
  if (is_float(t))
    return (size_t)columns * sizeof(float);
  return (size_t)(columns / BLOCK32) * (size_t)input_block(i16, TILE4) / TILE4;
}

/* At most TILE4 rows side by side, (columns, TILE4). Rows that are missing are zero. */
void attn_interleave_rows(float *to, const float *x, size_t stride, size_t columns, int32_t rows);

#endif
