/*
 * Weights of 4, 5 or 6 bits as bytes, and back. A quad is four neighbouring columns of a row, a
 * byte each. The eight quads of a block32 lie in as many words as a weight has bits, so that few
 * instructions unpack them:
 *   4 bits   word k has quad 2k and, above it, quad 2k + 1
 *   5 bits   word k has quad k. Above it, words 0 to 2 have the upper three bits of quads 5 to 7,
 *            and words 3 and 4 have the lower two of quads 5 and 6. Below those, words 3 and 4 have
 *            a bit each of quad 7.
 *   6 bits   words 0 to 2 have quads 0 to 2 and, above them, two bits each of quad 3. Words 3 to 5
 *            have quads 4 to 7 in the same way.
 */
#ifndef QUADS_H
#define QUADS_H

#include "base/simd.h"

/* Masks of the quads that have a word of their own, and of the bits of the others. */
typedef struct {
  i32x4 low;   /* a quad with its own word */
  i32x4 three; /* three bits of a quad (5 bits) */
  i32x4 two;   /* two bits of a quad */
  i32x4 one;   /* one bit of a quad (5 bits) */
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

/* Quad j (0 or 1) of a word of 4 bits. */
INLINE i32x4 nibbles(bit_masks of, i32x4 w, const int j) { return down(w, 4 * j) & of.low; }

/* The quads of four rows, whose words begin at q and lie 32 bytes apart. */
INLINE void eight_quads(const int bits, bit_masks of, i32x4 to[8], const uint8_t *q)
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

/* Word k of a row, from its quads. */
INLINE uint32_t word_of(const uint32_t quad[8], int bits, int k)
{
  const uint32_t three = 0x1c1c1c1c;
  const uint32_t two = 0x03030303;
  const uint32_t lowest = 0x01010101;
  if (bits == 4)
    return quad[2 * k] | quad[2 * k + 1] << 4;
  if (bits == 6)
    return quad[k + k / 3] | (quad[k / 3 * 4 + 3] >> (k % 3 * 2) & two) << 6;
  return quad[k] | (k < 3 ? (quad[k + 5] & three) << 3
                          : (quad[k + 2] & two) << 6 | (quad[7] >> (k - 3) & lowest) << 5);
}

#endif
