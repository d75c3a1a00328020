/*
 * Quantised products with 8-bit lanes, where the relaxed dot product of the engine is exact
 * (dot_form.h): the same integers as product_i16.c in half as many instructions.
 *
 * Inputs are the signed operand, weights the other. A single input meets weights as they are
 * stored, which is unsigned; only Q8_0 in the signed form is signed. Tiles meet them unpacked:
 * signed in the signed form, unsigned in the others. Unsigned weights are too large by an offset. A
 * multiple of the sum of the inputs corrects that.
 *
 * `pairs`: products are summed by two instead of by four, for weights of up to 6 bits
 * (tuning.md#pairs).
 */
#include "one_input_loop.h"
#include "quads.h"

/* A half of a block of Q6_K, as floats: n times its s. */
INLINE f32x4 of_half(i32x4 n, i32x4 sub) { return v_float(n) * v_float(sub); }

/*
 * n of a block32 of 5 bits; or of 6 bits as floats, with the s of each half and without the offset.
 * Four products of 6 bits fit 16 bits: 4·63·127. Both vectors of rows leave the loop in registers,
 * because going through memory is slower (tuning.md#q5-sums-in-registers).
 */
INLINE void block_dots(const int bits, const int pairs, i32x4 to[2], const uint8_t *q,
                       const uint8_t *x, bit_masks of)
{
  const i16x8 ones = (i16x8)v_keep(0x10001);
  const int32_t *numbers = (const int32_t *)(const void *)(x + input_quants(0, 1));
  const int32_t below = numbers[2];
  const int32_t below_low = numbers[3]; /* −128 times the sums */
  i32x4 first = {0};
  i32x4 last = {0};
  for (int v = 0; v < 2; v++) {
    i32x4 b[8];
    i32x4 n = v_splat_i(bits == 6 ? below_low / 4 : 0);
    i32x4 o = v_splat_i(0);
    f32x4 y = {0};
    eight_quads(bits, of, b, q + 16 * v);
    for (int c = 0; c < 8; c += 2) {
      i32x4 y0 = v_splat_bytes(x + 4 * c);
      i32x4 y1 = v_splat_bytes(x + 4 * c + 4);
      if (pairs) {
        n = v_dot(v_pairs(y0, b[c]) + v_pairs(y1, b[c + 1]), ones, n);
      } else {
        n = v_dot8(y0, b[c], n);
        o = v_dot8(y1, b[c + 1], o);
      }
      if (bits == 6 && c % 4 == 2) {
        y += of_half(n + o, v_low(v_load_i8(q - 16 + 2 * (c - 2) + 4 * v)));
        n = v_splat_i((below - below_low) / 4);
        o = v_splat_i(0);
      }
    }
    first = last;
    last = bits == 6 ? (i32x4)y : n + o;
  }
  to[0] = first;
  to[1] = last;
}

enum { BYTES, NIBBLES, NIBBLE_PAIRS };

/*
 * n of a block32 of 8 or 4 bits, of STREAMS panels. Each vector has two chains of sums, because a
 * sum waits for the one before. The loop is not unrolled (tuning.md#rolled-products).
 */
INLINE void stream_dots(const int kind, i32x4 (*to)[2], const uint8_t *const *panel, int32_t at,
                        const uint8_t *x, bit_masks of)
{
  i32x4 n[STREAMS][2][2] = {0};
  i16x8 two[STREAMS][2] = {0};
  const uint8_t *q[STREAMS];
  for (int p = 0; p < STREAMS; p++)
    q[p] = panel[p] + at;
  ROLLED for (int c = 0; c < BLOCK32; c += 8, x += 8)
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

/* Inlined: a call for the pairs of 4 bits costs much (tuning.md#pairs-inlined). */
BLOCK_DOT(INLINE, dot8, stream_dots(BYTES, n, panel, at, x, of))
BLOCK_DOT(INLINE, dot4, stream_dots(NIBBLES, n, panel, at, x, of))
BLOCK_DOT(INLINE, dot4_pairs, stream_dots(NIBBLE_PAIRS, n, panel, at, x, of))
BLOCK_DOT(INLINE, dot5, block_dots(5, 0, *n, *panel + at, x, of))
BLOCK_DOT(INLINE, dot6, block_dots(6, 0, *n, *panel + at, x, of))
BLOCK_DOT(INLINE, dot5_pairs, block_dots(5, 1, *n, *panel + at, x, of))
BLOCK_DOT(INLINE, dot6_pairs, block_dots(6, 1, *n, *panel + at, x, of))

ONE_INPUT(0, 8, one8, dot8, STREAMS, WITH_OFFSET, 0, 0)
ONE_INPUT(0, 4, one4, dot4, STREAMS, WITH_OFFSET, 0, a->t->has_min)
ONE_INPUT(0, 4, one4_k, dot4, STREAMS, WHOLE, 1, 1)
ONE_INPUT(0, 4, one4_pairs, dot4_pairs, STREAMS, WITH_OFFSET, 0, a->t->has_min)
ONE_INPUT(0, 4, one4_k_pairs, dot4_pairs, STREAMS, WHOLE, 1, 1)
ONE_INPUT(0, 5, one5, dot5, 1, WITH_OFFSET, a->t->sub_scales > 0, a->t->has_min)
ONE_INPUT(0, 6, one6_k, dot6, 1, FLOATS, 1, 0)
ONE_INPUT(0, 5, one5_pairs, dot5_pairs, 1, WITH_OFFSET, a->t->sub_scales > 0, a->t->has_min)
ONE_INPUT(0, 6, one6_k_pairs, dot6_pairs, 1, FLOATS, 1, 0)

INLINE void unpack_block(const int bits, int8_t *to, const uint8_t *q, int32_t raise)
{
  const bit_masks of = masks_of(bits);
  const u8x16 by = (u8x16)v_splat_i((int32_t)((uint32_t)(raise & 255) * 0x01010101));
  for (int v = 0; v < 2; v++) {
    i32x4 b[8];
    eight_quads(bits, of, b, q + 16 * v);
    for (int c = 0; c < 8; c++)
      v_store_i(to + 32 * c + 16 * v, (i32x4)((u8x16)b[c] + by));
  }
}

INLINE void unpack(const int bits, int8_t *to, panel_chunk chunk, int32_t raise)
{
  for (int32_t p = 0; p < chunk.blocks; p++, to += BLOCK32 * PANEL)
    unpack_block(bits, to, quants_at(chunk, p), raise);
}

static void unpack4(void *to, panel_chunk chunk, int32_t raise) { unpack(4, to, chunk, raise); }
static void unpack5(void *to, panel_chunk chunk, int32_t raise) { unpack(5, to, chunk, raise); }
static void unpack6(void *to, panel_chunk chunk, int32_t raise) { unpack(6, to, chunk, raise); }

INLINE void four_columns(i32x4 n[TILE4][2], const int8_t *w, const uint8_t *x)
{
  i32x4 w0 = v_load_i(w);
  i32x4 w1 = v_load_i(w + 16);
  for (int r = 0; r < TILE4; r++) {
    i32x4 a = v_splat_bytes(x + 4 * r);
    n[r][0] = v_dot8(a, w0, n[r][0]);
    n[r][1] = v_dot8(a, w1, n[r][1]);
  }
}

/*
 * n (TILE4, 2 vectors) += the products of `columns` columns. Eight columns at a time are
 * fastest: in longer straight-line code V8 runs out of registers (tuning.md#i8-tile).
 */
INLINE void tile_dots(i32x4 n[TILE4][2], const int8_t *w, const uint8_t *x, const int columns)
{
  ROLLED for (int c = 0; c < columns; c += 8, w += 8 * PANEL, x += 8 * TILE4)
  {
    four_columns(n, w, x);
    four_columns(n, w + 4 * PANEL, x + 4 * TILE4);
  }
}

/* Four columns. */
INLINE void add_pairs(const int first, i16x8 two[TILE4][2], const int8_t *w, const uint8_t *x)
{
  i32x4 w0 = v_load_i(w);
  i32x4 w1 = v_load_i(w + 16);
  for (int r = 0; r < TILE4; r++) {
    i32x4 a = v_splat_bytes(x + 4 * r);
    i16x8 p0 = v_pairs(a, w0);
    i16x8 p1 = v_pairs(a, w1);
    two[r][0] = first ? p0 : two[r][0] + p0;
    two[r][1] = first ? p1 : two[r][1] + p1;
  }
}

/*
 * Columns whose sums of products fit 16 bits: a whole block32 with 4 bits, whose products are at
 * most 15·127. Each further bit halves them.
 */
INLINE int pairs_fit(const int bits) { return BLOCK32 >> (bits - 4); }

/*
 * n += the products of pairs_fit(bits) columns. Returns the weights behind them. The loop is not
 * unrolled (tuning.md#rolled-products).
 */
INLINE const int8_t *tile_pairs(const int bits, i32x4 n[TILE4][2], const int8_t *w,
                                const uint8_t *x)
{
  i16x8 two[TILE4][2];
  add_pairs(1, two, w, x);
  ROLLED for (int c = 4; c < pairs_fit(bits); c += 4)
      add_pairs(0, two, w += 4 * PANEL, x += 4 * TILE4);
  for (int r = 0; r < TILE4; r++)
    for (int v = 0; v < 2; v++)
      n[r][v] += v_widen(two[r][v]);
  return w + 4 * PANEL;
}

/* Lane r of `start` for input r. */
INLINE void start_with(i32x4 n[TILE4][2], const i32x4 start)
{
  n[0][0] = n[0][1] = v_splat_lane_i(start, 0);
  n[1][0] = n[1][1] = v_splat_lane_i(start, 1);
  n[2][0] = n[2][1] = v_splat_lane_i(start, 2);
  n[3][0] = n[3][1] = v_splat_lane_i(start, 3);
}

/* n += the products of a block32, or of half of one. */
INLINE void add_columns(const int pairs, const int bits, i32x4 n[TILE4][2], const int8_t *w,
                        const uint8_t *x, const int columns)
{
  const int fit = pairs_fit(bits);
  if (pairs && columns == fit)
    tile_pairs(bits, n, w, x);
  else if (pairs) {
    const int8_t *end = w + columns * PANEL;
    for (; w < end; x += fit * TILE4)
      w = tile_pairs(bits, n, w, x);
  } else
    tile_dots(n, w, x, columns);
}

/*
 * A type with a minimum has no offset. That of others is 0 (signed form), 8, 16 or 32 (pairs) or
 * 128 (other forms). The inputs bring −128 times their sum. Whole blocks load it input by input,
 * which beats a product and shuffles (tuning.md#i8-offset).
 */
INLINE void tile(const int pairs, const int bits, const int has_min, float *y, const void *inputs,
                 const tile_weights *t, int32_t tiles)
{
  static const int32_t zeros[2 * TILE4] = {0};
  const int32_t blocks = t->chunk.blocks;
  const int32_t step = t->step;
  const int32_t has_offset = t->has_offset;
  const int halves = bits == 6;
  const int shift = pairs ? 8 - bits : 0;
  for (int32_t k = 0; k < tiles; k++) {
    const uint8_t *x = (const uint8_t *)inputs + (size_t)k * (size_t)t->tile_bytes;
    float *to = y + (size_t)k * TILE4 * t->stride;
    const float *d = t->scales->d;
    const float *m = t->scales->m;
    float sums[TILE4 * PANEL];
    begin_sums(sums, to, t);
    for (int32_t p = 0; p < blocks; p++, d += PANEL, m += PANEL, x += input_block(0, TILE4)) {
      const int8_t *w = (const int8_t *)t->weights + (size_t)p * (size_t)step;
      const float *numbers = (const float *)(x + input_quants(0, TILE4));
      const int32_t *below = has_offset ? (const int32_t *)numbers + 2 * TILE4 : zeros;
      const int32_t *below_low = below + TILE4;
      i32x4 n[TILE4][2] = {0};
      f32x4 z[TILE4][2];
      if (halves)
        start_with(n, v_load_i(below_low) >> shift);
      else if (pairs && !has_min)
        start_with(n, v_load_i(below) >> shift);
      else if (!has_min)
        for (int r = 0; r < TILE4; r++)
          n[r][0] = n[r][1] = v_splat_bytes(below + r);
      add_columns(pairs, bits, n, w, x, halves ? BLOCK32 / 2 : BLOCK32);
      for (int r = 0; r < TILE4; r++)
        for (int v = 0; v < 2; v++)
          z[r][v] = v_float(n[r][v]);
      if (halves) {
        const uint8_t *q = quants_at(t->chunk, p);
        i16x8 sub[2] = {v_load_i8(q - 16), v_load_i8(q - 8)};
        start_with(n, (v_load_i(below) - v_load_i(below_low)) >> shift);
        add_columns(pairs, bits, n, w + BLOCK32 / 2 * PANEL, x + BLOCK32 / 2 * TILE4, BLOCK32 / 2);
        for (int r = 0; r < TILE4; r++) {
          z[r][0] = z[r][0] * v_float(v_low(sub[0])) + of_half(n[r][0], v_low(sub[1]));
          z[r][1] = z[r][1] * v_float(v_high(sub[0])) + of_half(n[r][1], v_high(sub[1]));
        }
      }
      add_block(has_min, sums, z, d, m, numbers);
    }
    end_sums(to, sums, t);
  }
}

#define TILE(name, pairs, bits, has_min)                                                           \
  static void name(float *y, const void *x, const tile_weights *t, int32_t tiles)                  \
  {                                                                                                \
    tile(pairs, bits, has_min, y, x, t, tiles);                                                    \
  }
TILE(tile_whole, 0, 4, 0)
TILE(tile_whole_min, 0, 4, 1)
TILE(tile_halves, 0, 6, 0)
TILE(tile_pairs4, 1, 4, 0)
TILE(tile_pairs4_min, 1, 4, 1)
TILE(tile_pairs5, 1, 5, !t->has_offset)
TILE(tile_pairs6, 1, 6, 0)

#define IF_DOT8(kernel) (V_DOT8 ? (kernel) : NULL)
#define KERNELS(one, streams, unpack, tile)                                                        \
  {                                                                                                \
    IF_DOT8(one), streams, IF_DOT8(unpack), IF_DOT8(tile)                                          \
  }

const product_kernels attn_i8_kernels[FAMILIES] = {
    [Q4] = KERNELS(one4, STREAMS, unpack4, tile_whole),
    [Q4_MIN] = KERNELS(one4, STREAMS, unpack4, tile_whole_min),
    [Q4_K] = KERNELS(one4_k, STREAMS, unpack4, tile_whole_min),
    [Q5] = KERNELS(one5, 1, unpack5, tile_whole),
    [Q5_MIN] = KERNELS(one5, 1, unpack5, tile_whole_min),
    [Q5_K] = KERNELS(one5, 1, unpack5, tile_whole_min),
    [Q6_K] = KERNELS(one6_k, 1, unpack6, tile_halves),
    [Q8] = KERNELS(one8, STREAMS, NULL, tile_whole),
};

/* Pairs have at most 6 bits. */
const product_kernels attn_pairs_kernels[FAMILIES] = {
    [Q4] = KERNELS(one4_pairs, STREAMS, unpack4, tile_pairs4),
    [Q4_MIN] = KERNELS(one4_pairs, STREAMS, unpack4, tile_pairs4_min),
    [Q4_K] = KERNELS(one4_k_pairs, STREAMS, unpack4, tile_pairs4_min),
    [Q5] = KERNELS(one5_pairs, 1, unpack5, tile_pairs5),
    [Q5_MIN] = KERNELS(one5_pairs, 1, unpack5, tile_pairs5),
    [Q5_K] = KERNELS(one5_pairs, 1, unpack5, tile_pairs5),
    [Q6_K] = KERNELS(one6_k_pairs, 1, unpack6, tile_pairs6),
};
