/* exp, log and tanh in double (math.h). */
#include "math.h"

/*
 * e^(r+c) − 1 for |r| ≤ ln2/2 and a correction c below its rounding: the Taylor series to r^13/13!,
 * remainder 5e-18.
 */
INLINE double f64_expm1_reduced(double r, double c)
{
  static const double inverse_factorial[] = {
      1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0,
      1.0 / 362880.0,     1.0 / 40320.0,     1.0 / 5040.0,     1.0 / 720.0,
      1.0 / 120.0,        1.0 / 24.0,        1.0 / 6.0,        1.0 / 2.0};
  double p = inverse_factorial[0];
  for (int i = 1; i < 12; i++)
    p = p * r + inverse_factorial[i];
  return r + (r * r * p + c);
}

double f64_exp(double x)
{
  if (x != x)
    return x;
  if (x > 709.782712893384)
    return __builtin_inf();
  if (x < -745.2)
    return 0;
  double t = x * LOG2E + F64_ROUNDS;
  double k = t - F64_ROUNDS;
  double hi = x - k * 0.693147180369123816490; /* 32 bits of ln2, exact times k */
  double lo = k * 1.90821492927058770002e-10;
  double r = hi - lo;
  double y = 1.0 + f64_expm1_reduced(r, (hi - r) - lo);
  int e = (int)k;
  /* in two steps, because 2^e alone may be subnormal or infinite */
  return y * f64_power2(e / 2) * f64_power2(e - e / 2);
}

/* x = 2^k·f with √½ ≤ f < √2, and log f = 2·artanh(s) with s = (f−1)/(f+1). */
double f64_log(double x)
{
  if (!(x > 0))
    return x == 0 ? -__builtin_inf() : __builtin_nan("");
  if (x > F64_MAX)
    return x;
  int k = 0;
  if (x < 2.2250738585072014e-308) {
    x *= 18014398509481984.0;
    k = -54;
  }
  f64_bits b = {.f = x};
  k += (int)(b.u >> 52) - 1023;
  b.u = (b.u & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000;
  if (b.f > 1.4142135623730951) {
    b.f *= 0.5;
    k++;
  }
  /* even and odd powers of w apart, since each step waits for the one before */
  double f = b.f - 1.0;
  double s = f / (2.0 + f);
  double w = s * s;
  double v = w * w;
  double even =
      (((v * (1.0 / 23.0) + 1.0 / 19.0) * v + 1.0 / 15.0) * v + 1.0 / 11.0) * v + 1.0 / 7.0;
  double odd = (((v * (1.0 / 21.0) + 1.0 / 17.0) * v + 1.0 / 13.0) * v + 1.0 / 9.0) * v + 1.0 / 5.0;
  double p = odd * w + (even * v + 1.0 / 3.0);
  /* 2s = f − s·f keeps the leading term exact */
  double tail = s * (2.0 * w * p) - s * f;
  return k * 0.693147180369123816490 + (f + (tail + k * 1.90821492927058770002e-10));
}

double f64_tanh(double x)
{
  double a = x < 0 ? -x : x;
  if (!(a > 0))
    return x;
  double y = a > 22.0 ? 1.0 : 0;
  if (y == 0) {
    double u = 2.0 * a;
    double e = u < 0.34 ? f64_expm1_reduced(u, 0) : f64_exp(u) - 1.0;
    y = e / (e + 2.0);
  }
  return x < 0 ? -y : y;
}

double f64_expm1(double x)
{
  return x > -0.34 && x < 0.34 ? f64_expm1_reduced(x, 0) : f64_exp(x) - 1.0;
}

/* Kahan: rounding 1 + x changes the logarithm and the quotient by the same factor. */
double f64_log1p(double x)
{
  double y = 1.0 + x;
  double rounded = y - 1.0;
  return rounded == 0 ? x : f64_log(y) * (x / rounded);
}

/*
 * 1 − r²/(n(n+1))·(1 − r²/((n+2)(n+3))·…), which is cos r for n = 1 and sin r / r for n = 2. The
 * error is 1e-16 for |r| ≤ π/4.
 */
static double series(double r, int n)
{
  double sum = 1;
  double square = r * r;
  for (int i = n + 14; i >= n; i -= 2)
    sum = 1 - square / (i * (i + 1)) * sum;
  return sum;
}

/*
 * Both from one reduction to |r| ≤ π/4. π/2 has two parts of 33 bits and a rest, so up to 2^20
 * quarter turns are subtracted without error. With more of them the error is that of the angle,
 * which is a rounded product.
 */
void f64_cos_sin(double angle, double *cos, double *sin)
{
  double quarters = angle * (4 / TWO_PI) + F64_ROUNDS - F64_ROUNDS;
  double r = angle - quarters * 1.57079632673412561417e+00;
  r -= quarters * 6.07710050630396597660e-11;
  r -= quarters * 2.02226624879595063154e-21;
  double c = series(r, 1);
  double s = r * series(r, 2);
  int64_t quarter = (int64_t)quarters & 3;
  *cos = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
  *sin = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
}
