/* One row of the gradient of attention, in double. */
#ifndef ATTENTION_GRADIENT_ROW_H
#define ATTENTION_GRADIENT_ROW_H

#include "attention_gradient_call.h"

/* A row in double. Its scratch is of attn_row_gradient_place. */
typedef struct {
  row64 row;
  double *d_out;     /* (value_dim) */
  double *query;     /* (dim): row.q, which it may write */
  double *weights;   /* (n): p_j of attended keys */
  double *factors;   /* (n): scale·keyScale_j·dR_j of attended keys */
  exact_sum *dq;     /* (dim) */
  head_sums *sums;   /* added to, as are the next two */
  double *key_scale; /* (n), or NULL */
  double *mask;      /* of the mask's sizes, or NULL */
} row_gradient;

/* Lays a row's scratch out from `base`, or measures it: its bytes. */
size_t attn_row_gradient_place(row_gradient *r, const attn_params *p, void *base);

/*
 * Row i of head h of batch b: weights, factors and dq, and its parts of the sums. The caller adds
 * weights·d_out to dv and factors·query to dk.
 */
void attn_row_gradient(row_gradient *r, const gradient_call *call, int32_t b, int32_t h, int32_t i);

#endif
