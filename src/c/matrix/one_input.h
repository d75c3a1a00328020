/*
 * A product of a single quantised input with panels as they are stored, around the part kernels of
 * wide.c and narrow.c.
 */
#ifndef ALONE_H
#define ALONE_H

#include "quads.h"

/*
 * A part's n are integers, or integers from which the offset is to come off, or (in an i32x4's
 * bits) floats: panels.h's y without d.
 */
enum { PLAIN, OFFSET, FLOATS };

/* n of a part, of one panel or of STREAMS, whose bytes begin at `at` in each. */
typedef void alone_part(i32x4 (*n)[2] /* (panels, 2) */, const uint8_t *const *panel, int32_t at,
                        const void *x, bit_masks of);

#define OF_PART(storage, name, ...)                                                                \
  storage void name(i32x4(*n)[2], const uint8_t *const *panel, int32_t at, const void *x,          \
                    bit_masks of)                                                                  \
  {                                                                                                \
    __VA_ARGS__;                                                                                   \
  }

/*
 * What is asked about the type in these loops has the same answer each time, and costs little; rare
 * types share one compilation. In kernels' loops registers are few: so the inputs' scale and sum
 * are read behind them, and the d and m of units of many parts (`is_k`) kept in memory.
 */
INLINE void alone_product(alone_part *const part, const int panels, const int bits, const int wide,
                          const int n_are, int is_k, int has_m, const alone *a)
{
  const bit_masks of = masks_of(bits);
  const weight_type t = a->t;
  const uint8_t *x = a->x;
  f32x4 y[STREAMS][2] = {0}, kept[STREAMS][4], (*unit)[4] = kept;
  if (is_k)
    __asm__("" : "+r"(unit) : : "memory"); /* or the compiler would have registers for it */
  int32_t at = 0;
  for (int32_t c = 0; c < a->columns; c += PART, x += input_block(wide, 1), at += part_bytes(t)) {
    const int begins = !is_k || c % UNIT == 0; /* a unit, with its d and m */
    const int32_t head = begins ? unit_head(t) : 0;
    at += head;
    if (is_k && begins)
      UNROLLED for (int p = 0; p < panels; p++)
          unit_scales(unit[p], unit[p] + 2, has_m, 0, a->panel[p] + at - head);
    i32x4 n[STREAMS][2];
    part(n, a->panel, at + (is_k ? 16 : 0), x, of);
    const float *numbers = (const float *)(x + input_quants(wide, 1));
    f32x4 dx = v_splat(numbers[0]), sum = v_splat(numbers[1]), off = v_splat(a->offset) * sum;
    UNROLLED for (int p = 0; p < panels; p++)
    {
      f32x4 d[2], m[2];
      if (is_k)
        d[0] = unit[p][0], d[1] = unit[p][1], m[0] = unit[p][2], m[1] = unit[p][3];
      else
        unit_scales(d, m, has_m, 0, a->panel[p] + at - head);
      if (is_k && has_m)
        times_sub_scales(d, m, a->panel[p] + at);
      for (int v = 0; v < 2; v++) {
        f32x4 z = n_are == FLOATS ? (f32x4)n[p][v] : v_float(n[p][v]);
        z = (n_are == OFFSET ? z - off : z) * d[v];
        if (has_m)
          z += m[v] * sum;
        y[p][v] += z * dx;
      }
    }
  }
  UNROLLED for (int p = 0; p < panels; p++)
  {
    v_store(a->y + PANEL * p, y[p][0]);
    v_store(a->y + PANEL * p + 4, y[p][1]);
  }
}

#define ALONE(wide, bits, name, part, panels, n_are, is_k, has_m)                                  \
  static void name(const alone *a)                                                                 \
  {                                                                                                \
    alone_product(part, panels, bits, wide, n_are, is_k, has_m, a);                                \
  }

#endif
