/*
 * Quantised blocks: from a file's layout to a plain one, and between that and a panel's (matrix.h).
 */
#include "quads.h"

weight_type attn_weight_type(int32_t type)
{
  static const weight_type types[] = {
      [ATTN_F32] = {4, 1, 0, 0, 0, 0, 0},        [ATTN_F16] = {2, 1, 0, 0, 0, 0, 0},
      [ATTN_Q4_0] = {18, 32, 4, 0, 8, 0, 0},     [ATTN_Q4_1] = {20, 32, 4, 0, 0, 1, 0},
      [ATTN_Q5_0] = {22, 32, 4, 1, 16, 0, 0},    [ATTN_Q5_1] = {24, 32, 4, 1, 0, 1, 0},
      [ATTN_Q8_0] = {34, 32, 8, 0, 128, 0, 0},   [ATTN_Q4_K] = {144, 256, 4, 0, 0, -1, 16},
      [ATTN_Q5_K] = {176, 256, 4, 1, 0, -1, 16}, [ATTN_Q6_K] = {210, 256, 4, 2, 32, 0, 16},
      [ATTN_BF16] = {2, 1, 0, 0, 0, 0, 0},
  };
  return type < 0 || type > ATTN_BF16 ? (weight_type){0} : types[type];
}

/*
 * Eight quants at a time, one in each byte of a word: the same in any compilation, and loading is
 * not to wait for it.
 */
typedef uint64_t bytes8;

#define EACH(byte) ((bytes8)0x0101010101010101 * (byte))

INLINE bytes8 read8(const uint8_t *p)
{
  bytes8 x;
  __builtin_memcpy(&x, p, 8);
  return x;
}

INLINE void write8(uint8_t *p, bytes8 x) { __builtin_memcpy(p, &x, 8); }

INLINE uint16_t read16(const uint8_t *p) { return (uint16_t)(p[0] | p[1] << 8); }

/* Bit i of a byte as bit 4 of byte i. */
INLINE bytes8 fifth_bits(uint8_t bits)
{
  bytes8 one_each = EACH(bits) & 0x8040201008040201;
  return ((one_each + EACH(0x7f)) & EACH(0x80)) >> 3;
}

/*
 * Sixteen bytes of two nibbles: the low ones are the first 16 weights, the high ones the rest.
 * `high`: a fifth bit each, or NULL.
 */
static void read_nibbles(uint8_t *q, const uint8_t *low, const uint8_t *high)
{
  for (int c = 0; c < PART; c += 8) {
    bytes8 x = read8(low + c % 16) >> (c / 16 * 4) & EACH(15);
    write8(q + c, high ? x | fifth_bits(high[c / 8]) : x);
  }
}

/*
 * Q4_K, Q5_K: twelve bytes hold eight s and eight t of 6 bits; the last four of each are split into
 * 4 bits and 2.
 */
static void read_six_bits(weight_unit *u, const uint8_t *x)
{
  for (int p = 0; p < 4; p++) {
    u->s[p] = x[p] & 63, u->t[p] = x[p + 4] & 63;
    u->s[p + 4] = (uint8_t)((x[p + 8] & 15) | (x[p] >> 6) << 4);
    u->t[p + 4] = (uint8_t)((x[p + 8] >> 4) | (x[p + 4] >> 6) << 4);
  }
}

/* Q4_K, Q5_K: 32 bytes of nibbles hold two parts; bit p of high[c] belongs to part p. */
static void read_parts(weight_unit *u, const uint8_t *low, const uint8_t *high)
{
  for (int c = 0; c < UNIT; c += 8) {
    int p = c / PART, l = c % PART;
    bytes8 x = read8(low + p / 2 * 32 + l) >> (p % 2 * 4) & EACH(15);
    write8(u->q + c, high ? x | (read8(high + l) >> p & EACH(1)) << 4 : x);
  }
}

/*
 * Q6_K: each half of 128 has 64 bytes of nibbles and 32 bytes of two further bits for the four
 * parts.
 */
static void read_six_bit_quants(weight_unit *u, const uint8_t *low, const uint8_t *high)
{
  for (int c = 0; c < UNIT; c += 8) {
    int half = c / 128, part = c / PART % 4, l = c % PART;
    bytes8 x = read8(low + half * 64 + part % 2 * 32 + l) >> (part / 2 * 4) & EACH(15);
    write8(u->q + c, x | (read8(high + half * 32 + l) >> (2 * part) & EACH(3)) << 4);
  }
}

void attn_unit_read(weight_unit *u, int32_t type, const uint8_t *x)
{
  u->d = read16(x);
  u->m = read16(x + 2);
  switch (type) {
  case ATTN_Q4_0:
    return read_nibbles(u->q, x + 2, NULL);
  case ATTN_Q4_1:
    return read_nibbles(u->q, x + 4, NULL);
  case ATTN_Q5_0:
    return read_nibbles(u->q, x + 6, x + 2);
  case ATTN_Q5_1:
    return read_nibbles(u->q, x + 8, x + 4);
  case ATTN_Q8_0:
    for (int c = 0; c < PART; c += 8)
      write8(u->q + c, read8(x + 2 + c) ^ EACH(128));
    return;
  case ATTN_Q4_K:
    read_six_bits(u, x + 4);
    return read_parts(u, x + 16, NULL);
  case ATTN_Q5_K:
    read_six_bits(u, x + 4);
    return read_parts(u, x + 48, x + 16);
  case ATTN_Q6_K:
    __builtin_memcpy(u->s, x + 192, 16);
    u->d = read16(x + 208);
    return read_six_bit_quants(u, x, x + 128);
  }
}

/*
 * 32 quants of 8 bits into lane r: signed, but unsigned where the dot product takes them so, or
 * below another (wide.c).
 */
static void store_bytes(int32_t form, uint8_t *x, int32_t r, const uint8_t *q)
{
  if (form == DOT_WIDE) {
    for (int c = 0; c < PART / 2; c += 2) {
      const uint8_t *pair = q + wide_place(c),
                    four[] = {pair[0], pair[16] ^ 128, pair[2], pair[18] ^ 128};
      __builtin_memcpy(x + c / 2 * 32 + 4 * r, four, 4);
    }
    return;
  }
  for (int c = 0; c < PART; c += 8, q += 8) {
    bytes8 y = read8(q) ^ EACH(form == DOT_UNSIGNED ? 0 : 128);
    for (int k = 0; k < 8; k += 4, y >>= 32)
      __builtin_memcpy(x + (c + k) * PANEL + 4 * r, &y, 4);
  }
}

/* 32 quants of so many bits into lane r. */
static void store_bits(int bits, uint8_t *x, int32_t r, const uint8_t *q)
{
  uint32_t four[8];
  __builtin_memcpy(four, q, sizeof four);
  ROLLED for (int k = 0; k < bits; k++)
  {
    uint32_t word = word_of(four, bits, k);
    __builtin_memcpy(x + 32 * k + 4 * r, &word, 4);
  }
}

void attn_unit_store(const weight_unit *u, weight_type t, int32_t form, uint8_t *unit, int32_t r)
{
  __builtin_memcpy(unit + 2 * r, &u->d, 2);
  if (t.sign_m)
    __builtin_memcpy(unit + 16 + 2 * r, &u->m, 2);
  uint8_t *x = unit + unit_head(t);
  for (int32_t p = 0; p < t.block / PART; p++, x += part_quants(t)) {
    const uint8_t *q = u->q + PART * p;
    if (t.sub_scales) {
      x[r] = t.sign_m ? u->s[p] : u->s[2 * p];
      x[8 + r] = t.sign_m ? u->t[p] : u->s[2 * p + 1];
      x += t.sub_scales;
    }
    if (t.low_bits == 8)
      store_bytes(form, x, r, q);
    else
      store_bits(t.low_bits + t.high_bits, x, r, q);
  }
}
