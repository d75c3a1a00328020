/*
 * The limits of this machine for a wasm module of the same build: multiply-adds, products of
 * integers, and bytes read.
 *
 * No loop is the fastest on every processor and in every engine. So each limit has several forms,
 * which do the same number of operations, and the fastest of them counts. A form is exported as
 * KIND_FORM, where KIND is madd, dot or read. The bench finds the forms by these names
 * (tuning.md#limit-forms).
 */
#include "base/simd.h"

#define LIMIT_API __attribute__((visibility("default")))

typedef enum { MADD, DOT } kind;

enum {
  MAX_SUMS = 16,
  DEPTH = 64,                   /* steps of a tile before it reads the same memory again */
  ROWS_AT = DEPTH * 4 * 2,      /* floats in front of the rows of a tile */
  FLOATS = ROWS_AT + DEPTH * 7, /* and in all */
  UNIT = 512 * 105              /* a multiple of the operations that any form repeats */
};

/* Operations on vectors in a unit. */
LIMIT_API int32_t limit_unit(void) { return UNIT; }

/* Floats of memory that the forms of madd and dot read. They must be normal and below 1. */
LIMIT_API int32_t limit_floats(void) { return FLOATS; }

/* Multiply-adds in a dot of vectors. */
LIMIT_API int32_t limit_dot_width(void) { return V_DOT8 ? 16 : 8; }

/* a·b + c on floats, or on the integers that have the same bits. */
INLINE i32x4 multiply(kind which, i32x4 a, i32x4 b, i32x4 c)
{
  if (which == MADD)
    return (i32x4)v_madd((f32x4)a, (f32x4)b, (f32x4)c);
  return V_DOT8 ? v_dot8(a, b, c) : v_dot((i16x8)a, (i16x8)b, c);
}

/* A number of all sums, so that the compiler leaves none out. */
INLINE int32_t mixed(const i32x4 *sums, int n)
{
  i32x4 all = sums[0];
  for (int i = 1; i < n; i++)
    all ^= sums[i];
  return all[0] ^ all[1] ^ all[2] ^ all[3];
}

/*
 * Chains in registers, each operation waiting for the one before it in its chain. A scaled chain is
 * a = a·x + y, which tends to y/(1 − x). Its result needs a register that is not an operand. A
 * summed chain is a = x·y + a, with the result in the register of the sum. A compiler would compute
 * x·y once if the product were apart, so only relaxed builds have summed chains.
 */
INLINE int32_t chains(kind which, int scaled, int n, int unrolled, const float *p, int32_t units)
{
  i32x4 x = v_load_i(p);
  i32x4 y = v_load_i(p + 4);
  i32x4 a[MAX_SUMS];
  UNROLLED for (int c = 0; c < n; c++) a[c] = v_load_i(p + 4 * c);
  const int32_t steps = UNIT / (n * unrolled);
  ROLLED for (int32_t step = 0; step < units * steps; step++)
  {
    UNROLLED for (int u = 0; u < unrolled; u++)
    {
      UNROLLED for (int c = 0; c < n; c++) a[c] =
          scaled ? multiply(which, a[c], x, y) : multiply(which, x, y, a[c]);
    }
  }
  return mixed(a, n);
}

/*
 * A tile of a matrix product: rows × 2 sums in registers, operands from the first-level cache. No
 * product waits for a sum.
 */
INLINE int32_t tile(kind which, int rows, int unrolled, const float *p, int32_t units)
{
  i32x4 a[MAX_SUMS] = {0};
  const int32_t times = UNIT / (2 * rows * DEPTH);
  for (int32_t t = 0; t < units * times; t++) {
    const float *x = p;
    const float *y = p + ROWS_AT;
    ROLLED for (int step = 0; step < DEPTH; step += unrolled)
    {
      UNROLLED for (int u = 0; u < unrolled; u++, x += 8, y += rows)
      {
        i32x4 low = v_load_i(x);
        i32x4 high = v_load_i(x + 4);
        UNROLLED for (int r = 0; r < rows; r++)
        {
          i32x4 row = (i32x4)v_splat(y[r]);
          a[2 * r] = multiply(which, low, row, a[2 * r]);
          a[2 * r + 1] = multiply(which, high, row, a[2 * r + 1]);
        }
      }
    }
  }
  return mixed(a, 2 * rows);
}

#define SCALED(name, which, n, unrolled)                                                           \
  LIMIT_API int32_t name##_scaled_##n##_##unrolled(const float *p, int32_t units)                  \
  {                                                                                                \
    return chains(which, 1, n, unrolled, p, units);                                                \
  }
#define SUMMED(name, which, n, unrolled)                                                           \
  LIMIT_API int32_t name##_summed_##n##_##unrolled(const float *p, int32_t units)                  \
  {                                                                                                \
    return chains(which, 0, n, unrolled, p, units);                                                \
  }
#define TILE(name, which, rows, unrolled)                                                          \
  LIMIT_API int32_t name##_tile_##rows##x2_##unrolled(const float *p, int32_t units)               \
  {                                                                                                \
    return tile(which, rows, unrolled, p, units);                                                  \
  }
#define FORMS(name, which)                                                                         \
  SCALED(name, which, 12, 1)                                                                       \
  SCALED(name, which, 14, 4)                                                                       \
  SCALED(name, which, 16, 2)                                                                       \
  TILE(name, which, 4, 1)                                                                          \
  TILE(name, which, 5, 1)                                                                          \
  TILE(name, which, 6, 1)                                                                          \
  TILE(name, which, 6, 2)                                                                          \
  TILE(name, which, 7, 1)

FORMS(madd, MADD)
FORMS(dot, DOT)
#if V_RELAXED
SUMMED(madd, MADD, 12, 1)
SUMMED(madd, MADD, 14, 4)
SUMMED(dot, DOT, 12, 1)
#endif

/* The same address, with the compiler kept from knowing that memory did not change. */
INLINE const float *opaque(const float *p)
{
  __asm__("" : "+r"(p));
  return p;
}

/*
 * Reads count floats (a multiple of 32), times times, in streams that begin at equal distances.
 * Integer xor, so that no addition is waited for.
 */
INLINE int32_t read(int streams, int sums, const float *p, int32_t count, int32_t times)
{
  i32x4 a[MAX_SUMS] = {0};
  const int each = sums / streams;
  const int32_t length = count / streams;
  for (int32_t t = 0; t < times; t++) {
    const float *x = opaque(p); /* or one pass would do for all */
    ROLLED for (int32_t at = 0; at < length; at += 4 * each, x += 4 * each)
    {
      UNROLLED for (int s = 0; s < streams; s++)
      {
        UNROLLED for (int i = 0; i < each; i++) a[s * each + i] ^= v_load_i(x + s * length + 4 * i);
      }
    }
  }
  return mixed(a, sums);
}

#define READ(streams, sums)                                                                        \
  LIMIT_API int32_t read_##streams##_##sums(const float *p, int32_t count, int32_t times)          \
  {                                                                                                \
    return read(streams, sums, p, count, times);                                                   \
  }
READ(1, 4)
READ(1, 8)
READ(2, 8)
READ(4, 8)
