/*
 * setup.h: a model as the decoder sees it. It holds numbers, and addresses of matrices, norms,
 * tables and caches.
 */
#ifndef SETUP_H
#define SETUP_H

#include "decoder.h"

typedef struct {
  /* attention */
  const float *attn_norm;      /* (dim) */
  const attn_matrix *q;        /* (heads·head_dim, dim) */
  const attn_matrix *k;        /* (kv_heads·head_dim, dim) */
  const attn_matrix *v;        /* (kv_heads·head_dim, dim) */
  const attn_matrix *o;        /* (dim, heads·head_dim) */
  const float *q_bias;         /* (heads·head_dim), or NULL */
  const float *k_bias;         /* (kv_heads·head_dim), or NULL */
  const float *v_bias;         /* (kv_heads·head_dim), or NULL */
  const float *o_bias;         /* (dim), or NULL */
  const float *q_norm;         /* (head_dim), or NULL */
  const float *k_norm;         /* (head_dim), or NULL */
  const float *attn_post_norm; /* (dim), or NULL */
  const float *cos;            /* (rope_positions, head_dim/2) */
  const float *sin;            /* (rope_positions, head_dim/2) */
  int32_t rope_positions;
  int32_t interleaved;
  int32_t window_left; /* positions that are seen before the own, −1: all */
  attn_cache *cache;

  /* feed-forward */
  const float *ffn_norm;      /* (dim) */
  const attn_matrix *gate;    /* (hidden, dim) */
  const attn_matrix *up;      /* (hidden, dim) */
  const attn_matrix *down;    /* (dim, hidden) */
  const float *gate_bias;     /* (hidden), or NULL */
  const float *up_bias;       /* (hidden), or NULL */
  const float *down_bias;     /* (dim), or NULL */
  const float *ffn_post_norm; /* (dim), or NULL */

  attn_edit *edits; /* a list: those of each pass */
} decoder_layer;

struct attn_decoder {
  int32_t layers;
  int32_t dim;
  int32_t heads;
  int32_t kv_heads;
  int32_t head_dim;
  int32_t hidden;
  int32_t vocab;
  int32_t activation;
  double eps;
  double scale;
  double softcap;
  double final_softcap;
  float embedding_scale;
  const attn_matrix *embedding; /* (vocab, dim) */
  const attn_matrix *output;    /* (vocab, dim) */
  const float *norm;            /* (dim) */
  decoder_layer *layer;         /* (layers) */
  double *temperature;          /* (layers, heads) */
  const int32_t *edges;         /* (segment_count + 1) */
  int32_t segment_count;
};

/*
 * ATTN_OK if everything is set that a pass needs, and the caches from layer `first` on hold t more
 * positions. Each of these then has *length positions; 0 if `first` is the number of layers.
 */
int32_t attn_decoder_ready(const attn_decoder *d, int32_t first, int32_t t, int32_t *length);

#endif
