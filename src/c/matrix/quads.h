/*
 * Weights of 4, 5 or 6 bits as bytes, and back. A row's eight fours of columns lie in as many words
 * as a weight has bits, so that few instructions bring them together:
 *   4 bits   word k has fours 2k and, above it, 2k + 1
 *   5 bits word k has four k; above it words 0 to 2 have the upper three bits of fours 5 to 7,
 *   words 3 and 4 the lower two of fours 5 and 6
 *            and, below those, a bit each of four 7
 *   6 bits words 0 to 2 have fours 0 to 2 and, above them, two bits each of four 3; words 3 to 5
 *   the same of fours 4 to 7
 */
#ifndef BITS_H
#define BITS_H

#include "panels.h"

/*
 * What takes the fours that have a word of their own, and the bits of the others: three, two and
 * one with 5 bits, two with 6.
 */
typedef struct {
  i32x4 low, three, two, one;
} bit_masks;

INLINE bit_masks masks_of(const int bits)
{
  if (bits == 8)
    return (bit_masks){.low = {0}};
  return (bit_masks){.low = v_keep(bits == 4   ? 0x0f0f0f0f
                                   : bits == 5 ? 0x1f1f1f1f
                                               : 0x3f3f3f3f),
                     .three = bits == 5 ? v_keep(0x1c1c1c1c) : (i32x4){0},
                     .two = v_keep(bits == 5 ? 0x03030303 : (int32_t)0xc0c0c0c0),
                     .one = bits == 5 ? v_keep(0x20202020) : (i32x4){0}};
}

INLINE i32x4 down(i32x4 x, const int bits) { return (i32x4)((u16x8)x >> bits); }

/* Four j (0 or 1) of a word of 4 bits. */
INLINE i32x4 nibbles(bit_masks of, i32x4 w, const int j) { return down(w, 4 * j) & of.low; }

/* The fours of four rows, whose words begin at q and lie 32 bytes apart. */
INLINE void eight_fours(const int bits, bit_masks of, i32x4 to[8], const uint8_t *q)
{
  i32x4 w[6];
  for (int k = 0; k < bits; k++)
    w[k] = v_load_i(q + 32 * k);
  if (bits == 4) {
    for (int c = 0; c < 8; c++)
      to[c] = nibbles(of, w[c / 2], c % 2);
  } else if (bits == 5) {
    for (int k = 0; k < 5; k++)
      to[k] = w[k] & of.low;
    to[5] = (down(w[0], 3) & of.three) | (down(w[3], 6) & of.two);
    to[6] = (down(w[1], 3) & of.three) | (down(w[4], 6) & of.two);
    to[7] = (down(w[2], 3) & of.three) |
            down((w[3] & of.one) | (i32x4)((u16x8)(w[4] & of.one) << 1), 5);
  } else {
    for (int c = 0; c < 8; c += 4, to += 4) {
      const i32x4 *x = w + c / 4 * 3;
      for (int k = 0; k < 3; k++)
        to[k] = x[k] & of.low;
      to[3] = down(down(down(x[0] & of.two, 2) | (x[1] & of.two), 2) | (x[2] & of.two), 2);
    }
  }
}

/* And word k of a row, from its fours. */
INLINE uint32_t word_of(const uint32_t four[8], int bits, int k)
{
  const uint32_t three = 0x1c1c1c1c, two = 0x03030303, lowest = 0x01010101;
  if (bits == 4)
    return four[2 * k] | four[2 * k + 1] << 4;
  if (bits == 6)
    return four[k + k / 3] | (four[k / 3 * 4 + 3] >> (k % 3 * 2) & two) << 6;
  return four[k] | (k < 3 ? (four[k + 5] & three) << 3
                          : (four[k + 2] & two) << 6 | (four[7] >> (k - 3) & lowest) << 5);
}

#endif
