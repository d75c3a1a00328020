/*
 * Rotary positions: heads are rotated by a table, which is made here too. Frequencies and angles
 * are in double, the table in float32.
 */
#include "layers.h"
#include "base/math.h"

static void rotate_halves(float *x, const float *cos, const float *sin, int32_t half)
{
  int32_t p = 0;
  for (; p + 4 <= half; p += 4) {
    f32x4 c = v_load(cos + p);
    f32x4 s = v_load(sin + p);
    f32x4 a = v_load(x + p);
    f32x4 b = v_load(x + half + p);
    v_store(x + p, a * c - b * s);
    v_store(x + half + p, a * s + b * c);
  }
  for (; p < half; p++) {
    float a = x[p];
    float b = x[half + p];
    x[p] = a * cos[p] - b * sin[p];
    x[half + p] = a * sin[p] + b * cos[p];
  }
}

static void rotate_neighbours(float *x, const float *cos, const float *sin, int32_t half)
{
  for (int32_t p = 0; p < half; p++) {
    float a = x[2 * p];
    float b = x[2 * p + 1];
    x[2 * p] = a * cos[p] - b * sin[p];
    x[2 * p + 1] = a * sin[p] + b * cos[p];
  }
}

void attn_rope(float *x, int32_t m, int32_t heads, size_t row_stride, size_t head_stride,
               const float *cos, const float *sin, const int32_t *positions, int32_t rotary_dim,
               int32_t interleaved)
{
  int32_t half = rotary_dim / 2;
  for (int32_t i = 0; i < m; i++) {
    size_t at = (size_t)(positions ? positions[i] : i) * (size_t)half;
    for (int32_t h = 0; h < heads; h++) {
      float *head = x + (size_t)i * row_stride + (size_t)h * head_stride;
      if (interleaved)
        rotate_neighbours(head, cos + at, sin + at, half);
      else
        rotate_halves(head, cos + at, sin + at, half);
    }
  }
}

/* ---- Frequencies */

static double power(double base, double exponent) { return f64_exp(exponent * f64_log(base)); }

void attn_rope_frequencies(double *f, int32_t rotary_dim, double base)
{
  for (int32_t p = 0; p < rotary_dim / 2; p++)
    f[p] = power(base, -2.0 * p / rotary_dim);
}

void attn_rope_linear(double *f, int32_t rotary_dim, double factor)
{
  for (int32_t p = 0; p < rotary_dim / 2; p++)
    f[p] /= factor;
}

double attn_rope_ntk_base(int32_t rotary_dim, double base, double factor)
{
  return base * power(factor, rotary_dim / (rotary_dim - 2.0));
}

double attn_rope_dynamic_factor(double factor, double length, double original)
{
  double x = factor * length / original - (factor - 1);
  return x > 1 ? x : 1;
}

static double clamp(double x, double min, double max) { return x < min ? min : x > max ? max : x; }

void attn_rope_llama3(double *f, int32_t rotary_dim, double factor, double low, double high,
                      double original)
{
  for (int32_t p = 0; p < rotary_dim / 2; p++) {
    double cycles = original * f[p] / TWO_PI; /* original/wavelength */
    double kept = clamp((cycles - low) / (high - low), 0, 1);
    f[p] = kept * f[p] + (1 - kept) * (f[p] / factor);
  }
}

/* The p (a real number) of the frequency with this number of turns in the original context. */
static double pair_with(double cycles, int32_t rotary_dim, double base, double original)
{
  return rotary_dim * f64_log(original / (cycles * TWO_PI)) / (2 * f64_log(base));
}

void attn_rope_yarn(double *f, int32_t rotary_dim, double base, double factor, double beta_fast,
                    double beta_slow, double original, int32_t truncate)
{
  double from = pair_with(beta_fast, rotary_dim, base, original);
  double to = pair_with(beta_slow, rotary_dim, base, original);
  if (truncate) {
    from = __builtin_floor(from);
    to = __builtin_ceil(to);
  }
  from = clamp(from, 0, rotary_dim - 1);
  to = clamp(to, 0, rotary_dim - 1);
  if (from == to)
    to += 0.001; /* a step, as wide as in the implementations */
  for (int32_t p = 0; p < rotary_dim / 2; p++) {
    double kept = 1 - clamp((p - from) / (to - from), 0, 1);
    f[p] = kept * f[p] + (1 - kept) * (f[p] / factor);
  }
}

double attn_rope_yarn_attention(double factor, double mscale, double mscale_all_dim)
{
  double growth = factor > 1 ? 0.1 * f64_log(factor) : 0;
  return mscale && mscale_all_dim ? (mscale * growth + 1) / (mscale_all_dim * growth + 1)
                                  : growth + 1;
}

/* ---- The table */

void attn_rope_table(float *cos, float *sin, const double *f, int32_t rotary_dim, int32_t from,
                     int32_t count, double attention_factor)
{
  size_t at = 0;
  for (int32_t row = 0; row < count; row++)
    for (int32_t p = 0; p < rotary_dim / 2; p++, at++) {
      double c;
      double s;
      f64_cos_sin(((double)from + row) * f[p], &c, &s);
      cos[at] = (float)(c * attention_factor);
      sin[at] = (float)(s * attention_factor);
    }
}
