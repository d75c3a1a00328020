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
      rows * (int64_t)((cache_key_size(&c) + cache_value_size(&c)) * cache_number_bytes(type));
  if (type == ATTN_CACHE_Q8)
    head += (2 * rows + (int64_t)(cache_references((size_t)rows) * cache_key_size(&c))) *
            (int64_t)sizeof(float);
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

static const float *reference_for(const attn_cache *c, int32_t kv_head, int32_t j, int is_value)
{
  return c->type == ATTN_CACHE_Q8 && !is_value ? cache_reference(c, kv_head, j) : NULL;
}

static void put(attn_cache *c, int32_t kv_head, int32_t j, int is_value, const float *x)
{
  char record[MAX_RECORD];
  if (c->type == ATTN_CACHE_F32) {
    record_store(c, kv_head, j, is_value, (const char *)x);
    return;
  }
  if (c->type == ATTN_CACHE_Q8 && !is_value)
    cache_begin_reference(c, kv_head, j, x);
  record_encode(c->type, record, x, is_value ? c->value_dim : c->dim,
                reference_for(c, kv_head, j, is_value));
  record_store(c, kv_head, j, is_value, record);
}

void cache_get(const attn_cache *c, int32_t kv_head, int32_t j, int is_value, float *x)
{
  char record[MAX_RECORD];
  record_fetch(c, kv_head, j, is_value, record);
  record_decode(c->type, x, record, is_value ? c->value_dim : c->dim,
                reference_for(c, kv_head, j, is_value));
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
 *   6 uint32  version, kv_heads, dim, value_dim, length, type
 *   float32   version 2: keys 0 and 1 as they came (kv_heads, 2, dim), 0 beyond the length
 *   records   of all keys (kv_heads, length)
 *   records   of all values (kv_heads, length)
 *   uint64    checksum of everything before it
 * Version 2 is for ATTN_CACHE_Q8, version 1 for all others. Version 1 of ATTN_CACHE_Q8 is still
 * read: its keys are no differences. All other references follow from the records.
 */
enum { HEADER = 28, CHECKSUM = 8, PLAIN = 1, WITH_REFERENCES = 2 };

static int32_t version_of(const attn_cache *c)
{
  return c->type == ATTN_CACHE_Q8 ? WITH_REFERENCES : PLAIN;
}

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

static size_t reference_bytes(const attn_cache *c) { return (size_t)c->dim * sizeof(float); }

/* Where the references of a kv head are. */
static size_t references_at(const attn_cache *c, int32_t kv_head)
{
  return HEADER + (size_t)kv_head * GIVEN * reference_bytes(c);
}

static size_t records_at(const attn_cache *c, int32_t version)
{
  return version == WITH_REFERENCES ? references_at(c, c->kv_heads) : HEADER;
}

size_t attn_cache_snapshot_bytes(const attn_cache *cache)
{
  return records_at(cache, version_of(cache)) + (size_t)cache->length * position_bytes(cache) +
         CHECKSUM;
}

/* Where record (kv_head, j) is among the records of `length` positions. */
static size_t record_at(const attn_cache *c, int32_t length, int32_t kv_head, int32_t j,
                        int is_value)
{
  size_t keys = record_bytes(c->type, c->dim);
  size_t at = (size_t)kv_head * (size_t)length + (size_t)j;
  return is_value ? (size_t)c->kv_heads * (size_t)length * keys +
                        at * record_bytes(c->type, c->value_dim)
                  : at * keys;
}

void attn_cache_snapshot(const attn_cache *cache, uint8_t *snapshot)
{
  const int32_t version = version_of(cache);
  const size_t size = reference_bytes(cache);
  const int32_t fields[6] = {version,          cache->kv_heads, cache->dim,
                             cache->value_dim, cache->length,   cache->type};
  char *records = (char *)snapshot + records_at(cache, version);
  put_little(snapshot, 0x564B4843, 4); /* "CHKV" */
  for (int x = 0; x < 6; x++)
    put_little(snapshot + 4 + 4 * x, (uint32_t)fields[x], 4);
  for (int32_t h = 0; h < cache->kv_heads; h++) {
    uint8_t *reference = snapshot + references_at(cache, h);
    for (int j = 0; j < GIVEN && version == WITH_REFERENCES; j++, reference += size)
      if (j < cache->length)
        __builtin_memcpy(reference, cache_reference(cache, h, j), size);
      else
        __builtin_memset(reference, 0, size);
    for (int32_t j = 0; j < cache->length; j++)
      for (int value = 0; value < 2; value++)
        record_fetch(cache, h, j, value, records + record_at(cache, cache->length, h, j, value));
  }
  size_t body = attn_cache_snapshot_bytes(cache) - CHECKSUM;
  put_little(snapshot + body, checksum(snapshot, body), 8);
}

/* Stores the positions of a snapshot that was found to be intact. */
static void restore_records(attn_cache *c, int32_t version, const uint8_t *snapshot)
{
  const char *records = (const char *)snapshot + records_at(c, version);
  const size_t size = reference_bytes(c);
  float key[MAX_DIM];
  __builtin_memset(key, 0, sizeof key);
  for (int32_t h = 0; h < c->kv_heads; h++)
    for (int32_t j = 0; j < c->length; j++) {
      if (version == WITH_REFERENCES && j < GIVEN)
        __builtin_memcpy(key, snapshot + references_at(c, h) + (size_t)j * size, size);
      if (c->type == ATTN_CACHE_Q8)
        cache_begin_reference(c, h, j, key);
      for (int value = 0; value < 2; value++)
        record_store(c, h, j, value, records + record_at(c, c->length, h, j, value));
    }
}

int32_t attn_cache_restore(attn_cache *cache, const uint8_t *snapshot, size_t bytes)
{
  const int32_t sizes[] = {cache->kv_heads, cache->dim, cache->value_dim};
  if (bytes < HEADER + CHECKSUM)
    return ATTN_E_INTEGRITY;
  const uint64_t version = get_little(snapshot + 4, 4);
  if (get_little(snapshot, 4) != 0x564B4843 || version < PLAIN ||
      version > (uint64_t)version_of(cache) ||
      get_little(snapshot + 24, 4) != (uint64_t)cache->type)
    return ATTN_E_FORMAT;
  for (int x = 0; x < 3; x++)
    if (get_little(snapshot + 8 + 4 * x, 4) != (uint64_t)sizes[x])
      return ATTN_E_FORMAT;
  uint64_t length = get_little(snapshot + 20, 4);
  /* before anything is computed from the length, it is checked against the number of bytes */
  size_t position = position_bytes(cache);
  size_t fixed = records_at(cache, (int32_t)version) + CHECKSUM;
  if (bytes < fixed || length > (bytes - fixed) / position ||
      bytes - fixed != (size_t)length * position)
    return ATTN_E_INTEGRITY;
  if (get_little(snapshot + bytes - CHECKSUM, 8) != checksum(snapshot, bytes - CHECKSUM))
    return ATTN_E_INTEGRITY;
  if (length > (uint64_t)cache->capacity)
    return ATTN_E_LIMIT;
  cache->length = (int32_t)length;
  restore_records(cache, (int32_t)version, snapshot);
  return ATTN_OK;
}
