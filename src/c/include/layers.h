/*
 * layers.h: what stands around attention in a transformer, in float32, and two whole attention
 * layers.
 *
 * Words: x has m rows (positions); a layer's weights are stored as models store them, one row for
 * each output, so that y = x·Wᵀ. Everything here keeps the contract of attn.h: the caller owns the
 * memory, nothing is allocated, a row's result has the same bits alone or among others and with any
 * number of threads.
 *
 * From simple to advanced: matrix products, norms, activations, rotary positions, attention with a
 * team, the multi-head layer (statements 10 and 11), the latent layer (statement 14).
 */
#ifndef LAYERS_H
#define LAYERS_H

#include "attn.h"
#include "team.h"
#include "weights.h"

/*
 * ---- Matrix products
 * ----------------------------------------------------------------------------------------------
 */

/*
 * y_i = x_i·Wᵀ + bias. W is F32, F16 or BF16 (weights.h). Row i of x is at x + i·x_stride, of y at
 * y + i·y_stride. y overlaps nothing that is read. The sums are those of attn_multiply, so in first
 * order |error| ≤ u·(33 + ⌈columns/32⌉)·(Σ_c |x_c·w_c| + |bias|), u = 2⁻²⁴. The bits of a row do
 * not depend on the other rows.
 */
ATTN_API void attn_matmul(attn_team *team, float *y,       /* (m, rows) */
                          size_t y_stride, const float *x, /* (m, columns) */
                          size_t x_stride, int32_t m, const attn_matrix *w,
                          const float *bias /* (rows), or NULL */);

/* y = a + b, for residuals; y may be a or b. */
ATTN_API void attn_add(float *y, const float *a, const float *b, size_t count);

/*
 * ---- Norms; each y may be x
 * ------------------------------------------------------------------------------------------
 */

/*
 * y = x / √(mean(x²) + epsilon) · scale for each row (Zhang and Sennrich, arXiv 1910.07467), or
 * with one_plus · (1 + scale), as Gemma stores it. In double, rounded once at the end. scale NULL:
 * 1.
 */
ATTN_API void attn_rms_norm(float *y, size_t y_stride, const float *x, size_t x_stride,
                            int32_t rows, int32_t size, const float *scale /* (size) */,
                            int32_t one_plus, double epsilon);

/*
 * y = (x − mean) / √(variance + epsilon) · scale + bias for each row, variance = mean((x − mean)²)
 * (Ba et al., arXiv 1607.06450). In double, rounded once. scale NULL: 1, bias NULL: 0. mean and
 * inverse_deviation (rows): what was used, or NULL.
 */
ATTN_API void attn_layer_norm(float *y, const float *x, int32_t rows, int32_t size,
                              const float *scale /* (size) */, const float *bias /* (size) */,
                              double epsilon, float *mean, float *inverse_deviation);

/*
 * ---- Activations
 * ------------------------------------------------------------------------------------------------------
 */

enum {
  ATTN_SILU = 0,      /* x / (1 + e^−x), also called Swish */
  ATTN_GELU = 1,      /* x·Φ(x), Φ the normal distribution: x/2·(1 + erf(x/√2)) */
  ATTN_GELU_TANH = 2, /* x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))) */
};

/*
 * y = f(x), or with `up` f(x)·up: SwiGLU and GeGLU (Shazeer, arXiv 2002.05202). y may be x or up.
 * Results below 2⁻¹²⁶·|x| may be 0; otherwise they are within 4ε (SiLU), 6ε (GELU) and for its tanh
 * form 4ε + 3ε·|u| below 0, u the argument of tanh times 2.
 */
ATTN_API void attn_activate(float *y, const float *x, const float *up, size_t count, int32_t kind);

/*
 * ---- Rotary positions (RoPE: Su et al., arXiv 2104.09864)
 * ------------------------------------------------------------------
 */

/*
 * Turns the first rotary_dim numbers of each head, pair by pair, by the angles of its position: (a,
 * b) becomes (a·cos − b·sin, a·sin + b·cos). Pair p is (p, p + rotary_dim/2), or with `interleaved`
 * (2p, 2p + 1). In place: head h of row i begins at x + i·row_stride + h·head_stride. Row i takes
 * row positions[i] of the table, or row i where that is NULL.
 */
ATTN_API void attn_rope(float *x, int32_t m, int32_t heads, size_t row_stride, size_t head_stride,
                        const float *cos, /* (positions, rotary_dim/2) */
                        const float *sin, const int32_t *positions /* (m) */, int32_t rotary_dim,
                        int32_t interleaved);

/*
 * f_p = base^(−2p/rotary_dim), radians per position, p < rotary_dim/2. All frequencies are in
 * double.
 */
ATTN_API void attn_rope_frequencies(double *f /* (rotary_dim/2) */, int32_t rotary_dim,
                                    double base);

/* Position interpolation (Chen et al., arXiv 2306.15595): f/factor. */
ATTN_API void attn_rope_linear(double *f, int32_t rotary_dim, double factor);

/* The base of NTK-aware scaling: base·factor^(d/(d − 2)), d = rotary_dim > 2. */
ATTN_API double attn_rope_ntk_base(int32_t rotary_dim, double base, double factor);

/*
 * The factor that the dynamic form puts there for `length` positions: max(1, factor·length/original
 * − (factor − 1)).
 */
ATTN_API double attn_rope_dynamic_factor(double factor, double length, double original);

/*
 * Llama 3.1: wavelengths above original/low are divided by factor, those below original/high are
 * kept, and between them the two are mixed, linearly in original/wavelength. 0 < low < high.
 */
ATTN_API void attn_rope_llama3(double *f, int32_t rotary_dim, double factor, double low,
                               double high, double original);

/*
 * YaRN (Peng et al., arXiv 2309.00071) in the form of its implementations: a frequency with more
 * than beta_fast turns within the original context is kept, one with fewer than beta_slow divided
 * by factor, with a linear ramp in p between them whose ends are rounded outwards if `truncate`.
 * base: the one f was made with.
 */
ATTN_API void attn_rope_yarn(double *f, int32_t rotary_dim, double base, double factor,
                             double beta_fast, double beta_slow, double original, int32_t truncate);

/*
 * What YaRN multiplies cos and sin by where a model does not say it. With y(m) = 0.1·m·log(factor)
 * + 1, and 1 for factor ≤ 1: y(1), or y(mscale)/y(mscale_all_dim) if neither is 0, as Hugging Face
 * transformers (modeling_rope_utils) has it. DeepSeek-V2's own code divides by y(0) = 1 where
 * mscale_all_dim is 0. It also multiplies its softmax scale by y(mscale_all_dim)², which is the
 * caller's.
 */
ATTN_API double attn_rope_yarn_attention(double factor, double mscale, double mscale_all_dim);

/* cos and sin of (from + row)·f_p, times attention_factor, each rounded once from double. */
ATTN_API void attn_rope_table(float *cos, /* (count, rotary_dim/2) */
                              float *sin, const double *f, int32_t rotary_dim, int32_t from,
                              int32_t count, double attention_factor);

/*
 * ---- Attention by a team
 * -------------------------------------------------------------------------------------------------
 */

/* To be had beside the scratch: the team's parts are of attn_scratch_bytes_f32(p) or more. */
ATTN_API size_t attn_team_attend_bytes(const attn_team *team, const attn_params *p);

/*
 * attn_forward_f32, or with a cache (k and v NULL) attn_cache_attend. room: attn_team_attend_bytes,
 * 16-aligned.
 */
ATTN_API int32_t attn_team_attend(attn_team *team, const attn_params *p, float *out, const float *q,
                                  const float *k, const float *v, const attn_cache *cache,
                                  void *room);

/*
 * ---- The multi-head layer (statements 10 and 11)
 * ---------------------------------------------------------------------------
 */

/*
 *     q = x·W_Qᵀ + b_Q, k = x·W_Kᵀ + b_K, v = x·W_Vᵀ + b_V (m, heads or kv_heads, dim or value_dim)
 *     q, k: RMSNorm of each head (QK-norm), then RoPE             as far as they are set
 *     o = attention(q, k, v) H independent programs; head h reads group ⌊h/(H/G)⌋
 *     out = o·W_Oᵀ + b_O (+ x) linear in the heads' outputs; the residual update h + o
 *
 * Opaque; attn_multi_head_bytes of 8-aligned memory. The sizes are those of the attn_params that
 * forward gets.
 */
typedef struct attn_multi_head attn_multi_head;

ATTN_API size_t attn_multi_head_bytes(void);

/*
 * The four matrices: (heads·dim, model), (kv_heads·dim, model), (kv_heads·value_dim, model), (out,
 * heads·value_dim).
 */
ATTN_API void attn_multi_head_init(attn_multi_head *layer, const attn_matrix *q,
                                   const attn_matrix *k, const attn_matrix *v,
                                   const attn_matrix *o);

/* Each NULL or as long as its matrix has rows. */
ATTN_API void attn_multi_head_set_biases(attn_multi_head *layer, const float *q, const float *k,
                                         const float *v, const float *o);

ATTN_API void attn_multi_head_set_qk_norm(attn_multi_head *layer, const float *q, /* (dim) */
                                          const float *k /* (dim) */, int32_t one_plus,
                                          double epsilon);

/* A table as of attn_rope_table, from position 0 on; rotary_dim ≤ dim. */
ATTN_API void attn_multi_head_set_rope(attn_multi_head *layer, const float *cos, const float *sin,
                                       int32_t rotary_dim, int32_t interleaved);

/* out = x + …, where the layer gives back as many numbers as it takes. */
ATTN_API void attn_multi_head_set_residual(attn_multi_head *layer, int32_t residual);

/* Bytes for what lies between x and out in a call, 16-aligned; 0 if 4 GiB or more. */
ATTN_API size_t attn_multi_head_scratch_bytes(const attn_multi_head *layer, const attn_team *team,
                                     const attn_params *p);

/*
 * p: the layout with positions first; n = m without a cache, and with one (batch 1) n = its length
 * + m, whose last m positions x then holds. positions (batch, m): rows of the RoPE table, NULL:
 * those of a sequence that goes on behind the cache. The cache takes the new keys and values.
 * ATTN_E_SHAPE if sizes do not fit, ATTN_E_LIMIT if the cache is full; then nothing has happened.
 */
ATTN_API int32_t attn_multi_head_forward(const attn_multi_head *layer, attn_team *team,
                                         const attn_params *p, float *out, /* (batch, m, out) */
                                         const float *x /* (batch, m, model) */,
                                         const int32_t *positions, attn_cache *cache, void *room);

/*
 * ---- The latent layer (statement 14: DeepSeek-V2's MLA, arXiv 2405.04434, equations 9 to 19 of
 * section 2.1) --------------------
 */

/*
 * Keys and values are made from a latent c of r numbers, and one small key part k_R, which carries
 * the position, serves all heads:
 *
 *     c = norm(W_DKV·x), k_R = RoPE(W_KR·x) all that a cache keeps of a position: r + rope numbers
 *     q = W_UQ·norm(W_DQ·x), of each head nope numbers q_C and rope numbers q_R = RoPE(…); or q =
 *     W_Q·x
 *     z_j = scale·(⟨q_C, W_UK·c_j⟩ + ⟨q_R, k_R,j⟩)     scale 1/√(nope + rope)
 *     o = Σ_j p_j W_UV·c_j,  out = W_O·o
 *
 * The expanded form computes W_UK·c_j and W_UV·c_j for every key. The absorbed form moves both
 * matrices to the query's side, ⟨q_C, W_UK·c⟩ = ⟨W_UKᵀ·q_C, c⟩ and Σp_j W_UV·c_j = W_UV·Σp_j c_j,
 * and is multi-query attention over the latents themselves. They are equal but for rounding.
 */
typedef struct attn_latent attn_latent;

ATTN_API size_t attn_latent_bytes(void);

/*
 * ATTN_E_RANGE for a size below 1 or rope below 0, ATTN_E_LIMIT if r + rope or nope + rope is above
 * attn_max_dim.
 */
ATTN_API int32_t attn_latent_init(attn_latent *layer, int32_t heads, int32_t latent, int32_t nope,
                                  int32_t rope, int32_t value_dim);

/*
 * Bytes of the packed form of kv_b (heads, nope + value_dim, r), which holds of each head W_UK,
 * then W_UV.
 */
ATTN_API size_t attn_latent_up_bytes(const attn_latent *layer);

/* Packs kv_b for both forms, into 16-aligned memory. */
ATTN_API void attn_latent_pack_up(const attn_latent *layer, void *up, const float *kv_b);

/*
 * down (r, model), key (rope, model) or NULL if rope is 0, q (heads·(nope + rope), model or the
 * query's latent), o (out, heads·value_dim), up as of attn_latent_pack_up.
 */
ATTN_API void attn_latent_set_weights(attn_latent *layer, const attn_matrix *down,
                                      const attn_matrix *key, const void *up, const attn_matrix *q,
                                      const attn_matrix *o);

/*
 * Compression of the query: q_down (q's latent, model), whose norm has the scale q_norm; NULL:
 * none.
 */
ATTN_API void attn_latent_set_query_down(attn_latent *layer, const attn_matrix *q_down,
                                         const float *q_norm);

/* The scale (r) of the latent's RMSNorm (NULL: no norm), and the epsilon of both norms. */
ATTN_API void attn_latent_set_norm(attn_latent *layer, const float *kv_norm, double epsilon);

ATTN_API void attn_latent_set_rope(attn_latent *layer, const float *cos, /* (positions, rope/2) */
                                   const float *sin, int32_t interleaved);

ATTN_API void attn_latent_set_residual(attn_latent *layer, int32_t residual);

/* Bytes for what lies between x and out in a call; 0 if 4 GiB or more. */
ATTN_API size_t attn_latent_scratch_bytes(const attn_latent *layer, const attn_team *team,
                                 const attn_params *p, int32_t absorbed);

/*
 * p: batch and m as x; the layout with positions first; n the keys in all. Expanded: heads =
 * kv_heads, dim = nope + rope, value_dim. Absorbed: kv_heads 1, dim = value_dim = r + rope, and the
 * scale 1/√(nope + rope), which attn_init cannot know. latents (batch, n, r + rope): the first n −
 * m positions are there already, the last m are written. positions as above.
 */
ATTN_API int32_t attn_latent_forward(const attn_latent *layer, attn_team *team,
                                     const attn_params *p, float *out, /* (batch, m, out) */
                                     const float *x,                   /* (batch, m, model) */
                                     const int32_t *positions, float *latents, int32_t absorbed,
                                     void *room);

#endif
