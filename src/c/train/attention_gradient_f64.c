/* The gradient of float64 attention: row after row. */
#include "attention_gradient_head.h"

static void add_to(double *to, double factor, const double *x, int32_t size)
{
  for (int32_t c = 0; c < size; c++)
    to[c] += factor * x[c];
}

static void clear_keys(double *x, size_t stride, int32_t n, int32_t size)
{
  for (int32_t j = 0; j < n; j++)
    for (int32_t c = 0; c < size; c++)
      x[(size_t)j * stride + (size_t)c] = 0;
}

void attn_gradient_kv_head_f64(row_gradient *r, const gradient_call *call, int32_t b,
                               int32_t kv_head)
{
  const attn_params *p = call->p;
  const int32_t group = p->heads / p->kv_heads;
  const size_t key = call->key.position;
  const size_t value = call->value.position;
  double *dk = (double *)call->dk + (size_t)b * call->key.batch + (size_t)kv_head * call->key.head;
  double *dv =
      (double *)call->dv + (size_t)b * call->value.batch + (size_t)kv_head * call->value.head;
  clear_keys(dk, key, p->n, p->dim);
  clear_keys(dv, value, p->n, p->value_dim);
  for (int32_t h = kv_head * group; h < (kv_head + 1) * group; h++) {
    r->sums = &call->sums[(size_t)b * (size_t)p->heads + (size_t)h];
    for (int32_t i = 0; i < p->m; i++) {
      attn_row_gradient(r, call, b, h, i);
      double *dq = (double *)call->dq + query_place(call, b, h, i);
      for (int32_t c = 0; c < p->dim; c++)
        dq[c] = sum_of(r->dq[c]);
      for (int32_t j = r->row.view.lo; j < r->row.view.hi; j++) {
        if (!row64_attends(&r->row, j))
          continue;
        add_to(dk + (size_t)j * key, r->factors[j], r->query, p->dim);
        add_to(dv + (size_t)j * value, r->weights[j], r->d_out, p->value_dim);
      }
    }
  }
}
