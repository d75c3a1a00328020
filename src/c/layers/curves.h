/* The curves that activations and their gradients are made of, on four numbers. */
#ifndef CURVES_H
#define CURVES_H

#include "base/math.h"

INLINE f32x4 magnitude(f32x4 x) { return (f32x4)((i32x4)x & v_splat_i(INT32_MAX)); }

/* 1 / (1 + e^−x), from e^−|x|, which cannot overflow. */
INLINE f32x4 sigmoid(f32x4 x)
{
  f32x4 one = v_splat(1);
  f32x4 e = v_exp(v_splat(0) - magnitude(x));
  return v_select(x < v_splat(0), e, one) / (one + e);
}

/*
 * Φ(−a) for a ≥ 0, the tail of the normal distribution: e^(−a²/2)·t·P(t) with t = 1/(1 + 0.3a).
 *
 * P is a Chebyshev fit of degree 9 on 0 ≤ a ≤ 13.3, with a relative error of 4.3e-9. Beyond that
 * the exponential is 0. a is the sum of a high part, whose square is exact, and a rest: the
 * rounding of a² would be multiplied by a² in the result.
 */
INLINE f32x4 normal_tail(f32x4 a)
{
  static const float p[] = {-0.0208300398812f, 0.113590127668f,  -0.231002319341f, 0.195594931985f,
                            -0.0826592399291f, 0.0979221195606f, 0.0777729585745f, 0.110368034272f,
                            0.119555929568f,   0.119687495808f};
  const f32x4 half = v_splat(0.5f);
  const f32x4 one = v_splat(1);
  a = v_select(a < v_splat(14), a, v_splat(14));
  f32x4 t = one / v_madd(v_splat(0.3f), a, one);
  f32x4 sum = v_splat(p[0]);
  for (int i = 1; i < 10; i++)
    sum = v_madd(sum, t, v_splat(p[i]));
  /* rest ≤ 0.1 */
  f32x4 high = (f32x4)((i32x4)a & v_splat_i(-4096));
  f32x4 rest = (a - high) * (a + high) * half;
  f32x4 e = v_splat(1.0f / 24);
  e = v_madd(e, rest, v_splat(-1.0f / 6));
  e = v_madd(e, rest, half);
  e = v_madd(e, rest, v_splat(-1));
  e = v_madd(e, rest, one);
  return v_exp(v_splat(0) - high * high * half) * e * t * sum;
}

#endif
