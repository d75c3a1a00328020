/*
 * The two inner loops of a product: four rows and one panel, or one row and STREAMS panels. Lanes
 * run along the outputs, and every output is a sum over the columns in order, so its bits depend on
 * nothing but its own row of x and of W.
 *
 * 4 rows × 2 vectors of sums are the tile of tile.h, but with long chains, and V8 keeps all of it
 * in registers as long as the loop is not unrolled: at 512×576×576 the loop as it stands ran at
 * 0.94 of the fused limit, unrolled by four at 0.67, by eight at 0.54; with the rows read in place,
 * not packed side by side, at 0.92 (0.80 without fused multiply-add, where packed rows reach 0.97).
 */
#include "dense.h"

/* Four rows, one panel, the columns of one block. */
void attn_dense_tile(float *to, const float *x, const float *panel, int32_t columns, int first)
{
  int32_t c = 0;
  for (; c + DENSE_CHAIN <= columns; c += DENSE_CHAIN)
    dense_chain(1, to, x + c * GROUP, panel + c * PANEL, DENSE_CHAIN, first && c == 0);
  if (c < columns)
    dense_chain(1, to, x + c * GROUP, panel + c * PANEL, columns - c, first && c == 0);
}

/* A single row, all columns; the same sums in the same order. */
void attn_dense_streams(float *y, const float *x, const float *const *panel, int32_t columns)
{
  for (int32_t start = 0; start < columns; start += DENSE_CHAIN) {
    int32_t end = columns - start < DENSE_CHAIN ? columns : start + DENSE_CHAIN;
    const float *w[STREAMS];
    f32x4 sum[STREAMS][2];
    for (int p = 0; p < STREAMS; p++) {
      w[p] = panel[p] + start * PANEL;
      sum[p][0] = sum[p][1] = v_splat(0);
    }
    ROLLED for (int32_t c = start; c < end; c++)
    {
      f32x4 s = v_splat(x[c]);
      for (int p = 0; p < STREAMS; p++) {
        sum[p][0] = v_madd(s, v_load(w[p]), sum[p][0]);
        sum[p][1] = v_madd(s, v_load(w[p] + 4), sum[p][1]);
        w[p] += PANEL;
      }
    }
    for (int p = 0; p < STREAMS; p++)
      for (int v = 0; v < 2; v++) {
        float *to = y + p * PANEL + 4 * v;
        v_store(to, start ? v_load(to) + sum[p][v] : sum[p][v]);
      }
  }
}
