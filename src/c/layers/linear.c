/* The linear layer y = x·Wᵀ + bias, and the sum with a residual. */
#include "layers.h"
#include "share.h"

void attn_matmul(attn_team *team, float *y, size_t y_stride, const float *x, size_t x_stride,
                 int32_t m, const attn_matrix *w, const float *bias)
{
  const row_range rows = {0, m};
  const shared_product product = {y, y_stride, w, bias, rows, x, x_stride};
  attn_share_products(team, NULL, &product, 1);
}

void attn_add(float *y, const float *a, const float *b, size_t count)
{
  for (size_t i = 0; i < count; i++)
    y[i] = a[i] + b[i];
}
