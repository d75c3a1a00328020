/*
 * Quantised products with 16-bit lanes, exact on every engine. Four inputs meet a panel that was
 * unpacked once for all inputs; a single input meets panels as they are stored (alone.h).
 *
 * On a Zen 4 in Node 26, where the dot product alone runs at 89 GOP/s: the tile at 74; its loop
 * alone at 79, unrolled twice at 71, wholly at 33.
 */
#include "one_input.h"
#include "quads.h"

/*
 * What two bytes of each lane, w = 256·a + b, add with b's inputs y and a's z: w·y + a·(z − 256·y)
 * = b·y + a·z, so that one shift does for both. b is unsigned; a is signed where all 16 bits are
 * used. On a Zen 4 in Node 26 a single input's products were so 1.25 times as fast as with each
 * byte widened (Q8_0), 1.33 (Q6_K) and 1.2 times as with four quants in a lane (Q5).
 */
INLINE i32x4 add_bytes(i32x4 n, i32x4 w, u16x8 y, u16x8 z)
{
  n = v_dot((i16x8)w, (i16x8)y, n);
  return v_dot((i16x8)w >> 8, (i16x8)(z - (y << 8)), n);
}

INLINE u16x8 two_inputs(const int16_t *x) { return (u16x8)v_splat_bytes(x); }

/* Behind a part's inputs; [2] and [3] are −128 times the sums of all and of the first half. */
INLINE const int32_t *numbers_of(const int16_t *x)
{
  return (const int32_t *)(const void *)(x + PART);
}

/* n of a part of Q5 or Q6; both vectors of rows leave the loop in registers, as in narrow.c. */
INLINE void part_dots(const int bits, i32x4 to[2], const uint8_t *q, const int16_t *x, bit_masks of)
{
  const int32_t below = numbers_of(x)[2], below_low = numbers_of(x)[3]; /* the offset of Q6 is 32 */
  i32x4 first = {0}, last = {0};
  ROLLED for (int v = 0; v < 2; v++)
  {
    i32x4 b[8], n = v_splat_i(0), s[2] = {v_splat_i(bits == 6 ? below_low / 4 : 0), n};
    eight_fours(bits, of, b, q + 16 * v);
    for (int c = 0; c < 8; c++) {
      s[c % 2] = add_bytes(s[c % 2], b[c], two_inputs(x + 4 * c), two_inputs(x + 4 * c + 2));
      if (bits == 6 && c % 4 == 3) {
        /* a half of the part is done; its s lie before the quants */
        n += (s[0] + s[1]) * v_low(v_load_i8(q - 16 + 2 * (c - 3) + 4 * v));
        s[0] = v_splat_i((below - below_low) / 4), s[1] = v_splat_i(0);
      }
    }
    first = last;
    last = bits == 6 ? n : s[0] + s[1];
  }
  to[0] = first, to[1] = last;
}

/*
 * n of a part of Q8_0 or Q4, of STREAMS panels. Q8_0's first half is unsigned and lies below the
 * other; 128 times its inputs come off.
 */
INLINE void stream_dots(const int bits, i32x4 (*to)[2], const uint8_t *const *panel, int32_t at,
                        const int16_t *x, bit_masks of)
{
  /* of x, in 32 bytes; from b's to a's */
  const int columns = bits == 8 ? 2 : 8, apart = bits == 8 ? PART / 2 : 2;
  const uint8_t *q[STREAMS];
  const i32x4 start = v_splat_i(bits == 8 ? numbers_of(x)[3] : 0);
  i32x4 n[STREAMS][2];
  for (int p = 0; p < STREAMS; p++)
    q[p] = panel[p] + at, n[p][0] = n[p][1] = start;
  ROLLED for (const int16_t *end = x + (bits == 8 ? PART / 2 : PART); x < end; x += columns)
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
  for (int p = 0; p < STREAMS; p++)
    to[p][0] = n[p][0], to[p][1] = n[p][1];
}

OF_PART(INLINE, part8, stream_dots(8, n, panel, at, x, of))
OF_PART(INLINE, part4, stream_dots(4, n, panel, at, x, of))
OF_PART(INLINE, part5, part_dots(5, *n, *panel + at, x, of))
OF_PART(INLINE, part6, part_dots(6, *n, *panel + at, x, of))

/* The offsets of Q8_0 and Q6_K come off where their sums begin. */
ALONE(1, 8, alone8, part8, STREAMS, PLAIN, 0, 0)
ALONE(1, 4, alone4, part4, STREAMS, OFFSET, 0, a->t.sign_m)
ALONE(1, 4, alone4_k, part4, STREAMS, PLAIN, 1, 1)
ALONE(1, 5, alone5, part5, 1, OFFSET, a->t.sub_scales > 0, a->t.sign_m)
ALONE(1, 6, alone6_k, part6, 1, PLAIN, 1, 0)

alone_kernel *attn_alone_wide(weight_type t)
{
  if (t.low_bits == 8)
    return alone8;
  if (V_DOT8)
    return NULL; /* fewer bits have another form, there and below */
  if (t.high_bits)
    return t.high_bits == 2 ? alone6_k : alone5;
  return t.sub_scales ? alone4_k : alone4;
}

INLINE void unpack(const int bits, int32_t offset, int16_t *to, const uint8_t *q)
{
  const bit_masks of = masks_of(bits);
  const i16x8 off = (i16x8)v_splat_i(offset * 0x10001);
  ROLLED for (int v = 0; v < 2; v++)
  {
    i32x4 b[8];
    i16x8 s = {0};
    eight_fours(bits, of, b, q + 16 * v);
    for (int c = 0; c < 8; c++) {
      if (bits == 6 && c % 4 == 0) {
        i16x8 sub = v_load_i8(q - 16 + 2 * c + 4 * v);
        s = __builtin_shufflevector(sub, sub, 0, 0, 1, 1, 2, 2, 3, 3);
      }
      i16x8 below = ((i16x8)b[c] & 255) - off, above = ((i16x8)b[c] >> 8) - off;
      v_store_i(to + PANEL * (4 * c + v), (i32x4)(bits == 6 ? below * s : below));
      v_store_i(to + PANEL * (4 * c + v + 2), (i32x4)(bits == 6 ? above * s : above));
    }
  }
}

void attn_unpack_wide(weight_type t, int16_t *to, panel_chunk chunk)
{
  for (int32_t p = 0; p < chunk.parts; p++, to += PART * PANEL) {
    const uint8_t *q = quants_at(chunk, p);
    if (t.low_bits == 8)
      ROLLED for (int c = 0; c < PART * PANEL / 2; c += 8)
      {
        i16x8 w = (i16x8)v_load_i(q + 2 * c),
              low = (i16x8)((u16x8)w << 8 ^ (u16x8)v_splat_i((int32_t)0x80008000));
        v_store_i(to + c, (i32x4)(low >> 8));
        v_store_i(to + c + PART * PANEL / 2, (i32x4)(w >> 8));
      }
    else if (V_DOT8)
      return;
    else if (t.high_bits == 2)
      unpack(6, t.offset, to, q);
    else if (t.high_bits == 1)
      unpack(5, t.offset, to, q);
    else
      unpack(4, t.offset, to, q);
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

INLINE void tile(const int has_m, float *y, const void *inputs, const tile_weights *t,
                 int32_t groups)
{
  const int32_t parts = t->chunk.parts;
  for (int32_t g = 0; g < groups; g++) {
    const uint8_t *x = (const uint8_t *)inputs + (size_t)g * (size_t)t->group_bytes;
    float *to = y + (size_t)g * GROUP * t->stride;
    const int16_t *w = t->weights;
    const float *d = t->scales->d, *m = t->scales->m;
    float sums[GROUP * PANEL];
    begin_sums(sums, to, t);
    for (int32_t p = 0; p < parts; p++, d += PANEL, m += PANEL) {
      i32x4 n[GROUP][2];
      /*
       * the first in place of eight zeros; the fifteen others V8 unrolls evenly: 78 instead of 75
       * GOP/s
       */
      two_columns(1, n, w, x);
      ROLLED for (int c = 2; c < PART; c += 2) two_columns(0, n, w += 2 * PANEL, x += 4 * GROUP);
      w += 2 * PANEL, x += 4 * GROUP;
      const float *numbers = (const float *)x;
      x += input_block(1, GROUP) - input_quants(1, GROUP);
      f32x4 z[GROUP][2];
      for (int r = 0; r < GROUP; r++)
        for (int v = 0; v < 2; v++)
          z[r][v] = v_float(n[r][v]);
      add_part(has_m, sums, z, d, m, numbers);
    }
    end_sums(to, sums, t);
  }
}

static void tile_plain(float *y, const void *x, const tile_weights *t, int32_t groups)
{
  tile(0, y, x, t, groups);
}
static void tile_m(float *y, const void *x, const tile_weights *t, int32_t groups)
{
  tile(1, y, x, t, groups);
}

tile_kernel *attn_tile_wide(weight_type t) { return !V_DOT8 && t.sign_m ? tile_m : tile_plain; }
