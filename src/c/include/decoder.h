/*
 * decoder.h: the forward pass of Llama and its relatives, from token ids to logits.
 *
 * For each token, x its embedding (dim), then in every layer, with N an RMSNorm of its own each
 * time,
 *
 *     h = N(x);  q, k, v = W_q h + b_q, W_k h + b_k, W_v h + b_v      in heads of head_dim
 *     q, k = R·N(q), R·N(k) QK-norm per head, then rotary positions
 *     x = x + N'(W_o·attention(q, K, V)) K, V: the layer's cache, k and v appended
 *     h = N(x);  x = x + N'(W_down (f(W_gate h) ⊙ W_up h))            f = SiLU or GELU
 *
 * and logits = W·N(x). What an architecture lacks (biases, QK-norm, the norms N' after a block) is
 * not set. Llama has none of them, Qwen2 the biases, Qwen3 QK-norm, Gemma 3 QK-norm, N', a scale on
 * the embedding, and a window and other rotary frequencies in some of its layers.
 *
 * The contract of attn.h holds here: all memory is the caller's. A decoder holds addresses and
 * numbers only; the matrices, norms and caches it is given must stay where they are while it is in
 * use. Beside it: a position's logits and cache entries have the same bits alone or in a prompt of
 * any chunks, and with any number of threads.
 */
#ifndef DECODER_H
#define DECODER_H

#include "attn.h"
#include "layers.h"
#include "weights.h"

/*
 * ---- A model
 * --------------------------------------------------------------------------------------------------------
 */

/* Opaque; attn_decoder_bytes of 16-aligned memory, 0 if the numbers are not valid. */
typedef struct attn_decoder attn_decoder;

ATTN_API size_t attn_decoder_bytes(int32_t layers, int32_t heads);

/*
 * A model without weights yet: attention scale 1/√head_dim, no softcap, no window, every attention
 * temperature 1, SiLU. ATTN_E_SHAPE if heads is no multiple of kv_heads, ATTN_E_RANGE for a size
 * below 1 or an eps that is not ≥ 0, ATTN_E_LIMIT for a head above attn_max_dim() or numbers that
 * would not fit a 32-bit memory.
 */
ATTN_API int32_t attn_decoder_init(attn_decoder *d, int32_t layers, int32_t dim, int32_t heads,
                                   int32_t kv_heads, int32_t head_dim, int32_t hidden,
                                   int32_t vocab, double eps);

/* Rows of the embedding are multiplied by scale, rounded to float32, as they are looked up. */
/* (vocab, dim) */
ATTN_API int32_t attn_decoder_set_embedding(attn_decoder *d, const attn_matrix *embedding,
                                            double scale);

/*
 * The last norm, and the matrix to the logits, which may be the embedding. softcap > 0:
 * c·tanh(logit/c); 0: none.
 */
ATTN_API int32_t attn_decoder_set_output(attn_decoder *d, const float *norm, /* (dim) */
                                         const attn_matrix *output,          /* (vocab, dim) */
                                         double softcap);

/* For all layers: the factor of ⟨q, k⟩, and the softcap of the attention logits, 0 for none. */
ATTN_API int32_t attn_decoder_set_scores(attn_decoder *d, double scale, double softcap);

/* f: as in attn_activate. */
ATTN_API int32_t attn_decoder_set_activation(attn_decoder *d, int32_t activation);

/*
 * The setters of one layer give ATTN_E_RANGE if there is no such layer, ATTN_E_SHAPE if a matrix
 * has other sizes.
 */
/* (dim) */
ATTN_API int32_t attn_decoder_set_attention(attn_decoder *d, int32_t layer, const float *norm,
                                            const attn_matrix *q,  /* (heads·head_dim, dim) */
                                            const attn_matrix *k,  /* (kv_heads·head_dim, dim) */
                                            const attn_matrix *v,  /* (kv_heads·head_dim, dim) */
                                            const attn_matrix *o); /* (dim, heads·head_dim) */
/* (dim) */
ATTN_API int32_t attn_decoder_set_feed_forward(attn_decoder *d, int32_t layer, const float *norm,
                                               /* (hidden, dim) */
                                               const attn_matrix *gate,
                                               /* (hidden, dim) */
                                               const attn_matrix *up,
                                               /* (dim, hidden) */
                                               const attn_matrix *down);

/* What some architectures have besides. NULL: none. */
/* (heads·head_dim) */
ATTN_API int32_t attn_decoder_set_biases(attn_decoder *d, int32_t layer, const float *q,
                                         /* (kv_heads·head_dim) */
                                         const float *k, const float *v);
/* (head_dim) */
ATTN_API int32_t attn_decoder_set_head_norms(attn_decoder *d, int32_t layer, const float *q,
                                             const float *k);
/* (dim) */
ATTN_API int32_t attn_decoder_set_post_norms(attn_decoder *d, int32_t layer, const float *attention,
                                             const float *feed_forward);

/*
 * The layer's rotary positions: a table of attn_rope_table from position 0 on, over the whole head,
 * of `positions` rows; pairs as in attn_rope. It must reach as far as the caches are filled.
 */
/* (positions, head_dim/2) */
ATTN_API int32_t attn_decoder_set_rope(attn_decoder *d, int32_t layer, const float *cos,
                                       const float *sin, int32_t positions, int32_t interleaved);

/* The layer sees `left` positions before its own, −1: all. */
ATTN_API int32_t attn_decoder_set_window(attn_decoder *d, int32_t layer, int32_t left);

/* Where the layer keeps keys and values: kv_heads heads of head_dim. Any time between passes. */
ATTN_API int32_t attn_decoder_set_cache(attn_decoder *d, int32_t layer, attn_cache *cache);

/* T ≥ 0 of one head, as in attn_set_temperature. Any time between passes. */
ATTN_API int32_t attn_decoder_set_temperature(attn_decoder *d, int32_t layer, int32_t head,
                                              double temperature);

/*
 * ---- A pass over some tokens
 * ------------------------------------------------------------------------------------------
 */

/*
 * A pass appends t tokens to the caches, which all have one length. It is begun, then run layer by
 * layer, all at once or with pauses for whoever else needs the thread. Between begin and the end of
 * the last layer the caches are not to be touched; to give up in the middle, truncate all of them
 * to their former length.
 */
typedef struct attn_pass attn_pass;

/*
 * Memory of a pass of t tokens from where the caches are now, 16-aligned; 0 if it would not fit.
 * team: who will run it.
 */
ATTN_API size_t attn_pass_bytes(const attn_decoder *d, const attn_team *team, int32_t t,
                                int32_t outputs);

/* Scratch each thread of a team needs for such a pass. */
ATTN_API size_t attn_pass_scratch_bytes(const attn_decoder *d, int32_t t);

/*
 * Logits are computed for the last `outputs` tokens, which may be none; of the last layer the
 * others have only what later ones attend to, and what is wanted of their heads. ATTN_E_SHAPE if
 * something of the model is not set or the caches' lengths differ, ATTN_E_RANGE for a token that is
 * none or outputs > t, ATTN_E_LIMIT if a cache or rotary table is full.
 */
ATTN_API int32_t attn_pass_begin(attn_pass *p, const attn_decoder *d, const attn_team *team,
                                 const int32_t *tokens, /* (t) */
                                 int32_t t, int32_t outputs);

/*
 * Instead: looks again at one token that the caches hold, at `position`, as far as the attention of
 * `layer`. Its query, statistics and weights have the bits of then, unless a temperature was
 * changed; nothing is appended. Memory as for t = 1, outputs 0.
 */
ATTN_API int32_t attn_pass_begin_again(attn_pass *p, const attn_decoder *d, const attn_team *team,
                                       int32_t token, int32_t position, int32_t layer);

/*
 * Statistics of every head and token (attn_want_stats), each (layers, heads, t), and the weight of
 * position 0, where attention that has nothing to look at usually goes; 0 where a window hides it.
 * All pointers, or all NULL. After begin.
 */
ATTN_API void attn_pass_want_stats(attn_pass *p, int32_t *attended, float *entropy, float *kl,
                                   float *expected_score, float *max_weight, int32_t *argmax,
                                   float *first_weight);

/*
 * Weights of the last token, for heads chosen by head_slot as in attn_want_weights: (chosen,
 * length), where length counts the t tokens too. ATTN_E_RANGE if there is no such layer. After
 * begin.
 */
ATTN_API int32_t attn_pass_want_weights(attn_pass *p, int32_t layer, float *weights,
                                        const int32_t *head_slot, /* (heads) */
                                        int32_t chosen);

/*
 * Goes on for so many layers. Returns how many are left; when none is, logits are there, and the
 * caches are t longer. With a team that has lost a thread what was computed is worth nothing, and
 * the caches as well.
 */
ATTN_API int32_t attn_pass_run(attn_pass *p, attn_team *team, int32_t layers);

/* (outputs, vocab) */
ATTN_API const float *attn_pass_logits(const attn_pass *p);

/*
 * The queries of the layer run last (t, heads, head_dim), as attention had them; in a model's last
 * layer those of tokens with logits.
 */
ATTN_API const float *attn_pass_queries(const attn_pass *p);

#endif
