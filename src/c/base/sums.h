/* Sums whose error does not grow with the number of terms, in double. */
#ifndef SUMS_H
#define SUMS_H

#include "simd.h"

typedef struct {
  double total;
  double error;
} exact_sum;

/* Knuth's two-sum: total + x = new total + error, exactly. */
INLINE void sum_add(exact_sum *s, double x)
{
  double total = s->total + x;
  double added = total - s->total;
  s->error += (s->total - (total - added)) + (x - added);
  s->total = total;
}

/* An infinite total has no error term. */
INLINE double sum_of(exact_sum s)
{
  double x = s.total + s.error;
  return x == x ? x : s.total;
}

/* Two of them side by side, which take the time of one. */
typedef struct {
  f64x2 total;
  f64x2 error;
} exact_pair;

INLINE void pair_add(exact_pair *s, f64x2 x)
{
  f64x2 total = s->total + x;
  f64x2 added = total - s->total;
  s->error += (s->total - (total - added)) + (x - added);
  s->total = total;
}

/* One of the two. */
INLINE exact_sum pair_half(exact_pair s, int half)
{
  return (exact_sum){s.total[half], s.error[half]};
}

/* Both as one. */
INLINE double pair_of(exact_pair s)
{
  exact_sum sum = pair_half(s, 0);
  sum_add(&sum, s.total[1]);
  sum.error += s.error[1];
  return sum_of(sum);
}

#endif
