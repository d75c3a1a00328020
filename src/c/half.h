/* IEEE half precision, which wasm has no instructions for. */
#ifndef HALF_H
#define HALF_H

#include "simd.h"

typedef union {
  float f;
  uint32_t u;
} f32_bits;

/* Exactly. */
INLINE float half_value(uint16_t half)
{
  f32_bits x = {.u = (uint32_t)(half & 0x7FFF) << 13};
  /* the exponent moves to its new bias by a multiplication, which puts subnormal numbers right as well */
  x.f *= 0x1p112f;
  if ((half & 0x7C00) == 0x7C00)
    x.u |= 0x7F800000;
  x.u |= (uint32_t)(half & 0x8000) << 16;
  return x.f;
}

/* To nearest, ties to even; infinity from 65520 on. */
INLINE uint16_t half_of(float f)
{
  f32_bits x = {.f = f};
  uint32_t sign = x.u >> 16 & 0x8000;
  x.u &= 0x7FFFFFFF;
  if (x.u >= 0x7F800000)
    return (uint16_t)(sign | (x.u > 0x7F800000 ? 0x7E00 : 0x7C00));
  if (x.u >= 0x477FF000)
    return (uint16_t)(sign | 0x7C00);
  if (x.u < 0x38800000) {
    /* subnormal: adding ½ brings its last place to the last place of the float */
    x.f += 0.5f;
    return (uint16_t)(sign | (x.u - 0x3F000000));
  }
  uint32_t even = x.u >> 13 & 1;
  return (uint16_t)(sign | ((x.u - 0x38000000 + 0xFFF + even) >> 13));
}

/* Four at once; ±∞ and NaN keep their sign and stay what they are. */
INLINE f32x4 v_load_half(const uint16_t *p)
{
  i32x4 h = v_load_i16(p);
  f32x4 x = (f32x4)(h << 13 & v_splat_i((int32_t)0x8FFFE000)) * v_splat(0x1p112f);
  i32x4 infinite = (h & v_splat_i(0x7C00)) == v_splat_i(0x7C00);
  return (f32x4)((i32x4)x | (infinite & v_splat_i(0x7F800000)));
}

#endif
