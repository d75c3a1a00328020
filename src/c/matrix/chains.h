/*
 * The float32 matrix product's inner loops, y = x·Wᵀ: W in panels of eight rows, transposed, so
 * lanes run along the outputs; every output is a sum over the columns in chains, which are then
 * added in order, so its bits depend on nothing but its own row of x and of W. In weights
 * (floats.c), of each 64 columns the even ones make one chain, the odd ones another: a single
 * input, which adds to both at once, reads a panel in order (at two places so near to each other a
 * Zen 4 fetched 10 GB/s instead of 30; and reading a span for its even columns, and once more for
 * the odd ones, took 1.25 times as long on a Zen 5, for memory rests the second time). V8 keeps 4 ×
 * 2 vectors of sums in registers as long as the loop is not unrolled.
 */
#ifndef CHAINS_H
#define CHAINS_H

#include "base/simd.h"
#include "base/tiles.h"

enum {
  DENSE_CHAIN = 32,             /* terms in one chain of additions */
  DENSE_SPAN = 2 * DENSE_CHAIN, /* columns of two chains */
};

/* One chain, of every second column: to = (first ? 0 : to) + Σ_c x_rc w_c. */
INLINE void dense_chain(float *to,          /* (GROUP, PANEL) */
                        const float *x,     /* (columns, GROUP) */
                        const float *panel, /* (columns, PANEL) */
                        const int32_t count, int first)
{
  f32x4 sum[GROUP][2];
  for (int r = 0; r < GROUP; r++)
    sum[r][0] = sum[r][1] = v_splat(0);
  ROLLED for (int32_t c = 0; c < count; c++, x += 2 * GROUP, panel += 2 * PANEL)
  {
    f32x4 w0 = v_load(panel), w1 = v_load(panel + 4);
    for (int r = 0; r < GROUP; r++) {
      f32x4 s = v_splat(x[r]);
      sum[r][0] = v_madd(s, w0, sum[r][0]);
      sum[r][1] = v_madd(s, w1, sum[r][1]);
    }
  }
  for (int r = 0; r < GROUP; r++)
    for (int v = 0; v < 2; v++, to += 4)
      v_store(to, first ? sum[r][v] : v_load(to) + sum[r][v]);
}

/* All of `columns`, which begin where a span does. */
INLINE void dense_tile(float *to, const float *x, const float *panel, int32_t columns, int first)
{
  for (int32_t c = 0; c < columns; c += DENSE_SPAN) {
    int32_t rest = columns - c < DENSE_SPAN ? columns - c : DENSE_SPAN;
    ROLLED for (int odd = 0; odd < 2 && odd < rest; odd++)
        dense_chain(to, x + (c + odd) * GROUP, panel + (c + odd) * PANEL, (rest + 1 - odd) / 2,
                    first && c + odd == 0);
  }
}

#endif
