/* Weights of 4, 5 or 6 bits as bytes: what lies above four bits is put onto them. */
#ifndef BITS_H
#define BITS_H

#include "panels.h"

/* Of the low bits, and of what is above them where it is put. */
typedef struct {
  i32x4 low, high;
} bit_masks;

INLINE bit_masks masks_of(const int high_bits)
{
  return (bit_masks){v_keep(0x0f0f0f0f), high_bits ? v_keep(high_bits == 1 ? 0x10101010 : 0x30303030) : (i32x4){0}};
}

INLINE i32x4 quants(const int high_bits, bit_masks of, i32x4 low, i32x4 high, const int j)
{
  i32x4 q = (i32x4)((u16x8)low >> (4 * j)) & of.low;
  if (high_bits)
    q |= (i32x4)((u16x8)high << (4 - high_bits * j)) & of.high;
  return q;
}

/* The vectors of a part of Q4, Q5 or Q6, in the order of the columns, four at a time (8 columns, 8 rows). */
INLINE void eight_columns(const int high_bits, bit_masks of, i32x4 to[2][2], const uint8_t *q, int t, i32x4 high[2])
{
  if (high_bits && t % (high_bits == 1 ? 4 : 2) == 0)
    high[0] = v_load_i(q + 128 + 16 * t), high[1] = v_load_i(q + 144 + 16 * t);
  for (int v = 0; v < 2; v++) {
    i32x4 low = v_load_i(q + 32 * t + 16 * v);
    for (int j = 0; j < 2; j++)
      to[j][v] = quants(high_bits, of, low, high[v], j);
    high[v] = (i32x4)((u16x8)high[v] >> (2 * high_bits));
  }
}

#endif
