/*
 * The functions of gaussian.c for one type. It is included twice: REAL is float or double, and
 * NAME(x) appends the suffix of the type.
 */

/*
 * Distances are in REAL, as the scores of attention are. Exponents and exp are in double, and
 * weights are rounded to REAL. Sums over the keys are in double and carry their errors. So the
 * allowed difference does not depend on n.
 */
int32_t NAME(attn_gaussian)(REAL *weights, REAL *out, const REAL *q, const REAL *k, const REAL *v,
                            int32_t m, int32_t n, int32_t dim, int32_t value_dim,
                            double temperature, int32_t restore_key_norm)
{
  if (!is_temperature(temperature))
    return ATTN_E_RANGE;
  if (m < 0 || n < 0 || dim < 1 || value_dim < 0)
    return ATTN_E_RANGE;
  const double twice_sigma2 = 2.0 * attn_gaussian_sigma2(dim, temperature);
  for (int32_t i = 0; i < m; i++) {
    REAL *w = weights + (size_t)i * (size_t)n;
    REAL nearest = (REAL)__builtin_inf();
    exact_sum sum = {0, 0};
    for (int32_t j = 0; j < n; j++) {
      REAL distance = 0;
      REAL norm = 0;
      for (int32_t c = 0; c < dim; c++) {
        REAL x = k[(size_t)j * (size_t)dim + (size_t)c];
        REAL delta = q[(size_t)i * (size_t)dim + (size_t)c] - x;
        distance += delta * delta;
        norm += x * x;
      }
      w[j] = restore_key_norm ? distance - norm : distance;
      nearest = w[j] < nearest ? w[j] : nearest;
    }
    /* relative to the nearest key, or far queries would have only zeros */
    for (int32_t j = 0; j < n; j++) {
      w[j] = (REAL)gaussian_exp((double)(nearest - w[j]) / twice_sigma2);
      sum_add(&sum, (double)w[j]);
    }
    double total = sum_of(sum);
    for (int32_t j = 0; j < n; j++)
      w[j] = (REAL)((double)w[j] / total);
    for (int32_t c = 0; out && v && c < value_dim; c++) {
      exact_sum mean = {0, 0};
      for (int32_t j = 0; j < n; j++)
        sum_add(&mean, (double)w[j] * (double)v[(size_t)j * (size_t)value_dim + (size_t)c]);
      out[(size_t)i * (size_t)value_dim + (size_t)c] = (REAL)sum_of(mean);
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

static void NAME(compare)(attn_gaussian_report *report, const REAL *w1, const REAL *w2,
                          const REAL *o1, const REAL *o2, const REAL *q, const REAL *k,
                          const REAL *v, int32_t m, int32_t n, int32_t dim, int32_t value_dim,
                          double temperature)
{
  const double unit = sizeof(REAL) == 4 ? 0x1p-24 : 0x1p-53;
  const double smallest = sizeof(REAL) == 4 ? 0x1p-126 : 0x1p-1022;
  double longest = 0;
  *report = (attn_gaussian_report){0};
  for (int32_t j = 0; j < n; j++) {
    double length = NAME(norm)(k + (size_t)j * (size_t)dim, dim);
    longest = length > longest ? length : longest;
  }
  for (int32_t i = 0; i < m; i++) {
    double reach = NAME(norm)(q + (size_t)i * (size_t)dim, dim) + longest;
    double rounding = 16.0 + 2.0 * reach * reach / temperature;
    const REAL *a = w1 + (size_t)i * (size_t)n;
    const REAL *b = w2 + (size_t)i * (size_t)n;
    for (int32_t j = 0; j < n; j++)
      count_element(&report->weights, (double)a[j] - (double)b[j],
                    unit * rounding * greater(a[j], b[j]) + smallest);
    for (int32_t c = 0; c < value_dim; c++) {
      exact_sum sum = {0, 0};
      for (int32_t j = 0; j < n; j++) {
        double x = (double)v[(size_t)j * (size_t)value_dim + (size_t)c];
        sum_add(&sum, greater(a[j], b[j]) * magnitude(x));
      }
      double size = sum_of(sum);
      size_t at = (size_t)i * (size_t)value_dim + (size_t)c;
      count_element(&report->output, (double)o1[at] - (double)o2[at],
                    unit * rounding * size + smallest);
    }
  }
  finish_frobenius(&report->weights);
  finish_frobenius(&report->output);
}
