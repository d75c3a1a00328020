/*
 * Products of integers, for attention over bytes. Each number of a row is in all lanes, and meets
 * a panel of eight keys or channels. A panel's bytes lie in words of four, (words, PANEL, 4). Each
 * byte is its number plus 128, unless the dot product is DOT_SIGNED (base/dot_form.h). All sums are
 * exact, so every kind of dot product gives the same bits.
 */
#ifndef INTEGER_TILES_H
#define INTEGER_TILES_H

#include "base/dot_form.h"
#include "base/math.h"
#include "tiles.h"

/* How a row holds the four numbers that meet a word of a panel. */
enum {
  BY_BYTES, /* each in 8 bits */
  BY_SPLIT, /* each as 256·a + b: all a, then all b, of 8 bits and a sign each */
  BY_PAIRS, /* without an exact product of bytes: 0 and 2, then 1 and 3, of 16 bits; four times */
};

/* The largest number that BY_SPLIT can hold. */
#define MAX_SPLIT 32639

enum { WORD = 4 };

INLINE int numbers_by(int32_t form, int bytes)
{
  return form == DOT_I16 ? BY_PAIRS : bytes ? BY_BYTES : BY_SPLIT;
}

/* Words of a row for each word of a panel; and the int32 from one row to the next. */
INLINE int parts_by(const int by) { return by == BY_BYTES ? 1 : 2; }
INLINE int stride_by(const int by) { return by == BY_PAIRS ? 8 : parts_by(by); }

/* Words for `size` channels or keys: an even number. */
INLINE size_t words_of(int32_t size) { return ((size_t)size + 2 * WORD - 1) / (2 * WORD) * 2; }

/* Turns the bytes of a word into those of a panel, by exclusive or. */
INLINE int32_t flip_of(int32_t form) { return form == DOT_SIGNED ? 0 : (int32_t)0x80808080; }

/* The start of a sum, which undoes the 128 in each byte. `sum`: of the numbers of the row. */
INLINE int32_t start_of(int32_t form, int32_t sum)
{
  return form == DOT_SIGNED ? 0 : (int32_t)((uint32_t)sum * (uint32_t)-128);
}

/* Stores eight numbers of a row, as two of its words in (words, TILE4, stride_by). */
INLINE void put_numbers(const int by, int32_t *to, i32x4 low, i32x4 high)
{
  const i16x8 n = (i16x8)v_pack(low, high);
  i32x4 y;
  if (by == BY_BYTES) {
    y = v_pack_bytes((i32x4)n, (i32x4)n);
    to[0] = y[0];
    to[TILE4] = y[1];
    return;
  }
  if (by == BY_PAIRS) {
    y = v_even_first(n);
    int32_t *next = to + TILE4 * stride_by(by);
    v_store_i(to, v_splat_lane_i(y, 0));
    v_store_i(to + 4, v_splat_lane_i(y, 1));
    v_store_i(next, v_splat_lane_i(y, 2));
    v_store_i(next + 4, v_splat_lane_i(y, 3));
    return;
  }
  i16x8 low_byte = (n << 8) >> 8;
  y = v_pack_bytes((i32x4)((n - low_byte) >> 8), (i32x4)low_byte);
  y = __builtin_shufflevector(y, y, 0, 2, 1, 3);
  __builtin_memcpy(to, &y, 8);
  __builtin_memcpy(to + 2 * TILE4, (char *)&y + 8, 8);
}

/* One product. */
typedef struct {
  int32_t *to; /* (rows, step), of which PANEL for each panel */
  size_t step;
  const int32_t *x;    /* (words, TILE4, stride_by) */
  const int8_t *panel; /* the first of `count`, each of panel_bytes */
  size_t panel_bytes;
  size_t words;
  size_t count;
} product;

/*
 * The factor of a row in scores over bytes. Beyond the floats it is infinite, so that these scores
 * are mended (beyond.c).
 */
INLINE float score_factor(double x)
{
  const double max = F32_MAX;
  return x > max || x < -max ? __builtin_inff() : nearest_float(x);
}

/*
 * to[r][0..8) of each panel = Σ x_r·bytes. BY_BYTES computes all TILE4 rows, also missing ones.
 */
void attn_integers(int by, int rows, const product *p);

#endif
