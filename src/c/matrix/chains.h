/*
 * The inner loop of float32 products, y = x·Wᵀ. W is in panels of eight rows, transposed, so lanes
 * run along the outputs.
 *
 * An output is a sum of chains, which are added in order. Of each 64 columns the even ones make one
 * chain and the odd ones another. So the bits of an output depend only on its own rows of x and W.
 * A single input adds to both chains at once and reads the panel in order; reading it at two near
 * places, or twice, is slower (tuning.md#even-and-odd-chains).
 *
 * V8 keeps the 4 × 2 vectors of sums in registers only while the loop is not unrolled, and clang
 * leaves it so (tuning.md#rolled-float-tile). The loop ends at a place in the panel, which saves a
 * counter (tuning.md#tile-end). Other forms of the tile are not faster (tuning.md#training-tile).
 */
#ifndef CHAINS_H
#define CHAINS_H

#include "base/simd.h"
#include "base/sizes.h"

enum {
  CHAIN = 32,             /* terms in one chain of additions */
  CHAIN_SPAN = 2 * CHAIN, /* columns of two chains */
};

/* One chain, of every second column: to = (first ? 0 : to) + Σ_c x_rc w_c. */
INLINE void float_chain(float *to,          /* (TILE4, PANEL) */
                        const float *x,     /* (columns, TILE4) */
                        const float *panel, /* (columns, PANEL) */
                        const int32_t count, int first)
{
  f32x4 sum[TILE4][2];
  for (int r = 0; r < TILE4; r++)
    sum[r][0] = sum[r][1] = v_splat(0);
  const float *end = panel + (size_t)count * 2 * PANEL;
  for (; panel != end; x += 2 * TILE4, panel += 2 * PANEL) {
    f32x4 w0 = v_load(panel);
    f32x4 w1 = v_load(panel + 4);
    for (int r = 0; r < TILE4; r++) {
      f32x4 s = v_splat(x[r]);
      sum[r][0] = v_madd(s, w0, sum[r][0]);
      sum[r][1] = v_madd(s, w1, sum[r][1]);
    }
  }
  for (int r = 0; r < TILE4; r++)
    for (int v = 0; v < 2; v++, to += 4)
      v_store(to, first ? sum[r][v] : v_load(to) + sum[r][v]);
}

/* The products of `columns` columns. The first of them begins two chains. */
INLINE void float_tile(float *to, const float *x, const float *panel, int32_t columns, int first)
{
  for (int32_t c = 0; c < columns; c += CHAIN_SPAN) {
    int32_t rest = columns - c < CHAIN_SPAN ? columns - c : CHAIN_SPAN;
    for (int odd = 0; odd < 2 && odd < rest; odd++)
      float_chain(to, x + (c + odd) * TILE4, panel + (c + odd) * PANEL, (rest + 1 - odd) / 2,
                  first && c + odd == 0);
  }
}

#endif
