/* The KV cache's memory: a header, then per kv head the keys in transposed panels of eight, then the values in padded rows. */
#ifndef CACHE_H
#define CACHE_H

#include "attn.h"
#include "tile.h"

struct attn_cache {
  int32_t kv_heads, dim, value_dim, capacity, length;
  int32_t unused[3]; /* keeps what follows 16-aligned */
};

INLINE size_t cache_panel_floats(const attn_cache *c)
{
  return (((size_t)c->capacity + PANEL - 1) & ~(size_t)(PANEL - 1)) * (size_t)c->dim;
}

INLINE size_t cache_value_stride(const attn_cache *c) { return ((size_t)c->value_dim + 3) & ~(size_t)3; }

/* (⌈capacity/8⌉, dim, 8) */
INLINE float *cache_panels(const attn_cache *c, int32_t kv_head)
{
  return (float *)(c + 1) + (size_t)kv_head * cache_panel_floats(c);
}

/* (capacity, value_dim rounded up to 4) */
INLINE float *cache_values(const attn_cache *c, int32_t kv_head)
{
  return (float *)(c + 1) + (size_t)c->kv_heads * cache_panel_floats(c) +
         (size_t)kv_head * (size_t)c->capacity * cache_value_stride(c);
}

#endif
