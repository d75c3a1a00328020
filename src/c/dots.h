/* Which integer dot product an engine is given, and so how weights and inputs lie. */
#ifndef DOTS_H
#define DOTS_H

#include "simd.h"

enum {
  DOT_WIDE,     /* 16-bit lanes, summed in twos: exact everywhere */
  DOT_UNSIGNED, /* 8-bit lanes, summed in fours; the second operand is unsigned (VPDPBUSD) */
  DOT_SIGNED,   /* the same; the second operand is signed (SDOT) */
  DOT_PAIRS,    /* 8-bit lanes, summed in twos; the second operand is unsigned and has up to 6 bits (VPMADDUBSW) */
};

/*
 * The form for weights of so many bits: one that this engine computes exactly over all 8. Where it has none (sums of two that saturate: x86
 * without VNNI; or plainly wrong sums: V8 11 behind its flag) the wide form it is, which loses nothing there (on a Zen 4 in Node 26, which
 * uses no VNNI there, the two words run at 83 and 86 GOP/s), but for weights of at most 6 bits, whose sums of two are exact everywhere.
 */
static inline int32_t dot_form(int32_t bits)
{
  if (!V_DOT8)
    return DOT_WIDE;
  /* Saturation shows in the first lane and, downwards, in the second; the accumulator's part in the third; all 16 products in all. */
  static const int8_t left[16] = {127, 127, 127, 127, -128, -128, -128, -128, 1, 2, 3, 4, -5, 6, -7, 8};
  static const int8_t right[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 5, 6, 7, 8, -128, -127, -2, 127};
  i32x4 got = v_dot8(v_load_i(left), v_load_i(right), v_positions(1000));
  i32x4 is_unsigned = got ^ (i32x4) { 1000 + 129540, 1001 - 130560, 1002 + 70, 1003 - 640 + 774 - 1778 + 1016 };
  i32x4 is_signed = got ^ (i32x4) { 1000 - 508, 1001 + 512, 1002 + 70, 1003 + 640 - 762 + 14 + 1016 };
  return !v_any(is_unsigned) ? DOT_UNSIGNED : !v_any(is_signed) ? DOT_SIGNED : bits > 6 ? DOT_WIDE : DOT_PAIRS;
}

#endif
