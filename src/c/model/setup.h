/* A model as the decoder sees it: numbers, and where its matrices, norms, tables and caches are. */
#ifndef MODEL_H
#define MODEL_H

#include "decoder.h"

typedef struct {
  const float *attn_norm, *ffn_norm;           /* (dim) */
  const attn_matrix *q, *k, *v, *o;            /* see attn_decoder_set_attention */
  const attn_matrix *gate, *up, *down;         /* see attn_decoder_set_feed_forward */
  const float *q_bias, *k_bias, *v_bias;       /* NULL: none */
  const float *q_norm, *k_norm;                /* (head_dim), NULL: none */
  const float *attn_post_norm, *ffn_post_norm; /* (dim), NULL: none */
  const float *cos, *sin;                      /* (rope_positions, head_dim/2) */
  int32_t rope_positions, interleaved;
  int32_t left; /* positions seen before the own, −1: all */
  attn_cache *cache;
} decoder_layer;

struct attn_decoder {
  int32_t layers, dim, heads, kv_heads, head_dim, hidden, vocab;
  int32_t activation;
  double eps, scale, softcap, final_softcap;
  float embedding_scale;
  const attn_matrix *embedding, *output; /* (vocab, dim) */
  const float *norm;                     /* (dim) */
  decoder_layer *layer;                  /* (layers) */
  double *temperature;                   /* (layers, heads) */
};

/*
 * ATTN_OK if everything a pass needs is set and t more positions have room; all caches then hold
 * *length positions.
 */
int32_t attn_decoder_ready(const attn_decoder *d, int32_t t, int32_t *length);

#endif
