/* The inner loops over bytes. */
#include "integer_tiles.h"

/*
 * Adds the products of a word of each lane of a panel to up to four rows. The operands are its
 * bytes or, BY_PAIRS, the even and the odd ones.
 */
INLINE void add_word(const int by, const int rows, i32x4 n[TILE4][2][2], const int32_t *x,
                     const int8_t *b, i32x4 even)
{
  const int parts = parts_by(by);
  i32x4 y[2][2];
  for (int v = 0; v < 2; v++) {
    y[0][v] = y[1][v] = v_load_i(b + 16 * v);
    if (by == BY_PAIRS) {
      y[0][v] &= even;
      y[1][v] = (i32x4)((u16x8)y[1][v] >> 8);
    }
  }
  for (int r = 0; r < rows; r++)
    for (int part = 0; part < parts; part++) {
      const int at = r * parts + part;
      const i32x4 a = by == BY_PAIRS ? v_load_i(x + 4 * at) : v_splat_bytes(x + at);
      for (int v = 0; v < 2; v++) {
        if (by == BY_PAIRS)
          n[r][0][v] = v_dot((i16x8)a, (i16x8)y[part][v], n[r][0][v]);
        else
          n[r][part][v] = v_dot8(a, y[part][v], n[r][part][v]);
      }
    }
}

/*
 * Sums of one panel after the other or, with two panels, of the first and the second half at the
 * same time. If their number is odd, one panel is computed twice.
 */
INLINE void sum_panels(const int by, const int rows, const int panels, const product *p, int first)
{
  const int parts = parts_by(by);
  const int32_t *numbers = p->x + first * stride_by(by);
  const int8_t *panel = p->panel;
  const i32x4 even = v_keep(0xFF00FF);
  int32_t *to = p->to + (size_t)first * p->step;
  const size_t length = panels == 1 ? p->count : (p->count + 1) / 2;
  const size_t other = p->count - length; /* from the first panel to the second */
  for (size_t done = 0; done < length; done++, to += PANEL, panel += p->panel_bytes) {
    i32x4 n[2][TILE4][2][2];
    const int32_t *x = numbers;
    for (int q = 0; q < panels; q++)
      for (int r = 0; r < rows; r++)
        for (int part = 0; part < parts; part++)
          n[q][r][part][0] = n[q][r][part][1] = v_splat_i(0);
    const int8_t *end = panel + p->words * (PANEL * WORD);
    for (const int8_t *b = panel; b < end; b += PANEL * WORD) {
      for (int q = 0; q < panels; q++)
        add_word(by, rows, n[q], x, b + (size_t)q * other * p->panel_bytes, even);
      x += TILE4 * stride_by(by);
    }
    for (int q = 0; q < panels; q++)
      for (int r = 0; r < rows; r++)
        for (int v = 0; v < 2; v++)
          v_store_i(to + (size_t)q * other * PANEL + (size_t)r * p->step + 4 * v,
                    by == BY_SPLIT ? (n[q][r][0][v] << 8) + n[q][r][1][v] : n[q][r][0][v]);
  }
}

KERNEL void sum_by_bytes(const product *p) { sum_panels(BY_BYTES, 4, 1, p, 0); }

/*
 * Three rows go together, and a single row reads two panels. Four rows would need more registers
 * than V8 has, and two and two rows are slower (tuning.md#integer-rows).
 */
INLINE void sum_rows(const int by, int rows, const product *p)
{
  if (rows >= 3)
    sum_panels(by, 3, 1, p, 0);
  if (rows == 2)
    sum_panels(by, 2, 1, p, 0);
  else if (rows != 3)
    sum_panels(by, 1, 2, p, rows - 1);
}

KERNEL void sum_by_split(int rows, const product *p) { sum_rows(BY_SPLIT, rows, p); }
KERNEL void sum_by_pairs(int rows, const product *p) { sum_rows(BY_PAIRS, rows, p); }

void attn_integers(int by, int rows, const product *p)
{
  if (!V_DOT8 || by == BY_PAIRS)
    sum_by_pairs(rows, p);
  else if (by == BY_SPLIT)
    sum_by_split(rows, p);
  else
    sum_by_bytes(p);
}
