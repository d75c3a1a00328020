/*
 * The table of weight types, and their blocks as ggml writes them to files.
 */
#include "formats.h"
#include "base/half.h"

/*
 * ---- Blocks in a file ------------------------------------------------------------------------
 *
 * Everything is made of bytes, because a block may begin at any address.
 */

typedef uint8_t float16[2]; /* little-endian */

/* d·(q − 8), 4.5 bits per weight */
typedef struct {
  float16 d;
  uint8_t low[16];
} block_q4_0;
_Static_assert(sizeof(block_q4_0) == 18, "a block of 32 weights");

/* d·q + m, 5 bits per weight */
typedef struct {
  float16 d;
  float16 m;
  uint8_t low[16];
} block_q4_1;
_Static_assert(sizeof(block_q4_1) == 20, "a block of 32 weights");

/* d·(q − 16), 5.5 bits per weight */
typedef struct {
  float16 d;
  uint8_t high[4]; /* the fifth bits */
  uint8_t low[16];
} block_q5_0;
_Static_assert(sizeof(block_q5_0) == 22, "a block of 32 weights");

/* d·q + m, 6 bits per weight */
typedef struct {
  float16 d;
  float16 m;
  uint8_t high[4];
  uint8_t low[16];
} block_q5_1;
_Static_assert(sizeof(block_q5_1) == 24, "a block of 32 weights");

/* d·q, 8.5 bits per weight */
typedef struct {
  float16 d;
  int8_t q[32];
} block_q8_0;
_Static_assert(sizeof(block_q8_0) == 34, "a block of 32 weights");

/* d·s·q − m·t, 4.5 bits per weight */
typedef struct {
  float16 d;
  float16 m;
  uint8_t scales[12]; /* eight s and eight t of 6 bits */
  uint8_t low[128];   /* 32 bytes have the nibbles of two block32 */
} block_q4_k;
_Static_assert(sizeof(block_q4_k) == 144, "a block of 256 weights");

/* d·s·q − m·t, 5.5 bits per weight */
typedef struct {
  float16 d;
  float16 m;
  uint8_t scales[12];
  uint8_t high[32]; /* bit p of byte c belongs to block32 p */
  uint8_t low[128];
} block_q5_k;
_Static_assert(sizeof(block_q5_k) == 176, "a block of 256 weights");

/* d·s·(q − 32), 6.5625 bits per weight */
typedef struct {
  uint8_t low[128]; /* 64 bytes have the nibbles of four block32 */
  uint8_t high[64]; /* 32 bytes have two further bits for each of the four */
  int8_t scales[16];
  float16 d;
} block_q6_k;
_Static_assert(sizeof(block_q6_k) == 210, "a block of 256 weights");

/* Eight quants at a time, one in each byte of a word. */
typedef uint64_t bytes8;

#define EACH(byte) ((bytes8)0x0101010101010101 * (byte))

INLINE bytes8 read8(const void *p)
{
  bytes8 x;
  __builtin_memcpy(&x, p, 8);
  return x;
}

INLINE void write8(uint8_t *p, bytes8 x) { __builtin_memcpy(p, &x, 8); }

INLINE uint16_t read16(const float16 x) { return (uint16_t)(x[0] | x[1] << 8); }

/* Bit i of a byte as bit 4 of byte i. */
INLINE bytes8 fifth_bits(uint8_t bits)
{
  bytes8 one_each = EACH(bits) & 0x8040201008040201;
  return ((one_each + EACH(0x7f)) & EACH(0x80)) >> 3;
}

/*
 * Sixteen bytes of two nibbles: the low ones are the first 16 weights, the high ones the rest.
 * `high` has a fifth bit for each, or is NULL.
 */
static void read_nibbles(uint8_t *q, const uint8_t *low, const uint8_t *high)
{
  for (int c = 0; c < BLOCK32; c += 8) {
    bytes8 x = read8(low + c % 16) >> (c / 16 * 4) & EACH(15);
    write8(q + c, high ? x | fifth_bits(high[c / 8]) : x);
  }
}

static void read_q4_0(superblock *to, const void *block)
{
  const block_q4_0 *b = block;
  to->d = read16(b->d);
  read_nibbles(to->q, b->low, NULL);
}

static void read_q4_1(superblock *to, const void *block)
{
  const block_q4_1 *b = block;
  to->d = read16(b->d);
  to->m = read16(b->m);
  read_nibbles(to->q, b->low, NULL);
}

static void read_q5_0(superblock *to, const void *block)
{
  const block_q5_0 *b = block;
  to->d = read16(b->d);
  read_nibbles(to->q, b->low, b->high);
}

static void read_q5_1(superblock *to, const void *block)
{
  const block_q5_1 *b = block;
  to->d = read16(b->d);
  to->m = read16(b->m);
  read_nibbles(to->q, b->low, b->high);
}

static void read_q8_0(superblock *to, const void *block)
{
  const block_q8_0 *b = block;
  to->d = read16(b->d);
  for (int c = 0; c < BLOCK32; c += 8)
    write8(to->q + c, read8(b->q + c) ^ EACH(128));
}

/* Twelve bytes with eight s and eight t. The last four of each are split into 4 bits and 2. */
static void read_scales(superblock *to, const uint8_t *x)
{
  for (int p = 0; p < 4; p++) {
    to->s[p] = x[p] & 63;
    to->t[p] = x[p + 4] & 63;
    to->s[p + 4] = (uint8_t)((x[p + 8] & 15) | (x[p] >> 6) << 4);
    to->t[p + 4] = (uint8_t)((x[p + 8] >> 4) | (x[p + 4] >> 6) << 4);
  }
}

/* The quants of Q4_K and Q5_K. `high` is NULL with 4 bits. */
static void read_block32s(uint8_t *q, const uint8_t *low, const uint8_t *high)
{
  for (int c = 0; c < SUPERBLOCK; c += 8) {
    int p = c / BLOCK32;
    int l = c % BLOCK32;
    bytes8 x = read8(low + p / 2 * 32 + l) >> (p % 2 * 4) & EACH(15);
    write8(q + c, high ? x | (read8(high + l) >> p & EACH(1)) << 4 : x);
  }
}

static void read_q4_k(superblock *to, const void *block)
{
  const block_q4_k *b = block;
  to->d = read16(b->d);
  to->m = read16(b->m);
  read_scales(to, b->scales);
  read_block32s(to->q, b->low, NULL);
}

static void read_q5_k(superblock *to, const void *block)
{
  const block_q5_k *b = block;
  to->d = read16(b->d);
  to->m = read16(b->m);
  read_scales(to, b->scales);
  read_block32s(to->q, b->low, b->high);
}

static void read_q6_k(superblock *to, const void *block)
{
  const block_q6_k *b = block;
  to->d = read16(b->d);
  __builtin_memcpy(to->s, b->scales, sizeof b->scales);
  for (int c = 0; c < SUPERBLOCK; c += 8) {
    int half = c / 128;
    int p = c / BLOCK32 % 4;
    int l = c % BLOCK32;
    bytes8 low = read8(b->low + half * 64 + p % 2 * 32 + l) >> (p / 2 * 4) & EACH(15);
    bytes8 high = read8(b->high + half * 32 + l) >> (2 * p) & EACH(3);
    write8(to->q + c, low | high << 4);
  }
}

/*
 * ---- The table -------------------------------------------------------------------------------
 */

#define FLOATS(bytes) .block_weights = 1, .block_bytes = bytes
/* How a file stores a quantised type: block_NAME and read_NAME. */
#define BLOCKS(name, weights)                                                                      \
  .block_weights = weights, .block_bytes = sizeof(block_##name), .read = read_##name

static const weight_type types[] = {
    [ATTN_F32] = {"F32", FLOATS(4)},
    [ATTN_F16] = {"F16", FLOATS(2)},
    [ATTN_BF16] = {"BF16", FLOATS(2)},
    [ATTN_Q4_0] = {"Q4_0", BLOCKS(q4_0, 32), .bits = 4, .offset = 8, .family = Q4},
    [ATTN_Q4_1] = {"Q4_1", BLOCKS(q4_1, 32), .bits = 4, .has_min = 1, .family = Q4_MIN},
    [ATTN_Q5_0] = {"Q5_0", BLOCKS(q5_0, 32), .bits = 5, .offset = 16, .family = Q5},
    [ATTN_Q5_1] = {"Q5_1", BLOCKS(q5_1, 32), .bits = 5, .has_min = 1, .family = Q5_MIN},
    [ATTN_Q8_0] = {"Q8_0", BLOCKS(q8_0, 32), .bits = 8, .offset = 128, .family = Q8},
    [ATTN_Q4_K] = {"Q4_K", BLOCKS(q4_k, 256), .bits = 4, .has_min = 1,
                   .sub_scales = SCALES_AND_MINS, .family = Q4_K},
    [ATTN_Q5_K] = {"Q5_K", BLOCKS(q5_k, 256), .bits = 5, .has_min = 1,
                   .sub_scales = SCALES_AND_MINS, .family = Q5_K},
    [ATTN_Q6_K] = {"Q6_K", BLOCKS(q6_k, 256), .bits = 6, .offset = 32, .sub_scales = HALF_SCALES,
                   .family = Q6_K},
};

const weight_type *attn_weight_type(int32_t type)
{
  const int32_t count = sizeof types / sizeof *types;
  return type < 0 || type >= count || !types[type].name ? NULL : &types[type];
}

const char *attn_weight_type_name(int32_t type)
{
  const weight_type *t = attn_weight_type(type);
  return t ? t->name : NULL;
}

int32_t attn_weight_type_block(int32_t type)
{
  const weight_type *t = attn_weight_type(type);
  return t ? t->block_weights : 0;
}

int32_t attn_weight_type_block_bytes(int32_t type)
{
  const weight_type *t = attn_weight_type(type);
  return t ? t->block_bytes : 0;
}

int32_t attn_weight_type_has_min(int32_t type)
{
  const weight_type *t = attn_weight_type(type);
  return t ? t->has_min : 0;
}

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
