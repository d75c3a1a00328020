/*
 * Quantised products with 16-bit lanes, exact on every engine. Four inputs meet a panel that was unpacked once for all inputs; a single
 * input meets panels as they are stored (alone.h).
 *
 * On a Zen 4 in Node 26, where the dot product alone runs at 89 GOP/s: the tile at 74; its loop alone at 79, unrolled twice at 71,
 * wholly at 33.
 */
#include "alone.h"

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

/* n of a part of Q5 or Q6. */
INLINE void part_dots(const int high_bits, i32x4 n[2], const uint8_t *q, const int16_t *x)
{
  const uint8_t *above = q + 128;
  i32x4 high[2] = {{0}, {0}}, s[2] = {{0}, {0}};
  n[0] = n[1] = v_splat_i(0);
  ROLLED for (int t = 0; t < 4; t++, q += 32, x += 8)
  {
    if (t % (high_bits == 1 ? 4 : 2) == 0) {
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

/*
 * n of a part of Q8_0, of STREAMS panels. A lane w has a weight of the part's first half below, unsigned (u), and one of the second
 * above it, signed (s): w = 256·s + u, so that w·y + s·(z − 256·y) = u·y + s·z, and one shift does for two weights. Inputs have the offset
 * of u. On a Zen 4 in Node 26 it is 1.25 times as fast as widening each byte.
 */
INLINE void byte_dots(i32x4 (*to)[2], const uint8_t *const *panel, int32_t at, const int16_t *x)
{
  const uint8_t *q[STREAMS];
  const i32x4 offset = v_splat_bytes(x + PART + 6);
  i32x4 n[STREAMS][2];
  for (int p = 0; p < STREAMS; p++)
    q[p] = panel[p] + at, n[p][0] = n[p][1] = offset;
  ROLLED for (int c = 0; c < PART / 2; c += 2, x += 2)
  {
    u16x8 y = (u16x8)v_splat_bytes(x), z = (u16x8)v_splat_bytes(x + PART / 2) - (y << 8);
    for (int p = 0; p < STREAMS; p++, q[p - 1] += 32)
      for (int v = 0; v < 2; v++) {
        i16x8 w = (i16x8)v_load_i(q[p] + 16 * v);
        n[p][v] = v_dot(w, (i16x8)y, n[p][v]);
        n[p][v] = v_dot(w >> 8, (i16x8)z, n[p][v]);
      }
  }
  for (int p = 0; p < STREAMS; p++)
    to[p][0] = n[p][0], to[p][1] = n[p][1];
}

/* The same of Q4. */
INLINE void nibble_dots(i32x4 (*to)[2], const uint8_t *const *panel, int32_t at, const int16_t *x)
{
  const uint8_t *q[STREAMS];
  i32x4 n[STREAMS][2] = {0};
  for (int p = 0; p < STREAMS; p++)
    q[p] = panel[p] + at;
  ROLLED for (int c = 0; c < PART; c += 8, x += 8)
  {
    for (int h = 0; h < 4; h += 2) {
      i16x8 y[2] = {(i16x8)v_splat_bytes(x + 2 * h), (i16x8)v_splat_bytes(x + 2 * h + 2)};
      for (int p = 0; p < STREAMS; p++)
        for (int v = 0; v < 2; v++)
          for (int j = 0; j < 2; j++)
            n[p][v] = v_dot(quants(0, v_load_i(q[p] + 16 * v), v_splat_i(0), h + j), y[j], n[p][v]);
    }
    for (int p = 0; p < STREAMS; p++)
      q[p] += 32;
  }
  for (int p = 0; p < STREAMS; p++)
    to[p][0] = n[p][0], to[p][1] = n[p][1];
}

OF_PART(INLINE, part8, byte_dots(n, panel, at, x))
OF_PART(INLINE, part4, nibble_dots(n, panel, at, x))
OF_PART(INLINE, part5, part_dots(1, *n, *panel + at, x))
OF_PART(INLINE, part6, part_dots(2, *n, *panel + at, x))

/* The offset of Q8_0 and Q6_K is in their quants. */
ALONE(1, alone8, part8, STREAMS, PLAIN, 0, 0)
ALONE(1, alone4, part4, STREAMS, OFFSET, 0, a->t.sign_m)
ALONE(1, alone4_k, part4, STREAMS, PLAIN, 1, 1)
ALONE(1, alone5, part5, 1, OFFSET, a->t.sub_scales > 0, a->t.sign_m)
ALONE(1, alone6_k, part6, 1, PLAIN, 1, 0)

alone_kernel *attn_alone_wide(weight_type t)
{
  if (t.low_bits == 8)
    return alone8;
  if (t.high_bits)
    return t.high_bits == 2 ? alone6_k : alone5;
  return V_DOT8 ? NULL : t.sub_scales ? alone4_k : alone4; /* or 4 bits have another form, there and below */
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
      ROLLED for (int c = 0; c < PART * PANEL / 2; c += 8)
      {
        i16x8 w = (i16x8)v_load_i(q + 2 * c), low = (i16x8)((u16x8)w << 8 ^ (u16x8)v_splat_i((int32_t)0x80008000));
        v_store_i(to + c, (i32x4)(low >> 8));
        v_store_i(to + c + PART * PANEL / 2, (i32x4)(w >> 8));
      }
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

INLINE void tile(const int has_m, float *y, const void *inputs, const tile_weights *t, int32_t groups)
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
      /* the first in place of eight zeros; the fifteen others V8 unrolls evenly: 78 instead of 75 GOP/s */
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

static void tile_plain(float *y, const void *x, const tile_weights *t, int32_t groups) { tile(0, y, x, t, groups); }
static void tile_m(float *y, const void *x, const tile_weights *t, int32_t groups) { tile(1, y, x, t, groups); }

tile_kernel *attn_tile_wide(weight_type t) { return t.sign_m ? tile_m : tile_plain; }
