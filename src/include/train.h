/*
 * train.h: gradients, and the training of small models.
 *
 * The gradient of a number L with respect to x is written dx = ∂L/∂x and has the shape of x. A
 * function here gets the gradients of an operation's results and returns those of its inputs.
 *
 * The contract of attn.h holds here: the caller owns the memory, and nothing is allocated. The
 * order of every sum is set by the shapes alone. So the bits are the same for any number of
 * threads, and `simd` has the same bits on every engine.
 *
 * The order is from simple to advanced:
 *   attention
 *   linear layers, norms, activations, rotary positions, embeddings, the loss
 *   the optimizer
 *   a trainer: a model with its gradients and moments, and steps over batches of tokens
 */
#ifndef TRAIN_H
#define TRAIN_H

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

/*
 * ---- The loss ---------------------------------------------------------------------------------
 */

/* A target without loss: padding, or a token that need not be learnt. */
enum { ATTN_IGNORE = -1 };

/*
 * Cross-entropy of rows of logits z with target t:
 *     loss = log Σ_j exp(z_j) − z_t,  dz_j = weight·(exp(z_j)/Σ_k exp(z_k) − [j = t])
 * The largest logit is subtracted first, so nothing overflows. Returns the sum of the losses over
 * all rows with a target, in the order of the rows. With weight = 1/(their number), dz is the
 * gradient of the mean loss. If dz is NULL, only losses are computed.
 */
ATTN_API double attn_cross_entropy(attn_team *team,
                                   float *dz,              /* (rows, vocab), may be z; or NULL */
                                   double *losses,         /* (rows), written */
                                   const float *z,         /* (rows, vocab) */
                                   const int32_t *targets, /* (rows): [0, vocab) or ATTN_IGNORE */
                                   int32_t rows, int32_t vocab, double weight);

/*
 * ---- The optimizer ----------------------------------------------------------------------------
 */

/* √Σ g², in double. */
ATTN_API double attn_global_norm(const float *g /* (count) */, size_t count);

/*
 * The learning rate at `step` (0 for the first) of `steps`. It rises from rate/warmup to rate in
 * `warmup` steps. From there half a cosine leads down to `last`, which also holds beyond `steps`.
 */
ATTN_API double attn_learning_rate(double step, double steps, double warmup, double rate,
                                   double last);

/*
 * A step of AdamW (Loshchilov and Hutter, arXiv 1711.05101), the `number`th, counted from 1:
 *     g ← clip·g
 *     m ← m + (1 − β₁)(g − m),  v ← β₂·v + (1 − β₂)·g²
 *     w ← w·(1 − rate·decay) − rate/(1 − β₁ⁿ)·m / (√v/√(1 − β₂ⁿ) + epsilon)
 */
ATTN_API void attn_adamw(attn_team *team, float *w, /* (count) */
                         float *m,                  /* (count) */
                         float *v,                  /* (count) */
                         const float *g,            /* (count) */
                         size_t count, double number, double clip, double rate, double decay,
                         double beta1, double beta2, double epsilon);

/*
 * ---- A trainer --------------------------------------------------------------------------------
 *
 * A model of the Llama kind with its gradients and moments, in float32. With x the embedding of a
 * token, every layer does
 *
 *     x = x + W_o·attention(R·W_q N(x), R·W_k N(x), W_v N(x))      causal, scale 1/√head_dim
 *     x = x + W_down (f(W_gate N(x)) ⊙ W_up N(x))                  unless hidden is 0
 *
 * where each N is an RMSNorm of its own and R rotates the halves of each head. At the end logits =
 * W·N(x), with W the embedding or a matrix of its own.
 *
 * A batch passes through in parts of some sequences. A step of training is
 *
 *     attn_trainer_clear(t);
 *     for each part: loss += attn_trainer_gradient(t, team, tokens, targets, sequences, …);
 *     norm = attn_trainer_update(t, …);
 */

/* Opaque; attn_trainer_bytes of 16-aligned memory. */
typedef struct attn_trainer attn_trainer;

ATTN_API size_t attn_trainer_bytes(void);

/*
 * A model with these sizes; hidden is 0 for one without feed-forward. Its embedding is the output
 * matrix too, the activation is SiLU, the base of rotary positions 10⁴ and epsilon 10⁻⁵.
 *
 *   ATTN_E_RANGE   a size is below 1, or hidden below 0
 *   ATTN_E_SHAPE   heads is no multiple of kv_heads, or head_dim is odd
 *   ATTN_E_LIMIT   head_dim is above attn_max_dim(), or parameters or another size are too many
 */
ATTN_API int32_t attn_trainer_init(attn_trainer *t, int32_t layers, int32_t width, int32_t heads,
                                   int32_t kv_heads, int32_t head_dim, int32_t hidden,
                                   int32_t vocab, int32_t context, int32_t batch);

/* The rest of the model, before its memory. ATTN_E_RANGE: base ≤ 0 or epsilon < 0. */
ATTN_API int32_t attn_trainer_set_model(attn_trainer *t, int32_t tied, int32_t activation,
                                        double rope_base, double epsilon);

/* Bytes of parameters, gradients, moments and everything in a pass; 0 if 4 GiB or more. */
ATTN_API size_t attn_trainer_memory_bytes(const attn_trainer *t);

/* Lays them out. Norms are 1, all else is 0. */
ATTN_API void attn_trainer_place(attn_trainer *t, void *memory /* 16-aligned */);

/*
 * The parameters lie one behind the other: the embedding, the layers, the last norm, the output
 * matrix. So do gradients and both moments of AdamW.
 */
ATTN_API float *attn_trainer_parameters(const attn_trainer *t);     /* (parameter_count) */
ATTN_API float *attn_trainer_gradients(const attn_trainer *t);      /* (parameter_count) */
ATTN_API float *attn_trainer_first_moments(const attn_trainer *t);  /* (parameter_count) */
ATTN_API float *attn_trainer_second_moments(const attn_trainer *t); /* (parameter_count) */
ATTN_API size_t attn_trainer_parameter_count(const attn_trainer *t);

/* The parameters of a model, in their order. Those from NORM to DOWN are in every layer. */
enum {
  ATTN_PARAMETER_EMBEDDING, /* (vocab, width) */
  ATTN_PARAMETER_NORM,      /* (width) */
  ATTN_PARAMETER_Q,         /* (heads·head_dim, width) */
  ATTN_PARAMETER_K,         /* (kv_heads·head_dim, width) */
  ATTN_PARAMETER_V,         /* (kv_heads·head_dim, width) */
  ATTN_PARAMETER_O,         /* (width, heads·head_dim) */
  ATTN_PARAMETER_FFN_NORM,  /* (width) */
  ATTN_PARAMETER_GATE,      /* (hidden, width) */
  ATTN_PARAMETER_UP,        /* (hidden, width) */
  ATTN_PARAMETER_DOWN,      /* (width, hidden) */
  ATTN_PARAMETER_END_NORM,  /* (width) */
  ATTN_PARAMETER_OUTPUT,    /* (vocab, width) */
  ATTN_PARAMETERS,
};

/* Rows and columns of one; rows are 0 if the model has none, columns are 1 for a norm. */
ATTN_API int32_t attn_trainer_rows(const attn_trainer *t, int32_t parameter);
ATTN_API int32_t attn_trainer_columns(const attn_trainer *t, int32_t parameter);

/* Numbers before it. */
ATTN_API size_t attn_trainer_offset(const attn_trainer *t, int32_t parameter, int32_t layer);

/*
 * Draws the matrices. A number is deviation·(Σ of 12 integers of 16 bits − their mean)/2¹⁶, which
 * is near a normal distribution. The integers are the parts of SplitMix64 (Steele et al., 2014),
 * low bits first, one stream from `seed` for all parameters in order. Outputs of a residual, O and
 * DOWN, are divided by √(2·layers), as in GPT-2.
 */
ATTN_API void attn_trainer_randomize(attn_trainer *t, double seed, double deviation);

/* Sequences of a part, at most: as many as make about 1,024 tokens. */
ATTN_API int32_t attn_trainer_sequences(const attn_trainer *t);

/*
 * Bytes of each thread's scratch, which is the team's, and of the memory they share in a call with
 * these sequences. The memory of the trainer must have been laid out.
 */
ATTN_API size_t attn_trainer_scratch_bytes(const attn_trainer *t);
ATTN_API size_t attn_trainer_shared_bytes(const attn_trainer *t, const attn_team *team,
                                          int32_t sequences);

/* Sets all gradients to 0. */
ATTN_API void attn_trainer_clear(attn_trainer *t);

/*
 * Adds the gradient of weight·Σ losses of some sequences, and returns Σ losses. Parameters stay as
 * they are.
 */
ATTN_API double attn_trainer_gradient(attn_trainer *t, attn_team *team,
                                      const int32_t *tokens,  /* (sequences, context) */
                                      const int32_t *targets, /* (sequences, context), as in
                                                                 attn_cross_entropy */
                                      int32_t sequences, double weight,
                                      void *shared /* attn_trainer_shared_bytes, 16-aligned */);

/* Σ losses alone. */
ATTN_API double attn_trainer_loss(attn_trainer *t, attn_team *team,
                                  const int32_t *tokens,  /* (sequences, context) */
                                  const int32_t *targets, /* (sequences, context) */
                                  int32_t sequences,
                                  void *shared /* attn_trainer_shared_bytes, 16-aligned */);

/*
 * attn_adamw with the gradients of a step, divided by norm/max_norm where their norm is larger. A
 * max_norm of 0 is none. Norms of the model do not decay. Returns the norm of the gradients. If it
 * is not finite, nothing is changed.
 */
ATTN_API double attn_trainer_update(attn_trainer *t, attn_team *team, double number,
                                    double max_norm, double rate, double decay, double beta1,
                                    double beta2, double epsilon);

/* Scores of a head, each the mean over query rows of some sequences. */
enum {
  ATTN_HEAD_RHO,       /* KL(p‖u), over rows with at least two keys, as are χ and the next */
  ATTN_HEAD_CHI,       /* Var_p(z), the variance of scores under the weights */
  ATTN_HEAD_PREVIOUS,  /* the weight of the key before the query */
  ATTN_HEAD_INDUCTION, /* the weights of keys that follow an earlier occurrence of the query's token
                          and come before the query; over rows that have such a key, else 0 */
  ATTN_HEAD_SCORES,
};

/* Bytes of each thread's scratch for attn_trainer_heads. */
ATTN_API size_t attn_trainer_heads_bytes(const attn_trainer *t);

ATTN_API void attn_trainer_heads(attn_trainer *t, attn_team *team,
                                 double *scores,        /* (layers, heads, ATTN_HEAD_SCORES) */
                                 const int32_t *tokens, /* (sequences, context) */
                                 int32_t sequences,
                                 void *shared /* attn_trainer_shared_bytes, 16-aligned */);

#endif
