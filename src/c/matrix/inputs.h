/*
 * Inputs of a product, prepared. They come in groups of four, whose numbers lie side by side for
 * the tiles; one that is left over at the end is a group by itself, two or three fill up with
 * zeros.
 *
 *   float       group (columns, rows)
 *   quantised group (parts) of blocks: 32·rows numbers of 16 bits (p/2, row, p%2), p =
 *   wide_place(c), or, narrow, of 8 bits
 *               (c/4, row, c%4); then for each row the scale d and the sum of the quantised numbers
 *               as float32 and, narrow or for one row alone,
 *               −128 times that sum and −128 times the sum of the first half, as integers
 *
 * A part of 32 inputs x is d·q, d = max|x|/127 and q = x·(127/max|x|) to the nearest, ties to even.
 */
#ifndef INPUTS_H
#define INPUTS_H

#include "base/dot_form.h"
#include "matrix.h"

INLINE int32_t inputs_round_up(int32_t m)
{
  return m % GROUP == 1 ? m : (m + GROUP - 1) & ~(GROUP - 1);
}

/* A block's quantised numbers, which those of its rows follow. */
INLINE int32_t input_quants(int wide, int32_t rows) { return PART * rows * (wide ? 2 : 1); }

/* Blocks stay aligned, so one row's numbers take a whole vector in either form. */
INLINE int32_t input_block(int wide, int32_t rows)
{
  return input_quants(wide, rows) + (wide && rows > 1 ? 8 : 16) * rows;
}

/* Of one input in a group of four. */
INLINE size_t input_bytes(weight_type t, int wide, int32_t columns)
{
  if (!t.low_bits)
    return (size_t)columns * sizeof(float);
  return (size_t)(columns / PART) * (size_t)input_block(wide, GROUP) / GROUP;
}

/* At most GROUP rows side by side, (columns, GROUP). Rows that are missing are zero. */
void attn_interleave_rows(float *to, const float *x, size_t stride, size_t columns, int32_t rows);

#endif
