/*
 * The float32 kernels' working state and their steps.
 *
 * How a query reaches the tile loop:
 *   attn_forward_f32, attn_cache_attend  call.c: begin the call, then each kv head in turn
 *   attn_attend_chunk                    chunk.c: up to CHUNK query rows of one kv head
 *     attn_query_rows                    groups them into query_rows, up to ROWS that go together
 *       row_view_of                      options.h: the keys of each row, by causal and window
 *     attn_clear_results                 results.c: −∞ as all weights and scores that are wanted
 *     for each span of SPAN keys that the chunk sees:
 *       attn_load_span                   pack.c: packs keys and values, or points to a cache
 *       for each query_rows:
 *         attn_pack_queries              pack.c: scaled queries, from head_job to call.queries
 *         attend_rows                    chunk.c: takes the rows over the span, ends finished rows
 *           attn_attend_span             chunk.c: scores, weights and sums of values
 *             attn_score_span            scores.c: of keys in floats, halves or bytes
 *               score_panels             chooses a function for 1 to ROWS rows
 *                 scores_of_rows         the loop over tiles, each of a panel of keys or two
 *                   panel_scores         tiles.h: one tile, in chains of channels
 *                     add_channel        its multiply-adds
 *             attn_weigh_rows            softmax.c: scores become weights, row by row
 *               attn_final_scores        scores.c: products become scores, and their maximum
 *                 shape_row              masks the ends of a plain row, such as a causal one
 *                   shape_scores         of other rows: scales, softcap, biases, masks
 *                 attn_mend_scores       beyond.c: scores that are not finite anew, in double
 *               weigh_row                exp of each, or the rules of T = 0 and T = ∞
 *             attn_sum_values            values.c: weights times values, in block_values;
 *                                        again with more care if a sum is not finite
 *           attn_merge_span              results.c: online softmax, adds the span to the last ones
 *           attn_end_row                 results.c: after the last span, writes the output
 *             attn_attend_in_double      beyond.c: if floats were too coarse for the row
 *
 * scores.c tells how a number of call.scores becomes a score and a weight.
 *
 * With threads it begins in attn_work_run (pieces.c). With few rows of a kv head, as in decoding,
 * threads share out spans: run_span does the steps of one span, and attn_work_end merges them.
 *
 * s is the call. A function with a `const call *` writes no scratch but that of its other pointers
 * and that of s->in_double.
 * `set` is some query_rows that go together. In loops x is one of its rows, and r a row of a kv
 * head or of a tile. CONTRIBUTING.md has the glossary.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include "cache_layout.h"
#include "row64.h"

enum {
  CHUNK = 512,   /* rows of a kv head done together: tuning.md#span-sizes */
  KEY_STEP = 16, /* keys that loops over weights do at once: four vectors, a sum for each */
};

/* Query rows that are done together. */
typedef struct {
  int count;       /* at most ROWS */
  int32_t h[ROWS]; /* the query head of each row */
  int32_t i[ROWS]; /* the query of each row */
  row_view view[ROWS];
  row_temperature t[ROWS];
  int32_t lo;
  int32_t hi;           /* all rows together see keys of [lo, hi) */
  float *weights[ROWS]; /* (n) each: results, or NULL if they are not wanted */
  float *scores[ROWS];  /* (n) each: results, or NULL if they are not wanted */
} query_rows;

/* A row over one span. */
typedef struct {
  row_state row;
  double divided_by;      /* 1, or RANGE_SCALE if its sums of values are smaller by that */
  const double *segments; /* (segment_count): sums of weights, or NULL if they are not wanted */
} span_state;

/* Of a rounded span (round.c), all but the integers: the call has these as panels and values. */
typedef struct {
  int32_t not_finite; /* some value was not: its scale is NaN */
  float key_scale[SPAN];
  float value_scale[SPAN];
  /* the smallest factor of a channel: queries are this many times too small */
  float min_channel_root;
  float mean_score[TILE4]; /* product of each query with the mean of the keys */
  float vectors[];         /* numbered in round.c */
} int8_span;

/* One call, as one thread works on it. Scratch is 16-aligned. */
typedef struct {
  const attn_params *p;
  double fraction;      /* p->scale without power: queries are multiplied by it; call.c */
  float power;          /* the power of two that p->scale has beside it; row_temperature.unit */
  double largest_scale; /* how many times larger a rounded subnormal becomes in a score; call.c */
  float softcap;
  int plain; /* scores need nothing but the scale and each row's range of keys (unless T = ∞) */
  int unmasked_scores;
  int32_t dot_form; /* for bytes */
  strides q_strides;
  strides out_strides;
  size_t width; /* value_dim in whole strips */

  /* scratch */
  float *panels;        /* the span's keys, if they are packed */
  float *values;        /* the span's values, if they are packed */
  float *queries;       /* (dim, count, 4), each number four times; or (words, TILE4, stride_by) */
  float *scores;        /* (ROWS, SCORE_STRIDE): products, then scores, then weights */
  float *sums;          /* (SPAN/BLOCK, ROWS, width): weighted values of each block */
  float *acc;           /* (ROWS, width): their sums over a span */
  float *spare;         /* (ROWS, width): the same sums with more care (values.c) */
  int32_t *numbers;     /* weights for bytes: (words, TILE4, stride_by) */
  int32_t *starts;      /* (TILE4): a score over bytes is (n + start)·factor·key scale */
  float *query_factors; /* (TILE4) */
  int8_span *int8;      /* NULL without ATTN_INT8 */
  int small_channels[ROWS]; /* whether a channel of the query has lost bits */
  double *totals;           /* (CHUNK, width): sums of values over the spans before */
  double *segments;         /* (ROWS, segment_count): of one span */
  double *segment_totals;   /* (CHUNK, segment_count) */
  row64 in_double;          /* scratch for rows that are computed in double (beyond.c) */
  row_state *states;        /* (CHUNK): maximum and sums of weights over the spans before */
  query_rows *sets;         /* (CHUNK / TILE4): all rows of the chunk, in sets; see chunk.c */
} call;

/* How the keys and values of a span are stored. Keys are always in key panels. */
typedef enum {
  SPAN_F32,      /* floats; values in strips, block after block as in a cache */
  SPAN_F32_ROWS, /* floats; values are not packed: one row behind the other, as in v */
  SPAN_F16,      /* finite halves, values in strips; queries and weights have HALF_SCALE */
  SPAN_Q8,       /* bytes of a cache; queries and weights become integers of 15 bits and a sign */
  SPAN_INT8,     /* bytes made from floats; queries and weights have 7 bits and a sign */
} span_form;

/* The span that is being worked on, and where it is read. */
typedef struct {
  span_form form;
  int32_t start; /* its first key */
  const void *keys;
  const void *values;
  size_t value_rows;   /* rows from `values` to the end of the strips; SPAN_F32_ROWS has none */
  size_t value_stride; /* SPAN_F32_ROWS: from row to row, in floats */
  /* scales of bytes. A negative one: a reference or the mean was subtracted from this key */
  const float *key_scales;
  const float *value_scales;
  int nan_scales; /* some scale may be NaN */
  /* SPAN_Q8: of key 0 of the cache, of the others in its first panel, of all others in the span */
  const float *references[3];
} key_span;

/* One kv head of one batch. The last two fields change with its chunk and with the span. */
typedef struct {
  int32_t b;
  int32_t kv_head;
  int32_t group; /* query heads of the kv head */
  const float *queries;
  float *out;
  const float *k; /* (n, dim) with a stride; not for a cache */
  const float *v; /* (n, value_dim) with a stride; not for a cache */
  size_t k_stride;
  size_t v_stride;
  const attn_cache *cache;
  int halves_in_place; /* attn_halves_in_place, of the chunk; TILE4 rows at most go together */
  key_span span;
} head_job;

/* Writes those of four floats that lie in an array of n. */
INLINE void store_at(float *p, int32_t j, int32_t n, f32x4 x)
{
  if (j + 4 <= n)
    v_store(p + j, x);
  else
    v_store_tail(p + j, x, j < n ? (size_t)(n - j) : 0);
}

/* The query of head h, position i. */
INLINE const float *query_at(const call *s, const head_job *job, int32_t h, int32_t i)
{
  return job->queries + (size_t)h * s->q_strides.head + (size_t)i * s->q_strides.position;
}

INLINE const float *query_of_row(const call *s, const head_job *job, const query_rows *set, int x)
{
  return query_at(s, job, set->h[x], set->i[x]);
}

/* Whether the span is of integers. */
INLINE int span_of_bytes(const head_job *job)
{
  return job->span.form == SPAN_Q8 || job->span.form == SPAN_INT8;
}

/* All ones where key j..j+3 lies in [lo, hi). */
INLINE i32x4 inside(int32_t j, int32_t lo, int32_t hi)
{
  i32x4 at = v_positions(j);
  return (at >= v_splat_i(lo)) & (at < v_splat_i(hi));
}

INLINE float *row_out(const call *s, const head_job *job, const query_rows *set, int x)
{
  return job->out + (size_t)set->h[x] * s->out_strides.head +
         (size_t)set->i[x] * s->out_strides.position;
}

/* ---- call.c: shared with the pieces of a call ---- */

/* A call's arrays; k and v are NULL if it has a cache. */
typedef struct {
  float *out;
  const float *queries;
  const float *k;
  const float *v;
  const attn_cache *cache;
} arrays;

/* value_dim in whole strips. */
size_t attn_width(const attn_params *p);

/* A status: whether the options fit the cache. */
int32_t attn_check_cache(const attn_params *p, const attn_cache *cache);

call attn_begin_call(const attn_params *p, const attn_cache *cache, void *scratch);

/* The job of one kv head, counted over all batches. */
head_job attn_head_job(const call *s, const arrays *a, int32_t head);

/* ---- chunk.c ---- */

/*
 * Whether halves can be multiplied in place: by at most 2·TILE4 rows [first, end), whose queries
 * stay within the floats when they get HALF_SCALE. For more rows it is faster to make floats of the
 * halves once (tuning.md#halves-in-place).
 */
int attn_halves_in_place(const call *s, const head_job *job, int32_t first, int32_t end);

/* The rows of a kv head that go together from row r on, none of them from `end` on. */
query_rows attn_query_rows(const call *s, const head_job *job, int32_t r, int32_t end);

/* Whether any of the rows sees keys of the span that begins at `start`. */
int attn_reaches(const query_rows *set, int32_t start);

/*
 * Some rows over the span that is loaded, which they must reach. Writes a state and sums of values
 * for each row: states (set->count) and acc (set->count, width). Each state points to its row of
 * segments (set->count, segment_count).
 */
void attn_attend_span(call *s, const head_job *job, const query_rows *set, span_state *states,
                      float *acc, double *segments);

/* The rows [first, end) of a kv head, at most CHUNK of them. */
void attn_attend_chunk(call *s, head_job *job, int32_t first, int32_t end);

/* ---- pack.c ---- */

/*
 * Sets job->span to the span that begins at key `start`, with at least its keys in [lo, hi). Packs
 * it for a chunk of `row_count` rows, or points to where they can read it in place.
 */
void attn_load_span(call *s, head_job *job, int32_t start, int32_t lo, int32_t hi,
                    int32_t row_count);

/* Lays queries out as the loaded span needs them: floats for tiles, or integers. */
void attn_pack_queries(call *s, const head_job *job, const query_rows *set);

/* ---- scores.c ---- */

/*
 * Products of all panels that reach into the keys [from, hi) in the span. Then 0 up to a whole
 * KEY_STEP. Keys from hi to the end of their panel have products too; attn_final_scores masks them.
 */
void attn_score_span(call *s, const head_job *job, const query_rows *set, int32_t from, int32_t hi);

/*
 * Turns the dot products z of row x and the keys [from, to) into the scores that are weighed. Those
 * of keys that are not attended are −∞, and others that left the floats are mended. Returns the
 * largest, which is never NaN, and sets row->attended and row->beyond.
 */
float attn_final_scores(const call *s, const head_job *job, const query_rows *set, int x,
                        row_state *row, float *z, int32_t from, int32_t to);

/* ---- softmax.c ---- */

/*
 * Scores (set->count, SCORE_STRIDE) become weights, and states (set->count) get their sums. The
 * scores hold the dot products of the keys [from, to), at key `from`. Both are multiples of
 * KEY_STEP.
 */
void attn_weigh_rows(const call *s, const head_job *job, const query_rows *set, span_state *states,
                     float *scores, int32_t from, int32_t to);

/* ---- beyond.c: rows whose scores leave the floats ---- */

/*
 * Computes scores of row x that are not finite anew, in double: those of attended keys in z, at key
 * `from`, and those that are results. Returns whether floats are too small for the row.
 */
int attn_mend_scores(const call *s, const head_job *job, const query_rows *set, int x, float *z,
                     int32_t from, int32_t to);

/*
 * Whether keys of the span are so large that it counts how the smallest channels of the query of
 * row x were rounded.
 */
int attn_small_channels_matter(const call *s, const head_job *job, const query_rows *set, int x,
                               int32_t from, int32_t to);

/* Whether an attended key with a score near 0 in z, at key `from`, has another one in double. */
int attn_small_scores_matter(const call *s, const head_job *job, const query_rows *set, int x,
                             const float *z, int32_t from, int32_t to);

/* The whole row in double, and its results. */
void attn_attend_in_double(const call *s, const head_job *job, const query_rows *set, int x);

/* ---- values.c ---- */

/*
 * How a span's values are summed. A masked key has weight 0, but 0·NaN is NaN. And a sum of large
 * values can leave the floats though their mean does not. So a span whose sums are not finite is
 * summed again with more care.
 */
enum {
  CARE_NONE,
  CARE_MASKS, /* masked keys are passed over: the same bits, without what only they brought in */
  CARE_RANGE  /* and the values are divided by RANGE_SCALE */
};
#define RANGE_SCALE 1024.0f

/*
 * acc[r] = Σ_j w_rj v_j over the keys [from, to) in the span, with w at key `from`. acc is
 * (set->count, width). Returns whether all of them are finite.
 */
int attn_sum_values(call *s, const head_job *job, const query_rows *set, float *acc, const float *w,
                    int32_t from, int32_t to, int care);

/*
 * Σ e_j v_j of a finished row: totals (width), or if they are NULL, sums (width) times divided_by.
 * And Σ e_j over segments, if they are wanted.
 */
typedef struct {
  const double *totals;
  const float *sums;
  double divided_by;
  const double *segments; /* (segment_count) */
} row_sums;

/*
 * The row's output: sums times `share`, which is 1/Σe. A mean that is rounded beyond the floats
 * becomes the largest float.
 */
void attn_write_means(float *out, const row_sums *sums, double share, int32_t size);

/* ---- byte_products.c: the two products over bytes ---- */

/* Queries, for a cache, as integers of 16 bits relative to the largest channel of each. */
void attn_pack_byte_queries(call *s, const head_job *job, const query_rows *set);

/* Scores of the keys [from, hi), at key `from`. */
void attn_score_bytes(const call *s, const head_job *job, const query_rows *set, float *scores,
                      int32_t from, int32_t hi);

/*
 * sums[r] = Σ_j w_rj v_j/divisor over the keys [from, to), as in attn_sum_values. w is at key
 * `from`, a multiple of KEY_STEP.
 */
void attn_sum_bytes(call *s, const head_job *job, const query_rows *set, float *sums,
                    const float *w, int32_t from, int32_t to, double divisor);

/* ---- round.c: arrays as bytes ---- */

size_t attn_int8_bytes(const attn_params *p);

/*
 * Keys and values from `from`, a multiple of BLOCK, to `count`. Both count from the span's
 * beginning at `start`.
 */
void attn_round_span(call *s, const head_job *job, int32_t start, int32_t from, int32_t count);

/* Queries, for the span that is loaded, as integers of 8 bits. */
void attn_round_queries(call *s, const head_job *job, const query_rows *set);

/* ---- results.c ---- */

/*
 * sums (segment_count) of the weights w of the keys [from, to), at key `from`. Both are multiples
 * of KEY_STEP.
 */
void attn_sum_segments(const attn_params *p, double *sums, const float *w, int32_t from,
                       int32_t to);

/*
 * Adds the state of a span to `row`, to totals (width) and to segments (segment_count), which hold
 * the spans before it. They are rescaled to the larger maximum, in double. Totals may be NULL.
 */
void attn_merge_span(const call *s, const row_temperature *t, row_state *row,
                     const span_state *state, double *totals, const float *acc, double *segments);

/* Fills the weights and scores that are wanted of the row with −∞: nothing is attended yet. */
void attn_clear_results(const call *s, const query_rows *set, int x);

/* Writes the row's output and the optional results. A row that attends to no key needs no sums. */
void attn_end_row(const call *s, const head_job *job, const query_rows *set, int x,
                  const row_state *row, const row_sums *sums);

#endif
