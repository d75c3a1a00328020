/*
 * train.h: the training of small models, with the gradients of gradients.h.
 *
 * The contract of attn.h holds here: the caller owns the memory, and nothing is allocated. The
 * order of every sum is set by the shapes alone. So the bits are the same for any number of
 * threads, and `simd` has the same bits on every engine.
 *
 * The order is from simple to advanced:
 *   the loss
 *   the optimizer
 *   a trainer: a model with its gradients and moments, and steps over batches of tokens
 */
#ifndef TRAIN_H
#define TRAIN_H

#include "gradients.h"

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
