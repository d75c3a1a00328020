/*
 * Multiplies one quantised input by panels in the form they are stored in. This is the loop over
 * blocks. The dot products of a block32 come from product_i16.c and product_i8.c.
 */
#ifndef ONE_INPUT_LOOP_H
#define ONE_INPUT_LOOP_H

#include "inputs.h"
#include "kernels.h"
#include "quads.h"

/* The kind of number n that a dot product of a block32 returns, for y as in kernels.h. */
enum {
  WHOLE,       /* integers without the offset */
  WITH_OFFSET, /* integers from which offset·sum must be subtracted */
  FLOATS,      /* floats without the offset, in the bits of an i32x4 */
};

/* The n of a block32, whose quants begin at `at` in each panel. */
typedef void block_dot(i32x4 (*n)[2] /* (panels, 2) */, const uint8_t *const *panel, int32_t at,
                       const void *x, bit_masks of);

#define BLOCK_DOT(storage, name, ...)                                                              \
  storage void name(i32x4(*n)[2], const uint8_t *const *panel, int32_t at, const void *x,          \
                    bit_masks of)                                                                  \
  {                                                                                                \
    __VA_ARGS__;                                                                                   \
  }

/*
 * The conditions in the loop have the same answer each time and cost little, so rare types share a
 * compilation. Registers are few. Therefore the scale and sum of the inputs are read behind the
 * dot product. The d and m of superblocks of 256 columns (`is_k`) stay in memory.
 */
INLINE void one_input_product(block_dot *const dot, const int panels, const int bits, const int i16,
                              const int n_are, int is_k, int has_min, const one_input_task *a)
{
  const bit_masks of = masks_of(bits);
  const weight_type *t = a->t;
  const int32_t head_size = head_bytes(t);
  const int32_t step = block32_bytes(t);
  const uint8_t *x = a->x;
  f32x4 y[STREAMS][2] = {0};
  f32x4 in_memory[STREAMS][4];
  f32x4(*scales)[4] = in_memory;
  if (is_k)
    __asm__("" : "+r"(scales) : : "memory"); /* or the compiler would use registers */
  int32_t at = 0;
  for (int32_t c = 0; c < a->columns; c += BLOCK32, x += input_block(i16, 1), at += step) {
    const int begins = !is_k || c % SUPERBLOCK == 0;
    const int32_t head = begins ? head_size : 0;
    at += head;
    if (is_k && begins)
      for (int p = 0; p < panels; p++)
        superblock_scales(scales[p], scales[p] + 2, has_min, 0, a->panel[p] + at - head);
    i32x4 n[STREAMS][2];
    dot(n, a->panel, at + (is_k ? 16 : 0), x, of);
    const float *numbers = (const float *)(x + input_quants(i16, 1));
    f32x4 dx = v_splat(numbers[0]);
    f32x4 sum = v_splat(numbers[1]);
    f32x4 off = v_splat(a->offset) * sum;
    for (int p = 0; p < panels; p++) {
      f32x4 d[2];
      f32x4 m[2];
      if (is_k) {
        d[0] = scales[p][0];
        d[1] = scales[p][1];
        m[0] = scales[p][2];
        m[1] = scales[p][3];
      } else {
        superblock_scales(d, m, has_min, 0, a->panel[p] + at - head);
      }
      if (is_k && has_min)
        times_sub_scales(d, m, a->panel[p] + at);
      for (int v = 0; v < 2; v++) {
        f32x4 z = n_are == FLOATS ? (f32x4)n[p][v] : v_float(n[p][v]);
        z = (n_are == WITH_OFFSET ? z - off : z) * d[v];
        if (has_min)
          z += m[v] * sum;
        y[p][v] += z * dx;
      }
    }
  }
  for (int p = 0; p < panels; p++) {
    v_store(a->y + PANEL * p, y[p][0]);
    v_store(a->y + PANEL * p + 4, y[p][1]);
  }
}

#define ONE_INPUT(i16, bits, name, dot, panels, n_are, is_k, has_min)                              \
  static void name(const one_input_task *a)                                                        \
  {                                                                                                \
    one_input_product(dot, panels, bits, i16, n_are, is_k, has_min, a);                            \
  }

#endif
