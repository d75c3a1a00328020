/*
 * decoder.h: the forward pass of Llama and its relatives, from token ids to logits.
 *
 * x is the embedding of a token (dim). Then follows in every layer, where each N is an RMSNorm of
 * its own:
 *
 *     h = N(x)
 *     q, k, v = W_q h + b_q, W_k h + b_k, W_v h + b_v     in heads of head_dim
 *     q, k = R·N(q), R·N(k)                               QK-norm of each head, then rotation
 *     x = x + N'(W_o·attention(q, K, V) + b_o)            K, V: the cache, with k and v appended
 *     h = N(x)
 *     x = x + N'(W_down (f(W_gate h) ⊙ W_up h))           f: SiLU or GELU; each W with a bias
 *
 * At the end logits = W·N(x). Biases, QK-norm and the norms N' after a block are optional:
 *   Llama     none of them, or biases
 *   Qwen2     biases
 *   Qwen3     QK-norm
 *   Gemma 3   QK-norm and N'; a scale of the embedding, and layers with a window or other rotations
 *
 * The contract of attn.h holds here: all memory is the caller's. A decoder holds addresses and
 * numbers only. The matrices, norms and caches must stay in place while it is in use.
 *
 * A position's logits and cache entries have the same bits alone and in a prompt, however the
 * prompt is cut, with any number of threads.
 */
#ifndef DECODER_H
#define DECODER_H

#include "attn.h"
#include "layers.h"
#include "weights.h"

/* ---- A model */

/* Opaque; attn_decoder_bytes of 16-aligned memory, 0 if the numbers are not valid. */
typedef struct attn_decoder attn_decoder;

ATTN_API size_t attn_decoder_bytes(int32_t layers, int32_t heads);

/*
 * A model without weights. Its attention scale is 1/√head_dim and its activation SiLU. It has no
 * softcap and no window, and every attention temperature is 1.
 *
 *   ATTN_E_RANGE   a size is below 1, or eps is not ≥ 0
 *   ATTN_E_SHAPE   heads is no multiple of kv_heads, or head_dim is odd
 *   ATTN_E_LIMIT   head_dim is above attn_max_dim(), or a size does not fit 32-bit memory
 */
ATTN_API int32_t attn_decoder_init(attn_decoder *d, int32_t layers, int32_t dim, int32_t heads,
                                   int32_t kv_heads, int32_t head_dim, int32_t hidden,
                                   int32_t vocab, double eps);

/* A row of the embedding is multiplied by scale, rounded to float32, when it is looked up. */
ATTN_API int32_t attn_decoder_set_embedding(attn_decoder *d,
                                            const attn_matrix *embedding, /* (vocab, dim) */
                                            double scale);

/*
 * The last norm, and the matrix of the logits, which may be the embedding. A softcap c > 0 makes
 * them c·tanh(logit/c); 0: none.
 */
ATTN_API int32_t attn_decoder_set_output(attn_decoder *d, const float *norm, /* (dim) */
                                         const attn_matrix *output,          /* (vocab, dim) */
                                         double softcap);

/* Of all layers: the factor of ⟨q, k⟩, and the softcap of the attention logits. 0: no softcap. */
ATTN_API int32_t attn_decoder_set_scores(attn_decoder *d, double scale, double softcap);

/* f, a kind of attn_activate. */
ATTN_API int32_t attn_decoder_set_activation(attn_decoder *d, int32_t activation);

/*
 * The setters of one layer return ATTN_E_RANGE if there is no such layer, and ATTN_E_SHAPE if a
 * matrix has other sizes.
 */
ATTN_API int32_t attn_decoder_set_attention(attn_decoder *d, int32_t layer,
                                            const float *norm,    /* (dim) */
                                            const attn_matrix *q, /* (heads·head_dim, dim) */
                                            const attn_matrix *k, /* (kv_heads·head_dim, dim) */
                                            const attn_matrix *v, /* (kv_heads·head_dim, dim) */
                                            const attn_matrix *o /* (dim, heads·head_dim) */);

ATTN_API int32_t attn_decoder_set_feed_forward(attn_decoder *d, int32_t layer,
                                               const float *norm,       /* (dim) */
                                               const attn_matrix *gate, /* (hidden, dim) */
                                               const attn_matrix *up,   /* (hidden, dim) */
                                               const attn_matrix *down /* (dim, hidden) */);

/* Parts that some architectures add. NULL: none. */
ATTN_API int32_t attn_decoder_set_biases(attn_decoder *d, int32_t layer,
                                         const float *q, /* (heads·head_dim) */
                                         const float *k, /* (kv_heads·head_dim) */
                                         const float *v, /* (kv_heads·head_dim) */
                                         const float *o /* (dim) */);

ATTN_API int32_t attn_decoder_set_feed_forward_biases(attn_decoder *d, int32_t layer,
                                                      const float *gate, /* (hidden) */
                                                      const float *up,   /* (hidden) */
                                                      const float *down /* (dim) */);

ATTN_API int32_t attn_decoder_set_head_norms(attn_decoder *d, int32_t layer,
                                             const float *q, /* (head_dim) */
                                             const float *k /* (head_dim) */);

ATTN_API int32_t attn_decoder_set_post_norms(attn_decoder *d, int32_t layer,
                                             const float *attention, /* (dim) */
                                             const float *feed_forward /* (dim) */);

/*
 * The layer's rotary positions: a table of attn_rope_table over the whole head, which begins at
 * position 0. Pairs are those of attn_rope. It must reach as far as the caches are filled.
 */
ATTN_API int32_t attn_decoder_set_rope(attn_decoder *d, int32_t layer,
                                       const float *cos, /* (positions, head_dim/2) */
                                       const float *sin, /* (positions, head_dim/2) */
                                       int32_t positions, int32_t interleaved);

/* The layer sees `left` positions before its own, −1: all. */
ATTN_API int32_t attn_decoder_set_window(attn_decoder *d, int32_t layer, int32_t left);

/* The layer's keys and values: kv_heads heads of head_dim. May change between passes. */
ATTN_API int32_t attn_decoder_set_cache(attn_decoder *d, int32_t layer, attn_cache *cache);

/* T ≥ 0 of one head, as in attn_set_temperature. May change between passes. */
ATTN_API int32_t attn_decoder_set_temperature(attn_decoder *d, int32_t layer, int32_t head,
                                              double temperature);

/*
 * Segments of the keys, as in attn_want_segments, for the passes that begin from now on. Count 0:
 * none. The edges must stay in place until those passes end.
 */
ATTN_API int32_t attn_decoder_set_segments(attn_decoder *d, const int32_t *edges, /* (count + 1) */
                                           int32_t count);

/* ---- A pass over some tokens */

/*
 * A pass appends t tokens to the caches, which all have one length. It is begun, then run some
 * steps at a time, so that a caller may do other work between them.
 *
 * The caches must not change between the begin and the last step. To give up in the middle,
 * truncate all of them to their former length.
 */
typedef struct attn_pass attn_pass;

/*
 * Bytes of a pass of t tokens behind those in the caches, 16-aligned; 0 if it would not fit. The
 * team is the one that will run it.
 */
ATTN_API size_t attn_pass_bytes(const attn_decoder *d, const attn_team *team, int32_t t,
                                int32_t outputs);

/* Scratch that each thread of a team needs for such a pass. */
ATTN_API size_t attn_pass_scratch_bytes(const attn_decoder *d, int32_t t);

/*
 * Begins a pass that computes logits for the last `outputs` tokens, possibly none. In the last
 * layer the other tokens only leave their keys and values, and are observed if somebody asks for
 * that.
 *
 *   ATTN_E_SHAPE   something of the model is not set, or the caches have different lengths
 *   ATTN_E_RANGE   a token is not in the vocabulary, or outputs > t
 *   ATTN_E_LIMIT   a cache or a rotary table is full
 */
ATTN_API int32_t attn_pass_begin(attn_pass *p, const attn_decoder *d, const attn_team *team,
                                 const int32_t *tokens, /* (t) */
                                 int32_t t, int32_t outputs);

/*
 * Begins another look at one token that the caches hold, at `position`, as far as the attention of
 * `layer`. Nothing is appended. Its query, statistics and weights have the bits of the first time,
 * unless a temperature has changed. It needs the memory of t = 1 and outputs = 0. With `layer`
 * equal to the number of layers it goes to the end, as far as the logits, and outputs is 1.
 */
ATTN_API int32_t attn_pass_begin_again(attn_pass *p, const attn_decoder *d, const attn_team *team,
                                       int32_t token, int32_t position, int32_t layer);

/*
 * Asks for the statistics of attn_want_stats, of every head and token, after a begin. A last plane
 * has the weight of position 0, which usually receives the attention that has nothing to look at.
 * It is 0 if a window hides that position.
 */
ATTN_API void attn_pass_want_stats(attn_pass *p,
                                   void *stats /* (ATTN_STATISTICS + 1, layers, heads, t) */);

/* Asks for the sums of weights over the decoder's segments at its begin, count of them. */
ATTN_API void attn_pass_want_segments(attn_pass *p, float *sums /* (layers, heads, t, count) */);

/*
 * Asks for weights in one layer, after a begin: of the last token, or with all_tokens of all t.
 * head_slot chooses heads as in attn_want_weights; `length` counts the t tokens too. ATTN_E_RANGE
 * if there is no such layer.
 */
ATTN_API int32_t attn_pass_want_weights(attn_pass *p, int32_t layer,
                                        float *weights,           /* (chosen, 1 or t, length) */
                                        const int32_t *head_slot, /* (heads) */
                                        int32_t chosen, int32_t all_tokens);

/*
 * Adds a mask to the scores of one layer, after a begin, as ATTN_MASK_ADD does. mask_heads is 1 or
 * all heads. ATTN_E_RANGE if there is no such layer.
 */
ATTN_API int32_t attn_pass_set_mask(attn_pass *p, int32_t layer,
                                    const float *mask, /* (mask_heads, t, length) */
                                    int32_t mask_heads);

/* The last layer computes all tokens to its end, after a begin, and not only those with logits. */
ATTN_API void attn_pass_want_all_tokens(attn_pass *p);

/* ---- Copies and changes in the middle of a pass */

/* The points of a layer, in this order, with the array that each has. */
enum {
  ATTN_AT_RESID_PRE = 0,  /* x before the layer (t, dim) */
  ATTN_AT_Q = 1,          /* rotated queries (t, heads·head_dim) */
  ATTN_AT_Z = 2,          /* the results of the heads, before W_o (t, heads·head_dim) */
  ATTN_AT_ATTN_OUT = 3,   /* the sum of all heads that x receives, after N' (t, dim) */
  ATTN_AT_RESID_MID = 4,  /* x between attention and feed-forward (t, dim) */
  ATTN_AT_MLP_OUT = 5,    /* the result of the feed-forward that x receives, after N' (t, dim) */
  ATTN_AT_RESID_POST = 6, /* x behind the layer (t, dim) */
};

/* An edit of the array y, in its rows and columns; each number is rounded once. */
enum {
  ATTN_EDIT_RECORD = 0,  /* data = y */
  ATTN_EDIT_SCALE = 1,   /* y = gain·y; gain 0 makes 0 of any number */
  ATTN_EDIT_ADD = 2,     /* y = y + gain·data */
  ATTN_EDIT_REPLACE = 3, /* y = data */
};

/* Opaque; attn_edit_bytes() of 16-aligned memory. */
typedef struct attn_edit attn_edit;

ATTN_API size_t attn_edit_bytes(void);

/*
 * Adds an edit to a pass, after a begin. The edits of a point are done in the order in which they
 * were added. It has all rows and columns, no data and a gain of 1. It must stay in place, with its
 * data, until the pass is over. ATTN_E_RANGE if there is no such layer, point or kind.
 */
ATTN_API int32_t attn_pass_add_edit(attn_pass *p, attn_edit *edit, int32_t layer, int32_t point,
                                    int32_t kind);

/*
 * Adds an edit to each pass that runs from now on. Its rows are positions, all of them at first. It
 * comes before the edits of the pass. Where x is given to a pass, x has the edits of this point.
 */
ATTN_API int32_t attn_decoder_add_edit(attn_decoder *d, attn_edit *edit, int32_t layer,
                                       int32_t point, int32_t kind);

/* Takes all of those out. */
ATTN_API void attn_decoder_clear_edits(attn_decoder *d);

/* Rows are tokens of the pass. Those that the pass does not compute are left out. */
ATTN_API void attn_edit_set_rows(attn_edit *edit, int32_t first, int32_t count);

/* ATTN_E_RANGE if the array has no such columns. */
ATTN_API int32_t attn_edit_set_columns(attn_edit *edit, int32_t first, int32_t count);

/* Row i of the edit has its numbers at data + i·stride; 0: all rows have the same. */
ATTN_API void attn_edit_set_data(attn_edit *edit, float *data, int32_t stride);

ATTN_API void attn_edit_set_gain(attn_edit *edit, double gain);

/* ---- Running a pass */

/*
 * Runs the next `steps` steps, and returns the number that remains. A layer is a step. The product
 * with the output matrix is one or more, of about the size of a layer. At 0 the logits are there
 * and the caches are t longer.
 *
 * If the team has lost a thread, the results and the caches are worthless.
 */
ATTN_API int32_t attn_pass_run(attn_pass *p, attn_team *team, int32_t steps);

/* The steps of a pass that remain. */
ATTN_API int32_t attn_pass_remaining(const attn_pass *p);

/*
 * Begins a pass in the middle: with the residual stream of t tokens before `layer`. It appends them
 * to the caches of that layer and of those behind it, which have one length. Other caches may have
 * another. With `layer` equal to the number of layers only the product with the output matrix
 * remains, and no cache is read. It needs the memory of t and `outputs`. Errors as of
 * attn_pass_begin, and
 *
 *   ATTN_E_RANGE   there is no such layer
 */
ATTN_API int32_t attn_pass_begin_at(attn_pass *p, const attn_decoder *d, const attn_team *team,
                                    const float *x, /* (t, dim) */
                                    int32_t t, int32_t outputs, int32_t layer);

ATTN_API const float *attn_pass_logits(const attn_pass *p); /* (outputs, vocab) */

/*
 * The rotated queries of the layer that ran last (t, heads, head_dim). In a model's last layer only
 * those of tokens with logits are valid, unless statistics were asked for.
 */
ATTN_API const float *attn_pass_queries(const attn_pass *p);

/* ---- Parts of a logit */

/*
 * The part of each head in ⟨u, W_o z⟩: of a direction u of the residual stream, which a layer has
 * of its own, and the results z of its heads. With quantised weights z is quantised as in the pass,
 * also where heads share a block. So the parts of a layer sum up to ⟨u, W_o z⟩ of the pass but for
 * rounding in float32.
 */
ATTN_API size_t attn_decoder_head_parts_bytes(const attn_decoder *d);
ATTN_API void
attn_decoder_head_parts(const attn_decoder *d, const float *u, /* (layers, dim) */
                        const float *z,                        /* (layers, heads, head_dim) */
                        double *parts,                         /* (layers, heads) */
                        double *squares, /* (layers): mean (W_o z + b)², 0 without N' */
                        void *memory /* attn_decoder_head_parts_bytes */);

/* N(x) behind the last layer, as the product with the output matrix multiplies it. */
ATTN_API size_t attn_decoder_last_inputs_bytes(const attn_decoder *d);
ATTN_API void attn_decoder_last_inputs(const attn_decoder *d, const float *x, /* (dim) */
                                       float *inputs,                         /* (dim) */
                                       void *memory /* attn_decoder_last_inputs_bytes */);

#endif
