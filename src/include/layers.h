/*
 * layers.h: the operations beside attention in a transformer, and two whole attention layers.
 *
 * All numbers are float32. x has m rows (positions). A layer stores its weights as models do, one
 * row for each output, so y = x·Wᵀ.
 *
 * Everything here keeps the contract of attn.h: the caller owns the memory, and nothing is
 * allocated. A row's result has the same bits alone and among others, with any number of threads.
 *
 * The order is from simple to advanced:
 *   matrix products, norms, activations, rotary positions
 *   attention by a team of threads
 *   the multi-head layer (statements 10 and 11)
 *   the latent layer (statement 14)
 */
#ifndef LAYERS_H
#define LAYERS_H

#include "attn.h"
#include "team.h"
#include "weights.h"

/* ---- Matrix products */

/*
 * y_i = x_i·Wᵀ + bias for m rows. W is F32, F16 or BF16 (weights.h). y overlaps nothing that is
 * read.
 *
 * The sums are those of attn_multiply. In first order, with u = 2⁻²⁴,
 *   |error| ≤ u·(33 + ⌈columns/32⌉)·(Σ_c |x_c·w_c| + |bias|).
 */
ATTN_API void attn_matmul(attn_team *team, float *y,       /* (m, rows), row i at y + i·y_stride */
                          size_t y_stride, const float *x, /* (m, columns), at x + i·x_stride */
                          size_t x_stride, int32_t m, const attn_matrix *w, /* (rows, columns) */
                          const float *bias /* (rows), or NULL */);

/* y = a + b, for residuals; y may be a or b. */
ATTN_API void attn_add(float *y,       /* (count) */
                       const float *a, /* (count) */
                       const float *b /* (count) */, size_t count);

/* ---- Norms; y may be x */

/*
 * y = x / √(mean(x²) + epsilon) · scale for each row (Zhang and Sennrich, arXiv 1910.07467). With
 * one_plus the factor is 1 + scale, as Gemma stores it. Everything is computed in double and
 * rounded once.
 */
ATTN_API void attn_rms_norm(float *y, /* (rows, size), row i at y + i·y_stride */
                            size_t y_stride, const float *x, /* (rows, size), at x + i·x_stride */
                            size_t x_stride, int32_t rows, int32_t size,
                            const float *scale, /* (size); NULL: a factor of 1 */
                            int32_t one_plus, double epsilon);

/*
 * y = (x − mean) / √(variance + epsilon) · scale + bias for each row (Ba et al., arXiv 1607.06450).
 * The variance is mean((x − mean)²). Everything is computed in double and rounded once.
 */
ATTN_API void attn_layer_norm(float *y,       /* (rows, size) */
                              const float *x, /* (rows, size) */
                              int32_t rows, int32_t size,
                              const float *scale,          /* (size), or NULL: 1 */
                              const float *bias,           /* (size), or NULL: 0 */
                              double epsilon, float *mean, /* (rows): the means; or NULL */
                              float *inverse_deviation /* (rows): 1/√(…); or NULL */);

/* ---- Activations */

enum {
  ATTN_SILU = 0,      /* x / (1 + e^−x), also called Swish */
  ATTN_GELU = 1,      /* x·Φ(x), Φ the normal distribution: x/2·(1 + erf(x/√2)) */
  ATTN_GELU_TANH = 2, /* x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))) */
};

/*
 * y = f(x), or f(x)·up: SwiGLU and GeGLU (Shazeer, arXiv 2002.05202). y may be x or up.
 *
 * SiLU is within 4ε and GELU within 6ε. The tanh form is within 4ε, and below 0 within 4ε + 3ε·|u|,
 * where u is twice the argument of tanh. Results below 2⁻¹²⁶·|x| may be 0 instead.
 */
ATTN_API void attn_activate(float *y,        /* (count) */
                            const float *x,  /* (count) */
                            const float *up, /* (count), or NULL */
                            size_t count, int32_t kind);

/* ---- Rotary positions (RoPE: Su et al., arXiv 2104.09864) */

/*
 * Rotates the first rotary_dim numbers of each head, pair by pair, by the angles of its position:
 * (a, b) becomes (a·cos − b·sin, a·sin + b·cos). Pair p is (p, p + rotary_dim/2), or (2p, 2p + 1)
 * if `interleaved`.
 */
ATTN_API void attn_rope(float *x, /* (m, heads, …), head h of row i at
                                     x + i·row_stride + h·head_stride */
                        int32_t m, int32_t heads, size_t row_stride, size_t head_stride,
                        const float *cos,         /* (positions, rotary_dim/2) */
                        const float *sin,         /* (positions, rotary_dim/2) */
                        const int32_t *positions, /* (m): rows of the table; NULL: 0, 1, … */
                        int32_t rotary_dim, int32_t interleaved);

/* f_p = base^(−2p/rotary_dim), p < rotary_dim/2: frequencies in radians per position. */
ATTN_API void attn_rope_frequencies(double *f /* (rotary_dim/2) */, int32_t rotary_dim,
                                    double base);

/* Position interpolation (Chen et al., arXiv 2306.15595): f/factor. */
ATTN_API void attn_rope_linear(double *f /* (rotary_dim/2) */, int32_t rotary_dim, double factor);

/* The base of NTK-aware scaling: base·factor^(d/(d − 2)), d = rotary_dim > 2. */
ATTN_API double attn_rope_ntk_base(int32_t rotary_dim, double base, double factor);

/*
 * The factor for attn_rope_ntk_base in its dynamic form, for `length` positions:
 * max(1, factor·length/original − (factor − 1)).
 */
ATTN_API double attn_rope_dynamic_factor(double factor, double length, double original);

/*
 * The rule of Llama 3.1, 0 < low < high. Wavelengths above original/low are divided by factor, and
 * those below original/high stay. Between them the two are mixed, linearly in original/wavelength.
 */
ATTN_API void attn_rope_llama3(double *f /* (rotary_dim/2) */, int32_t rotary_dim, double factor,
                               double low, double high, double original);

/*
 * YaRN (Peng et al., arXiv 2309.00071) as its implementations compute it. A frequency with more
 * than beta_fast turns within the original context stays. One with fewer than beta_slow is divided
 * by factor. Between them lies a linear ramp in p, whose ends `truncate` rounds outwards. base is
 * the one that f was made with.
 */
ATTN_API void attn_rope_yarn(double *f /* (rotary_dim/2) */, int32_t rotary_dim, double base,
                             double factor, double beta_fast, double beta_slow, double original,
                             int32_t truncate);

/*
 * The factor of cos and sin in YaRN, for models that do not store it. Let y(m) = 0.1·m·log(factor)
 * + 1, but 1 for factor ≤ 1. The result is y(mscale)/y(mscale_all_dim) if neither is 0, else y(1),
 * as in the modeling_rope_utils of transformers.
 *
 * DeepSeek-V2's own code divides by 1 if mscale_all_dim is 0. It also multiplies its softmax scale
 * by y(mscale_all_dim)², which is left to the caller.
 */
ATTN_API double attn_rope_yarn_attention(double factor, double mscale, double mscale_all_dim);

/* cos and sin of (from + row)·f_p, times attention_factor, each rounded once from double. */
ATTN_API void attn_rope_table(float *cos,      /* (count, rotary_dim/2) */
                              float *sin,      /* (count, rotary_dim/2) */
                              const double *f, /* (rotary_dim/2) */
                              int32_t rotary_dim, int32_t from, int32_t count,
                              double attention_factor);

/* ---- Attention by a team */

/*
 * Bytes of the memory that a team shares in attn_team_attend. Each thread needs
 * attn_scratch_bytes_f32(p) of its own besides, which is the team's scratch (team.h).
 */
ATTN_API size_t attn_team_attend_bytes(const attn_team *team, const attn_params *p);

/* attn_forward_f32; or with a cache attn_cache_attend, and k and v are NULL. */
ATTN_API int32_t attn_team_attend(attn_team *team, const attn_params *p,
                                  float *out,              /* (batch, heads, m, value_dim) */
                                  const float *q,          /* (batch, heads, m, dim) */
                                  const float *k,          /* (batch, kv_heads, n, dim) */
                                  const float *v,          /* (batch, kv_heads, n, value_dim) */
                                  const attn_cache *cache, /* or NULL */
                                  void *shared /* attn_team_attend_bytes, 16-aligned */);

/* ---- The multi-head layer (statements 10 and 11) */

/*
 *     q, k, v = x·W_Qᵀ + b_Q, x·W_Kᵀ + b_K, x·W_Vᵀ + b_V
 *     q, k    = RoPE(norm(q)), RoPE(norm(k))     each head's RMSNorm (QK-norm), then its rotation
 *     o       = attention(q, k, v)               head h reads group ⌊h/(H/G)⌋
 *     out     = o·W_Oᵀ + b_O (+ x)               with a residual h + o
 *
 * Biases, norms, RoPE and the residual are used as far as they are set. The heads are independent,
 * and the output is linear in their results.
 *
 * Opaque; attn_multi_head_bytes of 8-aligned memory. Its sizes are those of the attn_params that
 * forward receives.
 */
typedef struct attn_multi_head attn_multi_head;

ATTN_API size_t attn_multi_head_bytes(void);

ATTN_API void attn_multi_head_init(attn_multi_head *layer,
                                   const attn_matrix *q, /* (heads·dim, model) */
                                   const attn_matrix *k, /* (kv_heads·dim, model) */
                                   const attn_matrix *v, /* (kv_heads·value_dim, model) */
                                   const attn_matrix *o /* (outputs, heads·value_dim) */);

/* Each may be NULL. */
ATTN_API void attn_multi_head_set_biases(attn_multi_head *layer, const float *q, /* (heads·dim) */
                                         const float *k, /* (kv_heads·dim) */
                                         const float *v, /* (kv_heads·value_dim) */
                                         const float *o /* (outputs) */);

/* Scales of the RMSNorm of each head; one_plus and epsilon as in attn_rms_norm. */
ATTN_API void attn_multi_head_set_qk_norm(attn_multi_head *layer,
                                          const float *q, /* (dim), or NULL: no norm */
                                          const float *k, /* (dim), or NULL: no norm */
                                          int32_t one_plus, double epsilon);

/* A table of attn_rope_table that begins at position 0; rotary_dim ≤ dim. */
ATTN_API void attn_multi_head_set_rope(attn_multi_head *layer,
                                       const float *cos, /* (positions, rotary_dim/2) */
                                       const float *sin, /* (positions, rotary_dim/2) */
                                       int32_t rotary_dim, int32_t interleaved);

/* out = x + …; the layer then has as many outputs as inputs. */
ATTN_API void attn_multi_head_set_residual(attn_multi_head *layer, int32_t residual);

/* Bytes of everything between x and out in a call; 0 if 4 GiB or more. */
ATTN_API size_t attn_multi_head_scratch_bytes(const attn_multi_head *layer, const attn_team *team,
                                              const attn_params *p);

/*
 * p has the layout with positions first. Without a cache n = m. With a cache the batch is 1, n is
 * its length + m, and it receives the new keys and values.
 *
 * ATTN_E_SHAPE if sizes do not fit, ATTN_E_LIMIT if the cache is full. Nothing was done then.
 */
ATTN_API int32_t attn_multi_head_forward(
    const attn_multi_head *layer, attn_team *team, const attn_params *p,
    float *out,               /* (batch, m, outputs) */
    const float *x,           /* (batch, m, model) */
    const int32_t *positions, /* (batch, m): rows of the RoPE table; NULL: the cache's length on */
    attn_cache *cache,        /* or NULL */
    void *scratch /* attn_multi_head_scratch_bytes, 16-aligned */);

/*
 * ---- The latent layer (statement 14)
 *
 * DeepSeek-V2's multi-head latent attention (arXiv 2405.04434, section 2.1, equations 9 to 19).
 */

/*
 * Keys and values are made from a latent c of r numbers. One small key part k_R carries the
 * position and serves all heads.
 *
 *     c = norm(W_DKV·x), k_R = RoPE(W_KR·x)            a cache keeps these r + rope numbers
 *     q = W_UQ·norm(W_DQ·x), or q = W_Q·x              a head has nope numbers q_C and rope q_R
 *     q_R = RoPE(q_R)
 *     z_j = scale·(⟨q_C, W_UK·c_j⟩ + ⟨q_R, k_R,j⟩)     scale 1/√(nope + rope)
 *     o = Σ_j p_j W_UV·c_j,  out = W_O·o (+ x)
 *
 * The expanded form computes W_UK·c_j and W_UV·c_j for every key. The absorbed form moves both
 * matrices to the side of the query:
 *
 *     ⟨q_C, W_UK·c⟩ = ⟨W_UKᵀ·q_C, c⟩ and Σ_j p_j W_UV·c_j = W_UV·Σ_j p_j c_j
 *
 * It is multi-query attention over the latents themselves. Both forms are equal but for rounding.
 */
typedef struct attn_latent attn_latent;

ATTN_API size_t attn_latent_bytes(void);

/*
 * ATTN_E_RANGE for a size below 1 or rope below 0. ATTN_E_LIMIT if r + rope, nope + rope or
 * value_dim is above attn_max_dim.
 */
ATTN_API int32_t attn_latent_init(attn_latent *layer, int32_t heads, int32_t latent, int32_t nope,
                                  int32_t rope, int32_t value_dim);

/* Bytes of kv_b when it is packed for both forms. */
ATTN_API size_t attn_latent_up_bytes(const attn_latent *layer);

/* Packs W_UK and W_UV, which kv_b holds head by head. */
ATTN_API void attn_latent_pack_up(const attn_latent *layer,
                                  void *up, /* attn_latent_up_bytes, 16-aligned */
                                  const float *kv_b /* (heads, nope + value_dim, r) */);

ATTN_API void attn_latent_set_weights(
    attn_latent *layer, const attn_matrix *down, /* W_DKV (r, model) */
    const attn_matrix *key,                      /* W_KR (rope, model), or NULL if rope is 0 */
    const void *up,                              /* of attn_latent_pack_up */
    const attn_matrix *q, /* W_UQ or W_Q (heads·(nope + rope), query's latent or model) */
    const attn_matrix *o /* W_O (outputs, heads·value_dim) */);

/* Compresses the query. */
ATTN_API void attn_latent_set_query_down(attn_latent *layer,
                                         const attn_matrix *q_down, /* W_DQ (query's latent, model),
                                                                       or NULL: no compression */
                                         const float *q_norm /* (query's latent), or NULL */);

/* The RMSNorm of the latent, and the epsilon of both norms. */
ATTN_API void attn_latent_set_norm(attn_latent *layer, const float *kv_norm /* (r), or NULL */,
                                   double epsilon);

ATTN_API void attn_latent_set_rope(attn_latent *layer, const float *cos, /* (positions, rope/2) */
                                   const float *sin,                     /* (positions, rope/2) */
                                   int32_t interleaved);

/* out = x + …; the layer then has as many outputs as inputs. */
ATTN_API void attn_latent_set_residual(attn_latent *layer, int32_t residual);

/* Bytes of everything between x and out in a call; 0 if 4 GiB or more. */
ATTN_API size_t attn_latent_scratch_bytes(const attn_latent *layer, const attn_team *team,
                                          const attn_params *p, int32_t absorbed);

/*
 * p has the layout with positions first, m new positions and n keys in all. The sizes of its heads
 * depend on the form:
 *   expanded   kv_heads = heads, dim = nope + rope, value_dim
 *   absorbed   kv_heads = 1, dim = value_dim = r + rope
 * In the absorbed form the caller sets the scale 1/√(nope + rope), which attn_init cannot know.
 *
 * ATTN_E_SHAPE if sizes do not fit. Nothing was done then.
 */
ATTN_API int32_t attn_latent_forward(
    const attn_latent *layer, attn_team *team, const attn_params *p,
    float *out,               /* (batch, m, outputs) */
    const float *x,           /* (batch, m, model) */
    const int32_t *positions, /* (batch, m): rows of the RoPE table; NULL: n − m on */
    float *latents,           /* (batch, n, r + rope): the last m are written, the others read */
    int32_t absorbed, void *scratch /* attn_latent_scratch_bytes, 16-aligned */);

#endif
