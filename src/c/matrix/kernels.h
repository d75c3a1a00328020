/*
 * Inside a product: a panel's scales, its quants, and the kernels that multiply them by inputs. A
 * kernel takes one input, or tiles of four.
 */
#ifndef KERNELS_H
#define KERNELS_H

#include "base/half.h"
#include "panel.h"

enum {
  /*
   * Columns that tiles unpack at a time, a multiple of SUPERBLOCK: 12 KB of first-level cache and
   * of stack.
   */
  CHUNK_COLUMNS = 768,
  CHUNK_BLOCKS = CHUNK_COLUMNS / BLOCK32,
};

/*
 * Up to CHUNK_COLUMNS columns of a panel. The s and t of a block32 lie directly before its quants.
 * The d and m of a superblock lie before the s and t of its first block32.
 */
typedef struct {
  const uint8_t *quants; /* of block32 0 */
  int32_t stride;        /* from block32 to block32 */
  int32_t gap;           /* further bytes between superblocks of several block32 */
  int32_t blocks;        /* block32 in the chunk */
} panel_chunk;

INLINE panel_chunk chunk_at(const weight_type *t, const uint8_t *panel, int32_t column,
                            int32_t columns)
{
  panel += (size_t)(column / t->block_weights) * (size_t)superblock_bytes(t);
  int32_t rest = columns - column < CHUNK_COLUMNS ? columns - column : CHUNK_COLUMNS;
  int single = t->block_weights == BLOCK32;
  return (panel_chunk){.quants = panel + head_bytes(t) + sub_scale_bytes(t),
                       .stride = single ? superblock_bytes(t) : block32_bytes(t),
                       .gap = single ? 0 : head_bytes(t),
                       .blocks = rest / BLOCK32};
}

INLINE const uint8_t *quants_at(panel_chunk chunk, int32_t block)
{
  return chunk.quants + block * chunk.stride + block / (SUPERBLOCK / BLOCK32) * chunk.gap;
}

/*
 * A block32 with the dot product n becomes y += (n·d + m·sum)·dx. dx and sum belong to the inputs;
 * n and sum are integers that float32 holds exactly. Here d and m include s and t, which is exact
 * too: 11 bits by 8. In this order nothing overflows unless the block does. The n of Q6_K includes
 * its s and stays below 2^24.
 */
typedef struct {
  float d[CHUNK_BLOCKS * PANEL];
  float m[CHUNK_BLOCKS * PANEL]; /* m only if the type has a minimum */
} chunk_scales;

/*
 * The d and m of a superblock; m is 0 without a minimum. `non_finite`: whether they may be infinite
 * or NaN.
 */
INLINE void superblock_scales(f32x4 d[2], f32x4 m[2], int has_min, const int non_finite,
                              const uint8_t *at)
{
  v_halves(d, (i16x8)v_load_i(at), non_finite);
  m[0] = m[1] = v_splat(0);
  if (has_min)
    v_halves(m, (i16x8)v_load_i(at + 16), non_finite);
}

/*
 * Multiplies by the s and t of a block32 (SCALES_AND_MINS). They are below 64, so they can be
 * loaded as signed bytes. From unsigned ones clang would convert unsigned integers to floats, which
 * V8 does on x86 in eight instructions instead of one.
 */
INLINE void times_sub_scales(f32x4 d[2], f32x4 m[2], const uint8_t *sub)
{
  i16x8 s = v_load_i8(sub);
  i16x8 t = -v_load_i8(sub + 8);
  d[0] *= v_float(v_low(s));
  d[1] *= v_float(v_high(s));
  m[0] *= v_float(v_low(t));
  m[1] *= v_float(v_high(t));
}

/*
 * ---- Kernels ---------------------------------------------------------------------------------
 */

/* One input and a panel of each stream, as they are stored. */
typedef struct {
  float *y;                      /* (streams, PANEL), all of it written */
  const uint8_t *panel[STREAMS]; /* the stored panels */
  const void *x;                 /* one prepared input */
  int32_t columns;
  const weight_type *t;
  float offset; /* of the quants as they are stored */
} one_input_task;

typedef void one_input_kernel(const one_input_task *a);

/* A chunk of weights that tiles of four inputs meet, one after another. */
typedef struct {
  const void *weights; /* unpacked, or as they are stored */
  int32_t step;        /* bytes from block32 to block32 */
  panel_chunk chunk;   /* with the s of HALF_SCALES, which 8 bits cannot include */
  const chunk_scales *scales;
  size_t stride;      /* of y */
  int32_t tile_bytes; /* of prepared inputs, all columns */
  int32_t first;      /* whether the sums begin with this chunk, or go on from y */
  int32_t has_offset; /* whether the unpacked weights have one (8-bit lanes only) */
} tile_weights;

/*
 * y += the products of a chunk, for each tile4. One call does all tiles (tuning.md#tile-calls).
 */
typedef void tile_kernel(float *y /* (tiles, TILE4, stride), of which PANEL */, const void *x,
                         const tile_weights *t, int32_t tiles);

/*
 * Unpacks a chunk for the tiles, with `raise` added to each quant.
 *   16 bits   (blocks, p/2, PANEL, p%2) with p = i16_place(c), times the s of HALF_SCALES
 *   8 bits    (blocks, c/4, PANEL, c%4)
 */
typedef void unpack_kernel(void *to, panel_chunk chunk, int32_t raise);

/* The kernels of a family of types, for one dot product. */
typedef struct {
  one_input_kernel *one_input;
  int32_t streams;       /* panels that one_input reads at once: STREAMS or 1 */
  unpack_kernel *unpack; /* NULL: tiles read the weights as they are stored */
  tile_kernel *tile;
} product_kernels;

/* With lanes of 16 bits, of 8 bits, and of 8 bits summed in pairs (dot_form.h). */
extern const product_kernels attn_i16_kernels[FAMILIES];
extern const product_kernels attn_i8_kernels[FAMILIES];
extern const product_kernels attn_pairs_kernels[FAMILIES];

/*
 * ---- Sums of a tile --------------------------------------------------------------------------
 *
 * They are (TILE4, PANEL), apart from y while blocks are added: most of y is not in the first-level
 * cache.
 */

INLINE void begin_sums(float *sums, const float *y, const tile_weights *t)
{
  for (int r = 0; r < TILE4; r++)
    for (int v = 0; v < PANEL; v += 4)
      v_store(sums + r * PANEL + v, t->first ? v_splat(0) : v_load(y + (size_t)r * t->stride + v));
}

INLINE void end_sums(float *y, const float *sums, const tile_weights *t)
{
  for (int r = 0; r < TILE4; r++)
    for (int v = 0; v < PANEL; v += 4)
      v_store(y + (size_t)r * t->stride + v, v_load(sums + r * PANEL + v));
}

/* Adds a block32: sums += (n·d + m·sum)·dx. */
INLINE void add_block(const int has_min, float *sums, f32x4 n[TILE4][2], const float *d,
                      const float *m, const float *numbers /* of the inputs: four dx, four sums */)
{
  f32x4 dw[2] = {v_load(d), v_load(d + 4)};
  f32x4 mw[2];
  if (has_min) {
    mw[0] = v_load(m);
    mw[1] = v_load(m + 4);
  }
  for (int r = 0; r < TILE4; r++, sums += PANEL) {
    f32x4 dx = v_splat(numbers[r]);
    f32x4 sum = v_splat(numbers[TILE4 + r]);
    for (int v = 0; v < 2; v++) {
      f32x4 z = n[r][v] * dw[v];
      if (has_min)
        z += mw[v] * sum;
      v_store(sums + 4 * v, v_load(sums + 4 * v) + z * dx);
    }
  }
}

#endif
