/*
 * A matrix as the kernels read it: panels of 8 rows, in each of which everything lies in the order
 * of the columns.
 *
 * F32, F16, BF16 a panel is (columns, 8): lanes run along rows. Quantised a panel is a sequence of
 * units of 32 columns, or of 256 with the K types. A unit begins with its scales d
 *                    (8 float16) and, if the type has them, m (8); then come its parts of 32
 *                    columns:
 *                      K types: 8 bytes of s and 8 of t (Q4_K, Q5_K), or 8 of s for each half of
 *                      the part (Q6_K)
 *                      quants q: 256 bytes (Q8_0); else 128, 160 or 192 with 4, 5 or 6 bits
 * As many bytes as in the file, but for Q4_K and Q5_K, whose 6-bit s and t lie in bytes here (3 %
 * more).
 *
 * Where q(row r, column c) of a part lies depends on the dot product (dots.h), so that a vector's
 * lanes meet the right inputs. Four neighbouring bytes are four columns: (c/4, r, c%4). Of fewer
 * bits a panel's words lie as (k, r), and bits.h says which columns word k has. Only the bytes of
 * Q8_0 lie otherwise where a lane of the dot product has 16 bits: (p%16/2, r, p%2, p/16), where p
 * is the column's place, and those of the first 16 places are unsigned.
 */
#ifndef MATRIX_H
#define MATRIX_H

#include "base/dot_form.h"
#include "base/half.h"
#include "base/tiles.h"
#include "weights.h"

enum {
  PART = 32,  /* columns with one scale; inputs have one scale each, too */
  UNIT = 256, /* columns in a unit of the K types */
  UNPACK =
      /*
       * columns unpacked at a time, a multiple of UNIT: the panel's part takes 12 KB of first-level
       * cache and of stack
       */
  768
};

struct attn_matrix {
  int32_t type, rows, columns;
  int32_t form;       /* of dots.h, as of quantised types: what its bytes are laid out for */
  int32_t wild;       /* some float16, weight or scale, is infinite or NaN */
  int32_t unused[11]; /* to 64 bytes, so that panels begin at a multiple of 16 */
};

/* What there is to know about a type. */
typedef struct {
  int16_t file_bytes; /* of a block in a file */
  int16_t block;      /* its columns */
  int16_t low_bits;   /* 8 or 4 of each quant; 0: the type is a float */
  int16_t high_bits;  /* 0, 1 or 2 above them */
  int16_t offset;     /* to subtract from q */
  int16_t sign_m;     /* or of m, where the type has one */
  int16_t sub_scales; /* bytes of s and t in a part of 8 rows */
} weight_type;

/* All zero if there is no such type. */
weight_type attn_weight_type(int32_t type);

/*
 * Where lanes have 16 bits, the lower bytes of lanes come before the higher ones: place of a
 * column, or column of a place.
 */
INLINE int32_t wide_place(int32_t c) { return (c & ~3) | (c & 1) << 1 | (c >> 1 & 1); }

INLINE int32_t weight_form(weight_type t) { return attn_dot_form(t.low_bits + t.high_bits); }
INLINE int32_t unit_head(weight_type t) { return t.sign_m ? 32 : 16; }
INLINE int32_t part_quants(weight_type t) { return (t.low_bits + t.high_bits) * PART; }
INLINE int32_t part_bytes(weight_type t) { return t.sub_scales + part_quants(t); }
INLINE int32_t unit_bytes(weight_type t) { return unit_head(t) + t.block / PART * part_bytes(t); }

INLINE size_t panel_bytes(weight_type t, int32_t columns)
{
  if (!t.low_bits)
    return (size_t)columns * PANEL * (size_t)t.file_bytes;
  return (size_t)(columns / t.block) * (size_t)unit_bytes(t);
}

INLINE uint8_t *panel_of(const attn_matrix *w, int32_t panel)
{
  return (uint8_t *)(w + 1) + (size_t)panel * panel_bytes(attn_weight_type(w->type), w->columns);
}

/*
 * One row's part of a unit, free of any layout: weight c of part p is d·s·(q − offset), or d·s·q ±
 * m·t.
 */
typedef struct {
  uint16_t d, m;  /* float16 */
  uint8_t s[16];  /* of each part, or signed of each half of a part (Q6_K) */
  uint8_t t[8];   /* of each part */
  uint8_t q[256]; /* Q8_0: 128 more than in the file */
} weight_unit;

/* One F32, F16 or BF16. */
float attn_read_float(int32_t type, const uint8_t *p);

/* From a block in a file, and to row r of a unit in a panel. */
void attn_unit_read(weight_unit *u, int32_t type, const uint8_t *block);
void attn_unit_store(const weight_unit *u, weight_type t, int32_t form, uint8_t *unit, int32_t r);

/*
 * Products of a few inputs that lie as they are, for layers. w is F32, F16 or BF16; the bits are
 * those of attn_multiply.
 */
enum { FLOAT_ROWS = 32 }; /* m is at most this: with CONVERT columns, 32 KB of stack */
void attn_multiply_float_rows(float *y,                        /* (m, y_stride) */
                              size_t y_stride, const float *x, /* (m, x_stride) */
                              size_t x_stride, int32_t m, const attn_matrix *w, int32_t first_row,
                              int32_t end_row);

#endif
