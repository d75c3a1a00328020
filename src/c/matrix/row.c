/* One row of a matrix as float32, by way of what unpacks weights for tiles. */
#include "panels.h"

float attn_read_float(int32_t type, const uint8_t *p)
{
  float f;
  uint16_t h;
  __builtin_memcpy(&h, p, 2);
  if (type == ATTN_F32)
    __builtin_memcpy(&f, p, 4);
  else
    f = type == ATTN_F16 ? half_to_float(h) : bfloat_to_float(h);
  return f;
}

/* Weight c of a part in row r: q less the offset, times Q6_K's s. */
static int32_t weight_of(weight_type t, int32_t form, const int16_t *wide, const int8_t *narrow,
                         const uint8_t *quants, int32_t r, int32_t c)
{
  if (form == DOT_WIDE)
    return wide[(wide_place(c) / 2 * PANEL + r) * 2 + wide_place(c) % 2];
  int32_t q = narrow[(c / 4 * PANEL + r) * 4 + c % 4];
  if (t.low_bits == 8)
    return form == DOT_SIGNED ? q : (uint8_t)q - t.offset;
  return q * (t.high_bits == 2 ? (int8_t)quants[c / 16 * 8 + r - 16] : 1);
}

void attn_matrix_row(const attn_matrix *w, int32_t row, float *out)
{
  weight_type t = attn_weight_type(w->type);
  const uint8_t *panel = panel_of(w, row / PANEL);
  int32_t r = row % PANEL;
  if (!t.low_bits) {
    for (int32_t c = 0; c < w->columns; c++)
      out[c] = attn_read_float(w->type, panel + (c * PANEL + r) * t.file_bytes);
    return;
  }
  for (int32_t start = 0; start < w->columns; start += PART) {
    int16_t wide[PART * PANEL];
    int8_t narrow[PART * PANEL];
    chunk_scales scales;
    panel_chunk chunk = chunk_at(t, panel, start - start % t.block, w->columns);
    int32_t part = start % t.block / PART;
    chunk.parts = part + 1;
    attn_chunk_scales(&scales, t, chunk);
    chunk.quants = quants_at(chunk, part), chunk.parts = 1;
    const int8_t *bytes = narrow;
    if (w->form == DOT_WIDE)
      attn_unpack_wide(t, wide, chunk);
    else if (t.low_bits == 8)
      bytes = (const int8_t *)chunk.quants;
    else
      attn_unpack_narrow(t, narrow, chunk, 0);
    float d = scales.d[part * PANEL + r], m = t.sign_m ? scales.m[part * PANEL + r] : 0;
    for (int32_t c = 0; c < PART; c++) /* d times it is exact, so nothing is rounded but the sum */
      out[start + c] = d * (float)weight_of(t, w->form, wide, bytes, chunk.quants, r, c) + m;
  }
}
