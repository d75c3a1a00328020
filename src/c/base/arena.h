/* A layer's working memory, laid out part by part: with a NULL base it is only measured. */
#ifndef ROOM_H
#define ROOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  char *base;
  uint64_t used;
} room;

/* 16-aligned. */
static inline void *room_take(room *r, uint64_t count, uint64_t size)
{
  void *at = r->base ? r->base + r->used : NULL;
  r->used += (count * size + 15) & ~(uint64_t)15;
  return at;
}

/* As a size of the target: at least 16, so that 0 can say that it does not fit. */
static inline size_t room_bytes(const room *r)
{
  return r->used >= UINT32_MAX - 16 ? 0 : r->used ? (size_t)r->used : 16;
}

#endif
