/* The rows and keys that tiles can take, and the numbers of a row that its keys share. */
#include "attention_gradient_head.h"

/* lse beyond it has too few bits left behind the point: tuning.md#gradient-lse */
#define MAX_LSE 0x1p14f
/* Products and sums of them stay far below the largest float. */
#define MAX_NUMBER 0x1p100

/* The largest |x| of an array; infinite or NaN if some number is. */
INLINE float largest_size(const float *x, int32_t size)
{
  const i32x4 bits = v_splat_i(INT32_MAX);
  i32x4 max = {0, 0, 0, 0};
  int32_t c = 0;
  for (; c + 4 <= size; c += 4)
    max = v_max_i(max, (i32x4)v_load(x + c) & bits);
  if (c < size)
    max = v_max_i(max, (i32x4)v_load_tail(x + c, (size_t)(size - c)) & bits);
  max = v_max_i(max, __builtin_shufflevector(max, max, 2, 3, 2, 3));
  max = v_max_i(max, __builtin_shufflevector(max, max, 1, 1, 1, 1));
  return ((f32x4)max)[0];
}

void attn_gradient_largest(float *to, const float *x, size_t step, int32_t count, int32_t size)
{
  for (int32_t i = 0; i < count; i++, x += step)
    to[i] = largest_size(x, size);
}

INLINE int finite(float x) { return x - x == 0; }

INLINE double size_of(double x) { return x < 0 ? -x : x; }

/* ⟨do, o⟩, in double. */
INLINE double mean_of(const float *d_out, const float *out, int32_t size)
{
  f64x2 sum = {0, 0};
  int32_t c = 0;
  for (; c + 4 <= size; c += 4) {
    const f32x4 x = v_load(d_out + c);
    const f32x4 y = v_load(out + c);
    sum += v_low_double(x) * v_low_double(y);
    sum += v_high_double(x) * v_high_double(y);
  }
  double total = sum[0] + sum[1];
  for (; c < size; c++)
    total += (double)d_out[c] * out[c];
  return total;
}

/* ⟨do, o⟩ of each row of a block. */
KERNEL void means_of(double *to, const float *d_out, const float *out, size_t step, int32_t count,
                     int32_t size)
{
  for (int32_t x = 0; x < count; x++, d_out += step, out += step)
    to[x] = mean_of(d_out, out, size);
}

/* log Σ exp of the keys and the sink. With a sink, the row's part is added to a head's sums. */
static double lse_of(gradient_tiles *t, double lse, double mean)
{
  const attn_params *p = t->p;
  if (!p->sinks)
    return lse;
  const double T = temperature_of(p, t->h);
  const double logit = ((const float *)p->sinks)[t->h] / T;
  const double max = lse > logit ? lse : logit;
  const double min = lse > logit ? logit : lse;
  const double all = max + f64_log1p(f64_exp(min - max));
  const double weight = f64_exp(logit - all);
  const double d_sink = -weight * mean / T;
  if (finite((float)all) && size_of(all) <= MAX_LSE && weight > 0) {
    t->in_double.sums->sink += d_sink;
    t->in_double.sums->temperature -= d_sink * logit;
  }
  return all;
}

/* Whether numbers of these sizes keep all products and sums of a row within the floats. */
static int fits(const gradient_tiles *t, double query, double d_out)
{
  const attn_params *p = t->p;
  const double T = temperature_of(p, t->h);
  const double factor = t->max_factor / T;
  const double score = query * t->max_key * p->dim;
  const double slope = 2 * d_out * t->max_value * p->value_dim;
  const double both = query > t->max_key ? query : t->max_key;
  if (!(T > 1 / MAX_NUMBER && T < MAX_NUMBER))
    return 0;
  if (p->softcap > 0 && !(p->softcap > 0x1p-60 && p->softcap < 0x1p60))
    return 0;
  return score < MAX_NUMBER && score * factor < MAX_NUMBER && slope < MAX_NUMBER &&
         slope / T < MAX_NUMBER && (factor == 0 || (factor > 0x1p-60 && factor < 0x1p60)) &&
         slope * factor * (1 + both) * ((double)p->m + p->n) < MAX_NUMBER;
}

static int sees_not_finite(const gradient_tiles *t, const row_view *view)
{
  for (int32_t x = 0; x < t->not_finite_count; x++)
    if (attn_key_attended(t->p, view, t->not_finite[x]))
      return 1;
  return 0;
}

int attn_gradient_note_key(gradient_tiles *t, int32_t j, float key, float value)
{
  const attn_params *p = t->p;
  const float scale = p->key_scale ? ((const float *)p->key_scale)[j] : 1;
  if (!finite(key) || !finite(value) || !finite(scale)) {
    t->not_finite[t->not_finite_count++] = j;
    return 0;
  }
  const double factor = size_of(p->scale * (double)scale);
  t->max_key = key > t->max_key ? key : t->max_key;
  t->max_value = value > t->max_value ? value : t->max_value;
  t->max_factor = factor > t->max_factor ? factor : t->max_factor;
  return 1;
}

/* Sets row x. `query` and `d_out` are the largest |x| of these rows, and `mean` is D. */
static void begin_row(gradient_tiles *t, int32_t x, float query, float d_out, double mean)
{
  const attn_params *p = t->p;
  const int32_t i = t->first + x;
  tile_row *row = &t->rows[x];
  *row = (tile_row){.view = row_view_of(p, t->b, t->h, i)};
  if (row->view.lo >= row->view.hi)
    return;
  const double lse = t->call->lse[row_index(p, t->b, t->h, i)];
  row->in_double = !finite(query) || !finite(d_out) || !finite((float)mean) ||
                   !fits(t, query, d_out) || !(size_of(lse) <= MAX_LSE) ||
                   sees_not_finite(t, &row->view);
  const double all = row->in_double ? lse : lse_of(t, lse, mean);
  row->in_double |= !(size_of(all) <= MAX_LSE);
  row->minus_lse = (float)-all;
  row->mean = (float)mean;
  if (row->in_double)
    row->view.hi = row->view.lo;
}

void attn_gradient_begin_rows(gradient_tiles *t)
{
  const attn_params *p = t->p;
  const gradient_call *call = t->call;
  const float *query = (const float *)call->q + query_place(call, t->b, t->h, t->first);
  const float *d_out = (const float *)call->d_out + out_place(call, t->b, t->h, t->first);
  const float *out = call->output + out_place(call, t->b, t->h, t->first);
  float query_sizes[QUERIES];
  float d_out_sizes[QUERIES];
  double means[QUERIES];
  attn_gradient_largest(query_sizes, query, call->query.position, t->count, p->dim);
  attn_gradient_largest(d_out_sizes, d_out, call->out.position, t->count, p->value_dim);
  means_of(means, d_out, out, call->out.position, t->count, p->value_dim);
  for (int32_t x = 0; x < t->count; x++)
    begin_row(t, x, query_sizes[x], d_out_sizes[x], means[x]);
}
