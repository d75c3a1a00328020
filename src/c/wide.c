/*
 * Quantised products with 16-bit lanes, exact on every engine. Four inputs meet a panel that was unpacked once for all inputs; a single
 * input meets the panel as it is stored, which is as fast as it can be read.
 *
 * On a Zen 4 in Node 26, where the dot product alone runs at 89 GOP/s: the tile at 74; its loop alone at 79, unrolled twice at 71,
 * wholly at 33. A single input at 42 (Q8_0) and 35 (Q4_0) from the cache.
 */
#include "panels.h"

/* The eight quants whose turn it is, of the four that share each lane; those above the nibbles have moved down to the lowest bits. */
INLINE i16x8 quants(const int high_bits, i32x4 low, i32x4 high, const int j)
{
  u16x8 q = (u16x8)low >> (4 * j) & 15;
  if (high_bits == 1)
    q |= (u16x8)high << (4 - j) & 16;
  if (high_bits == 2)
    q |= (j < 3 ? (u16x8)high << (4 - 2 * j) : (u16x8)high >> 2) & 48;
  return (i16x8)q;
}

/* n for the 8 rows of a part of type Q4, Q5 or Q6. */
INLINE void part_dots(const int high_bits, i32x4 n[2], const uint8_t *q, const int16_t *x)
{
  const uint8_t *above = q + 128;
  i32x4 high[2] = {{0}, {0}}, s[2] = {{0}, {0}};
  ROLLED for (int t = 0; t < 4; t++, q += 32, x += 8)
  {
    if (high_bits && t % (high_bits == 1 ? 4 : 2) == 0) {
      high[0] = v_load_i(above), high[1] = v_load_i(above + 16);
      above += 32;
    }
    i32x4 low[2] = {v_load_i(q), v_load_i(q + 16)};
    for (int j = 0; j < 4; j++) {
      i16x8 y = (i16x8)v_splat_bytes(x + 2 * j);
      for (int v = 0; v < 2; v++) {
        i16x8 a = quants(high_bits, low[v], high[v], j);
        s[v] = v_dot(high_bits == 2 ? a - 32 : a, y, s[v]);
      }
    }
    for (int v = 0; v < 2; v++)
      high[v] = (i32x4)((u16x8)high[v] >> (4 * high_bits));
    if (high_bits == 2 && t % 2) {
      /* a half of the part is done; its s lie before the quants */
      i16x8 sub = v_load_i8(q - 32 * t - 16 + t / 2 * 8);
      n[0] += s[0] * v_low(sub), n[1] += s[1] * v_high(sub);
      s[0] = s[1] = v_splat_i(0);
    }
  }
  if (high_bits != 2)
    n[0] = s[0], n[1] = s[1];
}

INLINE void part_dots8(i32x4 n[2], const uint8_t *q, const int16_t *x)
{
  ROLLED for (int c = 0; c < PART; c += 2, q += 16, x += 2)
  {
    i16x8 y = (i16x8)v_splat_bytes(x);
    n[0] = v_dot(v_load_i8(q), y, n[0]);
    n[1] = v_dot(v_load_i8(q + 8), y, n[1]);
  }
}

/* What is asked about the type in this loop has the same answer each time, and costs little; rare types share one compilation. */
INLINE void single(const int low_bits, const int high_bits, int is_k, weight_type t, float offset, const alone *a)
{
  const uint8_t *panel = a->panel, *x = a->x;
  f32x4 total[2] = {{0}, {0}}, d[2] = {{0}, {0}}, m[2] = {{0}, {0}};
  for (int32_t c = 0; c < a->columns; c += PART, panel += (low_bits + high_bits) * PART, x += input_block(1, 1)) {
    if (!is_k || c % UNIT == 0) {
      unit_scales(d, m, low_bits == 8 || high_bits == 2 ? 0 : t.sign_m, 0, panel);
      panel += unit_head(t);
    }
    f32x4 dp[2] = {d[0], d[1]}, mp[2] = {m[0], m[1]};
    if (is_k && high_bits != 2)
      times_sub_scales(dp, mp, panel);
    panel += is_k ? 16 : 0;
    i32x4 n[2] = {{0}, {0}};
    if (low_bits == 8)
      part_dots8(n, panel, (const int16_t *)x);
    else
      part_dots(high_bits, n, panel, (const int16_t *)x);
    const float *numbers = (const float *)(x + input_quants(1, 1));
    f32x4 dx = v_splat(numbers[0]), sum = v_splat(numbers[1]), off = v_splat(offset) * sum;
    for (int v = 0; v < 2; v++) {
      f32x4 y = v_float(n[v]);
      if (low_bits != 8 && high_bits != 2)
        y -= off;
      y *= dp[v];
      if (low_bits != 8 && high_bits != 2 && t.sign_m)
        y += mp[v] * sum;
      total[v] += y * dx;
    }
  }
  v_store(a->y, total[0]);
  v_store(a->y + 4, total[1]);
}

#define SINGLE(name, low_bits, high_bits, is_k)                                                                        \
  KERNEL void name(weight_type t, float offset, const alone *a) { single(low_bits, high_bits, is_k, t, offset, a); }
SINGLE(single8, 8, 0, 0)
SINGLE(single4, 4, 0, 0)
SINGLE(single5, 4, 1, t.sub_scales > 0)
SINGLE(single4_k, 4, 0, 1)
SINGLE(single6_k, 4, 2, 1)

void attn_single_wide(weight_type t, const alone *a)
{
  float offset = t.low_bits == 8 || t.high_bits == 2 ? 0 : t.offset; /* those two have it in their quants */
  if (t.low_bits == 8)
    single8(t, offset, a);
  else if (t.high_bits)
    (t.high_bits == 2 ? single6_k : single5)(t, offset, a);
  else if (!V_DOT8) /* or 4 bits have another form, there and below */
    (t.sub_scales ? single4_k : single4)(t, offset, a);
}

INLINE void unpack(const int high_bits, int32_t offset, int16_t *to, const uint8_t *q)
{
  const uint8_t *above = q + 128;
  i32x4 high[2] = {{0}, {0}};
  i16x8 off = (i16x8)v_splat_i(offset * 0x10001), s[2] = {{0}, {0}};
  ROLLED for (int t = 0; t < 4; t++, q += 32)
  {
    if (high_bits && t % (high_bits == 1 ? 4 : 2) == 0) {
      high[0] = v_load_i(above), high[1] = v_load_i(above + 16);
      above += 32;
    }
    if (high_bits == 2 && t % 2 == 0) {
      i16x8 sub = v_load_i8(q - 32 * t - 16 + t / 2 * 8);
      s[0] = __builtin_shufflevector(sub, sub, 0, 0, 1, 1, 2, 2, 3, 3);
      s[1] = __builtin_shufflevector(sub, sub, 4, 4, 5, 5, 6, 6, 7, 7);
    }
    i32x4 low[2] = {v_load_i(q), v_load_i(q + 16)};
    for (int j = 0; j < 4; j++)
      for (int v = 0; v < 2; v++, to += 8) {
        i16x8 a = quants(high_bits, low[v], high[v], j) - off;
        v_store_i(to, (i32x4)(high_bits == 2 ? a * s[v] : a));
      }
    for (int v = 0; v < 2; v++)
      high[v] = (i32x4)((u16x8)high[v] >> (4 * high_bits));
  }
}

void attn_unpack_wide(weight_type t, int16_t *to, panel_chunk chunk)
{
  for (int32_t p = 0; p < chunk.parts; p++, to += PART * PANEL) {
    const uint8_t *q = quants_at(chunk, p);
    if (t.low_bits == 8)
      ROLLED for (int c = 0; c < PART * PANEL; c += 8) v_store_i(to + c, (i32x4)v_load_i8(q + c));
    else if (t.high_bits == 2)
      unpack(2, t.offset, to, q);
    else if (t.high_bits == 1)
      unpack(1, t.offset, to, q);
    else if (!V_DOT8)
      unpack(0, t.offset, to, q);
  }
}

/* Two columns of four inputs and a panel. */
INLINE void two_columns(const int first, i32x4 n[GROUP][2], const int16_t *w, const uint8_t *x)
{
  i16x8 w0 = (i16x8)v_load_i(w), w1 = (i16x8)v_load_i(w + PANEL);
  for (int r = 0; r < GROUP; r++) {
    i16x8 y = (i16x8)v_splat_bytes(x + 4 * r);
    n[r][0] = v_dot(w0, y, first ? v_splat_i(0) : n[r][0]);
    n[r][1] = v_dot(w1, y, first ? v_splat_i(0) : n[r][1]);
  }
}

/* m: NULL where the type has none. */
KERNEL void tile(float *acc, const int16_t *w, int32_t parts, const float *d, const float *m, const uint8_t *x)
{
  for (int32_t p = 0; p < parts; p++, d += PANEL) {
    i32x4 n[GROUP][2];
    /* the first in place of eight zeros; the fifteen others V8 unrolls evenly: 78 instead of 75 GOP/s */
    two_columns(1, n, w, x);
    ROLLED for (int c = 2; c < PART; c += 2) two_columns(0, n, w += 2 * PANEL, x += 4 * GROUP);
    w += 2 * PANEL, x += 4 * GROUP;
    const float *numbers = (const float *)x;
    x += input_block(1, GROUP) - input_quants(1, GROUP);
    for (int v = 0; v < 2; v++) {
      f32x4 dw = v_load(d + 4 * v), mw = m ? v_load(m + PANEL * p + 4 * v) : dw;
      for (int r = 0; r < GROUP; r++) {
        f32x4 y = v_float(n[r][v]) * dw;
        if (m)
          y += mw * v_splat(numbers[GROUP + r]);
        float *a = acc + PANEL * r + 4 * v;
        v_store(a, v_load(a) + y * v_splat(numbers[r]));
      }
    }
  }
}

void attn_tile_wide(weight_type t, float *acc, const int16_t *weights, int32_t parts, const chunk_scales *scales,
                    const uint8_t *x)
{
  tile(acc, weights, parts, scales->d, t.sign_m ? scales->m : NULL, x);
}
