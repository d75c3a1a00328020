/* trainer.h: a model in training, with everything that a pass over some sequences keeps. */
#ifndef TRAINER_H
#define TRAINER_H

#include "train.h"
#include "attention/options.h"

/* Of all tokens in a pass: n of them, each with `width` channels, q = heads·head_dim and so on. */
typedef struct {
  float *x;    /* (n, width): the input */
  float *norm; /* (n, width): N(x); in the backward pass its gradient at the end */
  float *q;    /* (n, heads, head_dim), rotated */
  float *k;    /* (n, kv_heads, head_dim), rotated */
  float *v;    /* (n, kv_heads, head_dim) */
  float *a;    /* (n, heads, head_dim): the output of attention */
  float *lse;  /* (sequences, heads, context) */

  /* feed-forward */
  float *mid;      /* (n, width): x after attention */
  float *ffn_norm; /* (n, width): N(mid); in the backward pass its gradient at the end */
  float *gate;     /* (n, hidden); in the backward pass its gradient at the end, as are all below */
  float *up;       /* (n, hidden) */
  float *h;        /* (n, hidden): f(gate) ⊙ up */
} layer_activations;

/* The parameters of a layer, or their gradients; the shapes stand in train.h. */
typedef struct {
  float *norm;
  float *q;
  float *k;
  float *v;
  float *o;
  float *ffn_norm;
  float *gate;
  float *up;
  float *down;
} layer_parameters;

/* Logits of this many tokens are computed at a time. */
enum { LOGIT_ROWS = 256 };

struct attn_trainer {
  int32_t layers;
  int32_t width;
  int32_t heads;
  int32_t kv_heads;
  int32_t head_dim;
  int32_t hidden;
  int32_t vocab;
  int32_t context;
  int32_t sequences; /* in a pass, at most */
  int32_t tied;
  int32_t activation;
  double rope_base;
  double epsilon;

  float *parameters; /* (parameter_count) */
  float *gradients;  /* (parameter_count) */
  float *first;      /* (parameter_count) */
  float *second;     /* (parameter_count) */
  float *cos;        /* (context, head_dim/2) */
  float *sin;        /* (context, head_dim/2) */

  layer_activations *layer; /* (layers) */
  float *end;               /* (n, width): x after all layers */
  float *end_norm;          /* (n, width): N(end); in the backward pass its gradient */
  float *logits;            /* (LOGIT_ROWS, vocab), then their gradient */
  double *losses;           /* (n) */

  /* the backward pass */
  float *dx;               /* (n, width): of x, wherever the pass is */
  float *da;               /* (n, heads, head_dim) */
  float *dq;               /* (n, heads, head_dim) */
  float *dk;               /* (n, kv_heads, head_dim) */
  float *dv;               /* (n, kv_heads, head_dim) */
  double *r;               /* (n): 1/root mean square of the rows of a norm */
  attn_gradient *gradient; /* attn_gradient_bytes */
};

/* Layer `layer` of the parameters, or of the gradients. */
layer_parameters attn_trainer_layer(const attn_trainer *t, float *block, int32_t layer);

#endif
