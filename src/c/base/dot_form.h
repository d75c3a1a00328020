/* Which integer dot product an engine has, and so how weights and inputs lie. */
#ifndef DOT_FORM_H
#define DOT_FORM_H

#include <stdint.h>

enum {
  DOT_I16,      /* 16-bit lanes, summed in pairs: exact everywhere */
  DOT_UNSIGNED, /* 8-bit lanes, summed in quads; the second operand is unsigned (VPDPBUSD) */
  DOT_SIGNED,   /* the same; the second operand is signed (SDOT) */
  DOT_PAIRS,    /* 8-bit lanes, summed in pairs; the second is unsigned, of 6 bits (VPMADDUBSW) */
};

/*
 * The form for weights of `bits` bits, of which this engine computes sums exactly. An engine may
 * have no exact quads of 8 bits: on x86 without VNNI pairs saturate, and V8 11 behind its flag has
 * wrong sums. Then weights of up to 6 bits use pairs, which are exact everywhere. Wider ones use
 * 16-bit lanes, which lose nothing there (tuning.md#dot-form).
 */
int32_t attn_dot_form(int32_t bits);

#endif
