/*
 * gradients.h: the gradients of attention and of a model's other operations.
 *
 * The gradient of a number L with respect to x is written dx = ∂L/∂x and has the shape of x. A
 * function here gets the gradients of an operation's results and returns those of its inputs.
 *
 * The contract of attn.h holds here: the caller owns the memory, and nothing is allocated. The
 * order of every sum is set by the shapes alone. So the bits are the same for any number of
 * threads, and `simd` has the same bits on every engine.
 *
 * Attention comes first, then linear layers, norms, activations, rotary positions and embeddings.
 */
#ifndef GRADIENTS_H
#define GRADIENTS_H

#include "layers.h"

/* ---- Attention */

/*
 * With the words of attn.h, per query row i, over the keys j it attends:
 *
 *     p_j  = exp(z_j/T − lse)                weights; with a sink, divided by its part too
 *     dP_j = ⟨do, v_j⟩                       dP = dO·Vᵀ
 *     D    = Σ_j p_j dP_j = ⟨do, o⟩          the rowsum of dO ∘ O
 *     dS_j = p_j (dP_j − D) = ∂L/∂(z_j/T)    the weight times the advantage of key j
 *     dZ_j = dS_j/T                          also the gradient of a float mask
 *     dR_j = dZ_j (1 − (c_j/softcap)²)       c_j the capped score; without a softcap dR = dZ
 *
 *     dv_j += p_j·do
 *     dq   += scale·keyScale_j·dR_j·k_j
 *     dk_j += scale·keyScale_j·dR_j·q
 *
 * So ∂o/∂z_j = p_j (v_j − o)/T: a logit moves the output by the weight of its key times the
 * advantage of its value over the mean (statement 16). The same holds for the mean ⟨x⟩ = Σ p_j x_j
 * of any number x_j of each key, which is a channel of v. Sums over all that share a number:
 *
 *     dkeyScale_j = Σ scale·dR_j·⟨q, k_j⟩
 *     dscale      = Σ keyScale_j·dR_j·⟨q, k_j⟩
 *     dsink       = −Σ p_sink·D/T            p_sink: the part of the weights that the sink has
 *     dT          = −Σ (Σ_j dZ_j z_j + dsink·sink)/T
 *
 * Every option of attn_init and its setters is differentiated, but T must be finite and not 0.
 * Query heads that share a kv head add their parts of dk and dv, head after head. No part of it is
 * stored for all pairs of queries and keys.
 *
 * A masked key or value has no influence: NaN in it changes nothing, and its own gradients get
 * nothing from the row. A key that no row attends has dk = 0 and dv = 0. A row without any key has
 * dq = 0.
 *
 * The calls, for float32 and in the same way for float64:
 *
 *     attn_gradient_init(g, p);  attn_gradient_want_…(g, …);
 *     attn_team_open(team, threads, scratch, ≥ attn_gradient_scratch_bytes_f32(g));
 *     attn_gradient_f32(g, team, dq, dk, dv, q, k, v, output, lse, d_output, shared);
 */

/* Opaque; attn_gradient_bytes of 8-aligned memory. It keeps the addresses of p and of results. */
typedef struct attn_gradient attn_gradient;

ATTN_API size_t attn_gradient_bytes(void);

/*
 * The gradient of the call with options p, which must not change until it is done. Results that p
 * wants are not written. ATTN_E_RANGE if a temperature is 0 or +∞, or with ATTN_INT8.
 */
ATTN_API int32_t attn_gradient_init(attn_gradient *g, const attn_params *p);

/*
 * More results, in the data's type unless said otherwise. NULL: not wanted. Each is ATTN_E_RANGE if
 * the call has no such option.
 */
ATTN_API int32_t attn_gradient_want_key_scale(attn_gradient *g, void *d_key_scale); /* (n) */
ATTN_API int32_t attn_gradient_want_sinks(attn_gradient *g, void *d_sinks);         /* (heads) */
/* Of a float mask, with the mask's own four sizes: a broadcast number gets the sum. */
ATTN_API int32_t attn_gradient_want_mask(attn_gradient *g, void *d_mask);
/* Of the scale and of the temperature, as each head's part of the sum. */
ATTN_API void attn_gradient_want_scalars(attn_gradient *g, double *d_scale, /* (heads) or NULL */
                                         double *d_temperature /* (heads) or NULL */);

/*
 * Bytes of each thread's scratch, which is the team's (team.h), and of the memory that the threads
 * share. 0 if 4 GiB or more.
 */
ATTN_API size_t attn_gradient_scratch_bytes_f32(const attn_gradient *g);
ATTN_API size_t attn_gradient_scratch_bytes_f64(const attn_gradient *g);
ATTN_API size_t attn_gradient_shared_bytes_f32(const attn_gradient *g, const attn_team *team);
ATTN_API size_t attn_gradient_shared_bytes_f64(const attn_gradient *g, const attn_team *team);

/* Multiply-adds, to judge whether the call is worth another thread. */
ATTN_API double attn_gradient_size(const attn_gradient *g);

/*
 * Writes all of dq, dk and dv, in the layout of the call, and the results that are wanted. They
 * overlap nothing that is read. output and lse are those of the forward call with these options;
 * if either is NULL, both are computed again.
 */
ATTN_API int32_t attn_gradient_f32(const attn_gradient *g, attn_team *team,
                                   float *dq,             /* (batch, heads, m, dim) */
                                   float *dk,             /* (batch, kv_heads, n, dim) */
                                   float *dv,             /* (batch, kv_heads, n, value_dim) */
                                   const float *q,        /* (batch, heads, m, dim) */
                                   const float *k,        /* (batch, kv_heads, n, dim) */
                                   const float *v,        /* (batch, kv_heads, n, value_dim) */
                                   const float *output,   /* (batch, heads, m, value_dim) or NULL */
                                   const float *lse,      /* (batch, heads, m) or NULL */
                                   const float *d_output, /* (batch, heads, m, value_dim) */
                                   void *shared /* attn_gradient_shared_bytes_f32, 16-aligned */);

/* In double and in textbook order: from all scores of a row to its weights and their gradients. */
ATTN_API int32_t attn_gradient_f64(const attn_gradient *g, attn_team *team,
                                   double *dq,             /* (batch, heads, m, dim) */
                                   double *dk,             /* (batch, kv_heads, n, dim) */
                                   double *dv,             /* (batch, kv_heads, n, value_dim) */
                                   const double *q,        /* (batch, heads, m, dim) */
                                   const double *k,        /* (batch, kv_heads, n, dim) */
                                   const double *v,        /* (batch, kv_heads, n, value_dim) */
                                   const double *d_output, /* (batch, heads, m, value_dim) */
                                   void *shared /* attn_gradient_shared_bytes_f64, 16-aligned */);

/*
 * ---- Linear layers: y = x·Wᵀ ------------------------------------------------------------------
 *
 * From here on all numbers are float32, and row i of a matrix follows row i − 1. Gradients of
 * weights are added to those that are there, since several parts of a batch sum up.
 *
 * The weights lie as models store them, one row for each output, and are packed on the way. Each
 * thread of the team needs attn_linear_scratch_bytes of scratch. With u = 2⁻²⁴ and N summed terms,
 *   |error| ≤ u·(33 + ⌈N/32⌉)·(Σ|terms| + |start|).
 */
ATTN_API size_t attn_linear_scratch_bytes(void);

/* y = start + x·Wᵀ. */
ATTN_API void attn_linear(attn_team *team, float *y, /* (rows, outputs) */
                          const float *start,        /* (rows, outputs), may be y; or NULL: 0 */
                          const float *x,            /* (rows, inputs) */
                          const float *w,            /* (outputs, inputs) */
                          int32_t rows, int32_t inputs, int32_t outputs);

/* dx = start + dy·W. */
ATTN_API void
attn_linear_input_gradient(attn_team *team, float *dx, /* (rows, inputs) */
                           const float *start,         /* (rows, inputs), may be dx; or NULL */
                           const float *dy,            /* (rows, outputs) */
                           const float *w,             /* (outputs, inputs) */
                           int32_t rows, int32_t inputs, int32_t outputs);

/* dw = dw + dyᵀ·x. */
ATTN_API void attn_linear_weight_gradient(attn_team *team, float *dw, /* (outputs, inputs) */
                                          const float *dy,            /* (rows, outputs) */
                                          const float *x,             /* (rows, inputs) */
                                          int32_t rows, int32_t inputs, int32_t outputs);

/*
 * ---- Norms, activations, rotary positions, embeddings -----------------------------------------
 */

/*
 * Of y = x·r·g with r = 1/√(mean(x²) + epsilon), over `size` channels:
 *     dx_c = dx_c + r·g_c·dy_c − x_c·r³/size·Σ_k dy_k·g_k·x_k
 *     dg_c = dg_c + Σ_rows dy_c·x_c·r
 * dx is added to, as beside every norm there is a residual. Sums are in double.
 */
ATTN_API void attn_rms_norm_gradient(attn_team *team, float *dx, /* (rows, size) */
                                     float *dg,                  /* (size) */
                                     const float *dy,            /* (rows, size) */
                                     const float *x,             /* (rows, size) */
                                     const float *g,             /* (size) */
                                     double *r,                  /* (rows), written */
                                     int32_t rows, int32_t size, double epsilon);

/*
 * Of y = f(x)·up, SwiGLU and GeGLU; kind as in attn_activate.
 *     dx = dy·up·f′(x), dup = dy·f(x)
 * dx may be x or dy, and dup may be up. If up is NULL, y is f(x), and dup is not written.
 */
ATTN_API void attn_activate_gradient(float *dx,       /* (count) */
                                     float *dup,      /* (count), or NULL */
                                     const float *dy, /* (count) */
                                     const float *x,  /* (count) */
                                     const float *up, /* (count), or NULL */
                                     size_t count, int32_t kind);

/*
 * Of attn_rope, in place: a rotation by −θ. The pair (da, db) becomes (da·cos + db·sin,
 * db·cos − da·sin).
 */
ATTN_API void attn_rope_gradient(float *dx, /* (m, heads, …), as x in attn_rope */
                                 int32_t m, int32_t heads, size_t row_stride, size_t head_stride,
                                 const float *cos,         /* (positions, rotary_dim/2) */
                                 const float *sin,         /* (positions, rotary_dim/2) */
                                 const int32_t *positions, /* (m): rows of the table; NULL: 0, 1, …
                                                            */
                                 int32_t rotary_dim, int32_t interleaved);

/* x_i = E[token_i]. */
ATTN_API void attn_embed(float *x,              /* (count, width) */
                         const float *e,        /* (vocab, width) */
                         const int32_t *tokens, /* (count), each in [0, vocab) */
                         int32_t count, int32_t width);

/* dE[token_i] = dE[token_i] + dx_i, in the order of the tokens. */
ATTN_API void attn_embed_gradient(attn_team *team, float *de, /* (vocab, width) */
                                  const float *dx,            /* (count, width) */
                                  const int32_t *tokens,      /* (count) */
                                  int32_t count, int32_t width);

#endif
