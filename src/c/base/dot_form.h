/* Which integer dot product an engine is given, and so how weights and inputs lie. */
#ifndef DOTS_H
#define DOTS_H

#include <stdint.h>

enum {
  DOT_I16,      /* 16-bit lanes, two products a sum: exact everywhere */
  DOT_UNSIGNED, /* 8-bit lanes, four products a sum; the second operand is unsigned (VPDPBUSD) */
  DOT_SIGNED,   /* the same; the second operand is signed (SDOT) */
  /*
   * 8-bit lanes, two products a sum; the second operand is unsigned and has up to 6 bits
   * (VPMADDUBSW)
   */
  DOT_PAIRS,
};

/*
 * The form for weights of `bits` bits: one that this engine computes exactly over all 8. Some
 * engines have none. On x86 without VNNI sums of two saturate, and V8 11 behind its flag gives
 * wrong sums. They get DOT_I16, which costs nothing there (tuning.md#dot-forms). Weights of at most
 * 6 bits get DOT_PAIRS, because sums of two are exact for them everywhere.
 */
int32_t attn_dot_form(int32_t bits);

#endif
