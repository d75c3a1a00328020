/*
 * attn.h: scaled-dot-product attention that can explain itself.
 *
 * For each query q_i of each head, over the keys k_j it may see:
 *
 *     z_j = scale·keyScale_j·⟨q_i, k_j⟩        raw score
 *     z_j = softcap·tanh(z_j / softcap)        capped
 *     z_j = z_j + bias_j                       masked (−∞: not attended)
 *     p   = softmax(z / T)                     weights: the maximiser of ⟨p, z⟩ + T·H(p)
 *     o_i = Σ_j p_j v_j                        output
 *
 * Words:
 *     m, n          queries, keys
 *     dim (d)       size of a query or key head
 *     value_dim     size of a value head
 *     T             temperature
 *     lse           log Σ exp(z_j/T)
 *     H             entropy
 *     u             the uniform distribution over the attended keys
 * All logarithms are natural.
 *
 * Contract, for every function here. Attention in 8-bit integers (ATTN_INT8) is an exception where
 * attn_set_precision says so.
 *   - The caller owns all memory and passes it in. Nothing is allocated, and there is no mutable
 *     global. Only two objects keep addresses. attn_params keeps those of masks, slopes and results
 *     that were set, and attn_work those given to attn_work_begin.
 *   - 0 (ATTN_OK) is success. Another status names the error, and then nothing has been written.
 *   - Array pointers need only the alignment of their element type. Nothing outside an array is
 *     read or written.
 *   - A masked key has no influence: NaN or infinity in it or in its value changes nothing.
 *   - A row without any key gives output 0, weights 0, lse −∞ and statistics 0.
 *   - NaN in anything attended gives NaN in the results that depend on it, and only there. So does
 *     a row whose attended scores are all −∞, unless T = ∞ or the row has a sink.
 *   - A row's result has the same bits by itself and among others, and in one call and in chunks.
 *     So it has from arrays and from a cache, and as a grouped and as a repeated head. The relaxed
 *     build promises this on one machine.
 *
 * Read it from simple to advanced: shape, masks, optional results, attention, the cache, threads.
 * The statements behind it are in theory.h.
 */
#ifndef ATTN_H
#define ATTN_H

#include <stddef.h>
#include <stdint.h>

#define ATTN_API __attribute__((visibility("default")))

enum {
  ATTN_OK = 0,
  /* sizes that do not fit together: heads no multiple of kv_heads, a mask that cannot broadcast */
  ATTN_E_SHAPE = 1,
  /* a number outside its range: a negative size, a temperature below 0, NaN where none may be */
  ATTN_E_RANGE = 2,
  /* too large: a head above attn_max_dim(), an array of 4 GiB, a cache that is full */
  ATTN_E_LIMIT = 3,
  ATTN_E_FORMAT = 4,    /* not a snapshot of a cache of this shape */
  ATTN_E_INTEGRITY = 5, /* a snapshot that is cut off, or whose checksum is wrong */
};

/* ---- One call's shape and options ---- */

/* Opaque; attn_params_bytes() of 8-aligned memory. Always begin with attn_init. */
typedef struct attn_params attn_params;

ATTN_API size_t attn_params_bytes(void);

/* 1 in the build that may fuse multiply and add, else 0. */
ATTN_API int32_t attn_is_relaxed(void);

/* The largest dim and value_dim. */
ATTN_API int32_t attn_max_dim(void);

/*
 * Shape of one call:
 *     q       (batch, heads, m, dim)
 *     k       (batch, kv_heads, n, dim)
 *     v       (batch, kv_heads, n, value_dim)
 *     output  (batch, heads, m, value_dim)
 * Sets every option to its default: scale 1/√dim, T = 1, nothing masked, only the output returned.
 * Query head h reads kv head ⌊h / (heads/kv_heads)⌋, so heads must be a multiple of kv_heads. m and
 * n may be 0.
 */
ATTN_API int32_t attn_init(attn_params *p, int32_t batch, int32_t heads, int32_t kv_heads,
                           int32_t m, int32_t n, int32_t dim, int32_t value_dim);

/*
 * The layout of q, k, v and output.
 *     0  (batch, heads, positions, size), the default
 *     1  (batch, positions, heads, size)
 */
ATTN_API int32_t attn_set_layout(attn_params *p, int32_t positions_first);

/* Any finite number; 0 gives the mean of the values. Default 1/√dim. */
ATTN_API int32_t attn_set_scale(attn_params *p, double scale);

/*
 * T ≥ 0. 0 and +∞ are the exact limits. At 0 the largest score has all the weight, and ties share
 * it. At +∞ the weights are uniform.
 */
ATTN_API int32_t attn_set_temperature(attn_params *p, double temperature);

/* T ≥ 0 of each head (heads), until attn_set_temperature is called again. NULL: one for all. */
ATTN_API int32_t attn_set_temperatures(attn_params *p, const double *temperatures);

/* softcap > 0, or 0 for none. */
ATTN_API int32_t attn_set_softcap(attn_params *p, double softcap);

/* Multipliers λ_j of the maximum-entropy form (paper, Eq. 16), in the data's type. NULL: none. */
ATTN_API void attn_set_key_scale(attn_params *p, const void *key_scale); /* (n) */

/*
 * The numbers that attn_forward_f32 multiplies.
 *   FLOAT  float32.
 *   INT8   integers of 8 bits, after SageAttention (Zhang et al., arXiv 2410.02367). They are not
 *          exact. They are faster if the engine has an exact 8-bit dot product.
 *
 * How INT8 rounds:
 *   - Queries, keys and values become bytes, each vector with a scale s = max|x|/127 of its own.
 *   - Statistics are of spans of 512 keys, of those within the key lengths.
 *   - A key loses the mean of its span if that makes max|k| smaller. Its score gets it back.
 *   - Keys are divided by r_c, and queries multiplied. r_c is the root of a channel's mean size in
 *     keys relative to their largest, at least 1/16. A key counts there as 0 if the mean leaves
 *     less of it than 2⁻¹⁴ of the largest key.
 *   - Weights times value scales have 7 bits relative to the largest of 128 keys.
 *   - Sums of products are exact: every build has the same integers.
 *   - Vectors whose largest number, as it is rounded, is below 2e-36 count as 0 (values: 2e-34).
 *   - Vectors that are not all finite count as NaN.
 *   - Masks, statistics and everything else are as with FLOAT.
 *   - A finite key that is hidden by causal, window or mask still counts in mean and r. So it
 *     changes, within these bounds, how other keys are rounded: a prompt in chunks has other bits.
 *
 * Bounds. q' and k' are the numbers before rounding, v' is a value after it, ε is half a scale:
 *     score   |scale|·(ε_q·Σ|k'_c| + ε_k·Σ|q'_c| + d·ε_q·ε_k)
 *             + (8 + d)·2⁻²³·|scale|·Σ|q'_c|(|k'_c| + |mean_c|/r_c) for floats
 *     output  Σp_j·ε_j + Σ_blocks max_j(p_j s_j)·Σ_j|v'_jc/s_j|/254 + 2⁻¹⁹·Σp_j|v_jc|
 *             from the output of these scores' weights p; blocks of 128 keys, ε and s of values
 * They hold for numbers and products of 10⁻³⁰ to 10³⁰; smaller values count as 0.
 *
 * INT8 is for attn_forward_f32 and for attn_work over arrays; elsewhere it is ATTN_E_RANGE. Set it
 * before asking for scratch bytes.
 */
enum { ATTN_FLOAT = 0, ATTN_INT8 = 1 };
ATTN_API int32_t attn_set_precision(attn_params *p, int32_t precision);

/* ---- Which keys a query sees ---- */

/* With causal, query i sees keys j ≤ i + offset. */
ATTN_API void attn_set_causal(attn_params *p, int32_t causal);

/*
 * The position of query 0, which is the number of past keys, within ±2^29. `offsets` (batch) gives
 * each batch its own; if it is NULL, all have `offset`.
 */
ATTN_API int32_t attn_set_offset(attn_params *p, int32_t offset, const int32_t *offsets);

/* Key j is seen if i + offset − left ≤ j ≤ i + offset + right; −1 leaves a side open. */
ATTN_API int32_t attn_set_window(attn_params *p, int32_t left, int32_t right);

/* Keys from lengths[b] on are padding; values outside [0, n] are clamped. NULL: none. */
ATTN_API void attn_set_key_lengths(attn_params *p, const int32_t *lengths); /* (batch) */

enum {
  ATTN_MASK_NONE = 0,
  ATTN_MASK_SELECT = 1, /* one byte each, nonzero: attend */
  /* the data's type, added; −∞ masks. A finite number, however negative, does not. */
  ATTN_MASK_ADD = 2,
};

/*
 * mask (b, h, rows, columns). Each of the first three is 1 or the size of (batch, heads, m).
 * columns is 1 or at most n. The keys beyond a row of 2 to n − 1 columns are masked.
 */
ATTN_API int32_t attn_set_mask(attn_params *p, int32_t kind, const void *mask, int32_t b, int32_t h,
                               int32_t rows, int32_t columns);

/* ALiBi: −slopes[h]·|i + offset − j| is added, in the data's type. NULL: none. */
ATTN_API void attn_set_alibi(attn_params *p, const void *slopes); /* (heads) */

/*
 * A sink is one more logit of a head in the denominator of the weights. lse and statistics do not
 * count it. NULL: none.
 */
ATTN_API void attn_set_sinks(attn_params *p, const void *sinks); /* (heads) */

/* ---- Optional results, in the data's type unless said otherwise ---- */

/*
 * Weights (batch, chosen_heads, chosen_rows, n) of chosen heads and rows. head_slot[h] and
 * row_slot[i] give the place among the chosen ones, or −1 for none; NULL chooses all in order.
 */
ATTN_API void attn_want_weights(attn_params *p, void *weights,
                                const int32_t *head_slot,                      /* (heads) */
                                int32_t chosen_heads, const int32_t *row_slot, /* (m) */
                                int32_t chosen_rows);

enum { ATTN_SCORES_RAW = 0, ATTN_SCORES_CAPPED = 1, ATTN_SCORES_MASKED = 2 };

/*
 * All scores (batch, heads, m, n) of one stage. Raw and capped scores are those of all keys, also
 * of masked ones.
 */
ATTN_API int32_t attn_want_scores(attn_params *p, int32_t stage, void *scores);

/*
 * log Σ exp(z_j/T). At T = ∞ it is log n. At T = 0 it is ±∞ by the sign of the largest score, or
 * the log of the number of ties if that score is 0.
 */
ATTN_API void attn_want_lse(attn_params *p, void *lse); /* (batch, heads, m) */

/* The statistics of a row, each a number of the data's type but two that are int32. */
enum {
  ATTN_STAT_N,       /* int32: keys attended */
  ATTN_STAT_ENTROPY, /* H(p) */
  ATTN_STAT_KL,      /* KL(p‖u) = log n − H = ⟨z⟩/T − lse + log n */
  ATTN_STAT_SCORE,   /* ⟨z⟩ = Σ p_j z_j */
  ATTN_STAT_MAX,     /* the largest weight */
  ATTN_STAT_ARGMAX,  /* int32: its position, the lowest of a tie */
  ATTN_STAT_VARIANCE, /* Var_p(z) = Σ p_j (z_j − ⟨z⟩)²: ∂KL/∂β = β·Var_p(z) with β = 1/T */
  ATTN_STATISTICS,
};

/*
 * Statistics of each row, accumulated inside the fused kernel without storing weights. Each has a
 * plane (batch, heads, m), and planes are `plane` elements of the data's type apart. NULL: none.
 */
ATTN_API void attn_want_stats(attn_params *p, void *stats, size_t plane);

/*
 * Sums of weights over segments of the keys, without storing weights. Segment s has the keys from
 * edges[s] to edges[s + 1] − 1; those from n on weigh nothing. Sinks take their share, as of
 * attn_want_weights. With sums NULL only the scratch bytes count them.
 *   ATTN_E_RANGE   an edge is below 0 or below the one before it, or count is below 0
 *   ATTN_E_LIMIT   more than ATTN_MAX_SEGMENTS, or sums too large for memory
 */
enum { ATTN_MAX_SEGMENTS = 2048 };
ATTN_API int32_t attn_want_segments(attn_params *p, void *sums, /* (batch, heads, m, count) */
                                    const int32_t *edges,       /* (count + 1) */
                                    int32_t count);

/* ---- Attention ---- */

/*
 * Working memory of a call with these options; the memory must be 16-aligned. It does not grow with
 * m, nor with n beyond 512. In float64 it has one row of n doubles (statement 15). It is never 0.
 */
ATTN_API size_t attn_scratch_bytes_f32(const attn_params *p);
ATTN_API size_t attn_scratch_bytes_f64(const attn_params *p);

/*
 * Tiled, with online softmax. out overlaps no input. With ε = 2⁻²³,
 *     |error| ≤ ε·Σp_j|v_j|·(4 + 4A),
 *     A = max_j (Σ_c |scale·q_c·k_jc| + |biases_j|)/T over keys that weigh anything, or |sink|/T,
 * where a float mask and ALiBi are biases. Weights below 2⁻¹²⁶ of the largest are 0. The bound is
 * for A up to 2¹⁸. It describes how rounding falls and is no proof (docs/numerics.md).
 */
ATTN_API int32_t attn_forward_f32(const attn_params *p, float *out, const float *q, const float *k,
                                  const float *v, void *scratch);

/* Textbook order in double, with error-free summation; the same bound with ε = 2⁻⁵². */
ATTN_API int32_t attn_forward_f64(const attn_params *p, double *out, const double *q,
                                  const double *k, const double *v, void *scratch);

/* ---- A cache of keys and values of one sequence, in the order the kernels read ---- */

/*
 * How a cache stores numbers.
 *   F32  as they are: the bits of attn_forward_f32.
 *   F16  half precision, rounded to nearest: relative 2⁻¹¹ from 2⁻¹⁴ to 65504, ±∞ beyond. The
 *        kernels multiply the halves exactly.
 *   Q8   a byte each and, per key and per value of each head, a scale s of at most max|x|/127. So
 *        |error| ≤ s/2, and the rounding of floats. A vector that is not all finite counts as NaN.
 *        A key is stored as its difference from a reference if that makes s smaller. References
 *        are keys 0 and 1, and medians of seven keys before every 512th (docs/numerics.md).
 *
 * How Q8 multiplies:
 *   - Queries have 15 bits and a sign relative to their largest channel, fewer beyond 513 channels.
 *   - Weights times value scales have 15 bits relative to the largest of 512 keys.
 *   - Dot products are sums of integers, so their order changes no bit of the simd build.
 *
 * Bounds for Q8. k̂ and v̂ are as attn_cache_read gives them, x is a query's largest |channel|, and
 * L = min(32639, ⌊(2³¹ − 1)/128(dim + 1)⌋):
 *     score   scale·x/2L·Σ|k̂_c − r_c|, at most scale·x/2L·dim·max|k_c|; r is the reference or 0
 *     output  n·max_j(p_j s_j)·127/65278 beside that, s_j the value scales
 * They hold for numbers and products of 10⁻³⁰ to 10³⁰; smaller values count as 0. The bound of
 * attn_forward_f32 comes on top, with Σ|q_c r_c|·scale in A.
 */
enum { ATTN_CACHE_F32 = 0, ATTN_CACHE_F16 = 1, ATTN_CACHE_Q8 = 2 };

/* Opaque; attn_cache_bytes of 16-aligned memory, 0 if the type or the sizes are not valid. */
typedef struct attn_cache attn_cache;

ATTN_API size_t attn_cache_bytes(int32_t kv_heads, int32_t dim, int32_t value_dim, int32_t capacity,
                                 int32_t type);

/* The memory must have the bytes of these sizes. */
ATTN_API int32_t attn_cache_init(attn_cache *cache, int32_t kv_heads, int32_t dim,
                                 int32_t value_dim, int32_t capacity, int32_t type);

ATTN_API int32_t attn_cache_length(const attn_cache *cache);

/*
 * Appends t positions: k (kv_heads, t, dim) and v (kv_heads, t, value_dim), or with positions_first
 * (t, kv_heads, dim) and (t, kv_heads, value_dim). If they do not fit, nothing is appended:
 * ATTN_E_LIMIT.
 */
ATTN_API int32_t attn_cache_append(attn_cache *cache, const float *k, const float *v, int32_t t,
                                   int32_t positions_first);

/* Forgets all positions from length on. ATTN_E_RANGE if it holds fewer. */
ATTN_API int32_t attn_cache_truncate(attn_cache *cache, int32_t length);

/*
 * Copies the positions [from, to) out, as the kernels see them: k (kv_heads, to − from, dim) and v
 * (kv_heads, to − from, value_dim).
 */
ATTN_API int32_t attn_cache_read(const attn_cache *cache, float *k, float *v, int32_t from,
                                 int32_t to);

/*
 * A snapshot holds a version, the type, the sizes, the positions in use and a checksum. Earlier
 * versions are still read.
 */
ATTN_API size_t attn_cache_snapshot_bytes(const attn_cache *cache);
ATTN_API void attn_cache_snapshot(const attn_cache *cache, uint8_t *snapshot);

/*
 * Replaces the positions by those of a snapshot, which may be of a cache of any capacity. Any bytes
 * are safe to pass. On failure the cache is as before:
 *     ATTN_E_FORMAT     the snapshot is of another type, other sizes or a later version
 *     ATTN_E_INTEGRITY  it is damaged
 *     ATTN_E_LIMIT      it does not fit
 */
ATTN_API int32_t attn_cache_restore(attn_cache *cache, const uint8_t *snapshot, size_t bytes);

/*
 * attn_forward_f32 over a cache of any type. The options must have batch 1, the sizes of the cache
 * and n = its length; else ATTN_E_SHAPE.
 */
ATTN_API int32_t attn_cache_attend(const attn_params *p, float *out, const float *q,
                                   const attn_cache *cache, void *scratch);

/* ---- The same in pieces, for threads ---- */

/*
 * Call begin, then run on any number of threads at once, then end. The bits are those
 * of one thread. All memory is the caller's and shared.
 *
 * Each run needs attn_scratch_bytes_f32(p) of 16-aligned scratch that no other thread uses. Begin,
 * end and one of the runs may use the same. The options p and the arrays must stay until the end.
 */
typedef struct attn_work attn_work;

/*
 * The memory must be 16-aligned. Never 0; at most 64 MB beside the few bytes that describe the
 * call.
 */
ATTN_API size_t attn_work_bytes(const attn_params *p);

/*
 * Multiply-adds (statement 15), to judge whether a call is worth another thread. 0 if it cannot be
 * shared out.
 */
ATTN_API double attn_work_size(const attn_params *p);

/* k and v, or a cache; the other is NULL. Returns the status that attn_cache_attend would. */
ATTN_API int32_t attn_work_begin(attn_work *w, const attn_params *p, float *out, const float *q,
                                 const float *k, const float *v, const attn_cache *cache,
                                 void *scratch);

/* Computes pieces until every piece has a thread. */
ATTN_API void attn_work_run(attn_work *w, void *scratch);

/* Pieces not finished yet; 0 when all are. */
ATTN_API int32_t attn_work_remaining(const attn_work *w);

ATTN_API void attn_work_end(attn_work *w, void *scratch);

#endif
