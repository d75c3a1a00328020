/* Which outputs of a row panel a call asks for. */
#ifndef LANES_H
#define LANES_H

#include "base/simd.h"
#include "base/sizes.h"

/* Lanes [begin, end) of a panel. */
typedef struct {
  int32_t begin;
  int32_t end;
} lanes;

INLINE lanes lanes_of(int32_t panel, int32_t first_row, int32_t end_row)
{
  int32_t begin = first_row - panel * PANEL;
  int32_t end = end_row - panel * PANEL;
  return (lanes){begin > 0 ? begin : 0, end < PANEL ? end : PANEL};
}

/* Copies these lanes of `rows` rows. */
KERNEL void move_lanes(float *to, size_t to_stride, const float *from, size_t from_stride,
                       int32_t rows, lanes l)
{
  for (int32_t r = 0; r < rows; r++, to += to_stride, from += from_stride) {
    if (l.end - l.begin == PANEL) {
      v_store(to, v_load(from));
      v_store(to + 4, v_load(from + 4));
    } else {
      for (int32_t c = l.begin; c < l.end; c++)
        to[c] = from[c];
    }
  }
}

#endif
