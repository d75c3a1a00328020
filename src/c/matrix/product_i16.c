/*
 * Quantised products with 16-bit lanes, which are exact on every engine. Tiles of four inputs meet
 * a panel that was unpacked once for all inputs. A single input meets panels as they are stored.
 */
#include "one_input_loop.h"
#include "quads.h"

/*
 * Adds b·y + a·z for the two bytes of each lane, w = 256·a + b. That is w·y + a·(z − 256·y), so one
 * shift does for both bytes (tuning.md#two-bytes-a-lane). b is unsigned; a is signed where all 16
 * bits are used.
 */
INLINE i32x4 add_bytes(i32x4 n, i32x4 w, u16x8 y, u16x8 z)
{
  n = v_dot((i16x8)w, (i16x8)y, n);
  return v_dot((i16x8)w >> 8, (i16x8)(z - (y << 8)), n);
}

INLINE u16x8 two_inputs(const int16_t *x) { return (u16x8)v_splat_bytes(x); }

/* The numbers behind the inputs of a block32; [2] and [3] are the two sums times −128. */
INLINE const int32_t *numbers_of(const int16_t *x)
{
  return (const int32_t *)(const void *)(x + BLOCK32);
}

/*
 * n of a block32 of 5 or 6 bits; both vectors of rows leave the loop in registers. The loop is not
 * unrolled (tuning.md#rolled-products).
 */
INLINE void block_dots(const int bits, i32x4 to[2], const uint8_t *q, const int16_t *x,
                       bit_masks of)
{
  const int32_t below = numbers_of(x)[2];
  const int32_t below_low = numbers_of(x)[3]; /* the offset of Q6 is 32 */
  i32x4 first = {0};
  i32x4 last = {0};
  ROLLED for (int v = 0; v < 2; v++)
  {
    i32x4 b[8];
    i32x4 n = v_splat_i(0);
    i32x4 s[2] = {v_splat_i(bits == 6 ? below_low / 4 : 0), n};
    eight_quads(bits, of, b, q + 16 * v);
    for (int c = 0; c < 8; c++) {
      s[c % 2] = add_bytes(s[c % 2], b[c], two_inputs(x + 4 * c), two_inputs(x + 4 * c + 2));
      if (bits == 6 && c % 4 == 3) {
        /* half of the block is done; its s lie before the quants */
        n += (s[0] + s[1]) * v_low(v_load_i8(q - 16 + 2 * (c - 3) + 4 * v));
        s[0] = v_splat_i((below - below_low) / 4);
        s[1] = v_splat_i(0);
      }
    }
    first = last;
    last = bits == 6 ? n : s[0] + s[1];
  }
  to[0] = first;
  to[1] = last;
}

/*
 * n of a block32 of 8 or 4 bits, of STREAMS panels. With 8 bits the first half is unsigned and lies
 * in the lower bytes; 128 times the sum of its inputs is subtracted. The loop is not unrolled
 * (tuning.md#rolled-products).
 */
INLINE void stream_dots(const int bits, i32x4 (*to)[2], const uint8_t *const *panel, int32_t at,
                        const int16_t *x, bit_masks of)
{
  /* columns of x in 32 bytes, and from those of b to those of a */
  const int columns = bits == 8 ? 2 : 8;
  const int apart = bits == 8 ? BLOCK32 / 2 : 2;
  const uint8_t *q[STREAMS];
  const i32x4 start = v_splat_i(bits == 8 ? numbers_of(x)[3] : 0);
  i32x4 n[STREAMS][2];
  for (int p = 0; p < STREAMS; p++) {
    q[p] = panel[p] + at;
    n[p][0] = n[p][1] = start;
  }
  ROLLED for (const int16_t *end = x + (bits == 8 ? BLOCK32 / 2 : BLOCK32); x < end; x += columns)
  {
    for (int j = 0; j < (bits == 8 ? 1 : 2); j++)
      for (int p = 0; p < STREAMS; p++)
        for (int v = 0; v < 2; v++) {
          i32x4 w = v_load_i(q[p] + 16 * v);
          n[p][v] = add_bytes(n[p][v], bits == 8 ? w : nibbles(of, w, j), two_inputs(x + 4 * j),
                              two_inputs(x + 4 * j + apart));
        }
    for (int p = 0; p < STREAMS; p++)
      q[p] += 32;
  }
  for (int p = 0; p < STREAMS; p++) {
    to[p][0] = n[p][0];
    to[p][1] = n[p][1];
  }
}

BLOCK_DOT(INLINE, dot8, stream_dots(8, n, panel, at, x, of))
BLOCK_DOT(INLINE, dot4, stream_dots(4, n, panel, at, x, of))
BLOCK_DOT(INLINE, dot5, block_dots(5, *n, *panel + at, x, of))
BLOCK_DOT(INLINE, dot6, block_dots(6, *n, *panel + at, x, of))

/* The offsets of Q8_0 and Q6_K come off where their sums begin. */
ONE_INPUT(1, 8, one8, dot8, STREAMS, WHOLE, 0, 0)
ONE_INPUT(1, 4, one4, dot4, STREAMS, WITH_OFFSET, 0, a->t->has_min)
ONE_INPUT(1, 4, one4_k, dot4, STREAMS, WHOLE, 1, 1)
ONE_INPUT(1, 5, one5, dot5, 1, WITH_OFFSET, a->t->sub_scales > 0, a->t->has_min)
ONE_INPUT(1, 6, one6_k, dot6, 1, WHOLE, 1, 0)

INLINE void unpack_block(const int bits, int16_t *to, const uint8_t *q, int32_t raise)
{
  const bit_masks of = masks_of(bits);
  const i16x8 by = (i16x8)v_splat_i((int32_t)((uint32_t)(raise & 0xffff) * 0x10001));
  for (int v = 0; v < 2; v++) {
    i32x4 b[8];
    i16x8 s = {0};
    eight_quads(bits, of, b, q + 16 * v);
    for (int c = 0; c < 8; c++) {
      if (bits == 6 && c % 4 == 0) {
        i16x8 sub = v_load_i8(q - 16 + 2 * c + 4 * v);
        s = __builtin_shufflevector(sub, sub, 0, 0, 1, 1, 2, 2, 3, 3);
      }
      i16x8 below = ((i16x8)b[c] & 255) + by;
      i16x8 above = ((i16x8)b[c] >> 8) + by;
      v_store_i(to + PANEL * (4 * c + v), (i32x4)(bits == 6 ? below * s : below));
      v_store_i(to + PANEL * (4 * c + v + 2), (i32x4)(bits == 6 ? above * s : above));
    }
  }
}

INLINE void unpack(const int bits, int16_t *to, panel_chunk chunk, int32_t raise)
{
  for (int32_t p = 0; p < chunk.blocks; p++, to += BLOCK32 * PANEL)
    unpack_block(bits, to, quants_at(chunk, p), raise);
}

static void unpack4(void *to, panel_chunk chunk, int32_t raise) { unpack(4, to, chunk, raise); }
static void unpack5(void *to, panel_chunk chunk, int32_t raise) { unpack(5, to, chunk, raise); }
static void unpack6(void *to, panel_chunk chunk, int32_t raise) { unpack(6, to, chunk, raise); }

/* The offset is in the layout: the upper half is signed, and the lower becomes so here. */
static void unpack8(void *unpacked, panel_chunk chunk, int32_t raise)
{
  (void)raise;
  int16_t *to = unpacked;
  for (int32_t p = 0; p < chunk.blocks; p++, to += BLOCK32 * PANEL) {
    const uint8_t *q = quants_at(chunk, p);
    for (int c = 0; c < BLOCK32 * PANEL / 2; c += 8) {
      i16x8 w = (i16x8)v_load_i(q + 2 * c);
      i16x8 low = (i16x8)((u16x8)w << 8 ^ (u16x8)v_splat_i((int32_t)0x80008000));
      v_store_i(to + c, (i32x4)(low >> 8));
      v_store_i(to + c + BLOCK32 * PANEL / 2, (i32x4)(w >> 8));
    }
  }
}

/* Two columns of four inputs and a panel. */
INLINE void two_columns(const int first, i32x4 n[TILE4][2], const int16_t *w, const uint8_t *x)
{
  i16x8 w0 = (i16x8)v_load_i(w);
  i16x8 w1 = (i16x8)v_load_i(w + PANEL);
  for (int r = 0; r < TILE4; r++) {
    i16x8 y = (i16x8)v_splat_bytes(x + 4 * r);
    n[r][0] = v_dot(w0, y, first ? v_splat_i(0) : n[r][0]);
    n[r][1] = v_dot(w1, y, first ? v_splat_i(0) : n[r][1]);
  }
}

INLINE void tile(const int has_min, float *y, const void *inputs, const tile_weights *t,
                 int32_t tiles)
{
  const int32_t blocks = t->chunk.blocks;
  for (int32_t k = 0; k < tiles; k++) {
    const uint8_t *x = (const uint8_t *)inputs + (size_t)k * (size_t)t->tile_bytes;
    float *to = y + (size_t)k * TILE4 * t->stride;
    const int16_t *w = t->weights;
    const float *d = t->scales->d;
    const float *m = t->scales->m;
    float sums[TILE4 * PANEL];
    begin_sums(sums, to, t);
    for (int32_t p = 0; p < blocks; p++, d += PANEL, m += PANEL) {
      i32x4 n[TILE4][2];
      /*
       * The first pair writes the sums instead of eight zeros. V8 unrolls the fifteen others evenly
       * (tuning.md#i16-tile).
       */
      two_columns(1, n, w, x);
      for (int c = 2; c < BLOCK32; c += 2)
        two_columns(0, n, w += 2 * PANEL, x += 4 * TILE4);
      w += 2 * PANEL;
      x += 4 * TILE4;
      const float *numbers = (const float *)x;
      x += input_block(1, TILE4) - input_quants(1, TILE4);
      f32x4 z[TILE4][2];
      for (int r = 0; r < TILE4; r++)
        for (int v = 0; v < 2; v++)
          z[r][v] = v_float(n[r][v]);
      add_block(has_min, sums, z, d, m, numbers);
    }
    end_sums(to, sums, t);
  }
}

static void tile_plain(float *y, const void *x, const tile_weights *t, int32_t tiles)
{
  tile(0, y, x, t, tiles);
}
static void tile_min(float *y, const void *x, const tile_weights *t, int32_t tiles)
{
  tile(1, y, x, t, tiles);
}

/* With 8-bit dot products only weights of 8 bits may need these kernels (dot_form.h). */
#define UNLESS_DOT8(kernel) (V_DOT8 ? NULL : (kernel))
#define KERNELS(one, streams, unpack, tile)                                                        \
  {                                                                                                \
    UNLESS_DOT8(one), streams, UNLESS_DOT8(unpack), UNLESS_DOT8(tile)                              \
  }

const product_kernels attn_i16_kernels[FAMILIES] = {
    [Q4] = KERNELS(one4, STREAMS, unpack4, tile_plain),
    [Q4_MIN] = KERNELS(one4, STREAMS, unpack4, tile_min),
    [Q4_K] = KERNELS(one4_k, STREAMS, unpack4, tile_min),
    [Q5] = KERNELS(one5, 1, unpack5, tile_plain),
    [Q5_MIN] = KERNELS(one5, 1, unpack5, tile_min),
    [Q5_K] = KERNELS(one5, 1, unpack5, tile_min),
    [Q6_K] = KERNELS(one6_k, 1, unpack6, tile_plain),
    [Q8] = {one8, STREAMS, unpack8, tile_plain},
};
