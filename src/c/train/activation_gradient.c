/* The gradients of SwiGLU, GeGLU and their activations, four numbers at a time. */
#include "gradients.h"
#include "layers/curves.h"

/* f(x), and its derivative. */
INLINE f32x4 curve(const int kind, f32x4 x, f32x4 *slope)
{
  const f32x4 one = v_splat(1);
  if (kind == ATTN_SILU) { /* f = x·s, f′ = s + x·s·(1 − s) */
    f32x4 s = sigmoid(x);
    f32x4 y = x * s;
    *slope = v_madd(y, one - s, s);
    return y;
  }
  if (kind == ATTN_GELU_TANH) { /* the same with s of a cubic u, so times u′ */
    const f32x4 square = x * x;
    const f32x4 root = v_splat(1.5957691216057308f);
    f32x4 s = sigmoid(root * v_madd(v_splat(0.044715f) * square, x, x));
    f32x4 y = x * s;
    *slope = v_madd(y * (one - s), root * v_madd(v_splat(0.134145f), square, one), s);
    return y;
  }
  /* f = x·Φ(x), f′ = Φ(x) + x·φ(x) */
  f32x4 tail = normal_tail(magnitude(x));
  f32x4 area = v_select(x < v_splat(0), tail, one - tail);
  f32x4 density = v_splat(0.3989422804014327f) * v_exp(v_splat(-0.5f) * x * x);
  *slope = v_madd(x, density, area);
  return x * area;
}

INLINE void gradient(const int kind, float *dx, float *dup, const float *dy, const float *x,
                     const float *up, size_t count)
{
  for (size_t i = 0; i < count; i += 4) {
    const size_t n = count - i < 4 ? count - i : 4;
    const f32x4 d = v_load_tail(dy + i, n);
    const f32x4 u = up ? v_load_tail(up + i, n) : v_splat(1);
    f32x4 slope;
    f32x4 y = curve(kind, v_load_tail(x + i, n), &slope);
    v_store_tail(dx + i, d * u * slope, n);
    if (up)
      v_store_tail(dup + i, d * y, n);
  }
}

void attn_activate_gradient(float *dx, float *dup, const float *dy, const float *x, const float *up,
                            size_t count, int32_t kind)
{
  if (kind == ATTN_SILU)
    gradient(ATTN_SILU, dx, dup, dy, x, up, count);
  else if (kind == ATTN_GELU)
    gradient(ATTN_GELU, dx, dup, dy, x, up, count);
  else
    gradient(ATTN_GELU_TANH, dx, dup, dy, x, up, count);
}
