/* The gradient of attention: a call and its arrays. */
#ifndef ATTENTION_GRADIENT_CALL_H
#define ATTENTION_GRADIENT_CALL_H

#include "attention/row64.h"
#include "train.h"

struct attn_gradient {
  const attn_params *p;
  void *key_scale, *sinks, *mask;
  double *scale, *temperature;
};

/* Sums over the rows of one head. */
typedef struct {
  double scale, temperature, sink;
} head_sums;

/* One call; arrays are of floats if `single`, else of doubles. */
typedef struct {
  const attn_gradient *g;
  const attn_params *p;
  int single;
  void *dq, *dk, *dv;
  const void *q, *k, *v, *d_out;
  strides query, key, value, out; /* of the arrays */

  /* shared by the threads, each piece with its own places */
  head_sums *sums;   /* (batch, heads) */
  double *key_scale; /* (batch, kv_heads, n), or NULL */
  double *mask;      /* of the mask's sizes, or NULL */
} gradient_call;

/* Element `at` of an array of the call. */
INLINE double number_at(int single, const void *x, size_t at)
{
  return single ? (double)((const float *)x)[at] : ((const double *)x)[at];
}

INLINE void put_number(int single, void *x, size_t at, double value)
{
  if (single)
    ((float *)x)[at] = row_float(value);
  else
    ((double *)x)[at] = value;
}

#endif
