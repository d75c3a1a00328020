/* One key or value of a KV cache: from floats to the type of the cache and back, and where its numbers lie. */
#include "cache.h"
#include "half.h"

/* ---- Floats and records ------------------------------------------------------------------------------------------------ */

/* x/scale, at most 127 in size, rounded to nearest even. */
static int8_t to_byte(float x, double per_unit)
{
  const double magic = 6755399441055744.0; /* 1.5·2^52: adding it rounds to an integer */
  return (int8_t)((double)x * per_unit + magic - magic);
}

static void encode_bytes(char *record, const float *x, int32_t size)
{
  float most = 0;
  int odd = 0;
  for (int32_t c = 0; c < size; c++) {
    float a = x[c] < 0 ? -x[c] : x[c];
    odd |= x[c] - x[c] != 0;
    most = a > most ? a : most;
  }
  /* a scale among the subnormal floats is rounded up, so that no quotient is beyond 127 */
  float scale = odd ? __builtin_nanf("") : most / 127.0f;
  if ((double)scale * 127.0 < most)
    scale += 0x1p-149f;
  __builtin_memcpy(record, &scale, sizeof scale);
  for (int32_t c = 0; c < size; c++)
    record[sizeof scale + (size_t)c] = scale > 0 ? (char)to_byte(x[c], 1.0 / scale) : 0;
}

void record_encode(int32_t type, char *record, const float *x, int32_t size)
{
  if (type == ATTN_CACHE_F32)
    __builtin_memcpy(record, x, (size_t)size * sizeof(float));
  else if (type == ATTN_CACHE_F16)
    for (int32_t c = 0; c < size; c++) {
      uint16_t half = half_of_float(x[c]);
      __builtin_memcpy(record + 2 * c, &half, 2);
    }
  else
    encode_bytes(record, x, size);
}

void record_decode(int32_t type, float *x, const char *record, int32_t size)
{
  float scale = 1;
  if (type == ATTN_CACHE_F32)
    __builtin_memcpy(x, record, (size_t)size * sizeof(float));
  else if (type == ATTN_CACHE_F16)
    for (int32_t c = 0; c < size; c++) {
      uint16_t half;
      __builtin_memcpy(&half, record + 2 * c, 2);
      x[c] = half_to_float(half);
    }
  else {
    __builtin_memcpy(&scale, record, sizeof scale);
    for (int32_t c = 0; c < size; c++)
      x[c] = scale * (float)(int8_t)record[sizeof scale + (size_t)c];
  }
}

/* ---- Records and the cache --------------------------------------------------------------------------------------------- */

/*
 * Where a vector's numbers lie: `run` of them with `apart` from one to the next, number c at base + ⌊c/run⌋·step +
 * (c mod run)·apart, in numbers.
 */
typedef struct {
  char *base;
  int32_t run;
  size_t step, apart;
  char *group; /* the panel or pair of rows it belongs to, or NULL where nothing beside it is computed with, */
  size_t group_bytes;
  int32_t group_rows; /* and how many vectors that holds */
  float *scale;
} places;

static places places_of(const attn_cache *c, int32_t kv_head, int32_t j, int is_value)
{
  size_t number = cache_number_bytes(c->type), size = is_value ? cache_value_size(c) : cache_key_size(c);
  int bytes = c->type == ATTN_CACHE_Q8;
  if (is_value && !bytes) {
    size_t lane = (size_t)j % BLOCK, before = (size_t)j - lane;
    return (places){.base = cache_values(c, kv_head) + (before * size + lane * STRIP) * number,
                    .run = STRIP,
                    .step = strip_rows(cache_rows(c), (size_t)j) * STRIP,
                    .apart = 1};
  }
  int32_t rows = is_value ? 2 : PANEL;
  size_t lane = (size_t)(j % rows), group_bytes = (size_t)rows * size * number;
  places p = {.group =
                  (is_value ? cache_values(c, kv_head) : cache_keys(c, kv_head)) + (size_t)(j / rows) * group_bytes,
              .group_bytes = group_bytes,
              .group_rows = rows};
  if (bytes) {
    p.base = p.group + (is_value ? 2 * lane : lane % 4 * 4 + lane / 4);
    p.run = 2;
    p.step = is_value ? 4 : 16;
    p.apart = is_value ? 1 : 2;
    p.scale = cache_scales(c, kv_head) + (is_value ? cache_rows(c) : 0) + j;
  } else {
    p.base = p.group + lane * number;
    p.run = 1;
    p.step = PANEL;
  }
  return p;
}

INLINE void move_numbers(const size_t number, const int store, const places *p, char *record, int32_t size)
{
  char *base = p->base;
  for (int32_t c = 0, end; c < size; c = end, base += p->step * number) {
    char *at = base;
    end = c + p->run < size ? c + p->run : size;
    for (int32_t x = c; x < end; x++, at += p->apart * number, record += number) {
      __builtin_memcpy(store ? at : record, store ? record : at, number);
      /* the lower half of a word holds 128 more */
      if (number == 1 && (at - p->group) % 2 == 0)
        *(store ? at : record) ^= -128;
    }
  }
}

static void move_record(const int store, const attn_cache *c, const places *p, char *record, int is_value)
{
  int32_t size = is_value ? c->value_dim : c->dim;
  if (c->type == ATTN_CACHE_Q8)
    move_numbers(1, store, p, record + sizeof(float), size);
  else if (c->type == ATTN_CACHE_F32)
    move_numbers(4, store, p, record, size);
  else
    move_numbers(2, store, p, record, size);
}

/* Whether a record of halves or bytes is of numbers that are not all finite. */
static int32_t is_wild(int32_t type, const char *record, int32_t size)
{
  float scale;
  int32_t wild = 0;
  if (type == ATTN_CACHE_Q8) {
    __builtin_memcpy(&scale, record, sizeof scale);
    return scale - scale != 0;
  }
  for (const char *end = record + 2 * size; record < end; record += 2) {
    uint16_t half;
    __builtin_memcpy(&half, record, 2);
    wild |= !half_is_finite(half);
  }
  return wild;
}

void record_store(attn_cache *c, int32_t kv_head, int32_t j, int is_value, const char *record)
{
  places p = places_of(c, kv_head, j, is_value);
  /* what lies beside it is computed with, so it must hold something */
  if (p.group && j % p.group_rows == 0) {
    __builtin_memset(p.group, 0, p.group_bytes);
    for (int32_t l = 0; l < p.group_rows && p.scale; l++)
      p.scale[l] = 0;
  }
  /* and so must the rest of its last strip */
  size_t number = cache_number_bytes(c->type);
  for (size_t x = (size_t)c->value_dim; !p.group && x < cache_value_size(c); x++)
    __builtin_memset(p.base + (x / STRIP * p.step + x % STRIP) * number, 0, number);
  if (p.scale)
    __builtin_memcpy(p.scale, record, sizeof *p.scale);
  if (c->type != ATTN_CACHE_F32)
    c->wild |= is_wild(c->type, record, is_value ? c->value_dim : c->dim);
  move_record(1, c, &p, (char *)record, is_value);
}

void record_fetch(const attn_cache *c, int32_t kv_head, int32_t j, int is_value, char *record)
{
  places p = places_of(c, kv_head, j, is_value);
  if (p.scale)
    __builtin_memcpy(record, p.scale, sizeof *p.scale);
  move_record(0, c, &p, record, is_value);
}
