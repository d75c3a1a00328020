/* Tests the engine's integer dot product. */
#include "dot_form.h"
#include "simd.h"

int32_t attn_dot_form(int32_t bits)
{
  if (!V_DOT8)
    return DOT_I16;
  /*
   * Saturation shows in the first lane and, downwards, in the second. The accumulator shows in the
   * third, and the 16 products in all lanes.
   */
  static const int8_t left[16] = {127, 127, 127, 127, -128, -128, -128, -128,
                                  1,   2,   3,   4,   -5,   6,    -7,   8};
  static const int8_t right[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 5, 6, 7, 8, -128, -127, -2, 127};
  i32x4 got = v_dot8(v_load_i(left), v_load_i(right), v_positions(1000));
  i32x4 is_unsigned =
      got ^ (i32x4) { 1000 + 129540, 1001 - 130560, 1002 + 70, 1003 - 640 + 774 - 1778 + 1016 };
  i32x4 is_signed =
      got ^ (i32x4) { 1000 - 508, 1001 + 512, 1002 + 70, 1003 + 640 - 762 + 14 + 1016 };
  return !v_any(is_unsigned) ? DOT_UNSIGNED
         : !v_any(is_signed) ? DOT_SIGNED
         : bits > 6          ? DOT_I16
                             : DOT_PAIRS;
}
