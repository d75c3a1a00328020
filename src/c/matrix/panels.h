/*
 * Inside a product: a panel's scales, its quants, and the kernels that meet them with inputs, one
 * or four.
 */
#ifndef PANELS_H
#define PANELS_H

#include "inputs.h"

enum { PARTS = UNPACK / PART };

/* Up to UNPACK columns of a panel. */
typedef struct {
  const uint8_t *
      /*
       * of part 0; its bytes of s and t, if any, lie directly before them, and before these the
       * unit's d and m
       */
      quants;
  int32_t stride, gap; /* from part to part, and what is between units of several parts */
  int32_t parts;
} panel_chunk;

INLINE panel_chunk chunk_at(weight_type t, const uint8_t *panel, int32_t column, int32_t columns)
{
  panel += (size_t)(column / t.block) * (size_t)unit_bytes(t);
  int32_t rest = columns - column < UNPACK ? columns - column : UNPACK, single = t.block == PART;
  return (panel_chunk){panel + unit_head(t) + t.sub_scales, single ? unit_bytes(t) : part_bytes(t),
                       single ? 0 : unit_head(t), rest / PART};
}

INLINE const uint8_t *quants_at(panel_chunk chunk, int32_t part)
{
  return chunk.quants + part * chunk.stride + part / (UNIT / PART) * chunk.gap;
}

/*
 * A part's dot product n becomes y += (n·d + m·Σx)·dx, n and Σx integers that float32 holds
 * exactly, d and m being the products with s and t where there are such (exact as well, 11 bits by
 * 8). In this order nothing overflows unless the part does, and Q6_K's n (with its s) is below
 * 2^24.
 */
typedef struct {
  float d[PARTS * PANEL], m[PARTS * PANEL]; /* m only where the type has one */
} chunk_scales;

/* The d and m with which a unit begins; no m is 0. `wild`: they need not be finite. */
INLINE void unit_scales(f32x4 d[2], f32x4 m[2], int has_m, const int wild, const uint8_t *unit)
{
  v_halves(d, (i16x8)v_load_i(unit), wild);
  m[0] = m[1] = v_splat(0);
  if (has_m)
    v_halves(m, (i16x8)v_load_i(unit + 16), wild);
}

/*
 * Times the s and t of a part of Q4_K or Q5_K: numbers below 64, and so signed bytes as well.
 * Loaded as unsigned ones, the compiler has them become floats as unsigned integers, for which V8
 * on x86 wants eight instructions instead of one.
 */
INLINE void times_sub_scales(f32x4 d[2], f32x4 m[2], const uint8_t *sub)
{
  i16x8 s = v_load_i8(sub), t = -v_load_i8(sub + 8);
  d[0] *= v_float(v_low(s)), d[1] *= v_float(v_high(s));
  m[0] *= v_float(v_low(t)), m[1] *= v_float(v_high(t));
}

void attn_chunk_scales(chunk_scales *scales, weight_type t, panel_chunk chunk);

/*
 * A single input meets panels as they are stored. Where two meet it together, it is loaded once for
 * both, and memory is read at two places far from each other, each of which has prefetching of its
 * own. Decoding with whole models, on a Zen 5 in Node 26, beside four places: 1.2 times as fast
 * with Q8_0 and 1.13 with F32, the same with Q4_0; beside one, 1.1 with Q8_0, 1.2 with F16, the
 * same with the others. On a Zen 3 four places were 1.15 to 1.3 times as fast as one. (Those of 5
 * and 6 bits have no registers to spare, and go one panel after another.)
 */
typedef struct {
  float *y;                      /* (panels, PANEL), all of it written */
  const uint8_t *panel[STREAMS]; /* of stored panels */
  const void *x;                 /* one prepared input */
  int32_t columns;
  weight_type t;
  float offset;
} alone;

/* How many panels it takes is up to whoever chooses it. */
typedef void alone_kernel(const alone *a);

alone_kernel *attn_alone_wide(weight_type t);
alone_kernel *attn_alone_narrow(weight_type t, int pairs);

/*
 * The panels of rows [first_row, end_row) are cut into so many streams, of neighbours; each time
 * the kernel takes one panel of each.
 */
void attn_multiply_alone(float *out /* (rows) */, const attn_matrix *w, const void *x, float offset,
                         alone_kernel *kernel, int32_t streams, int32_t first_row, int32_t end_row);

/*
 * A chunk's weights as the tiles read them: (parts, p/2, PANEL, p%2), q less the type's offset,
 * times Q6_K's s (p = wide_place(c)); or (parts, c/4, PANEL, c%4), with `offset` in place of the
 * type's. Those of 8 bits are stored so, and not for attn_unpack_narrow.
 */
void attn_unpack_wide(weight_type t, int16_t *to, panel_chunk chunk);
void attn_unpack_narrow(weight_type t, int8_t *to, panel_chunk chunk, int32_t offset);

/* A chunk of weights that groups of four inputs meet, one after another. */
typedef struct {
  const void *weights; /* unpacked, or in the narrow form as they are stored, */
  int32_t step;        /* with so many bytes from part to part */
  panel_chunk chunk;   /* for its parts, and for Q6_K's s, which 8 bits have no room for */
  const chunk_scales *scales;
  size_t stride;       /* of y */
  int32_t group_bytes; /* of prepared inputs, all columns */
  int32_t first;       /* whether the sums begin with this chunk, or go on from y */
  int32_t has_offset;  /* the narrow form's weights */
} tile_weights;

/* y += what the chunk adds, for group after group: a call for each costs a percent. */
typedef void tile_kernel(float *y /* (groups, GROUP, stride), of which PANEL */, const void *x,
                         const tile_weights *t, int32_t groups);

/*
 * A tile's sums, (GROUP, PANEL), are apart from y while parts are added: most of y is not in the
 * first-level cache.
 */
INLINE void begin_sums(float *sums, const float *y, const tile_weights *t)
{
  for (int r = 0; r < GROUP; r++)
    for (int v = 0; v < PANEL; v += 4)
      v_store(sums + r * PANEL + v, t->first ? v_splat(0) : v_load(y + (size_t)r * t->stride + v));
}

INLINE void end_sums(float *y, const float *sums, const tile_weights *t)
{
  for (int r = 0; r < GROUP; r++)
    for (int v = 0; v < PANEL; v += 4)
      v_store(y + (size_t)r * t->stride + v, v_load(sums + r * PANEL + v));
}

/* What a part adds: sums += (n·d + m·Σx)·dx. */
INLINE void add_part(const int has_m, float *sums, f32x4 n[GROUP][2], const float *d,
                     const float *m, const float *numbers /* of the inputs: four d, then four Σx */)
{
  f32x4 dw[2] = {v_load(d), v_load(d + 4)}, mw[2];
  if (has_m)
    mw[0] = v_load(m), mw[1] = v_load(m + 4);
  for (int r = 0; r < GROUP; r++, sums += PANEL) {
    f32x4 dx = v_splat(numbers[r]), sum = v_splat(numbers[GROUP + r]);
    for (int v = 0; v < 2; v++) {
      f32x4 z = n[r][v] * dw[v];
      if (has_m)
        z += mw[v] * sum;
      v_store(sums + 4 * v, v_load(sums + 4 * v) + z * dx);
    }
  }
}

tile_kernel *attn_tile_wide(weight_type t);
tile_kernel *attn_tile_narrow(weight_type t, int pairs);

/*
 * ---- Outputs
 * ------------------------------------------------------------------------------------------------------
 */

/* Which lanes of a panel are asked for. */
typedef struct {
  int32_t begin, end;
} lanes;

INLINE lanes lanes_of(int32_t panel, int32_t first_row, int32_t end_row)
{
  int32_t begin = first_row - panel * PANEL, end = end_row - panel * PANEL;
  return (lanes){begin > 0 ? begin : 0, end < PANEL ? end : PANEL};
}

/* Copies them, of `rows` rows. */
void attn_move_lanes(float *to, size_t to_stride, const float *from, size_t from_stride,
                     int32_t rows, lanes l);

/* attn_multiply for weights that are floats (product_f32.c). */
void attn_multiply_floats(float *out, size_t stride, const attn_matrix *w, const void *scratch,
                          int32_t m, int32_t first_row, int32_t end_row);

#endif
