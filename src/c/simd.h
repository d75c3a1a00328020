/*
 * The vector words, and the only file that knows the target.
 *
 * Types are GNU vectors: arithmetic, comparison and bit operations are the C operators, so the same kernels compile to
 * wasm SIMD and to a native build that sanitizers can watch. What is computed differs in v_madd alone:
 *   simd     multiply, then add: the same bits on every engine
 *   relaxed  the engine may fuse both
 *   native   multiply, then add (bits of simd); with V_FUSED a true fused multiply-add, which models a fusing engine
 */
#ifndef SIMD_H
#define SIMD_H

#include <stddef.h>
#include <stdint.h>

typedef float f32x4 __attribute__((vector_size(16)));
typedef int32_t i32x4 __attribute__((vector_size(16)));
/* The same, at any address and aliasing anything. */
typedef float f32x4_u __attribute__((vector_size(16), aligned(4), may_alias));

#if defined(__wasm_relaxed_simd__)
#define V_RELAXED 1
#else
#define V_RELAXED 0
#endif

#define INLINE static inline __attribute__((always_inline))
/* A function whose registers V8 allots by itself: in a large one it runs out of them inside the loops that matter. */
#define KERNEL static __attribute__((noinline))

/* Before a loop that is to stay one: unrolled, its registers no longer suffice in V8. */
#if defined(__clang__)
#define ROLLED _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define ROLLED
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

INLINE void v_store_tail(float *p, f32x4 x, size_t n)
{
  for (size_t c = 0; c < n; c++)
    p[c] = x[c];
}

/* Lanes of a where the mask is set (all ones), of b elsewhere. */
INLINE f32x4 v_select(i32x4 mask, f32x4 a, f32x4 b) { return (f32x4)((mask & (i32x4)a) | (~mask & (i32x4)b)); }

/* Lane l holds l; with a base, the positions of four neighbouring keys. */
INLINE i32x4 v_positions(int32_t base) { return (i32x4){base, base + 1, base + 2, base + 3}; }

/* a·b + c */
INLINE f32x4 v_madd(f32x4 a, f32x4 b, f32x4 c)
{
#if V_RELAXED
  return __builtin_wasm_relaxed_madd_f32x4(a, b, c);
#elif defined(V_FUSED)
  return (f32x4){__builtin_fmaf(a[0], b[0], c[0]), __builtin_fmaf(a[1], b[1], c[1]), __builtin_fmaf(a[2], b[2], c[2]),
                 __builtin_fmaf(a[3], b[3], c[3])};
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

/* Four sums in the fixed order (0+1)+(2+3). */
INLINE float v_hsum(f32x4 x) { return (x[0] + x[1]) + (x[2] + x[3]); }

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

/* Transposes four vectors in place: lane l of x[r] becomes lane r of x[l]. */
INLINE void v_transpose(f32x4 x[4])
{
  f32x4 a = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5), b = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5);
  f32x4 c = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7), d = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
  x[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  x[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  x[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
  x[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

#endif
