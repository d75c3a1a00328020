/*
 * Inputs of a product, prepared. They come in groups of four, whose numbers lie side by side for the tiles; one that is left over at
 * the end is a group by itself, two or three fill up with zeros.
 *
 *   float       group (columns, rows)
 *   quantised   group (parts) of blocks: 32·rows numbers of 16 bits (c/2, row, c%2) or, narrow, of 8 bits (c/4, row, c%4); then
 *               for each row as float32: the scale d, and the sum of the quantised numbers, in the narrow form of each half
 *
 * A part of 32 inputs x is d·q, d = max|x|/127 and q = x·(127/max|x|) to the nearest, ties to even.
 */
#ifndef INPUTS_H
#define INPUTS_H

#include "dots.h"
#include "matrix.h"

typedef struct {
  int32_t m, columns, form, is_float;
} input_head;

INLINE int32_t inputs_round_up(int32_t m) { return m % GROUP == 1 ? m : (m + GROUP - 1) & ~(GROUP - 1); }

/* A block's quantised numbers, which its float32 numbers follow. */
INLINE int32_t input_quants(int wide, int32_t rows) { return PART * rows * (wide ? 2 : 1); }

/* One row's three numbers take a whole vector, so that blocks stay aligned. */
INLINE int32_t input_block(int wide, int32_t rows) { return input_quants(wide, rows) + (rows == 1 ? 16 : 12 * rows); }

/* The first byte of the group that begins with input i, a multiple of four. */
INLINE const uint8_t *input_group(const void *scratch, int32_t i)
{
  const input_head *head = scratch;
  size_t row = head->is_float
                   ? 4 * (size_t)head->columns
                   : (size_t)(head->columns / PART) * (size_t)input_block(head->form == DOT_WIDE, GROUP) / GROUP;
  return (const uint8_t *)(head + 1) + (size_t)i * row;
}

#endif
