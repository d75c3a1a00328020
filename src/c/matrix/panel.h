/*
 * The layout of a matrix: row panels of 8 rows, each in the order of the columns.
 *
 * F32, F16 and BF16: a panel is (columns, 8), so that lanes run along rows.
 *
 * Quantised: a panel is a sequence of superblocks (weight_type.h). A superblock has, for 8 rows,
 *   d           8 float16
 *   m           8 float16, if the type has a minimum
 *   and for each block32
 *     s and t   8 bytes each (SCALES_AND_MINS), or an s for each half, 8 bytes each (HALF_SCALES)
 *     quants    32·8 numbers of `bits` bits
 *
 * That is as many bytes as in the file. Only the 6-bit s and t of Q4_K and Q5_K take a byte here,
 * 3 % more.
 *
 * The place of quant q(r, c) depends on the dot product (dot_form.h), so that a vector's lanes meet
 * the right inputs:
 *   4 to 6 bits   words (k, r); quads.h says which columns word k has
 *   8 bits        (c/4, r, c%4): four neighbouring bytes are four columns
 *   8 bits, where lanes have 16: (p%16/2, r, p%2, p/16) with p = i16_place(c); the quants of the
 *                 first 16 places are unsigned
 */
#ifndef PANEL_H
#define PANEL_H

#include "base/dot_form.h"
#include "base/simd.h"
#include "base/sizes.h"
#include "weight_type.h"

/*
 * Lanes of 16 bits hold two columns. The even columns of four come before the odd ones, so that the
 * lower bytes of a word come before the higher ones. The map is its own inverse.
 */
INLINE int32_t i16_place(int32_t c) { return (c & ~3) | (c & 1) << 1 | (c >> 1 & 1); }

INLINE int is_float(const weight_type *t) { return !t->bits; }
INLINE int32_t weight_form(const weight_type *t) { return attn_dot_form(t->bits); }

/* Bytes in a panel: of d and m, of s and t, of the quants of a block32. */
INLINE int32_t head_bytes(const weight_type *t) { return t->has_min ? 32 : 16; }
INLINE int32_t sub_scale_bytes(const weight_type *t) { return t->sub_scales ? 16 : 0; }
INLINE int32_t quant_bytes(const weight_type *t) { return t->bits * BLOCK32; }

INLINE int32_t block32_bytes(const weight_type *t) { return sub_scale_bytes(t) + quant_bytes(t); }

INLINE int32_t superblock_bytes(const weight_type *t)
{
  return head_bytes(t) + t->block_weights / BLOCK32 * block32_bytes(t);
}

INLINE size_t panel_bytes(const weight_type *t, int32_t columns)
{
  if (is_float(t))
    return (size_t)columns * PANEL * (size_t)t->block_bytes;
  return (size_t)(columns / t->block_weights) * (size_t)superblock_bytes(t);
}

#endif
