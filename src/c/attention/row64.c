/*
 * One row in double: all scores, then their maximum, weights and weighted sum. Every sum carries
 * the rounding errors of its additions along. So its error is that of its terms and does not grow
 * with their number.
 */
#include "row64.h"
#include "cache_layout.h"

INLINE int finite(double x) { return x - x == 0; }

INLINE double size_of(double x) { return x < 0 ? -x : x; }

/* x·2^k; beyond the doubles the nearest, if x is finite. */
static double times_power2(double x, int k)
{
  if (!finite(x))
    return x;
  for (; k > 1000; k -= 1000)
    x *= 0x1p1000;
  for (; k < -1000; k += 1000)
    x *= 0x1p-1000;
  x *= f64_power2(k);
  return x > F64_MAX ? F64_MAX : x < -F64_MAX ? -F64_MAX : x;
}

/* Element `at` of an option, or of a result. */
INLINE double option_at(const row64 *row, const void *a, size_t at)
{
  return row->single ? (double)((const float *)a)[at] : ((const double *)a)[at];
}

INLINE void put(const row64 *row, void *a, size_t at, double x)
{
  if (row->single)
    ((float *)a)[at] = row_float(x);
  else
    ((double *)a)[at] = x;
}

/* ---- Keys and values ---- */

/* `size` floats, of arrays or of a cache, as doubles. */
static const double *widen(const row64 *row, int32_t j, int is_value, const float *x, double *to,
                           int32_t size)
{
  if (row->cache) {
    cache_get(row->cache, row->kv_head, j, is_value, row->numbers);
    x = row->numbers;
  }
  for (int32_t c = 0; c < size; c++)
    to[c] = x[c];
  return to;
}

static const double *key_of(const row64 *row, int32_t j)
{
  const size_t at = (size_t)j * row->k_stride;
  if (row->k)
    return row->k + at;
  return widen(row, j, 0, row->k32 ? row->k32 + at : NULL, row->key, row->p->dim);
}

static const double *value_of(const row64 *row, int32_t j)
{
  const size_t at = (size_t)j * row->v_stride;
  if (row->v)
    return row->v + at;
  return widen(row, j, 1, row->v32 ? row->v32 + at : NULL, row->value, row->p->value_dim);
}

/* ---- Scores ---- */

/* The power of two above all of x; or that of 0 in *none, or infinity and NaN there. */
static int exponent_of(const double *x, int32_t size, double *none)
{
  double max = 0;
  double zero = 0;
  for (int32_t c = 0; c < size; c++) {
    max = size_of(x[c]) > max ? size_of(x[c]) : max;
    zero += x[c] * 0;
  }
  int exponent;
  f64_split(max, &exponent);
  *none = max == 0 || !finite(zero) ? zero : 1;
  return exponent;
}

double row64_largest_channel(const row64 *row, int32_t j)
{
  const double *k = key_of(row, j);
  double max = 0;
  for (int32_t c = 0; c < row->p->dim; c++)
    max = finite(k[c]) && size_of(k[c]) > max ? size_of(k[c]) : max;
  return max;
}

/* The product with q and k divided by powers of two, which are given back at the end. */
static double score_in_range(const row64 *row, const double *k, double scale, double factor)
{
  const attn_params *p = row->p;
  double q_none;
  double k_none;
  int q_exponent = exponent_of(row->q, p->dim, &q_none);
  int k_exponent = exponent_of(k, p->dim, &k_none);
  exact_sum dot = {0, 0};
  if (q_none != 1 || k_none != 1)
    return __builtin_nan("");
  for (int32_t c = 0; c < p->dim; c++)
    sum_add(&dot, times_power2(row->q[c], -q_exponent) * times_power2(k[c], -k_exponent));
  int scale_exponent;
  int factor_exponent;
  double z = sum_of(dot) * f64_split(scale, &scale_exponent) * f64_split(factor, &factor_exponent);
  return times_power2(z, q_exponent + k_exponent + scale_exponent + factor_exponent);
}

/*
 * Products that leave the doubles come back with a small scale, and those that vanish with a large
 * one or at a low temperature.
 */
static double raw_score(const row64 *row, int32_t j)
{
  const attn_params *p = row->p;
  const double *k = key_of(row, j);
  exact_sum dot = {0, 0};
  for (int32_t c = 0; c < p->dim; c++)
    sum_add(&dot, row->q[c] * k[c]);
  double product = sum_of(dot);
  double z = product * p->scale;
  double factor = 1;
  if (p->key_scale)
    z *= factor = option_at(row, p->key_scale, (size_t)j);
  int vanishes =
      size_of(product) < 0x1p-500 && !(size_of(p->scale) < 0x1p400 * temperature_of(p, row->h));
  if (finite(z) && !vanishes)
    return z;
  double again = score_in_range(row, k, p->scale, factor);
  return again == again && finite(factor) ? again : z;
}

int row64_attends(const row64 *row, int32_t j)
{
  const attn_params *p = row->p;
  if (j < row->view.lo || j >= row->view.hi)
    return 0;
  size_t at = row->view.mask_at + (size_t)(row->view.mask_step * j);
  if (p->mask_kind == ATTN_MASK_SELECT)
    return ((const uint8_t *)p->mask)[at] != 0;
  return p->mask_kind != ATTN_MASK_ADD || option_at(row, p->mask, at) != -__builtin_inf();
}

double row64_score(const row64 *row, int32_t j, int32_t stage)
{
  const attn_params *p = row->p;
  double z = raw_score(row, j);
  if (stage == ATTN_SCORES_RAW)
    return z;
  if (p->softcap > 0)
    z = p->softcap * f64_tanh(z / p->softcap);
  if (stage == ATTN_SCORES_CAPPED)
    return z;
  double bias = 0;
  double slope = 0;
  double distance = 0;
  if (p->mask_kind == ATTN_MASK_ADD)
    bias = option_at(row, p->mask, row->view.mask_at + (size_t)(row->view.mask_step * j));
  if (p->alibi) {
    slope = option_at(row, p->alibi, (size_t)row->h);
    distance = size_of((double)row->view.position - j);
  }
  double sum = p->mask_kind == ATTN_MASK_ADD ? z + bias : z;
  if (p->alibi)
    sum -= slope * distance;
  if (finite(sum) || !finite(z) || !finite(bias) || !finite(slope))
    return sum;
  const double small = 0x1p-33; /* no part is beyond the doubles then, nor is their sum */
  return times_power2(z * small + bias * small - slope * (distance * small), 33);
}

/* ---- The row ---- */

/* The score of a key that is attended, once all of them have been computed. */
INLINE double score_again(const row64 *row, int32_t j)
{
  return row->z ? row->z[j] : row64_score(row, j, ATTN_SCORES_MASKED);
}

/* The maximum of the attended scores, and how many there are. */
static row_state find_maximum(const row64 *row)
{
  const attn_params *p = row->p;
  int any_nan = 0;
  int everywhere = row->scores && p->scores_stage != ATTN_SCORES_MASKED;
  int32_t lo = everywhere ? 0 : row->view.lo;
  int32_t hi = everywhere ? p->n : row->view.hi;
  row_state state = row_empty();
  for (int32_t j = lo; j < hi; j++) {
    int attended = row64_attends(row, j);
    if (everywhere)
      put(row, row->scores, (size_t)j, row64_score(row, j, p->scores_stage));
    if (!attended)
      continue;
    double z = row64_score(row, j, ATTN_SCORES_MASKED);
    if (row->z)
      row->z[j] = z;
    if (row->scores && !everywhere)
      put(row, row->scores, (size_t)j, z);
    any_nan |= z != z;
    state.large |= finite(z) && size_of(z) > 0x1p900;
    if (state.attended++ == 0)
      state.first = j;
    if (z > state.max) {
      state.max = z;
      state.argmax = j;
    }
  }
  if (any_nan)
    state.max = __builtin_nan("");
  else if (temperature_kind(temperature_of(p, row->h)) == T_INFINITE &&
           state.max == -__builtin_inf())
    state.max = -F64_MAX;
  return state;
}

/* ---- The sums of the values, two channels in the time of one ---- */

INLINE exact_pair *pairs_of(const row64 *row) { return (exact_pair *)(void *)row->sums; }

static void clear_values(const row64 *row)
{
  const int32_t size = row->p->value_dim;
  for (int32_t c = 0; c + 2 <= size; c += 2)
    pairs_of(row)[c / 2] = (exact_pair){{0, 0}, {0, 0}};
  if (size % 2)
    row->sums[size - 1] = (exact_sum){0, 0};
}

static void add_value(const row64 *row, double e, const double *v)
{
  const int32_t size = row->p->value_dim;
  const f64x2 weight = {e, e};
  for (int32_t c = 0; c + 2 <= size; c += 2)
    pair_add(&pairs_of(row)[c / 2], weight * *(const f64x2_u *)(const void *)(v + c));
  if (size % 2)
    sum_add(&row->sums[size - 1], e * v[size - 1]);
}

static double value_sum(const row64 *row, int32_t c)
{
  const int is_single = c == row->p->value_dim - 1 && c % 2 == 0;
  return sum_of(is_single ? row->sums[c] : pair_half(pairs_of(row)[c / 2], c % 2));
}

/*
 * Channel c of the output where the sum of the values leaves the doubles, though their mean does
 * not, but by rounding.
 */
static double large_mean(const row64 *row, const row_state *state, int32_t c, double denominator)
{
  const double scale = 0x1p-64;
  const double max = F64_MAX * 0x1p-64;
  const double T = temperature_of(row->p, row->h);
  const int kind = temperature_kind(T);
  exact_sum sum = {0, 0};
  for (int32_t j = row->view.lo; j < row->view.hi; j++)
    if (row64_attends(row, j))
      sum_add(&sum, weight_in_double(kind, score_again(row, j), state->max, T) *
                        (value_of(row, j)[c] * scale));
  double mean = sum_of(sum) / denominator;
  if (finite(mean))
    mean = mean > max ? max : mean < -max ? -max : mean;
  return mean / scale;
}

/* The weight e of key j, to its segment; keys come in order, and x is the segment so far. */
static int32_t add_to_segment(const row64 *row, int32_t x, int32_t j, double e)
{
  const attn_params *p = row->p;
  while (x < p->segment_count && p->edges[x + 1] <= j)
    x++;
  if (x < p->segment_count && p->edges[x] <= j)
    sum_add(&row->segments[x], e);
  return x;
}

/* Whether the row attends to any key of a segment. */
static int attends_within(const row64 *row, int32_t x)
{
  const int32_t end = row->p->edges[x + 1] < row->view.hi ? row->p->edges[x + 1] : row->view.hi;
  for (int32_t j = row->p->edges[x]; j < end; j++)
    if (row64_attends(row, j))
      return 1;
  return 0;
}

static void write_segments(const row64 *row, const row_state *state, size_t at, double denominator)
{
  const attn_params *p = row->p;
  const int none = state->attended == 0;
  const int all_nan = denominator != denominator;
  for (int32_t x = 0; x < p->segment_count; x++) {
    double share = none ? 0 : sum_of(row->segments[x]) / denominator;
    if (all_nan && !attends_within(row, x))
      share = 0;
    put(row, p->segments, at * (size_t)p->segment_count + (size_t)x, share);
  }
}

/* The sums of the weights, of the values and of the moment. */
static void add_up(const row64 *row, row_state *state, int64_t weights)
{
  const attn_params *p = row->p;
  const double T = temperature_of(p, row->h);
  const int kind = temperature_kind(T);
  const double small = state->large ? SMALL : 1;
  exact_sum sum = {0, 0};
  exact_sum moment = {0, 0};
  clear_values(row);
  for (int32_t x = 0; x < p->segment_count; x++)
    row->segments[x] = (exact_sum){0, 0};
  int32_t segment = 0;
  for (int32_t j = row->view.lo; j < row->view.hi; j++) {
    if (!row64_attends(row, j))
      continue;
    double z = score_again(row, j);
    double e = row_is_void(state) ? 0 : weight_in_double(kind, z, state->max, T);
    sum_add(&sum, e);
    if (p->segments)
      segment = add_to_segment(row, segment, j, e);
    sum_add(&moment, e == 0 ? 0 : e * (z * small - state->max * small));
    if (weights >= 0)
      put(row, p->weights, (size_t)weights + (size_t)j, e);
    add_value(row, e, value_of(row, j));
  }
  state->sum = state->total = sum_of(sum);
  state->moment = sum_of(moment);
}

/* Σ e·(z − ⟨z⟩)², once their mean is known. */
static double spread_of(const row64 *row, const row_state *state)
{
  const double T = temperature_of(row->p, row->h);
  const double small = state->large ? SMALL : 1;
  const double mean = state->moment / state->total;
  exact_sum sum = {0, 0};
  for (int32_t j = row->view.lo; j < row->view.hi; j++) {
    if (!row64_attends(row, j))
      continue;
    double z = score_again(row, j);
    double e = weight_in_double(temperature_kind(T), z, state->max, T);
    double x = z * small - state->max * small - mean;
    sum_add(&sum, e == 0 ? 0 : e * (x * x));
  }
  return sum_of(sum);
}

void row64_attend(const row64 *row)
{
  const attn_params *p = row->p;
  const double T = temperature_of(p, row->h);
  const int64_t weights = weights_at(p, row->b, row->h, row->i);
  const size_t at = row_index(p, row->b, row->h, row->i);
  for (int32_t j = 0; j < p->n; j++) {
    if (row->scores)
      put(row, row->scores, (size_t)j, -__builtin_inf());
    if (weights >= 0)
      put(row, p->weights, (size_t)weights + (size_t)j, 0);
  }
  row_state state = find_maximum(row);
  add_up(row, &state, weights);
  if (p->stats && state.sum > 0)
    state.spread = spread_of(row, &state);
  double sink = p->sinks ? option_at(row, p->sinks, (size_t)row->h) : 0;
  double denominator = row_denominator(&state, T, p->sinks ? &sink : NULL);
  for (int32_t j = row->view.lo; weights >= 0 && j < row->view.hi; j++)
    if (row64_attends(row, j))
      put(row, p->weights, (size_t)weights + (size_t)j,
          option_at(row, p->weights, (size_t)weights + (size_t)j) / denominator);
  for (int32_t c = 0; c < p->value_dim; c++) {
    double sum = value_sum(row, c);
    double mean = finite(sum) ? sum / denominator : large_mean(row, &state, c, denominator);
    put(row, row->out, (size_t)c, state.attended ? mean + 0 : 0); /* +0 of −0 */
  }
  if (p->segments)
    write_segments(row, &state, at, denominator);
  row_write_summary(p, at, &state, T, row->single);
}
