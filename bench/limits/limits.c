/*
 * The limits of this machine for a wasm module of the same build: multiply-adds, bytes read and
 * integer products. The bench gives every speed as a share of these limits. They are measured in
 * the same round, so that a slow moment slows both.
 */
#include "base/simd.h"

/*
 * The same address, with the compiler kept from knowing what is there, or it would compute the
 * loops below beforehand.
 */
INLINE const float *opaque(const float *p)
{
  __asm__("" : "+r"(p));
  return p;
}

#define LIMIT_API __attribute__((visibility("default")))

/*
 * Independent chains enough for two units of latency 4 with slack, and few enough for V8's 15
 * registers.
 */
#define CHAINS 12

/*
 * 4·steps·12 multiply-adds: a = a·x + y, which tends to y/(1 − x), never to zero, subnormals or
 * infinity. With multiply and add apart each step of a chain waits for both, and the chains just
 * fill that time: a kernel whose products wait for no sum could come out above this limit.
 */
LIMIT_API float limit_madd(int32_t steps)
{
  static const float start[CHAINS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  static const float factor[2] = {0.999f, 0.001f};
  const float *s = opaque(start), *f = opaque(factor);
  f32x4 x = v_splat(f[0]), y = v_splat(f[1]);
  f32x4 a = v_splat(s[0]), b = v_splat(s[1]), c = v_splat(s[2]), d = v_splat(s[3]),
        e = v_splat(s[4]), g = v_splat(s[5]);
  f32x4 h = v_splat(s[6]), i = v_splat(s[7]), j = v_splat(s[8]), k = v_splat(s[9]),
        l = v_splat(s[10]), m = v_splat(s[11]);
  for (int32_t step = 0; step < steps; step++) {
    a = v_madd(a, x, y), b = v_madd(b, x, y), c = v_madd(c, x, y), d = v_madd(d, x, y);
    e = v_madd(e, x, y), g = v_madd(g, x, y), h = v_madd(h, x, y), i = v_madd(i, x, y);
    j = v_madd(j, x, y), k = v_madd(k, x, y), l = v_madd(l, x, y), m = v_madd(m, x, y);
  }
  return v_hsum(((a + b) + (c + d)) + ((e + g) + (h + i)) + ((j + k) + (l + m)));
}

/*
 * Reads count floats (a multiple of 32), times times; integer xor, so that no addition is waited
 * for.
 */
LIMIT_API int32_t limit_read(const float *p, int32_t count, int32_t times)
{
  i32x4 a[8] = {0};
  for (int32_t t = 0; t < times; t++) {
    const float *x = opaque(p); /* or one pass would do for all */
    for (int32_t at = 0; at < count; at += 32, x += 32) {
      a[0] ^= (i32x4)v_load(x), a[1] ^= (i32x4)v_load(x + 4), a[2] ^= (i32x4)v_load(x + 8),
          a[3] ^= (i32x4)v_load(x + 12);
      a[4] ^= (i32x4)v_load(x + 16), a[5] ^= (i32x4)v_load(x + 20), a[6] ^= (i32x4)v_load(x + 24),
          a[7] ^= (i32x4)v_load(x + 28);
    }
  }
  i32x4 sum = ((a[0] ^ a[1]) ^ (a[2] ^ a[3])) ^ ((a[4] ^ a[5]) ^ (a[6] ^ a[7]));
  return sum[0] ^ sum[1] ^ sum[2] ^ sum[3];
}

/* The two integer words no kernel has needed so far. */
typedef int8_t i8x16 __attribute__((vector_size(16)));
typedef int16_t i16x8 __attribute__((vector_size(16)));

/*
 * c + the products of neighbouring lanes. Two products of 16 bits are summed, or with relaxed SIMD
 * four of 8 bits.
 */
INLINE i32x4 dot(i32x4 a, i32x4 b, i32x4 c)
{
#if V_RELAXED
  return __builtin_wasm_relaxed_dot_i8x16_i7x16_add_s_i32x4((i8x16)a, (i8x16)b, c);
#else
  return __builtin_wasm_dot_s_i32x4_i16x8((i16x8)a, (i16x8)b) + c;
#endif
}

/* Multiply-adds in each call of limit_dot's inner word: 16 or 8. */
LIMIT_API int32_t limit_dot_width(void) { return V_RELAXED ? 16 : 8; }

enum { DOT_CHAINS = 8 }; /* more would leave no registers for the loads */

/*
 * 8·steps dots of vectors from the first-level cache with numbers from there, as a matrix product
 * does them.
 */
LIMIT_API int32_t limit_dot(int32_t steps)
{
  static const float memory[4 * DOT_CHAINS] = {1e-3f, 2, 3e9f, 4, 5e-7f, 6, 7, 8};
  const float *p = opaque(memory);
  i32x4 a[DOT_CHAINS] = {0};
  ROLLED for (int32_t step = 0; step < steps; step++)
  {
    const float *q = p + (step & 3) * 4;
    i32x4 low = (i32x4)v_load(q), high = (i32x4)v_load(q + 4);
#pragma clang loop unroll(full)
    for (int c = 0; c < DOT_CHAINS; c += 2) {
      i32x4 x = (i32x4)v_splat(q[8 + c / 2]);
      a[c] = dot(x, low, a[c]);
      a[c + 1] = dot(x, high, a[c + 1]);
    }
  }
  i32x4 sum = {0};
  for (int c = 0; c < DOT_CHAINS; c++)
    sum ^= a[c];
  return sum[0] ^ sum[1] ^ sum[2] ^ sum[3];
}
