/* Float16 and bfloat16 as float32, exactly, also subnormals, infinities and NaN; and back. */
#ifndef HALF_H
#define HALF_H

#include "math.h"

typedef union {
  float f;
  uint32_t u;
} f32_bits;

/*
 * Moving exponent and fraction of a half to their places in float32 gives 2^−112 of its value. This
 * factor makes up for it.
 */
#define HALF_SCALE 5192296858534827628530496329220096.0f /* 2^112 */

INLINE float half_to_float(uint16_t h)
{
  f32_bits x = {.u = (uint32_t)(h & 0x7fff) << 13};
  x.f *= HALF_SCALE;
  if ((h & 0x7c00) == 0x7c00)
    x.u |= 0x7f800000;
  x.u |= (uint32_t)(h & 0x8000) << 16;
  return x.f;
}

/* Four floats as halves, in 32 bits each: the nearest, ties to even; too large is infinite. */
INLINE i32x4 v_halves_of(f32x4 x)
{
  const i32x4 infinite = v_keep(0x7c00);
  i32x4 a = (i32x4)x & v_keep(INT32_MAX);
  /* the sum's last bit is worth 2^−24, as the subnormals' is */
  i32x4 subnormal = (i32x4)((f32x4)a + v_keep_float(0.5f)) - v_keep(0x3f000000);
  i32x4 normal = (a - v_keep((112 << 23) - 0xfff) + (a >> 13 & v_keep(1))) >> 13;
  i32x4 half = (i32x4)v_select(a < v_keep(113 << 23), (f32x4)subnormal, (f32x4)normal);
  half = (i32x4)v_select(half > infinite, (f32x4)infinite, (f32x4)half);
  return half | ((a > v_keep(0x7f800000)) & v_keep(0x7e00)) | ((i32x4)x >> 16 & v_keep(0x8000));
}

static inline uint16_t half_of_float(float f) { return (uint16_t)v_halves_of(v_splat(f))[0]; }

INLINE int half_is_finite(uint16_t h) { return (h & 0x7c00) != 0x7c00; }

INLINE float bfloat_to_float(uint16_t h)
{
  f32_bits x = {.u = (uint32_t)h << 16};
  return x.f;
}

/* Two lists of eight halves of 32-bit words, low and high, as eight floats. */
INLINE void v_join(f32x4 y[2], i16x8 low, i16x8 high)
{
  y[0] = (f32x4)__builtin_shufflevector(low, high, 0, 8, 1, 9, 2, 10, 3, 11);
  y[1] = (f32x4)__builtin_shufflevector(low, high, 4, 12, 5, 13, 6, 14, 7, 15);
}

INLINE i16x8 v_keep_words(uint16_t x) { return (i16x8)v_keep((int32_t)(x * 0x10001u)); }

/* Eight float16. `not_finite`: some may be infinite or NaN, which needs a second look. */
INLINE void v_halves(f32x4 y[2], i16x8 h, const int not_finite)
{
  const f32x4 scale = v_keep_float(HALF_SCALE);
  i16x8 high = (h >> 3) & v_keep_words(0x8fff);
  i16x8 exponent = v_keep_words(0x7c00);
  if (not_finite)
    high |= ((h & exponent) == exponent) & v_keep_words(0x7f80);
  v_join(y, (i16x8)((u16x8)h << 13), high);
  y[0] *= scale;
  y[1] *= scale;
}

/*
 * Eight finite float16 divided by HALF_SCALE, even lanes before odd ones: this order and scale need
 * neither a shuffle nor a product.
 */
INLINE void v_halves_apart(f32x4 y[2], i16x8 h)
{
  const i32x4 kept = v_keep((int32_t)0x8fffe000);
  y[0] = (f32x4)(v_dot(h, (i16x8)v_keep(1 << 13), v_splat_i(0)) & kept);
  y[1] = (f32x4)((i32x4)h >> 3 & kept);
}

INLINE void v_bfloats(f32x4 y[2], i16x8 h) { v_join(y, (i16x8){0}, h); }

/* A number beyond the floats becomes the nearest one, and none but 0 becomes 0. */
static inline float nearest_float(double x)
{
  const double max = F32_MAX;
  const double min = 1.401298464324817e-45;
  if (x > max || x < -max)
    return x > 0 ? (float)max : (float)-max;
  return x > 0 && x < min ? (float)min : x < 0 && x > -min ? (float)-min : (float)x;
}

#endif
