/*
 * Quantised products with 8-bit lanes, where an engine's relaxed dot product is exact (dots.h): the
 * same integers as wide.c, in half as many instructions. Inputs are the signed operand, weights the
 * other. A single input meets weights as they are stored, unsigned (but Q8_0 in the signed form);
 * tiles meet them unpacked, signed in that form and unsigned in the others. What unsigned ones are
 * too large by comes off as a multiple of the inputs' sum.
 *
 * `pairs`: sums of two instead of four, for weights of up to 6 bits. On a Zen 4 in Node 26 those of
 * 4 bits run at 95 GOP/s where wide.c does at 65.
 */
#include "one_input.h"
#include "quads.h"

/* Q6_K's halves by themselves: as a float, n with its s. */
INLINE f32x4 of_half(i32x4 n, i32x4 sub) { return v_float(n) * v_float(sub); }

/*
 * n of a part of Q5, or of Q6 as floats, with each half's s and without 32·Σx, its offset's. Four
 * products of 6 bits fit 16: 4·63·127. Both vectors of rows leave the loop in registers: by way of
 * memory a Q5 model takes 1.06 times as long to decode a token (Zen 5, Node 26).
 */
INLINE void part_dots(const int bits, const int pairs, i32x4 to[2], const uint8_t *q,
                      const uint8_t *x, bit_masks of)
{
  const i16x8 ones = (i16x8)v_keep(0x10001);
  const int32_t *numbers = (const int32_t *)(const void *)(x + input_quants(0, 1));
  const int32_t below = numbers[2], below_low = numbers[3]; /* −128 times the sums */
  i32x4 first = {0}, last = {0};
  ROLLED for (int v = 0; v < 2; v++)
  {
    i32x4 b[8], n = v_splat_i(bits == 6 ? below_low / 4 : 0), o = v_splat_i(0);
    f32x4 y = {0};
    eight_fours(bits, of, b, q + 16 * v);
    for (int c = 0; c < 8; c += 2) {
      i32x4 y0 = v_splat_bytes(x + 4 * c), y1 = v_splat_bytes(x + 4 * c + 4);
      if (pairs)
        n = v_dot(v_pairs(y0, b[c]) + v_pairs(y1, b[c + 1]), ones, n);
      else
        n = v_dot8(y0, b[c], n), o = v_dot8(y1, b[c + 1], o);
      if (bits == 6 && c % 4 == 2) {
        y += of_half(n + o, v_low(v_load_i8(q - 16 + 2 * (c - 2) + 4 * v)));
        n = v_splat_i((below - below_low) / 4);
        o = v_splat_i(0);
      }
    }
    first = last;
    last = bits == 6 ? (i32x4)y : n + o;
  }
  to[0] = first, to[1] = last;
}

enum { BYTES, NIBBLES, NIBBLE_PAIRS };

/*
 * n of a part of Q8_0 or Q4, of STREAMS panels; in two chains of sums for each vector, since each
 * waits for the one before.
 */
INLINE void stream_dots(const int kind, i32x4 (*to)[2], const uint8_t *const *panel, int32_t at,
                        const uint8_t *x, bit_masks of)
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
            two[p][v] += v_pairs(y[j], nibbles(of, w, j));
          else
            n[p][v][j] = v_dot8(y[j], kind == BYTES ? w : nibbles(of, w, j), n[p][v][j]);
        }
      q[p] += kind == BYTES ? 64 : 32;
    }
  }
  for (int p = 0; p < STREAMS; p++)
    for (int v = 0; v < 2; v++)
      to[p][v] = kind == NIBBLE_PAIRS ? v_widen(two[p][v]) : n[p][v][0] + n[p][v][1];
}

/*
 * Each in its callers: pairs by themselves take 1.17 times as long to decode a token (Q4_0 and
 * Q4_K, Zen 4, Node 26).
 */
OF_PART(INLINE, part8, stream_dots(BYTES, n, panel, at, x, of))
OF_PART(INLINE, part4, stream_dots(NIBBLES, n, panel, at, x, of))
OF_PART(INLINE, part4_pairs, stream_dots(NIBBLE_PAIRS, n, panel, at, x, of))
OF_PART(INLINE, part5, part_dots(5, 0, *n, *panel + at, x, of))
OF_PART(INLINE, part6, part_dots(6, 0, *n, *panel + at, x, of))
OF_PART(INLINE, part5_pairs, part_dots(5, 1, *n, *panel + at, x, of))
OF_PART(INLINE, part6_pairs, part_dots(6, 1, *n, *panel + at, x, of))

ALONE(0, 8, alone8, part8, STREAMS, OFFSET, 0, 0)
ALONE(0, 4, alone4, part4, STREAMS, OFFSET, 0, a->t.sign_m)
ALONE(0, 4, alone4_k, part4, STREAMS, PLAIN, 1, 1)
ALONE(0, 4, alone4_pairs, part4_pairs, STREAMS, OFFSET, 0, a->t.sign_m)
ALONE(0, 4, alone4_k_pairs, part4_pairs, STREAMS, PLAIN, 1, 1)
ALONE(0, 5, alone5, part5, 1, OFFSET, a->t.sub_scales > 0, a->t.sign_m)
ALONE(0, 6, alone6_k, part6, 1, FLOATS, 1, 0)
ALONE(0, 5, alone5_pairs, part5_pairs, 1, OFFSET, a->t.sub_scales > 0, a->t.sign_m)
ALONE(0, 6, alone6_k_pairs, part6_pairs, 1, FLOATS, 1, 0)

alone_kernel *attn_alone_narrow(weight_type t, int pairs)
{
  if (!V_DOT8)
    return NULL;
  if (t.low_bits == 8)
    return alone8;
  if (t.high_bits == 2)
    return pairs ? alone6_k_pairs : alone6_k;
  if (t.high_bits)
    return pairs ? alone5_pairs : alone5;
  if (t.sub_scales)
    return pairs ? alone4_k_pairs : alone4_k;
  return pairs ? alone4_pairs : alone4;
}

INLINE void unpack(const int bits, int8_t *to, const uint8_t *q, int32_t raise)
{
  const bit_masks of = masks_of(bits);
  const u8x16 by = (u8x16)v_splat_i((int32_t)((uint32_t)(raise & 255) * 0x01010101));
  ROLLED for (int v = 0; v < 2; v++)
  {
    i32x4 b[8];
    eight_fours(bits, of, b, q + 16 * v);
    for (int c = 0; c < 8; c++)
      v_store_i(to + 32 * c + 16 * v, (i32x4)((u8x16)b[c] + by));
  }
}

void attn_unpack_narrow(weight_type t, int8_t *to, panel_chunk chunk, int32_t offset)
{
  if (!V_DOT8)
    return;
  const int32_t raise = offset - t.offset;
  for (int32_t p = 0; p < chunk.parts; p++, to += PART * PANEL) {
    const uint8_t *q = quants_at(chunk, p);
    if (t.high_bits == 0)
      unpack(4, to, q, raise);
    else if (t.high_bits == 1)
      unpack(5, to, q, raise);
    else
      unpack(6, to, q, raise);
  }
}

INLINE void four_columns(i32x4 n[GROUP][2], const int8_t *w, const uint8_t *x)
{
  i32x4 w0 = v_load_i(w), w1 = v_load_i(w + 16);
  for (int r = 0; r < GROUP; r++) {
    i32x4 a = v_splat_bytes(x + 4 * r);
    n[r][0] = v_dot8(a, w0, n[r][0]);
    n[r][1] = v_dot8(a, w1, n[r][1]);
  }
}

/*
 * n (GROUP, 2 vectors) += those of `columns` columns. On a Zen 5 in Node 26 four columns a turn
 * take 1.06 times as long, sixteen 1.25, all 32 1.8 times: of much straight-line code V8 does one
 * sum's products after another's, and runs out of registers.
 */
INLINE void tile_dots(i32x4 n[GROUP][2], const int8_t *w, const uint8_t *x, const int columns)
{
  ROLLED for (int c = 0; c < columns; c += 8, w += 8 * PANEL, x += 8 * GROUP)
  {
    four_columns(n, w, x);
    four_columns(n, w + 4 * PANEL, x + 4 * GROUP);
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

/*
 * n += those of as many columns as fit 16 bits: all of a part with 4 bits, whose products are at
 * most 15·127, and with each more half as many. Returns the weights behind them.
 */
INLINE const int8_t *tile_pairs(const int high_bits, i32x4 n[GROUP][2], const int8_t *w,
                                const uint8_t *x)
{
  i16x8 two[GROUP][2];
  add_pairs(1, two, w, x);
  ROLLED for (int c = 4; c < PART >> high_bits; c += 4)
      add_pairs(0, two, w += 4 * PANEL, x += 4 * GROUP);
  for (int r = 0; r < GROUP; r++)
    for (int v = 0; v < 2; v++)
      n[r][v] += v_widen(two[r][v]);
  return w + 4 * PANEL;
}

/* So much for each input to begin with. */
INLINE void start_with(i32x4 n[GROUP][2], const i32x4 start)
{
  n[0][0] = n[0][1] = v_splat_lane_i(start, 0);
  n[1][0] = n[1][1] = v_splat_lane_i(start, 1);
  n[2][0] = n[2][1] = v_splat_lane_i(start, 2);
  n[3][0] = n[3][1] = v_splat_lane_i(start, 3);
}

/* n += those of a part, or of half of one. */
INLINE void add_columns(const int pairs, const int high_bits, i32x4 n[GROUP][2], const int8_t *w,
                        const uint8_t *x, const int columns)
{
  const int fit = PART >> high_bits;
  if (pairs && columns == fit)
    tile_pairs(high_bits, n, w, x);
  else if (pairs)
    ROLLED for (const int8_t *end = w + columns * PANEL; w < end; x += fit * GROUP) w =
        tile_pairs(high_bits, n, w, x);
  else
    tile_dots(n, w, x, columns);
}

/*
 * A type with an m has no offset. That of others is 0 where weights are signed, 8, 16 or 32 in
 * pairs, else 128: what that takes off comes with the inputs, and whole parts load it input by
 * input; a product and shuffles cost them 3 % on a Zen 5.
 */
INLINE void tile(const int pairs, const int high_bits, const int has_m, float *y,
                 const void *inputs, const tile_weights *t, int32_t groups)
{
  static const int32_t zeros[2 * GROUP] = {0};
  const int32_t parts = t->chunk.parts, step = t->step, has_offset = t->has_offset;
  const int halves = high_bits == 2, shift = pairs ? 4 - high_bits : 0;
  for (int32_t g = 0; g < groups; g++) {
    const uint8_t *x = (const uint8_t *)inputs + (size_t)g * (size_t)t->group_bytes;
    float *to = y + (size_t)g * GROUP * t->stride;
    const float *d = t->scales->d, *m = t->scales->m;
    float sums[GROUP * PANEL];
    begin_sums(sums, to, t);
    for (int32_t p = 0; p < parts; p++, d += PANEL, m += PANEL, x += input_block(0, GROUP)) {
      const int8_t *w = (const int8_t *)t->weights + (size_t)p * (size_t)step;
      const float *numbers = (const float *)(x + input_quants(0, GROUP));
      const int32_t *below = has_offset ? (const int32_t *)numbers + 2 * GROUP : zeros,
                    *below_low = below + GROUP;
      i32x4 n[GROUP][2] = {0};
      f32x4 z[GROUP][2];
      if (halves)
        start_with(n, v_load_i(below_low) >> shift);
      else if (pairs && !has_m)
        start_with(n, v_load_i(below) >> shift);
      else if (!has_m)
        for (int r = 0; r < GROUP; r++)
          n[r][0] = n[r][1] = v_splat_bytes(below + r);
      add_columns(pairs, high_bits, n, w, x, halves ? PART / 2 : PART);
      for (int r = 0; r < GROUP; r++)
        for (int v = 0; v < 2; v++)
          z[r][v] = v_float(n[r][v]);
      if (halves) {
        const uint8_t *q = quants_at(t->chunk, p);
        i16x8 sub[2] = {v_load_i8(q - 16), v_load_i8(q - 8)};
        start_with(n, (v_load_i(below) - v_load_i(below_low)) >> shift);
        add_columns(pairs, high_bits, n, w + PART / 2 * PANEL, x + PART / 2 * GROUP, PART / 2);
        for (int r = 0; r < GROUP; r++) {
          z[r][0] = z[r][0] * v_float(v_low(sub[0])) + of_half(n[r][0], v_low(sub[1]));
          z[r][1] = z[r][1] * v_float(v_high(sub[0])) + of_half(n[r][1], v_high(sub[1]));
        }
      }
      add_part(has_m, sums, z, d, m, numbers);
    }
    end_sums(to, sums, t);
  }
}

#define TILE(name, pairs, high_bits, has_m)                                                        \
  static void name(float *y, const void *x, const tile_weights *t, int32_t groups)                 \
  {                                                                                                \
    tile(pairs, high_bits, has_m, y, x, t, groups);                                                \
  }
TILE(tile_whole, 0, 0, 0)
TILE(tile_whole_m, 0, 0, 1)
TILE(tile_halves, 0, 2, 0)
TILE(tile_pairs4, 1, 0, 0)
TILE(tile_pairs4_m, 1, 0, 1)
TILE(tile_pairs5, 1, 1, !t->has_offset)
TILE(tile_pairs6, 1, 2, 0)

tile_kernel *attn_tile_narrow(weight_type t, int pairs)
{
  if (!V_DOT8)
    return NULL;
  if (t.high_bits == 2)
    return pairs ? tile_pairs6 : tile_halves;
  if (pairs && t.high_bits)
    return tile_pairs5;
  if (pairs)
    return t.sign_m ? tile_pairs4_m : tile_pairs4;
  return t.sign_m ? tile_whole_m : tile_whole;
}
