/* float64 attention: row after row. */
#include "row64.h"

int32_t attn_forward_f64(const attn_params *p, double *out, const double *q, const double *k,
                         const double *v, void *scratch)
{
  if (p->precision != ATTN_FLOAT)
    return ATTN_E_RANGE;
  strides qs = strides_of(p, p->heads, p->m, p->dim);
  strides os = strides_of(p, p->heads, p->m, p->value_dim);
  strides ks = strides_of(p, p->kv_heads, p->n, p->dim);
  strides vs = strides_of(p, p->kv_heads, p->n, p->value_dim);
  int32_t group = p->heads / p->kv_heads;
  exact_sum *sums = scratch;
  exact_sum *segments = sums + p->value_dim;
  double *z = (double *)(segments + p->segment_count);
  for (int32_t b = 0; b < p->batch; b++)
    for (int32_t h = 0; h < p->heads; h++)
      for (int32_t i = 0; i < p->m; i++) {
        size_t scores = row_index(p, b, h, i) * (size_t)p->n;
        row64_attend(&(row64){
            .p = p,
            .b = b,
            .h = h,
            .i = i,
            .view = row_view_of(p, b, h, i),
            .q = q + (size_t)b * qs.batch + (size_t)h * qs.head + (size_t)i * qs.position,
            .k = k + (size_t)b * ks.batch + (size_t)(h / group) * ks.head,
            .v = v + (size_t)b * vs.batch + (size_t)(h / group) * vs.head,
            .k_stride = ks.position,
            .v_stride = vs.position,
            .out = out + (size_t)b * os.batch + (size_t)h * os.head + (size_t)i * os.position,
            .scores = p->scores ? (double *)p->scores + scores : NULL,
            .sums = sums,
            .segments = segments,
            .z = z});
      }
  return ATTN_OK;
}

size_t attn_scratch_bytes_f64(const attn_params *p)
{
  const size_t sums = (size_t)p->value_dim + (size_t)p->segment_count;
  return sums * sizeof(exact_sum) + (size_t)p->n * sizeof(double);
}
