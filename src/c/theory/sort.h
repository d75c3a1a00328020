/* Sorting numbers in place: heap sort. */
#ifndef SORT_H
#define SORT_H

#include <stdint.h>

/* Puts x[at] in its place in the heap x[0 … n), the largest on top. */
static void sift(double *x, int32_t at, int32_t n)
{
  double moving = x[at];
  for (int32_t child; (child = 2 * at + 1) < n; at = child) {
    child += child + 1 < n && x[child + 1] > x[child];
    if (x[child] <= moving)
      break;
    x[at] = x[child];
  }
  x[at] = moving;
}

/* Ascending. */
static void sort(double *x, int32_t n)
{
  for (int32_t at = n / 2; at-- > 0;)
    sift(x, at, n);
  for (int32_t end = n; end-- > 1;) {
    double max = x[0];
    x[0] = x[end];
    x[end] = max;
    sift(x, 0, end);
  }
}

#endif
