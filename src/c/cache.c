/* The KV cache: append, truncate, read back, snapshot and restore. Attending to it is in attention.c. */
#include "cache.h"

static const int64_t MOST_BYTES = 0xFFFF0000; /* of a 32-bit memory */

size_t attn_cache_bytes(int32_t kv_heads, int32_t dim, int32_t value_dim, int32_t capacity)
{
  if (kv_heads < 1 || dim < 1 || value_dim < 1 || capacity < 1 || kv_heads > 1 << 20 || capacity > 1 << 30 ||
      dim > attn_max_dim() || value_dim > attn_max_dim())
    return 0;
  /* below 2^30·2^11·4 per head */
  int64_t panels = ((int64_t)capacity + PANEL - 1) / PANEL * PANEL * dim;
  int64_t head = (panels + (int64_t)capacity * ((value_dim + 3) / 4 * 4)) * (int64_t)sizeof(float);
  if (head > (MOST_BYTES - (int64_t)sizeof(attn_cache)) / kv_heads)
    return 0;
  return (size_t)(head * kv_heads) + sizeof(attn_cache);
}

int32_t attn_cache_init(attn_cache *cache, int32_t kv_heads, int32_t dim, int32_t value_dim, int32_t capacity)
{
  if (!attn_cache_bytes(kv_heads, dim, value_dim, capacity))
    return ATTN_E_RANGE;
  *cache = (attn_cache){.kv_heads = kv_heads, .dim = dim, .value_dim = value_dim, .capacity = capacity};
  return ATTN_OK;
}

int32_t attn_cache_length(const attn_cache *cache) { return cache->length; }

/* Where channel 0 of a key is; its channels are PANEL apart. */
static float *key_at(const attn_cache *c, int32_t kv_head, int32_t j)
{
  return cache_panels(c, kv_head) + (size_t)(j / PANEL * PANEL) * (size_t)c->dim + j % PANEL;
}

static void put(attn_cache *c, int32_t kv_head, int32_t j, const float *k, const float *v)
{
  float *key = key_at(c, kv_head, j), *value = cache_values(c, kv_head) + (size_t)j * cache_value_stride(c);
  for (int32_t x = 0; x < c->dim; x++)
    key[(size_t)x * PANEL] = k[x];
  for (size_t x = 0; x < cache_value_stride(c); x++)
    value[x] = x < (size_t)c->value_dim ? v[x] : 0;
  /* the panel's other lanes are scored with it, so they must hold something */
  if (j % PANEL == 0)
    for (int32_t x = 0; x < c->dim; x++)
      for (int32_t l = 1; l < PANEL; l++)
        key[(size_t)x * PANEL + l] = 0;
}

int32_t attn_cache_append(attn_cache *cache, const float *k, const float *v, int32_t t, int32_t positions_first)
{
  if (t < 0)
    return ATTN_E_RANGE;
  if (t > cache->capacity - cache->length)
    return ATTN_E_LIMIT;
  for (int32_t h = 0; h < cache->kv_heads; h++)
    for (int32_t j = 0; j < t; j++) {
      size_t at = positions_first ? (size_t)j * (size_t)cache->kv_heads + (size_t)h : (size_t)h * (size_t)t + (size_t)j;
      put(cache, h, cache->length + j, k + at * (size_t)cache->dim, v + at * (size_t)cache->value_dim);
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
      const float *key = key_at(cache, h, j), *value = cache_values(cache, h) + (size_t)j * cache_value_stride(cache);
      for (int32_t x = 0; x < cache->dim; x++)
        *k++ = key[(size_t)x * PANEL];
      for (int32_t x = 0; x < cache->value_dim; x++)
        *v++ = value[x];
    }
  return ATTN_OK;
}

/*
 * Snapshot: the bytes "CHKV", six little-endian uint32 (version 1, kv_heads, dim, value_dim, length, 0), all keys (kv_heads,
 * length, dim), all values (kv_heads, length, value_dim), and the 64-bit checksum of all before it.
 */
enum { HEADER = 28, CHECKSUM = 8, VERSION = 1 };

/* FNV-1a: finds damage, not malice; a hostile snapshot is safe because every size in it is checked. */
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

static size_t payload_floats(const attn_cache *c, int32_t length)
{
  return (size_t)c->kv_heads * (size_t)length * ((size_t)c->dim + (size_t)c->value_dim);
}

size_t attn_cache_snapshot_bytes(const attn_cache *cache)
{
  return HEADER + payload_floats(cache, cache->length) * sizeof(float) + CHECKSUM;
}

void attn_cache_snapshot(const attn_cache *cache, uint8_t *snapshot)
{
  const int32_t fields[6] = {VERSION, cache->kv_heads, cache->dim, cache->value_dim, cache->length, 0};
  put_little(snapshot, 0x564B4843, 4); /* "CHKV" */
  for (int x = 0; x < 6; x++)
    put_little(snapshot + 4 + 4 * x, (uint32_t)fields[x], 4);
  /* HEADER is a multiple of 4, and so is the snapshot's address by contract of the caller's allocator */
  float *k = (float *)(void *)(snapshot + HEADER);
  attn_cache_read(cache, k, k + (size_t)cache->kv_heads * (size_t)cache->length * (size_t)cache->dim, 0, cache->length);
  size_t body = attn_cache_snapshot_bytes(cache) - CHECKSUM;
  put_little(snapshot + body, checksum(snapshot, body), 8);
}

int32_t attn_cache_restore(attn_cache *cache, const uint8_t *snapshot, size_t bytes)
{
  if (bytes < HEADER + CHECKSUM || get_little(snapshot, 4) != 0x564B4843 || get_little(snapshot + 4, 4) != VERSION ||
      get_little(snapshot + 8, 4) != (uint64_t)cache->kv_heads ||
      get_little(snapshot + 12, 4) != (uint64_t)cache->dim ||
      get_little(snapshot + 16, 4) != (uint64_t)cache->value_dim || get_little(snapshot + 24, 4) != 0)
    return ATTN_E_FORMAT;
  uint64_t length = get_little(snapshot + 20, 4);
  /* the length is compared with what the bytes can hold before anything is computed from it */
  size_t position = (size_t)cache->kv_heads * ((size_t)cache->dim + (size_t)cache->value_dim) * sizeof(float);
  if (length > (bytes - HEADER - CHECKSUM) / position || bytes - HEADER - CHECKSUM != (size_t)length * position)
    return ATTN_E_FORMAT;
  if (get_little(snapshot + bytes - CHECKSUM, 8) != checksum(snapshot, bytes - CHECKSUM))
    return ATTN_E_INTEGRITY;
  if (length > (uint64_t)cache->capacity)
    return ATTN_E_LIMIT;
  const float *k = (const float *)(const void *)(snapshot + HEADER);
  cache->length = 0;
  return attn_cache_append(cache, k, k + (size_t)cache->kv_heads * (size_t)length * (size_t)cache->dim, (int32_t)length,
                           0);
}
