/* Matrices of weights: their size, and rows in and out. */
#include "matrix.h"

size_t attn_matrix_row_bytes(int32_t type, int32_t columns)
{
  weight_type t = attn_weight_type(type);
  if (!t.block || columns < 1 || columns % t.block)
    return 0;
  uint64_t bytes = (uint64_t)(columns / t.block) * (uint64_t)t.file_bytes;
  return bytes < (uint64_t)1 << 31 ? (size_t)bytes : 0;
}

size_t attn_matrix_bytes(int32_t type, int32_t rows, int32_t columns)
{
  if (rows < 1 || !attn_matrix_row_bytes(type, columns))
    return 0;
  weight_type t = attn_weight_type(type);
  uint64_t units = (uint64_t)(columns / t.block), panels = ((uint64_t)rows + PANEL - 1) / PANEL;
  uint64_t bytes = panels * units * (uint64_t)(t.low_bits ? unit_bytes(t) : PANEL * t.file_bytes);
  bytes += sizeof(attn_matrix);
  return bytes < (uint64_t)1 << 31 ? (size_t)bytes : 0;
}

int32_t attn_matrix_init(attn_matrix *w, int32_t type, int32_t rows, int32_t columns)
{
  size_t bytes = attn_matrix_bytes(type, rows, columns);
  if (!bytes)
    return ATTN_E_RANGE;
  __builtin_memset(w, 0, bytes);
  w->type = type, w->rows = rows, w->columns = columns;
  w->form = weight_form(attn_weight_type(type));
  return ATTN_OK;
}

int32_t attn_matrix_type(const attn_matrix *w) { return w->type; }
int32_t attn_matrix_rows(const attn_matrix *w) { return w->rows; }
int32_t attn_matrix_columns(const attn_matrix *w) { return w->columns; }

/* One row of floats into lane r of a panel. */
static void pack_floats(attn_matrix *w, uint8_t *panel, int32_t r, const uint8_t *row)
{
  int32_t bytes = w->type == ATTN_F32 ? 4 : 2, wild = 0;
  for (int32_t c = 0; c < w->columns; c++, row += bytes) {
    uint8_t *to = panel + (c * PANEL + r) * bytes;
    if (bytes == 4)
      __builtin_memcpy(to, row, 4);
    else {
      uint16_t x;
      __builtin_memcpy(&x, row, 2);
      __builtin_memcpy(to, &x, 2);
      wild |= !half_is_finite(x);
    }
  }
  if (w->type == ATTN_F16)
    w->wild |= wild;
}

static void store_unit(attn_matrix *w, weight_type t, const weight_unit *u, uint8_t *unit,
                       int32_t r)
{
  w->wild |= !half_is_finite(u->d) || (t.sign_m && !half_is_finite(u->m));
  attn_unit_store(u, t, w->form, unit, r);
}

/*
 * d = max|x|/127 as a float16, q = x/d to the nearest; all zero where that d is 0, and d is NaN for
 * what has no maximum.
 */
static void quantize_unit(weight_unit *u, const float *x)
{
  float most = 0, wild = 0;
  for (int c = 0; c < PART; c++) {
    float a = x[c] < 0 ? -x[c] : x[c];
    most = a > most ? a : most;
    wild += x[c] - x[c];
  }
  u->d = half_of_float(most / 127.0f + wild);
  float d = half_to_float(u->d);
  for (int c = 0; c < PART; c++) {
    /* d may have been rounded down; where x or d is not finite, d says so, and any q will do */
    float y = d > 0 ? x[c] / d : 0, bounded = y > 127.0f    ? 127.0f
                                              : y < -127.0f ? -127.0f
                                              : y == y      ? y
                                                            : 0;
    u->q[c] = (uint8_t)((int32_t)(bounded + 12582912.0f - 12582912.0f) + 128);
  }
}

/* A unit of Q8_0 from a row of another type. */
static void read_as_bytes(weight_unit *u, int32_t type, weight_type from, const uint8_t *source)
{
  if (from.low_bits) {
    attn_unit_read(u, type, source);
    for (int c = 0; c < PART; c++)
      u->q[c] = (uint8_t)(u->q[c] - from.offset + 128);
    return;
  }
  float x[PART];
  for (int c = 0; c < PART; c++, source += from.file_bytes)
    x[c] = attn_read_float(type, source);
  quantize_unit(u, x);
}

int32_t attn_matrix_pack(attn_matrix *w, int32_t source_type, const uint8_t *source,
                         int32_t first_row, int32_t count)
{
  const weight_type t = attn_weight_type(w->type), from = attn_weight_type(source_type);
  const int others = w->type != source_type, floats = from.block && !from.low_bits;
  if (others && !(w->type == ATTN_Q8_0 && (floats || source_type == ATTN_Q5_0)))
    return ATTN_E_FORMAT;
  if (first_row < 0 || count < 0 || count > w->rows - first_row)
    return ATTN_E_RANGE;
  const size_t row_bytes = attn_matrix_row_bytes(source_type, w->columns);
  const int32_t unit_source = t.block / from.block * from.file_bytes;
  for (int32_t row = first_row; row < first_row + count; row++, source += row_bytes) {
    uint8_t *panel = panel_of(w, row / PANEL);
    if (!t.low_bits) {
      pack_floats(w, panel, row % PANEL, source);
      continue;
    }
    const uint8_t *from_here = source;
    for (int32_t c = 0; c < w->columns;
         c += t.block, from_here += unit_source, panel += unit_bytes(t)) {
      weight_unit u;
      if (others)
        read_as_bytes(&u, source_type, from, from_here);
      else
        attn_unit_read(&u, source_type, from_here);
      store_unit(w, t, &u, panel, row % PANEL);
    }
  }
  return ATTN_OK;
}

int32_t attn_matrix_pack_transposed(attn_matrix *w, const float *source)
{
  if (w->type != ATTN_F32)
    return ATTN_E_FORMAT;
  for (int32_t row = 0; row < w->rows; row += PANEL) {
    float *panel = (float *)(void *)panel_of(w, row / PANEL);
    int32_t count = w->rows - row < PANEL ? w->rows - row : PANEL;
    for (int32_t c = 0; c < w->columns; c++)
      __builtin_memcpy(panel + c * PANEL, source + (size_t)c * (size_t)w->rows + row,
                       (size_t)count * sizeof(float));
  }
  return ATTN_OK;
}
