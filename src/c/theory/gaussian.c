/*
 * Attention as kernel smoothing (statement 6), computed the other way round: from distances, with
 * its own exp, so that its agreement with attention is a finding and not a tautology. No arithmetic
 * but the sum of many terms is shared with the softmax path.
 */
#include "distribution.h"

/*
 * e^x for x ≤ 0, within 1 ULP: x = k·ln2 + r, e^r by a continued fraction, e^r = 1 + 2r / (2 − r +
 * r²/6·(1 − …)), written as r·coth(r/2) = 2 + r²/6 − r⁴/360 + …, the series with the Bernoulli
 * numbers.
 */
static double gaussian_exp(double x)
{
  if (!(x >= -745.0))
    return x == x ? 0 : x;
  double k = __builtin_floor(x * 1.44269504088896340736 + 0.5);
  double hi = x - k * 0.693147180369123816490;
  double lo = k * 1.90821492927058770002e-10;
  double r = hi - lo;
  double w = r * r;
  double coth =
      w * (1.0 / 6 - w * (1.0 / 360 - w * (1.0 / 15120 -
                                           w * (1.0 / 604800 - w * (1.0 / 23950080 -
                                                                    w * (691.0 / 653837184000))))));
  /*
   * e^r = 1 + 2r/(c − r) with c = r·coth(r/2); in terms of c' = r − (c − 2): 1 + r + r·c'/(2 − c')
   */
  double rest = r - coth;
  double y = 1.0 - ((lo - r * rest / (2.0 - rest)) - hi);
  union bits {
    uint64_t u;
    double f;
  };
  union bits a;
  union bits b;
  int e = (int)k;
  a.u = (uint64_t)(e / 2 + 1023) << 52;
  b.u = (uint64_t)(e - e / 2 + 1023) << 52;
  return y * a.f * b.f;
}

double attn_gaussian_sigma2(int32_t dim, double temperature)
{
  return temperature * __builtin_sqrt(dim);
}

/*
 * Counts one element in. A difference that is NaN is infinite. Where the allowance is not finite,
 * nothing holds.
 */
static void count_element(attn_difference *sum, double difference, double allowed)
{
  double d = magnitude(difference);
  d = d == d ? d : __builtin_inf();
  double ratio = is_finite(allowed) ? d / allowed : __builtin_inf();
  sum->max = greater(d, sum->max);
  sum->frobenius += d * d;
  sum->allowed = greater(allowed, sum->allowed);
  sum->allowed_frobenius += allowed * allowed;
  sum->ratio = greater(ratio, sum->ratio);
}

static void finish_frobenius(attn_difference *sum)
{
  sum->frobenius = __builtin_sqrt(sum->frobenius);
  sum->allowed_frobenius = __builtin_sqrt(sum->allowed_frobenius);
}

#define REAL float
#define NAME(x) x##_f32
#include "gaussian_rows.h"
#undef REAL
#undef NAME

#define REAL double
#define NAME(x) x##_f64
#include "gaussian_rows.h"
#undef REAL
#undef NAME

void attn_gaussian_compare(attn_gaussian_report *report, const void *w1, const void *w2,
                           const void *o1, const void *o2, const void *q, const void *k,
                           const void *v, int32_t m, int32_t n, int32_t dim, int32_t value_dim,
                           double temperature, int32_t is_double)
{
  if (is_double)
    compare_f64(report, w1, w2, o1, o2, q, k, v, m, n, dim, value_dim, temperature);
  else
    compare_f32(report, w1, w2, o1, o2, q, k, v, m, n, dim, value_dim, temperature);
}
