/* Which integer dot product an engine is given, and so how weights and inputs lie. */
#ifndef DOTS_H
#define DOTS_H

#include <stdint.h>

enum {
  DOT_I16,      /* 16-bit lanes, summed in twos: exact everywhere */
  DOT_UNSIGNED, /* 8-bit lanes, summed in fours; the second operand is unsigned (VPDPBUSD) */
  DOT_SIGNED,   /* the same; the second operand is signed (SDOT) */
  /*
   * 8-bit lanes, summed in twos; the second operand is unsigned and has up to 6 bits (VPMADDUBSW)
   */
  DOT_PAIRS,
};

/*
 * The form for weights of so many bits: one that this engine computes exactly over all 8. Where it
 * has none (sums of two that saturate: x86 without VNNI; or plainly wrong sums: V8 11 behind its
 * flag) the wide form it is, which loses nothing there (on a Zen 4 in Node 26, which uses no VNNI
 * there, the two words run at 83 and 86 GOP/s), but for weights of at most 6 bits, whose sums of
 * two are exact everywhere.
 */
int32_t attn_dot_form(int32_t bits);

#endif
