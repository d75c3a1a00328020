/*
 * Quantised products with 8-bit lanes, where an engine's relaxed dot product is exact (dots.h): the same integers as wide.c, in half as
 * many instructions. Inputs are the signed operand, weights the other, which is unsigned (or signed and of 7 bits, or signed: Q8_0 in the
 * signed form); what is to be subtracted from them comes off as a multiple of the inputs' sum.
 *
 * `pairs`: sums of two instead of four, for weights of 4 bits. On a Zen 4 in Node 26 they run at 95 GOP/s where wide.c does at 65.
 */
#include "alone.h"

INLINE i32x4 quants(const int high_bits, i32x4 low, i32x4 high, const int j)
{
  i32x4 q = (i32x4)((u16x8)low >> (4 * j)) & v_splat_i(0x0f0f0f0f);
  if (high_bits == 1)
    q |= (i32x4)((u16x8)high << (4 - j)) & v_splat_i(0x10101010);
  if (high_bits == 2)
    q |= (i32x4)((u16x8)high << (4 - 2 * j)) & v_splat_i(0x30303030);
  return q;
}

/* The vectors of a part of Q4, Q5 or Q6, in the order of the columns, four at a time (8 columns, 8 rows). */
INLINE void eight_columns(const int high_bits, i32x4 to[2][2], const uint8_t *q, int t, i32x4 high[2])
{
  if (high_bits && t % (high_bits == 1 ? 4 : 2) == 0)
    high[0] = v_load_i(q + 128 + 16 * t), high[1] = v_load_i(q + 144 + 16 * t);
  for (int v = 0; v < 2; v++) {
    i32x4 low = v_load_i(q + 32 * t + 16 * v);
    for (int j = 0; j < 2; j++)
      to[j][v] = quants(high_bits, low, high[v], j);
    high[v] = (i32x4)((u16x8)high[v] >> (2 * high_bits));
  }
}

/* n as in panels.h, as a float: Q6_K's halves by themselves, each with its s and without its 32·Σx. */
INLINE f32x4 of_half(i32x4 n, float offset, float sum, i32x4 sub)
{
  return (v_float(n) - v_splat(offset) * v_splat(sum)) * v_float(sub);
}

/* n of a part of Q5, or of Q6 as floats, with each half's s and without 32·Σx, its offset's. */
INLINE void part_dots(const int high_bits, i32x4 to[2], const uint8_t *q, const uint8_t *x)
{
  const float *halves = (const float *)(x + input_quants(0, 1)) + 2;
  i32x4 n[2] = {{0}, {0}}, high[2] = {{0}, {0}};
  f32x4 y[2] = {{0}, {0}};
  ROLLED for (int t = 0; t < 4; t++)
  {
    i32x4 b[2][2];
    eight_columns(high_bits, b, q, t, high);
    for (int j = 0; j < 2; j++)
      for (int v = 0; v < 2; v++)
        n[v] = v_dot8(v_splat_bytes(x + 8 * t + 4 * j), b[j][v], n[v]);
    if (high_bits == 2 && t % 2) {
      i16x8 sub = v_load_i8(q - 16 + t / 2 * 8);
      y[0] += of_half(n[0], 32, halves[t / 2], v_low(sub));
      y[1] += of_half(n[1], 32, halves[t / 2], v_high(sub));
      n[0] = n[1] = v_splat_i(0);
    }
  }
  for (int v = 0; v < 2; v++)
    to[v] = high_bits == 2 ? (i32x4)y[v] : n[v];
}

enum { BYTES, NIBBLES, NIBBLE_PAIRS };

/* n of a part of Q8_0 or Q4, of STREAMS panels; in two chains of sums for each vector, since each waits for the one before. */
INLINE void stream_dots(const int kind, i32x4 (*to)[2], const uint8_t *const *panel, int32_t at, const uint8_t *x)
{
  i32x4 n[STREAMS][2][2] = {0};
  i16x8 two[STREAMS][2] = {0};
  const uint8_t *q[STREAMS];
  for (int p = 0; p < STREAMS; p++)
    q[p] = panel[p] + at;
  ROLLED for (int c = 0; c < PART; c += 8, x += 8)
  {
    i32x4 y[2] = {v_splat_bytes(x), v_splat_bytes(x + 4)};
    for (int p = 0; p < STREAMS; p++) {
      for (int v = 0; v < 2; v++)
        for (int j = 0; j < 2; j++) {
          i32x4 w = v_load_i(q[p] + 16 * v + (kind == BYTES ? 32 * j : 0));
          if (kind == NIBBLE_PAIRS)
            two[p][v] += v_pairs(y[j], quants(0, w, w, j));
          else
            n[p][v][j] = v_dot8(y[j], kind == BYTES ? w : quants(0, w, w, j), n[p][v][j]);
        }
      q[p] += kind == BYTES ? 64 : 32;
    }
  }
  for (int p = 0; p < STREAMS; p++)
    for (int v = 0; v < 2; v++)
      to[p][v] = kind == NIBBLE_PAIRS ? v_widen(two[p][v]) : n[p][v][0] + n[p][v][1];
}

/* Those of 4 bits by themselves, for the sake of size: each has two callers, and costs them 3 %. */
OF_PART(INLINE, part8, stream_dots(BYTES, n, panel, at, x))
OF_PART(KERNEL, part4, stream_dots(NIBBLES, n, panel, at, x))
OF_PART(KERNEL, part4_pairs, stream_dots(NIBBLE_PAIRS, n, panel, at, x))
OF_PART(INLINE, part5, part_dots(1, *n, *panel + at, x))
OF_PART(INLINE, part6, part_dots(2, *n, *panel + at, x))

ALONE(0, alone8, part8, STREAMS, OFFSET, 0, 0)
ALONE(0, alone4, part4, STREAMS, OFFSET, 0, a->t.sign_m)
ALONE(0, alone4_k, part4, STREAMS, PLAIN, 1, 1)
ALONE(0, alone4_pairs, part4_pairs, STREAMS, OFFSET, 0, a->t.sign_m)
ALONE(0, alone4_k_pairs, part4_pairs, STREAMS, PLAIN, 1, 1)
ALONE(0, alone5, part5, 1, OFFSET, a->t.sub_scales > 0, a->t.sign_m)
ALONE(0, alone6_k, part6, 1, FLOATS, 1, 0)

alone_kernel *attn_alone_narrow(weight_type t, int pairs)
{
  if (!V_DOT8)
    return NULL;
  if (t.low_bits == 8)
    return alone8;
  if (t.high_bits)
    return t.high_bits == 2 ? alone6_k : alone5;
  if (t.sub_scales)
    return pairs ? alone4_k_pairs : alone4_k;
  return pairs ? alone4_pairs : alone4;
}

INLINE void unpack(const int high_bits, int8_t *to, const uint8_t *q)
{
  i32x4 high[2] = {{0}, {0}}, b[2][2];
  ROLLED for (int t = 0; t < 4; t++)
  {
    eight_columns(high_bits, b, q, t, high);
    for (int j = 0; j < 2; j++)
      for (int v = 0; v < 2; v++, to += 16)
        v_store_i(to, b[j][v]);
  }
}

void attn_unpack_narrow(weight_type t, int8_t *to, panel_chunk chunk)
{
  if (!V_DOT8)
    return;
  for (int32_t p = 0; p < chunk.parts; p++, to += PART * PANEL) {
    const uint8_t *q = quants_at(chunk, p);
    if (t.low_bits == 8)
      ROLLED for (int c = 0; c < PART * PANEL; c += 16) /* not memcpy, which V8 makes a call */
          v_store_i(to + c, v_load_i(q + c));
    else if (t.high_bits == 0)
      unpack(0, to, q);
    else if (t.high_bits == 1)
      unpack(1, to, q);
    else
      unpack(2, to, q);
  }
}

/* n (GROUP, 2 vectors) of `columns` columns. */
INLINE void tile_dots(i32x4 n[GROUP][2], const int8_t *w, const uint8_t *x, const int columns)
{
  for (int r = 0; r < GROUP; r++)
    n[r][0] = n[r][1] = v_splat_i(0);
  ROLLED for (int c = 0; c < columns; c += 4, w += 4 * PANEL, x += 4 * GROUP)
  {
    i32x4 w0 = v_load_i(w), w1 = v_load_i(w + 16);
    for (int r = 0; r < GROUP; r++) {
      i32x4 a = v_splat_bytes(x + 4 * r);
      n[r][0] = v_dot8(a, w0, n[r][0]);
      n[r][1] = v_dot8(a, w1, n[r][1]);
    }
  }
}

/* Four columns. */
INLINE void add_pairs(const int first, i16x8 two[GROUP][2], const int8_t *w, const uint8_t *x)
{
  i32x4 w0 = v_load_i(w), w1 = v_load_i(w + 16);
  for (int r = 0; r < GROUP; r++) {
    i32x4 a = v_splat_bytes(x + 4 * r);
    i16x8 p0 = v_pairs(a, w0), p1 = v_pairs(a, w1);
    two[r][0] = first ? p0 : two[r][0] + p0;
    two[r][1] = first ? p1 : two[r][1] + p1;
  }
}

/* The same for a part of 4 bits: eight sums of two, each at most 2·15·127, fit 16 bits. */
INLINE void tile_pairs(i32x4 n[GROUP][2], const int8_t *w, const uint8_t *x)
{
  i16x8 two[GROUP][2];
  add_pairs(1, two, w, x);
  ROLLED for (int c = 4; c < PART; c += 4) add_pairs(0, two, w += 4 * PANEL, x += 4 * GROUP);
  for (int r = 0; r < GROUP; r++)
    for (int v = 0; v < 2; v++)
      n[r][v] = v_widen(two[r][v]);
}

enum { IN_PAIRS, WHOLE, HALVES };

/* m: NULL where the type has none. */
INLINE void tile(const int kind, float offset, float *acc, const int8_t *w, panel_chunk chunk, const float *d,
                 const float *m, const uint8_t *x)
{
  for (int32_t p = 0; p < chunk.parts; p++, d += PANEL, w += PART * PANEL, x += input_block(0, GROUP)) {
    const float *numbers = (const float *)(x + input_quants(0, GROUP));
    const float *sums = numbers + GROUP, *low = sums + GROUP, *high = low + GROUP;
    i32x4 n[GROUP][2];
    f32x4 y[GROUP][2], dw[2] = {v_load(d), v_load(d + 4)};
    if (kind == HALVES) {
      const uint8_t *q = quants_at(chunk, p);
      i16x8 sub[2] = {v_load_i8(q - 16), v_load_i8(q - 8)};
      tile_dots(n, w, x, PART / 2);
      for (int r = 0; r < GROUP; r++) {
        y[r][0] = of_half(n[r][0], offset, low[r], v_low(sub[0]));
        y[r][1] = of_half(n[r][1], offset, low[r], v_high(sub[0]));
      }
      tile_dots(n, w + PART / 2 * PANEL, x + PART / 2 * GROUP, PART / 2);
      for (int r = 0; r < GROUP; r++) {
        y[r][0] += of_half(n[r][0], offset, high[r], v_low(sub[1]));
        y[r][1] += of_half(n[r][1], offset, high[r], v_high(sub[1]));
      }
    } else if (kind == IN_PAIRS)
      tile_pairs(n, w, x);
    else
      tile_dots(n, w, x, PART);
    for (int r = 0; r < GROUP; r++) {
      f32x4 sum = v_splat(sums[r]), off = v_splat(offset) * sum;
      for (int v = 0; v < 2; v++) {
        f32x4 z = kind == HALVES ? y[r][v] : (v_float(n[r][v]) - off);
        z *= dw[v];
        if (kind != HALVES && m)
          z += v_load(m + PANEL * p + 4 * v) * sum;
        float *a = acc + PANEL * r + 4 * v;
        v_store(a, v_load(a) + z * v_splat(numbers[r]));
      }
    }
  }
}

#define TILE(name, kind)                                                                                               \
  KERNEL void name(float offset, float *acc, const int8_t *w, panel_chunk chunk, const float *d, const float *m,       \
                   const uint8_t *x)                                                                                   \
  {                                                                                                                    \
    tile(kind, offset, acc, w, chunk, d, m, x);                                                                        \
  }
TILE(tile_in_pairs, IN_PAIRS)
TILE(tile_whole, WHOLE)
TILE(tile_halves, HALVES)

void attn_tile_narrow(weight_type t, int pairs, float offset, float *acc, const int8_t *weights, panel_chunk chunk,
                      const chunk_scales *scales, const uint8_t *x)
{
  if (!V_DOT8)
    return;
  (pairs              ? tile_in_pairs
   : t.high_bits == 2 ? tile_halves
                      : tile_whole)(offset, acc, weights, chunk, scales->d, t.sign_m ? scales->m : NULL, x);
}
