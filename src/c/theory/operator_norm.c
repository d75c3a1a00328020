/*
 * The operator norm, by squaring: no start vector that could miss the largest singular value, and
 * bounds from both sides.
 */
#include "distribution.h"
#include "sensitivity.h"

/*
 * out = the smaller of AᵀA and AAᵀ, A times `scale`; then it is divided by its Frobenius norm,
 * which is returned. For a symmetric A it is the square.
 */
static double gram(double *out, const double *a, size_t rows, size_t columns, double scale)
{
  int wide = rows <= columns;
  size_t size = wide ? rows : columns;
  size_t length = wide ? columns : rows;
  size_t own = wide ? columns : 1;
  size_t along = wide ? 1 : columns;
  /* two sums side by side; a lone one at the end of a row is taken twice */
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j <= i; j += 2) {
      const double *x = a + i * own;
      const double *y = a + j * own;
      const double *z = j < i ? y + own : y;
      exact_pair sum = {{0, 0}, {0, 0}};
      for (size_t c = 0; c < length; c++, x += along, y += along, z += along)
        pair_add(&sum, *x * scale * ((f64x2){*y, *z} * scale));
      for (size_t half = 0; half < 2 && j + half <= i; half++)
        out[i * size + j + half] = out[(j + half) * size + i] = sum_of(pair_half(sum, (int)half));
    }
  double norm = __builtin_sqrt(expectation(out, out, (int32_t)(size * size)));
  for (size_t x = 0; x < size * size; x++)
    out[x] /= norm;
  return norm;
}

int32_t attn_operator_norm(attn_norm *norm, const double *a, int32_t rows, int32_t columns,
                           double *scratch)
{
  if (rows < 1 || columns < 1)
    return ATTN_E_RANGE;
  size_t size = (size_t)(rows < columns ? rows : columns);
  double max = 0;
  double *now = scratch;
  double *next = scratch + size * size;
  for (size_t x = 0; x < (size_t)rows * (size_t)columns; x++)
    max = greater(max, magnitude(a[x]));
  *norm = (attn_norm){0, 0};
  if (max == 0)
    return ATTN_OK;
  /* by a power of two, which rounds nothing, so that fourth powers stay in the doubles */
  double scale = 1;
  while (max * scale > 0x1p128)
    scale *= 0x1p-64;
  while (max * scale < 0x1p-128)
    scale *= 0x1p64;
  double first = gram(now, a, (size_t)rows, (size_t)columns, scale);
  /* ‖G^k‖_F^(1/k) = first·e^log_upper, k = 1, 2, 4, … */
  double log_upper = 0;
  double open = 0;
  for (double k = 1; k < 0x1p62; k *= 2) {
    double trace = 0;
    double *was = now;
    for (size_t x = 0; x < size; x++)
      trace += now[x * size + x];
    open = f64_log(greater(trace, 1)) / k;
    if (open <= ROUNDING)
      break;
    log_upper += f64_log(gram(next, now, size, size, 1)) / (2 * k);
    now = next;
    next = was;
  }
  double rounding = 4 * ROUNDING * (double)size;
  double top = __builtin_sqrt(first) / scale;
  norm->upper = top * f64_exp(log_upper / 2) * (1 + rounding);
  norm->lower = top * f64_exp((log_upper - open) / 2) * (1 - rounding);
  return ATTN_OK;
}
