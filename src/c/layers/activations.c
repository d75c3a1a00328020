/*
 * SiLU and the two GELUs, four numbers at a time. No step cancels, so small results keep their
 * relative accuracy.
 */
#include "layers.h"
#include "curves.h"

INLINE f32x4 activation(const int kind, f32x4 x)
{
  if (kind == ATTN_SILU)
    return x * sigmoid(x);
  if (kind == ATTN_GELU_TANH) /* (1 + tanh u)/2 is the sigmoid of 2u */
    return x * sigmoid(v_splat(1.5957691216057308f) * v_madd(v_splat(0.044715f) * x * x, x, x));
  f32x4 tail = normal_tail(magnitude(x));
  return x * v_select(x < v_splat(0), tail, v_splat(1) - tail);
}

enum { MAX_STEP = 16 };

static void copy_rest(float *to, const float *from, size_t count)
{
  for (size_t c = 0; c < count; c++)
    to[c] = from[c];
}

/* SiLU takes four vectors in a step, because V8 makes the constants of exp anew in each step. */
INLINE void activate(const int kind, float *y, const float *x, const float *up, size_t count)
{
  const size_t step = kind == ATTN_SILU ? MAX_STEP : 4;
  float some[MAX_STEP] = {0};
  float factors[MAX_STEP] = {0};
  for (size_t i = 0; i < count; i += step) {
    size_t n = count - i < step ? count - i : step;
    float *to = y + i;
    const float *from = x + i;
    const float *times = up ? up + i : NULL;
    if (n < step) {
      copy_rest(some, from, n);
      if (up)
        copy_rest(factors, times, n);
      from = some;
      to = some;
      times = up ? factors : NULL;
    }
    for (size_t l = 0; l < step; l += 4) {
      f32x4 v = activation(kind, v_load(from + l));
      v_store(to + l, times ? v * v_load(times + l) : v);
    }
    if (n < step)
      copy_rest(y + i, some, n);
  }
}

void attn_activate(float *y, const float *x, const float *up, size_t count, int32_t kind)
{
  if (kind == ATTN_SILU)
    activate(ATTN_SILU, y, x, up, count);
  else if (kind == ATTN_GELU)
    activate(ATTN_GELU, y, x, up, count);
  else
    activate(ATTN_GELU_TANH, y, x, up, count);
}
