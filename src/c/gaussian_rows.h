/* Body of gaussian.c for one element type: REAL is float or double, NAME(x) appends its suffix. Included twice. */

/* Arithmetic is in REAL throughout, but for exp itself, whose result is rounded to REAL. */
int32_t NAME(attn_gaussian)(REAL *weights, REAL *out, const REAL *q, const REAL *k, const REAL *v, int32_t m, int32_t n,
                            int32_t dim, int32_t value_dim, double temperature, int32_t restore_key_norm)
{
  if (!(temperature > 0 && temperature - temperature == 0))
    return ATTN_E_RANGE;
  if (m < 0 || n < 0 || dim < 1 || value_dim < 0)
    return ATTN_E_RANGE;
  const REAL twice_sigma2 = (REAL)(2.0 * attn_gaussian_sigma2(dim, temperature));
  for (int32_t i = 0; i < m; i++) {
    REAL *w = weights + (size_t)i * (size_t)n, least = (REAL)__builtin_inf(), sum = 0;
    for (int32_t j = 0; j < n; j++) {
      REAL distance = 0, norm = 0;
      for (int32_t c = 0; c < dim; c++) {
        REAL x = k[(size_t)j * (size_t)dim + (size_t)c], delta = q[(size_t)i * (size_t)dim + (size_t)c] - x;
        distance += delta * delta;
        norm += x * x;
      }
      w[j] = restore_key_norm ? distance - norm : distance;
      least = w[j] < least ? w[j] : least;
    }
    /* relative to the nearest key, or far queries would have only zeros */
    for (int32_t j = 0; j < n; j++) {
      w[j] = (REAL)gaussian_exp((double)((least - w[j]) / twice_sigma2));
      sum += w[j];
    }
    for (int32_t j = 0; j < n; j++)
      w[j] /= sum;
    for (int32_t c = 0; out && v && c < value_dim; c++) {
      REAL total = 0;
      for (int32_t j = 0; j < n; j++)
        total += w[j] * v[(size_t)j * (size_t)value_dim + (size_t)c];
      out[(size_t)i * (size_t)value_dim + (size_t)c] = total;
    }
  }
  return ATTN_OK;
}

static double NAME(norm)(const REAL *x, int32_t dim)
{
  double square = 0;
  for (int32_t c = 0; c < dim; c++)
    square += (double)x[c] * (double)x[c];
  return __builtin_sqrt(square);
}

static void NAME(compare)(double *report, const REAL *w1, const REAL *w2, const REAL *o1, const REAL *o2, const REAL *q,
                          const REAL *k, const REAL *v, int32_t m, int32_t n, int32_t dim, int32_t value_dim,
                          double temperature)
{
  const double unit = sizeof(REAL) == 4 ? 0x1p-24 : 0x1p-53, least = sizeof(REAL) == 4 ? 0x1p-126 : 0x1p-1022;
  double longest = 0;
  for (int x = 0; x < 10; x++)
    report[x] = 0;
  for (int32_t j = 0; j < n; j++) {
    double length = NAME(norm)(k + (size_t)j * (size_t)dim, dim);
    longest = length > longest ? length : longest;
  }
  for (int32_t i = 0; i < m; i++) {
    double reach = NAME(norm)(q + (size_t)i * (size_t)dim, dim) + longest;
    double rounding = 16.0 + 2.0 * reach * reach / temperature;
    const REAL *a = w1 + (size_t)i * (size_t)n, *b = w2 + (size_t)i * (size_t)n;
    for (int32_t j = 0; j < n; j++)
      take(report, (double)a[j] - (double)b[j], unit * rounding * larger(a[j], b[j]) + least);
    for (int32_t c = 0; c < value_dim; c++) {
      double magnitude = 0;
      for (int32_t j = 0; j < n; j++) {
        double x = (double)v[(size_t)j * (size_t)value_dim + (size_t)c];
        magnitude += larger(a[j], b[j]) * (x < 0 ? -x : x);
      }
      size_t at = (size_t)i * (size_t)value_dim + (size_t)c;
      take(report + 5, (double)o1[at] - (double)o2[at],
           unit * (rounding + 2.0 * __builtin_sqrt(n)) * magnitude + least);
    }
  }
  for (double *part = report; part < report + 10; part += 5) {
    part[1] = __builtin_sqrt(part[1]);
    part[3] = __builtin_sqrt(part[3]);
  }
}
