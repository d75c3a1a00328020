/*
 * RMSNorm and LayerNorm. Sums and results are in double, two lanes at a time, so that the result is
 * rounded once.
 */
#include "layers.h"
#include "base/simd.h"

/* Σ (x − shift)^power for power 1 or 2, in four chains. */
INLINE double sum_of(const float *x, int32_t size, double shift, const int power)
{
  f64x2 a = {0, 0};
  f64x2 b = {0, 0};
  f64x2 s = {shift, shift};
  int32_t c = 0;
  for (; c + 4 <= size; c += 4) {
    f32x4 v = v_load(x + c);
    f64x2 l = v_low_double(v) - s;
    f64x2 h = v_high_double(v) - s;
    a += power == 2 ? l * l : l;
    b += power == 2 ? h * h : h;
  }
  double sum = (a[0] + a[1]) + (b[0] + b[1]);
  for (; c < size; c++) {
    double t = (double)x[c] - shift;
    sum += power == 2 ? t * t : t;
  }
  return sum;
}

KERNEL double squares_of(const float *x, int32_t size, double shift)
{
  return sum_of(x, size, shift, 2);
}

void attn_rms_norm(float *y, size_t y_stride, const float *x, size_t x_stride, int32_t rows,
                   int32_t size, const float *scale, int32_t one_plus, double epsilon)
{
  const double one = one_plus || !scale ? 1 : 0;
  for (int32_t i = 0; i < rows; i++, x += x_stride, y += y_stride) {
    const double inverse = 1 / __builtin_sqrt(squares_of(x, size, 0) / size + epsilon);
    int32_t c = 0;
    for (; c + 4 <= size; c += 4) {
      f32x4 v = v_load(x + c);
      f32x4 w = scale ? v_load(scale + c) : v_splat(0);
      v_store(y + c, v_floats(v_low_double(v) * inverse * (one + v_low_double(w)),
                              v_high_double(v) * inverse * (one + v_high_double(w))));
    }
    for (; c < size; c++)
      y[c] = (float)((double)x[c] * inverse * (one + (scale ? (double)scale[c] : 0)));
  }
}

void attn_layer_norm(float *y, const float *x, int32_t rows, int32_t size, const float *scale,
                     const float *bias, double epsilon, float *mean, float *inverse_deviation)
{
  for (int32_t i = 0; i < rows; i++, x += size, y += size) {
    double mu = sum_of(x, size, 0, 1) / size;
    double inverse = 1 / __builtin_sqrt(squares_of(x, size, mu) / size + epsilon);
    for (int32_t c = 0; c < size; c++)
      y[c] = (float)(((double)x[c] - mu) * inverse * (scale ? (double)scale[c] : 1) +
                     (bias ? (double)bias[c] : 0));
    if (mean)
      mean[i] = (float)mu;
    if (inverse_deviation)
      inverse_deviation[i] = (float)inverse;
  }
}
