/* The gradient of attention: a call and its arrays. */
#ifndef ATTENTION_GRADIENT_CALL_H
#define ATTENTION_GRADIENT_CALL_H

#include "attention/row64.h"
#include "gradients.h"

struct attn_gradient {
  const attn_params *p;
  void *key_scale;
  void *sinks;
  void *mask;
  double *scale;
  double *temperature;
};

/* Sums over the rows of one head. */
typedef struct {
  double scale;
  double temperature;
  double sink;
} head_sums;

/* One call; arrays are of floats if `single`, else of doubles. */
typedef struct {
  const attn_gradient *g;
  const attn_params *p;
  int single;
  void *dq;
  void *dk;
  void *dv;
  const void *q;
  const void *k;
  const void *v;
  const void *d_out;
  const float *output; /* of the forward call, if `single` */
  const float *lse;    /* of the forward call, if `single` */
  strides query;
  strides key;
  strides value;
  strides out; /* of the arrays */

  /* shared by the threads, each piece with its own places */
  int32_t parts;     /* of the rows of each kv head */
  head_sums *sums;   /* (parts, batch, heads) */
  double *key_scale; /* (parts, batch, kv_heads, n), or NULL */
  double *mask;      /* of the mask's sizes, or NULL */
  size_t cleared;    /* bytes of these, which begin as 0 */
  float *key_sums; /* (batch, kv_heads, parts, ·): dk and dv in strips, with more than one part */
  float *own_output; /* of the forward call, if it is not given */
  float *own_lse;    /* of the forward call, if it is not given */
  void *attend;
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

/* First elements of a query row, and of its output. */
INLINE size_t query_place(const gradient_call *call, int32_t b, int32_t h, int32_t i)
{
  return (size_t)b * call->query.batch + (size_t)h * call->query.head +
         (size_t)i * call->query.position;
}

INLINE size_t out_place(const gradient_call *call, int32_t b, int32_t h, int32_t i)
{
  return (size_t)b * call->out.batch + (size_t)h * call->out.head + (size_t)i * call->out.position;
}

#endif
