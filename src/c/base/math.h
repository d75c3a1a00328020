/*
 * exp and tanh on four floats; exp, log and tanh in double. They need no library, so that every
 * engine and the native build compute the same bits. The float32 exp is checked over every float in
 * its range (tests/native/exp_test.c).
 */
#ifndef MATH_H
#define MATH_H

#include "simd.h"

#define LOG2E 1.44269504088896340736
#define TWO_PI 6.283185307179586

/* 1.5·2^23 and 1.5·2^52: adding one rounds to an integer, which then stands in the low bits. */
#define F32_ROUNDS 12582912.0f
#define F64_ROUNDS 6755399441055744.0

/* The largest float and the largest double. */
#define F32_MAX 3.4028234663852886e38f
#define F64_MAX 1.7976931348623157e308

/*
 * Below about this the result is 0, because softmax gains nothing from smaller weights. From −87.34
 * on it is subnormal.
 */
#define EXP_UNDERFLOW -87.683f

/*
 * e^x for x ≤ 0, within 1.5 ULP down to EXP_UNDERFLOW. It is 1 at 0, never above 1, 0 at −∞ and NaN
 * at NaN. x = n·ln2 + r with |r| ≤ ln2/2; e^r is a degree-6 polynomial (minimax, 3e-9), then times
 * 2^n.
 *
 * Over many numbers it is faster to do the first half, v_exp_reduce, for all of them first: a
 * processor does not look far ahead for independent work. Its input has passed v_exp_range.
 */
INLINE f32x4 v_exp_reduce(f32x4 x, f32x4 *power)
{
  /* x/ln2 rounded to an integer in the low bits, which + 127 biases as an exponent */
  const f32x4 rounds = v_keep_float(F32_ROUNDS + 127.0f);
  f32x4 t = v_madd(x, v_keep_float((float)LOG2E), rounds);
  f32x4 n = t - rounds;
  *power = (f32x4)((i32x4)t << 23);
  /* ln2 in two parts, the first short enough for n·ln2 to be exact */
  f32x4 r = v_madd(n, v_keep_float(-0.693145751953125f), x);
  return v_madd(n, v_keep_float(-1.42860682030941723e-6f), r);
}

INLINE f32x4 v_exp_finish(f32x4 r, f32x4 power)
{
  f32x4 square = r * r;
  f32x4 low = v_madd(r, v_keep_float(0.1666652113199234f), v_keep_float(0.4999999403953552f));
  f32x4 high = v_madd(r, v_keep_float(0.00836874544620514f), v_keep_float(0.04166838899254799f));
  high = v_madd(square, v_keep_float(0.0013814540579915047f), high);
  f32x4 expm1 = v_madd(square, v_madd(square, high, low), r);
  return v_madd(expm1, power, power);
}

/*
 * At −88 the biased exponent is 0, and so is the product at the end; beyond −88.4 it would come out
 * wrong.
 */
INLINE f32x4 v_exp_range(f32x4 x) { return v_max(x, v_keep_float(-88.0f)); }

INLINE f32x4 v_exp(f32x4 x)
{
  f32x4 power;
  f32x4 r = v_exp_reduce(v_exp_range(x), &power);
  return v_exp_finish(r, power);
}

/*
 * tanh: an odd polynomial below 0.625 (4e-9, so small scores keep their relative accuracy), exp
 * above.
 */
INLINE f32x4 v_tanh(f32x4 x)
{
  i32x4 sign = (i32x4)x & v_splat_i(INT32_MIN);
  f32x4 a = (f32x4)((i32x4)x ^ sign);
  f32x4 s = x * x;
  f32x4 p = v_splat(-0.005704986862838268f);
  p = v_madd(p, s, v_splat(0.0206390880048275f));
  p = v_madd(p, s, v_splat(-0.05373971536755562f));
  p = v_madd(p, s, v_splat(0.13331441581249237f));
  p = v_madd(p, s, v_splat(-0.3333328068256378f));
  f32x4 small = v_madd(p * s, a, a);
  f32x4 e = v_exp(a * v_splat(-2.0f));
  f32x4 large = (v_splat(1.0f) - e) / (v_splat(1.0f) + e);
  return (f32x4)((i32x4)v_select(a < v_splat(0.625f), small, large) | sign);
}

typedef union {
  double f;
  uint64_t u;
} f64_bits;

/* 2^k for −1022 ≤ k ≤ 1023 */
INLINE double f64_power2(int k)
{
  f64_bits y = {.u = (uint64_t)(k + 1023) << 52};
  return y.f;
}

/* x = f·2^k with |f| in [½, 1); f is 0 for 0. */
static inline double f64_split(double x, int *k)
{
  *k = 0;
  if (x == 0)
    return x;
  f64_bits b = {.f = x};
  if ((b.u >> 52 & 0x7FF) == 0) {
    b.f *= 18014398509481984.0;
    *k = -54;
  }
  *k += (int)(b.u >> 52 & 0x7FF) - 1022;
  b.u = (b.u & 0x800FFFFFFFFFFFFF) | 0x3FE0000000000000;
  return b.f;
}

/* ---- math.c ---- */

/* e^x, within 1 ULP where the result is normal; 0 and +∞ beyond. */
double f64_exp(double x);
/* log x for x ≥ 0, within 2 ULP. */
double f64_log(double x);
double f64_tanh(double x);
/* e^x − 1, within 4 ULP, also near 0 where e^x is near 1. */
double f64_expm1(double x);
/* log(1 + x) for x ≥ −1, within 4 ULP. */
double f64_log1p(double x);
/* Both within 1e-16 for angles up to 2^20 quarter turns. */
void f64_cos_sin(double angle, double *cos, double *sin);

#endif
