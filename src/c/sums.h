/* Sums whose error does not grow with the number of terms, in double. */
#ifndef SUMS_H
#define SUMS_H

#include "simd.h"

typedef struct {
  double total, error;
} exact_sum;

/* Knuth's two-sum: total + x = new total + error, exactly. */
static inline void sum_add(exact_sum *s, double x)
{
  double total = s->total + x, added = total - s->total;
  s->error += (s->total - (total - added)) + (x - added);
  s->total = total;
}

/* An infinite total has no error term. */
static inline double sum_of(exact_sum s)
{
  double x = s.total + s.error;
  return x == x ? x : s.total;
}

#endif
