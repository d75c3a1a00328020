/* The KV cache: appending, truncating and reading back, and its snapshots. */
#include "cache_layout.h"

static const int64_t MAX_BYTES = 0xFFFF0000; /* of a 32-bit memory */

size_t attn_cache_bytes(int32_t kv_heads, int32_t dim, int32_t value_dim, int32_t capacity,
                        int32_t type)
{
  if (kv_heads < 1 || dim < 1 || value_dim < 1 || capacity < 1 || kv_heads > 1 << 20 ||
      capacity > 1 << 30 || dim > attn_max_dim() || value_dim > attn_max_dim() ||
      type < ATTN_CACHE_F32 || type > ATTN_CACHE_Q8)
    return 0;
  /* cache_head_bytes in 64 bits: below 2^30·2^11·4 */
  attn_cache c = {.dim = dim, .value_dim = value_dim, .type = type};
  int64_t rows = ((int64_t)capacity + PANEL - 1) / PANEL * PANEL;
  int64_t head =
      rows * (int64_t)((cache_key_size(&c) + cache_value_size(&c)) * cache_number_bytes(type) +
                       (type == ATTN_CACHE_Q8 ? 2 * sizeof(float) : 0));
  if (head > (MAX_BYTES - (int64_t)sizeof(attn_cache)) / kv_heads)
    return 0;
  return (size_t)(head * kv_heads) + sizeof(attn_cache);
}

int32_t attn_cache_init(attn_cache *cache, int32_t kv_heads, int32_t dim, int32_t value_dim,
                        int32_t capacity, int32_t type)
{
  if (!attn_cache_bytes(kv_heads, dim, value_dim, capacity, type))
    return ATTN_E_RANGE;
  *cache = (attn_cache){.kv_heads = kv_heads,
                        .dim = dim,
                        .value_dim = value_dim,
                        .capacity = capacity,
                        .type = type,
                        .dot_form = attn_dot_form(8)};
  return ATTN_OK;
}

int32_t attn_cache_length(const attn_cache *cache) { return cache->length; }

static void put(attn_cache *c, int32_t kv_head, int32_t j, int is_value, const float *x)
{
  char record[MAX_RECORD];
  if (c->type != ATTN_CACHE_F32)
    record_encode(c->type, record, x, is_value ? c->value_dim : c->dim);
  record_store(c, kv_head, j, is_value, c->type == ATTN_CACHE_F32 ? (const char *)x : record);
}

void cache_get(const attn_cache *c, int32_t kv_head, int32_t j, int is_value, float *x)
{
  char record[MAX_RECORD];
  record_fetch(c, kv_head, j, is_value, record);
  record_decode(c->type, x, record, is_value ? c->value_dim : c->dim);
}

int32_t attn_cache_append(attn_cache *cache, const float *k, const float *v, int32_t t,
                          int32_t positions_first)
{
  if (t < 0)
    return ATTN_E_RANGE;
  if (t > cache->capacity - cache->length)
    return ATTN_E_LIMIT;
  for (int32_t h = 0; h < cache->kv_heads; h++)
    for (int32_t j = 0; j < t; j++) {
      size_t at = positions_first ? (size_t)j * (size_t)cache->kv_heads + (size_t)h
                                  : (size_t)h * (size_t)t + (size_t)j;
      put(cache, h, cache->length + j, 0, k + at * (size_t)cache->dim);
      put(cache, h, cache->length + j, 1, v + at * (size_t)cache->value_dim);
    }
  cache->length += t;
  return ATTN_OK;
}

int32_t attn_cache_truncate(attn_cache *cache, int32_t length)
{
  if (length < 0 || length > cache->length)
    return ATTN_E_RANGE;
  cache->length = length;
  return ATTN_OK;
}

int32_t attn_cache_read(const attn_cache *cache, float *k, float *v, int32_t from, int32_t to)
{
  if (from < 0 || to < from || to > cache->length)
    return ATTN_E_RANGE;
  for (int32_t h = 0; h < cache->kv_heads; h++)
    for (int32_t j = from; j < to; j++) {
      cache_get(cache, h, j, 0, k);
      cache_get(cache, h, j, 1, v);
      k += cache->dim;
      v += cache->value_dim;
    }
  return ATTN_OK;
}

/*
 * A snapshot, in little-endian numbers:
 *   4 bytes   "CHKV"
 *   6 uint32  version 1, kv_heads, dim, value_dim, length, type
 *   records   of all keys (kv_heads, length)
 *   records   of all values (kv_heads, length)
 *   uint64    checksum of everything before it
 */
enum { HEADER = 28, CHECKSUM = 8, VERSION = 1 };

/*
 * FNV-1a: finds damage, not malice; a hostile snapshot is safe because every size in it is checked.
 */
static uint64_t checksum(const uint8_t *bytes, size_t count)
{
  uint64_t hash = 0xCBF29CE484222325;
  for (size_t x = 0; x < count; x++)
    hash = (hash ^ bytes[x]) * 0x100000001B3;
  return hash;
}

static void put_little(uint8_t *to, uint64_t x, int bytes)
{
  for (int l = 0; l < bytes; l++)
    to[l] = (uint8_t)(x >> (8 * l));
}

static uint64_t get_little(const uint8_t *from, int bytes)
{
  uint64_t x = 0;
  for (int l = 0; l < bytes; l++)
    x |= (uint64_t)from[l] << (8 * l);
  return x;
}

static size_t position_bytes(const attn_cache *c)
{
  return (size_t)c->kv_heads *
         (record_bytes(c->type, c->dim) + record_bytes(c->type, c->value_dim));
}

size_t attn_cache_snapshot_bytes(const attn_cache *cache)
{
  return HEADER + (size_t)cache->length * position_bytes(cache) + CHECKSUM;
}

/* Where record (kv_head, j) is in a snapshot of `length` positions. */
static size_t record_at(const attn_cache *c, int32_t length, int32_t kv_head, int32_t j,
                        int is_value)
{
  size_t keys = record_bytes(c->type, c->dim), at = (size_t)kv_head * (size_t)length + (size_t)j;
  return HEADER + (is_value ? (size_t)c->kv_heads * (size_t)length * keys +
                                  at * record_bytes(c->type, c->value_dim)
                            : at * keys);
}

void attn_cache_snapshot(const attn_cache *cache, uint8_t *snapshot)
{
  const int32_t fields[6] = {VERSION,          cache->kv_heads, cache->dim,
                             cache->value_dim, cache->length,   cache->type};
  put_little(snapshot, 0x564B4843, 4); /* "CHKV" */
  for (int x = 0; x < 6; x++)
    put_little(snapshot + 4 + 4 * x, (uint32_t)fields[x], 4);
  for (int32_t h = 0; h < cache->kv_heads; h++)
    for (int32_t j = 0; j < cache->length; j++)
      for (int value = 0; value < 2; value++)
        record_fetch(cache, h, j, value,
                     (char *)snapshot + record_at(cache, cache->length, h, j, value));
  size_t body = attn_cache_snapshot_bytes(cache) - CHECKSUM;
  put_little(snapshot + body, checksum(snapshot, body), 8);
}

int32_t attn_cache_restore(attn_cache *cache, const uint8_t *snapshot, size_t bytes)
{
  const int32_t expected[] = {VERSION, cache->kv_heads, cache->dim, cache->value_dim};
  if (bytes < HEADER + CHECKSUM)
    return ATTN_E_INTEGRITY;
  if (get_little(snapshot, 4) != 0x564B4843 ||
      get_little(snapshot + 24, 4) != (uint64_t)cache->type)
    return ATTN_E_FORMAT;
  for (int x = 0; x < 4; x++)
    if (get_little(snapshot + 4 + 4 * x, 4) != (uint64_t)expected[x])
      return ATTN_E_FORMAT;
  uint64_t length = get_little(snapshot + 20, 4);
  /* before anything is computed from the length, it is checked against the number of bytes */
  size_t position = position_bytes(cache), payload = bytes - HEADER - CHECKSUM;
  if (length > payload / position || payload != (size_t)length * position)
    return ATTN_E_INTEGRITY;
  if (get_little(snapshot + bytes - CHECKSUM, 8) != checksum(snapshot, bytes - CHECKSUM))
    return ATTN_E_INTEGRITY;
  if (length > (uint64_t)cache->capacity)
    return ATTN_E_LIMIT;
  cache->length = (int32_t)length;
  for (int32_t h = 0; h < cache->kv_heads; h++)
    for (int32_t j = 0; j < cache->length; j++)
      for (int value = 0; value < 2; value++)
        record_store(cache, h, j, value,
                     (const char *)snapshot + record_at(cache, cache->length, h, j, value));
  return ATTN_OK;
}
