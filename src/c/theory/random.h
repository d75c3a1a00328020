/* Random numbers, the same everywhere for a seed. */
#ifndef RANDOM_H
#define RANDOM_H

#include "base/simd.h"

typedef struct {
  uint64_t s[4];
  double spare; /* the polar method gives two at a time */
  int has_spare;
} generator;

INLINE uint64_t rotate(uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }

/* splitmix64, so that near seeds give unrelated states */
INLINE generator seeded(uint64_t seed)
{
  generator g = {.has_spare = 0};
  for (int x = 0; x < 4; x++) {
    uint64_t y = seed += 0x9e3779b97f4a7c15u;
    y = (y ^ (y >> 30)) * 0xbf58476d1ce4e5b9u;
    y = (y ^ (y >> 27)) * 0x94d049bb133111ebu;
    g.s[x] = y ^ (y >> 31);
  }
  return g;
}

/* xoshiro256++ (Blackman and Vigna); its upper 53 bits, in [0, 1). */
INLINE double uniform(generator *g)
{
  uint64_t *s = g->s;
  uint64_t result = rotate(s[0] + s[3], 23) + s[0];
  uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate(s[3], 45);
  return (double)(result >> 11) * 0x1p-53;
}

#endif
