/*
 * The KV cache's memory. A header comes first. Then each kv head has its keys and values and, for
 * ATTN_CACHE_Q8, the scales of both and the references of keys. They lie in the order in which the
 * kernels read them:
 *   keys    panels of eight, (⌈capacity/8⌉, dim, 8)
 *   values  strips of eight channels of up to BLOCK positions, (⌈capacity/BLOCK⌉, ⌈value_dim/8⌉,
 *           BLOCK or the remaining positions, 8)
 * with the capacity rounded up to whole panels. Bytes stand in words of four channels or positions,
 * as in integer_tiles.h: (2·⌈dim/8⌉, 8, 4) for (dim, 8), and in blocks of SPAN positions. Places
 * that were never written hold 0 or any finite number.
 *
 * ATTN_CACHE_Q8 rounds a key's difference from a reference, where that is smaller than the key. The
 * scale of such a key is negative. A constant that all keys have in common then costs no precision.
 * A key's reference follows from the key itself and earlier keys:
 *   key 0        itself; it is often unlike the others
 *   keys 1 to 7  key 1
 *   the others below SPAN, and each SPAN after that
 *                in each channel, the median of the seven keys before, as they are stored
 */
#ifndef CACHE_LAYOUT_H
#define CACHE_LAYOUT_H

#include "attn.h"
#include "integer_tiles.h"

struct attn_cache {
  int32_t kv_heads;
  int32_t dim;
  int32_t value_dim;
  int32_t capacity;
  int32_t length;
  int32_t type;
  int32_t not_finite; /* some half or scale was infinite or NaN; it may be truncated by now */
  int32_t dot_form;   /* for bytes */
};

INLINE size_t cache_number_bytes(int32_t type)
{
  return type == ATTN_CACHE_F32 ? 4 : type == ATTN_CACHE_F16 ? 2 : 1;
}

/* Positions in whole panels. */
INLINE size_t cache_rows(const attn_cache *c) { return whole_panels((size_t)c->capacity); }

/* Channels of a key as they are stored. */
INLINE size_t cache_key_size(const attn_cache *c)
{
  return c->type == ATTN_CACHE_Q8 ? words_of(c->dim) * WORD : (size_t)c->dim;
}

INLINE size_t cache_value_size(const attn_cache *c) { return whole_strips((size_t)c->value_dim); }

INLINE size_t cache_key_bytes(const attn_cache *c)
{
  return cache_rows(c) * cache_key_size(c) * cache_number_bytes(c->type);
}

INLINE size_t cache_value_bytes(const attn_cache *c)
{
  return cache_rows(c) * cache_value_size(c) * cache_number_bytes(c->type);
}

/* The first references are keys themselves; later ones are medians. */
enum { GIVEN = 2 };

/* Which reference a key has; they are counted from 0. */
INLINE size_t reference_of(size_t j) { return j < GIVEN ? j : j < PANEL ? 1 : j / SPAN + GIVEN; }

INLINE size_t cache_references(size_t rows) { return reference_of(rows - 1) + 1; }

/* A multiple of 16: the size of a row is a multiple of 4, and there are at least 8 rows. */
INLINE size_t cache_head_bytes(const attn_cache *c)
{
  const size_t rows = cache_rows(c);
  const size_t floats = 2 * rows + cache_references(rows) * cache_key_size(c);
  return cache_key_bytes(c) + cache_value_bytes(c) +
         (c->type == ATTN_CACHE_Q8 ? floats * sizeof(float) : 0);
}

INLINE char *cache_keys(const attn_cache *c, int32_t kv_head)
{
  return (char *)(c + 1) + (size_t)kv_head * cache_head_bytes(c);
}

INLINE char *cache_values(const attn_cache *c, int32_t kv_head)
{
  return cache_keys(c, kv_head) + cache_key_bytes(c);
}

/* (rows) of the keys, then (rows) of the values */
INLINE float *cache_scales(const attn_cache *c, int32_t kv_head)
{
  return (float *)(void *)(cache_values(c, kv_head) + cache_value_bytes(c));
}

/* The reference of key j, with 0 behind its last channel. */
float *cache_reference(const attn_cache *c, int32_t kv_head, int32_t j);

/* Writes the reference of key j if it is the first to have it. All keys before it are stored. */
void cache_begin_reference(attn_cache *c, int32_t kv_head, int32_t j, const float *key);

/*
 * ---- One key or value as snapshots hold it, a record ----
 *
 * Its numbers are in the type of the cache, behind their scale for ATTN_CACHE_Q8. Keys of such a
 * cache have a reference, which is NULL for everything else.
 */
enum { MAX_RECORD = MAX_DIM * sizeof(float) + sizeof(float) };

/* Whether a scale is negative, so of a key's difference from its reference; −0 is. */
INLINE int has_reference(float scale) { return __builtin_signbit(scale) != 0; }

INLINE size_t record_bytes(int32_t type, int32_t size)
{
  return (size_t)size * cache_number_bytes(type) + (type == ATTN_CACHE_Q8 ? sizeof(float) : 0);
}

void record_encode(int32_t type, char *record, const float *x, int32_t size,
                   const float *reference);
void record_decode(int32_t type, float *x, const char *record, int32_t size,
                   const float *reference);

/* The number that a byte stands for; `reference` is that of its channel. */
INLINE float number_of_byte(int8_t byte, float scale, float reference)
{
  const double number = (double)scale * byte;
  return nearest_float(has_reference(scale) ? reference + number : number);
}

/* Writes the record of position j of a kv head to its place, or reads it. */
void record_store(attn_cache *c, int32_t kv_head, int32_t j, int is_value, const char *record);
void record_fetch(const attn_cache *c, int32_t kv_head, int32_t j, int is_value, char *record);

/* ---- cache.c ---- */

/* The key or value of position j of a kv head, as the kernels see it. */
void cache_get(const attn_cache *c, int32_t kv_head, int32_t j, int is_value, float *x);

#endif
