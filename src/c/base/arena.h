/*
 * Lays arrays out one behind the other in memory of the caller. The same code measures and places:
 *   arena a = {.base = memory};        NULL only measures
 *   x = arena_allocate(&a, n, sizeof *x);
 *   size_t bytes = arena_bytes(&a);
 */
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  char *base; /* 16-aligned, or NULL */
  uint64_t used;
} arena;

/* Space for `count` items of `size` bytes, 16-aligned; NULL where the arena only measures. */
static inline void *arena_allocate(arena *a, uint64_t count, uint64_t size)
{
  void *start = a->base ? a->base + a->used : NULL;
  a->used += (count * size + 15) & ~(uint64_t)15;
  return start;
}

/* The bytes of everything allocated, at least 16; or 0 if 32 bits cannot address them. */
static inline size_t arena_bytes(const arena *a)
{
  if (a->used >= UINT32_MAX - 16)
    return 0;
  return a->used ? (size_t)a->used : 16;
}

#endif
