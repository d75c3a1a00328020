/* Newton's method for an increasing function, kept inside a bracket. */
#ifndef NEWTON_H
#define NEWTON_H

#include "distribution.h"

/* A function at some x. A |value| up to noise is rounding. */
typedef struct {
  double value;
  double slope;
  double noise;
} residual;

typedef residual residual_at(const void *context, double x);

/*
 * The root between lo and hi, either of which may be infinite. A step that leaves them is replaced
 * by half of the bracket. If both ends are positive, their geometric mean is taken instead, because
 * they may be many powers of ten apart.
 */
static double root_of(residual_at *f, const void *context, double x, double lo, double hi,
                      int32_t *iterations)
{
  for (*iterations = 1; *iterations < 200; ++*iterations) {
    residual r = f(context, x);
    if (magnitude(r.value) <= r.noise)
      break;
    if (r.value > 0)
      hi = x;
    else
      lo = x;
    double next = x - r.value / r.slope;
    if (!(next > lo && next < hi))
      next = !is_finite(hi)   ? 2 * x + 1
             : !is_finite(lo) ? 2 * x - 1
             : lo > 0         ? __builtin_sqrt(lo) * __builtin_sqrt(hi)
                              : lo + (hi - lo) / 2;
    if (next == lo || next == hi || next == x)
      break;
    x = next;
  }
  return x;
}

#endif
