/* latent_layer.h: a latent layer as a call sees it. */
#ifndef LATENT_LAYER_H
#define LATENT_LAYER_H

#include "layers.h"

struct attn_latent {
  int32_t heads;
  int32_t latent;
  int32_t nope;
  int32_t rope;
  int32_t value_dim;
  const attn_matrix *down;   /* W_DKV (latent, model) */
  const attn_matrix *key;    /* W_KR (rope, model), or NULL if rope is 0 */
  const attn_matrix *q_down; /* W_DQ (query's latent, model), or NULL */
  const attn_matrix *q;      /* (heads·(nope + rope), query's latent or model) */
  const attn_matrix *o;      /* (outputs, heads·value_dim) */
  const char *up;            /* (heads) of head_matrices */
  const float *q_norm;       /* (query's latent), or NULL */
  const float *kv_norm;      /* (latent), or NULL */
  double epsilon;
  const float *cos; /* (positions, rope/2), or NULL */
  const float *sin; /* (positions, rope/2), or NULL */
  int32_t interleaved;
  int32_t residual;
};

/* Where the three matrices of a head begin in its part of `up`, and the bytes of that part. */
typedef struct {
  size_t keys;       /* W_UK (nope, r), for the expanded form */
  size_t transposed; /* W_UKᵀ (r, nope), for the absorbed form */
  size_t values;     /* W_UV (value_dim, r) */
  size_t bytes;
} head_matrices;

head_matrices attn_latent_matrices(const attn_latent *l);

#endif
