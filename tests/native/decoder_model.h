/* A model of any sizes, which is read from the stream: the sizes, then the tensors. */
#ifndef DECODER_MODEL_H
#define DECODER_MODEL_H

#include "decoder_changes.h"

struct {
  int32_t layers;
  int32_t dim;
  int32_t heads;
  int32_t kv_heads;
  int32_t head_dim;
  int32_t hidden;
  int32_t vocab;
  int32_t context;
  int32_t q8;
  int32_t activation;
  int32_t bias;
  int32_t head_norms;
  int32_t post_norms;
  int32_t tied;
  int32_t interleaved;
  int32_t period;
  int32_t window;
  int32_t cache_type;
  int32_t chunks;
} sizes;

static attn_cache *caches[64]; /* of the layers */

static const float *vector(int32_t size) { return read_fresh((size_t)size * sizeof(float)); }

static const attn_matrix *matrix(int32_t rows, int32_t columns)
{
  int32_t type = sizes.q8 && columns % 32 == 0 ? ATTN_Q8_0 : ATTN_F32;
  attn_matrix *w = fresh(attn_matrix_bytes(type, rows, columns));
  uint8_t *data = read_fresh((size_t)rows * (size_t)columns * sizeof(float));
  check(!attn_matrix_init(w, type, rows, columns), "matrix_init");
  check(!attn_matrix_pack(w, ATTN_F32, data, 0, rows), "matrix_pack");
  free(data);
  return w;
}

typedef struct {
  float *cos;
  float *sin;
} table;

static table rope(double base)
{
  size_t bytes = (size_t)sizes.context * (size_t)sizes.head_dim / 2 * sizeof(float);
  table t = {fresh(bytes), fresh(bytes)};
  double *f = fresh((size_t)sizes.head_dim / 2 * sizeof(double));
  attn_rope_frequencies(f, sizes.head_dim, base);
  attn_rope_table(t.cos, t.sin, f, sizes.head_dim, 0, sizes.context, 1.0);
  free(f);
  return t;
}

static attn_decoder *read_model(const double *numbers)
{
  int32_t size = sizes.heads * sizes.head_dim;
  int32_t kv_size = sizes.kv_heads * sizes.head_dim;
  int32_t dim = sizes.dim;
  attn_decoder *d = fresh(attn_decoder_bytes(sizes.layers, sizes.heads));
  int32_t bad = attn_decoder_init(d, sizes.layers, dim, sizes.heads, sizes.kv_heads, sizes.head_dim,
                                  sizes.hidden, sizes.vocab, numbers[0]);
  bad |= attn_decoder_set_scores(d, numbers[1], numbers[2]);
  bad |= attn_decoder_set_activation(d, sizes.activation);
  const attn_matrix *embedding = matrix(sizes.vocab, dim);
  const attn_matrix *output = sizes.tied ? embedding : matrix(sizes.vocab, dim);
  bad |= attn_decoder_set_embedding(d, embedding, numbers[4]);
  bad |= attn_decoder_set_output(d, vector(dim), output, numbers[3]);
  table whole = rope(numbers[5]);
  table local = rope(numbers[6]);
  for (int32_t l = 0; l < sizes.layers; l++) {
    int is_local = sizes.period && (l + 1) % sizes.period;
    const float *norm = vector(dim);
    const attn_matrix *q = matrix(size, dim);
    const attn_matrix *k = matrix(kv_size, dim);
    const attn_matrix *v = matrix(kv_size, dim);
    if (sizes.bias) {
      const float *a = vector(size);
      const float *b = vector(kv_size);
      const float *c = vector(kv_size);
      bad |= attn_decoder_set_biases(d, l, a, b, c, NULL);
    }
    if (sizes.head_norms) {
      const float *a = vector(sizes.head_dim);
      const float *b = vector(sizes.head_dim);
      bad |= attn_decoder_set_head_norms(d, l, a, b);
    }
    bad |= attn_decoder_set_attention(d, l, norm, q, k, v, matrix(dim, size));
    const float *post = sizes.post_norms ? vector(dim) : NULL;
    norm = vector(dim);
    const attn_matrix *gate = matrix(sizes.hidden, dim);
    const attn_matrix *up = matrix(sizes.hidden, dim);
    bad |= attn_decoder_set_feed_forward(d, l, norm, gate, up, matrix(dim, sizes.hidden));
    if (sizes.post_norms)
      bad |= attn_decoder_set_post_norms(d, l, post, vector(dim));
    table t = is_local ? local : whole;
    bad |= attn_decoder_set_rope(d, l, t.cos, t.sin, sizes.context, sizes.interleaved);
    bad |= attn_decoder_set_window(d, l, is_local ? sizes.window - 1 : -1);
    attn_cache *cache = fresh(attn_cache_bytes(sizes.kv_heads, sizes.head_dim, sizes.head_dim,
                                               sizes.context, sizes.cache_type));
    bad |= attn_cache_init(cache, sizes.kv_heads, sizes.head_dim, sizes.head_dim, sizes.context,
                           sizes.cache_type);
    bad |= attn_decoder_set_cache(d, l, caches[l] = cache);
    for (int32_t h = 0; h < sizes.heads; h++)
      bad |= attn_decoder_set_temperature(d, l, h, numbers[7 + l * sizes.heads + h]);
  }
  check(!bad, "a setter refused");
  return d;
}

#endif
