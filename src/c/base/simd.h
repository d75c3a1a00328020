/*
 * The vector words, and the only file that knows the target.
 *
 * Types are GNU vectors, and arithmetic, comparisons and bit operations are the operators of C. So
 * the same kernels compile to wasm SIMD and to a native build that sanitizers can watch. Builds
 * take other numbers of rows at once (V_ROWS), and compute the same but for v_madd:
 *   simd     multiplies, then adds: the same bits on every engine
 *   relaxed  the engine may fuse both
 *   native   multiplies, then adds (the bits of simd); with V_FUSED it fuses, as such an engine
 */
#ifndef SIMD_H
#define SIMD_H

#include <stddef.h>
#include <stdint.h>

typedef float f32x4 __attribute__((vector_size(16)));
typedef int32_t i32x4 __attribute__((vector_size(16)));
typedef double f64x2 __attribute__((vector_size(16)));
/* The same, at any address and aliasing anything. */
typedef float f32x4_u __attribute__((vector_size(16), aligned(4), may_alias));
typedef double f64x2_u __attribute__((vector_size(16), aligned(8), may_alias));

#if defined(__wasm_relaxed_simd__)
#define V_RELAXED 1
#else
#define V_RELAXED 0
#endif

/*
 * Rows of two sums that fit, with their operands, into the 15 registers that V8 leaves. A product
 * that is not fused needs a register of its own (tuning.md#query-rows).
 */
#ifndef V_ROWS
#define V_ROWS (V_RELAXED ? 6 : 5)
#endif

/* Into its callers. A call gives a `const int` parameter as a literal, so the loops know it. */
#define INLINE static inline __attribute__((always_inline))
/* A function of its own, so that V8 has registers for its loops; in a large one it runs out. */
#define KERNEL static __attribute__((noinline))

/* Before a loop that must not be unrolled, because V8 then runs out of registers. */
#if defined(__clang__)
#define ROLLED _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define ROLLED
#endif

/* Before a short loop over registers that the compiler would not unroll by itself. */
#if defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED
#endif

INLINE f32x4 v_load(const float *p) { return *(const f32x4_u *)p; }
INLINE void v_store(float *p, f32x4 x) { *(f32x4_u *)p = x; }
INLINE f32x4 v_splat(float x) { return (f32x4){x, x, x, x}; }
INLINE i32x4 v_splat_i(int32_t x) { return (i32x4){x, x, x, x}; }

/* The first n < 4 lanes from memory, the rest zero; nothing behind them is read. */
INLINE f32x4 v_load_tail(const float *p, size_t n)
{
  f32x4 x = {0, 0, 0, 0};
  for (size_t c = 0; c < n; c++)
    x[c] = p[c];
  return x;
}

/* Two doubles, or the last alone and a zero. */
INLINE f64x2 v_load_double(const double *p, int32_t remaining)
{
  if (remaining > 1)
    return *(const f64x2_u *)p;
  return (f64x2){*p, 0};
}

INLINE void v_store_tail(float *p, f32x4 x, size_t n)
{
  for (size_t c = 0; c < n; c++)
    p[c] = x[c];
}

/* Lanes of a where the mask is set (all ones), of b elsewhere. */
INLINE f32x4 v_select(i32x4 mask, f32x4 a, f32x4 b)
{
  return (f32x4)((mask & (i32x4)a) | (~mask & (i32x4)b));
}

/* Lane l holds l; with a base, the positions of four neighbouring keys. */
INLINE i32x4 v_positions(int32_t base) { return (i32x4){base, base + 1, base + 2, base + 3}; }

/* a·b + c */
INLINE f32x4 v_madd(f32x4 a, f32x4 b, f32x4 c)
{
#if V_RELAXED
  return __builtin_wasm_relaxed_madd_f32x4(a, b, c);
#elif defined(V_FUSED)
  return (f32x4){__builtin_fmaf(a[0], b[0], c[0]), __builtin_fmaf(a[1], b[1], c[1]),
                 __builtin_fmaf(a[2], b[2], c[2]), __builtin_fmaf(a[3], b[3], c[3])};
#else
  return a * b + c;
#endif
}

/* a < b ? b : a, in one instruction: NaN in a stays, NaN in b is passed over. */
INLINE f32x4 v_max(f32x4 a, f32x4 b)
{
#if defined(__wasm_simd128__)
  return __builtin_wasm_pmax_f32x4(a, b);
#else
  return v_select(a < b, b, a);
#endif
}

/* The larger of the integers. */
INLINE i32x4 v_max_i(i32x4 a, i32x4 b)
{
#if defined(__clang__)
  return __builtin_elementwise_max(a, b);
#else
  i32x4 larger = a > b;
  return (a & larger) | (b & ~larger);
#endif
}

/* Four sums in the fixed order (0+1)+(2+3). */
INLINE float v_hsum(f32x4 x) { return (x[0] + x[1]) + (x[2] + x[3]); }

/* Lanes 0 and 1, and lanes 2 and 3, in double. */
INLINE f64x2 v_low_double(f32x4 x)
{
  return __builtin_convertvector(__builtin_shufflevector(x, x, 0, 1), f64x2);
}
INLINE f64x2 v_high_double(f32x4 x)
{
  return __builtin_convertvector(__builtin_shufflevector(x, x, 2, 3), f64x2);
}

/* Four doubles rounded to floats. */
INLINE f32x4 v_floats(f64x2 low, f64x2 high)
{
#if defined(__wasm_simd128__)
  /* clang converts two at a time only if all four lanes of the result are used */
  const f64x2 none = {0, 0};
  f32x4 first = __builtin_convertvector(__builtin_shufflevector(low, none, 0, 1, 2, 3), f32x4);
  f32x4 last = __builtin_convertvector(__builtin_shufflevector(high, none, 0, 1, 2, 3), f32x4);
  return (f32x4)((i32x4)first | (i32x4)__builtin_shufflevector(last, last, 2, 3, 0, 1));
#else
  return (f32x4){(float)low[0], (float)low[1], (float)high[0], (float)high[1]};
#endif
}

/* The sum of the lanes, modulo 2^32. */
INLINE int32_t v_hsum_i(i32x4 x)
{
  return (int32_t)((uint32_t)x[0] + (uint32_t)x[1] + (uint32_t)x[2] + (uint32_t)x[3]);
}

INLINE float v_hmax(f32x4 x)
{
  x = v_max(x, (f32x4){x[2], x[3], x[0], x[1]});
  return v_max(x, (f32x4){x[1], x[0], x[3], x[2]})[0];
}

/* Nonzero where any lane of the mask is set. */
INLINE int v_any(i32x4 mask)
{
#if defined(__wasm_simd128__)
  return __builtin_wasm_any_true_v128((__attribute__((vector_size(16))) signed char)mask);
#else
  return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}

/* Bit l is set where lane l of the mask is. */
INLINE uint32_t v_bits(i32x4 mask)
{
#if defined(__wasm_simd128__)
  return __builtin_wasm_bitmask_i32x4(mask);
#else
  return (uint32_t)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
#endif
}

/* Transposes four vectors in place: lane l of x[r] becomes lane r of x[l]. */
INLINE void v_transpose(f32x4 x[4])
{
  f32x4 a = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5);
  f32x4 b = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5);
  f32x4 c = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7);
  f32x4 d = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
  x[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  x[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  x[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
  x[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

/* ---- Integers ---- */

typedef int16_t i16x8 __attribute__((vector_size(16)));
typedef uint16_t u16x8 __attribute__((vector_size(16)));
typedef int8_t i8x16 __attribute__((vector_size(16)));
typedef uint8_t u8x16 __attribute__((vector_size(16)));
typedef int8_t i8x8 __attribute__((vector_size(8)));
typedef i32x4 i32x4_u __attribute__((aligned(1), may_alias));

INLINE i32x4 v_load_i(const void *p) { return *(const i32x4_u *)p; }
INLINE void v_store_i(void *p, i32x4 x) { *(i32x4_u *)p = x; }

/* Lane l in every lane. */
#define v_splat_lane_i(x, l) __builtin_shufflevector(x, x, l, l, l, l)

/* The same four bytes in every lane. */
INLINE i32x4 v_splat_bytes(const void *p)
{
  int32_t x;
  __builtin_memcpy(&x, p, 4);
  return v_splat_i(x);
}

/* Of each four lanes the even ones before the odd ones. */
INLINE i32x4 v_even_first(i16x8 x)
{
  return (i32x4)__builtin_shufflevector(x, x, 0, 2, 1, 3, 4, 6, 5, 7);
}

/* Eight bytes as numbers of 16 bits. */
INLINE i16x8 v_load_i8(const void *p)
{
  i8x8 x;
  __builtin_memcpy(&x, p, 8);
  return __builtin_convertvector(x, i16x8);
}

/* Four of eight 16-bit lanes as 32 bits. */
INLINE i32x4 v_low(i16x8 x)
{
  i16x8 sign = x >> 15;
  return (i32x4)__builtin_shufflevector(x, sign, 0, 8, 1, 9, 2, 10, 3, 11);
}

INLINE i32x4 v_high(i16x8 x)
{
  i16x8 sign = x >> 15;
  return (i32x4)__builtin_shufflevector(x, sign, 4, 12, 5, 13, 6, 14, 7, 15);
}

/* The low 16 bits of eight numbers. */
INLINE i32x4 v_narrow(i32x4 low, i32x4 high)
{
  return (i32x4)__builtin_shufflevector((i16x8)low, (i16x8)high, 0, 2, 4, 6, 8, 10, 12, 14);
}

/* The low 8 bits of sixteen. */
INLINE i32x4 v_narrow_bytes(i32x4 low, i32x4 high)
{
  return (i32x4)__builtin_shufflevector((i8x16)low, (i8x16)high, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18,
                                        20, 22, 24, 26, 28, 30);
}

/* The same two, of numbers that fit: in one instruction. */
INLINE i32x4 v_pack(i32x4 low, i32x4 high)
{
#if defined(__wasm_simd128__)
  return (i32x4)__builtin_wasm_narrow_s_i16x8_i32x4(low, high);
#else
  return v_narrow(low, high);
#endif
}

INLINE i32x4 v_pack_bytes(i32x4 low, i32x4 high)
{
#if defined(__wasm_simd128__)
  return (i32x4)__builtin_wasm_narrow_s_i8x16_i16x8((i16x8)low, (i16x8)high);
#else
  return v_narrow_bytes(low, high);
#endif
}

/*
 * A constant that loops keep in a register. V8 makes a constant that it knows anew at each use, in
 * three instructions.
 */
INLINE i32x4 v_keep(int32_t x)
{
  __asm__("" : "+r"(x));
  return v_splat_i(x);
}

/* The same of a float. */
INLINE f32x4 v_keep_float(float x)
{
  int32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return (f32x4)v_keep(bits);
}

INLINE f32x4 v_float(i32x4 x) { return __builtin_convertvector(x, f32x4); }

/* c + the products of 16-bit lanes, summed in pairs. Exact modulo 2^32. */
INLINE i32x4 v_dot(i16x8 a, i16x8 b, i32x4 c)
{
#if defined(__wasm_simd128__)
  return __builtin_wasm_dot_s_i32x4_i16x8(a, b) + c;
#else
  for (int l = 0; l < 4; l++)
    c[l] =
        (int32_t)((uint32_t)c[l] + (uint32_t)(a[2 * l] * b[2 * l] + a[2 * l + 1] * b[2 * l + 1]));
  return c;
#endif
}

/*
 * c + the products of 8-bit lanes, summed in quads, if there is one instruction for it (V_DOT8).
 * The lanes of b have 7 bits by contract. The engine chooses the meaning of an eighth bit, and
 * whether sums of two saturate. attn_dot_form (dot_form.h) must have found out before all eight
 * bits are used. V_DOT8_LIKE models the choices in a native build:
 *   1  b is unsigned
 *   2  b is signed
 *   3  b is unsigned and sums of two saturate
 *   4  the sum is twice the right one
 */
#if V_RELAXED || defined(V_DOT8_LIKE)
#define V_DOT8 1
#else
#define V_DOT8 0
#endif

INLINE i32x4 v_dot8(i32x4 a, i32x4 b, i32x4 c)
{
#if V_RELAXED
  return __builtin_wasm_relaxed_dot_i8x16_i7x16_add_s_i32x4((i8x16)a, (i8x16)b, c);
#elif V_DOT8
  i8x16 x = (i8x16)a;
  i8x16 y = (i8x16)b;
  for (int l = 0; l < 16; l += 2) {
    int32_t sum = x[l] * (V_DOT8_LIKE == 2 ? y[l] : (uint8_t)y[l]) +
                  x[l + 1] * (V_DOT8_LIKE == 2 ? y[l + 1] : (uint8_t)y[l + 1]);
    if (V_DOT8_LIKE == 3)
      sum = sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum;
    if (V_DOT8_LIKE == 4)
      sum *= 2;
    c[l / 4] += sum;
  }
  return c;
#else
  return a ^ b ^ c; /* never reached: callers test V_DOT8 */
#endif
}

/* The products of 8-bit lanes, summed in pairs; the lanes of b have 7 bits. Exact. */
INLINE i16x8 v_pairs(i32x4 a, i32x4 b)
{
#if V_RELAXED
  return __builtin_wasm_relaxed_dot_i8x16_i7x16_s_i16x8((i8x16)a, (i8x16)b);
#else
  i8x16 x = (i8x16)a;
  i8x16 y = (i8x16)b;
  i16x8 sums;
  for (int l = 0; l < 8; l++)
    sums[l] = (int16_t)(x[2 * l] * y[2 * l] + x[2 * l + 1] * y[2 * l + 1]);
  return sums;
#endif
}

/* Eight sums of two as four sums of four. */
INLINE i32x4 v_widen(i16x8 two) { return v_dot(two, (i16x8)v_splat_i(0x10001), v_splat_i(0)); }

/*
 * The larger numbers in size, as integers: in the order of the numbers, infinity and NaN last.
 * `bits` has all but that of the sign.
 */
INLINE i32x4 v_max_size(i32x4 max, f32x4 x, i32x4 bits) { return v_max_i(max, (i32x4)x & bits); }

/* Whether any of them is above the limit, or NaN. */
INLINE int v_any_above(i32x4 max, float limit)
{
  int32_t bits;
  __builtin_memcpy(&bits, &limit, sizeof bits);
  return v_any(max > v_splat_i(bits));
}

#endif
