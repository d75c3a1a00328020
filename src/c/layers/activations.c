/*
 * SiLU and the two GELUs, four numbers at a time. No step cancels, so small results keep their
 * relative accuracy.
 */
#include "layers.h"
#include "base/math.h"

INLINE f32x4 magnitude(f32x4 x) { return (f32x4)((i32x4)x & v_splat_i(INT32_MAX)); }

/* 1 / (1 + e^−x), from e^−|x|, which cannot overflow. */
INLINE f32x4 sigmoid(f32x4 x)
{
  f32x4 one = v_splat(1), e = v_exp(v_splat(0) - magnitude(x));
  return v_select(x < v_splat(0), e, one) / (one + e);
}

/*
 * Φ(−a) for a ≥ 0, the tail of the normal distribution: e^(−a²/2)·t·P(t) with t = 1/(1 + 0.3a).
 *
 * P is a Chebyshev fit of degree 9 on 0 ≤ a ≤ 13.3, with a relative error of 4.3e-9. Beyond that
 * the exponential is 0. a is the sum of a high part, whose square is exact, and a rest: the
 * rounding of a² would be multiplied by a² in the result.
 */
INLINE f32x4 normal_tail(f32x4 a)
{
  static const float p[] = {-0.0208300398812f, 0.113590127668f,  -0.231002319341f, 0.195594931985f,
                            -0.0826592399291f, 0.0979221195606f, 0.0777729585745f, 0.110368034272f,
                            0.119555929568f,   0.119687495808f};
  const f32x4 half = v_splat(0.5f), one = v_splat(1);
  a = v_select(a < v_splat(14), a, v_splat(14));
  f32x4 t = one / v_madd(v_splat(0.3f), a, one), sum = v_splat(p[0]);
  for (int i = 1; i < 10; i++)
    sum = v_madd(sum, t, v_splat(p[i]));
  /* rest ≤ 0.1 */
  f32x4 high = (f32x4)((i32x4)a & v_splat_i(-4096)), rest = (a - high) * (a + high) * half;
  f32x4 e = v_splat(1.0f / 24);
  e = v_madd(e, rest, v_splat(-1.0f / 6));
  e = v_madd(e, rest, half);
  e = v_madd(e, rest, v_splat(-1));
  e = v_madd(e, rest, one);
  return v_exp(v_splat(0) - high * high * half) * e * t * sum;
}

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
  float some[MAX_STEP] = {0}, factors[MAX_STEP] = {0};
  for (size_t i = 0; i < count; i += step) {
    size_t n = count - i < step ? count - i : step;
    float *to = y + i;
    const float *from = x + i, *times = up ? up + i : NULL;
    if (n < step) {
      copy_rest(some, from, n);
      if (up)
        copy_rest(factors, times, n);
      from = to = some, times = up ? factors : NULL;
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
