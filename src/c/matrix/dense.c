/* Packing a matrix. */
#include "dense.h"

size_t attn_dense_bytes(int32_t rows, int32_t columns)
{
  if (rows < 1 || columns < 1)
    return 0;
  uint64_t panels = ((uint64_t)rows + PANEL - 1) / PANEL,
           row = (uint64_t)columns * PANEL * sizeof(float);
  if (panels > (1u << 31) / row)
    return 0;
  uint64_t bytes = sizeof(attn_dense) + panels * row;
  return bytes < 1u << 31 ? (size_t)bytes : 0;
}

int32_t attn_dense_rows(const attn_dense *w) { return w->rows; }
int32_t attn_dense_columns(const attn_dense *w) { return w->columns; }

int32_t attn_dense_pack(attn_dense *dense, const float *w, int32_t rows, int32_t columns,
                        size_t row_stride, size_t column_stride)
{
  if (!attn_dense_bytes(rows, columns))
    return rows < 1 || columns < 1 ? ATTN_E_RANGE : ATTN_E_LIMIT;
  *dense = (attn_dense){.rows = rows, .columns = columns};
  for (int32_t r = 0; r < panels_of(dense) * PANEL; r++) {
    float *to = panel_at(dense, r / PANEL) + r % PANEL;
    const float *from = w + (size_t)r * row_stride;
    for (int32_t c = 0; c < columns; c++)
      to[(size_t)c * PANEL] = r < rows ? from[(size_t)c * column_stride] : 0;
  }
  return ATTN_OK;
}
