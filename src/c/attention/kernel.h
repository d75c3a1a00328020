/* The float32 kernels' working state: one call, one kv head of it, and up to ROWS query rows. */
#ifndef TILED_H
#define TILED_H

#include "cache_layout.h"
#include "softmax_state.h"

enum {
  CHUNK = 512, /* rows of a kv head done together */
  /* keys of one turn of the loops over weights: four vectors, each added to a sum of its own */
  TURN = 16,
  FEW = 16 /* rows of a kv head up to which threads share out its spans instead */
};

/* The lowest float. */
#define LOWEST -3.4028234663852886e38f

/* What a row's scores are counted in and weighed by. */
typedef struct {
  int kind;
  float unit;    /* the power of two of p->scale where nothing else is done to scores, else 1 */
  float inverse; /* 1/T of scores counted so */
  double value;  /* T */
} row_temperature;

/* Up to ROWS query rows. */
typedef struct {
  int count;
  int32_t h[ROWS], i[ROWS];
  row_view view[ROWS];
  row_temperature t[ROWS];
  int32_t lo, hi; /* the keys any of them sees */
  float *weights[ROWS], *scores[ROWS];
} row_group;

/* A row over one span; its sums of values are to be multiplied by scale. */
typedef struct {
  row_state row;
  double scale;
} span_state;

/*
 * What rounding to 8 bits leaves beside the integers, which are in `panels`, `values` and `queries`
 * of the call (int8.c).
 */
typedef struct {
  int32_t wild; /* whether a value counts as NaN */
  float key_scale[SPAN], value_scale[SPAN];
  /* of its channels: what queries are multiplied by is so many times too small */
  float least_root;
  int32_t key_shared[SPAN]; /* all ones where the key has lost the mean, */
  float offset[TILE4];      /* with which the query's product is so much */
  float vectors[];          /* as int8.c numbers them */
} int8_span;

/* One call, as one thread works on it. Scratch pointers are 16-aligned. */
typedef struct {
  const attn_params *p;
  double query_scale; /* the fraction of p->scale, which queries are packed with, */
  /* and its power of two, for the scores or, as their unit, for what is read off them */
  float scale;
  float softcap;
  /*
   * scores need nothing but a moderate scale and the limits of each row; at T = ∞ a row needs more
   */
  int plain;
  int unmasked_scores;
  strides q_strides, out_strides;
  size_t width;           /* value_dim in whole strips */
  float *panels, *values; /* a span's keys and values, as head_job has them */
  /* (dim, count, 4), each number four times; for bytes integers, as those of integers.h */
  float *queries;
  float *scores;      /* (ROWS, SCORES), then the weights */
  float *sums;        /* (SPAN/BLOCK, ROWS, width) */
  float *acc, *spare; /* (ROWS, width) */
  /* a span's weights for bytes, (words, TILE4, room) as integers.h has them */
  int32_t *numbers;
  int32_t *
      /*
       * (TILE4): of the queries: a score over bytes is (n + start)·factor·scale of the key, and
       * what int8 adds
       */
      starts;
  float *query_factors; /* (TILE4) */
  int8_span *int8;      /* NULL where numbers are not to be rounded to 8 bits */
  int32_t form;         /* of dots.h, for bytes */
  double *totals;       /* (CHUNK, width) */
  row_state *rows;      /* (CHUNK) */
  row_group *groups;    /* (CHUNK / TILE4) */
} call;

/* One kv head of one batch: where its keys and values are, and the span being worked on. */
typedef struct {
  int32_t b, kv_head, group;
  const float *q;
  float *out;
  const float *k, *v; /* (n, dim) and (n, value_dim) with a stride each; not for a cache */
  size_t k_stride, v_stride;
  const attn_cache *cache;
  /*
   * Keys and values are bytes, in panels (of integers.h) and in strips (as below); else they are
   * floats or halves.
   */
  int bytes, wild; /* whether a value may count as NaN, by a scale of NaN */
  const int8_t *byte_keys, *byte_values;
  const float *key_scales, *value_scales;
  const float *panels; /* (⌈n/8⌉, dim, PANEL) */
  /*
   * The span's values: value_rows of them in strips, block after block as in a cache; or where
   * value_rows is 0 as they came, one every value_stride numbers.
   */
  const float *values;
  size_t value_stride, value_rows;
  /*
   * Not NULL: these are the panels and the strips, in finite halves; queries and weights have
   * HALF_SCALE.
   */
  const uint16_t *half_panels, *half_values;
} head_job;

/* Four floats from position j of an array of n. */
INLINE f32x4 load_at(const float *p, int32_t j, int32_t n)
{
  return j + 4 <= n ? v_load(p + j) : v_load_tail(p + j, j < n ? (size_t)(n - j) : 0);
}

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
  return job->q + (size_t)h * s->q_strides.head + (size_t)i * s->q_strides.position;
}

INLINE const float *query_row(const call *s, const head_job *job, const row_group *g, int x)
{
  return query_at(s, job, g->h[x], g->i[x]);
}

/* All ones where key j..j+3 lies in [lo, hi). */
INLINE i32x4 inside(int32_t j, int32_t lo, int32_t hi)
{
  i32x4 at = v_positions(j);
  return (at >= v_splat_i(lo)) & (at < v_splat_i(hi));
}

/* The exp of the softmax, or its limits, at t = z − max ≤ 0; NaN stays NaN. */
INLINE f32x4 weigh(const int kind, f32x4 t, f32x4 inverse_t)
{
  const f32x4 one = v_splat(1.0f), zero = v_splat(0.0f);
  if (kind == T_ZERO)
    return v_select(t < zero, zero, one + t);
  if (kind == T_INFINITE)
    return v_select(t < v_splat(LOWEST), zero, one + t * zero);
  return v_exp(t * inverse_t);
}

/* ---- scores.c ---- */

/*
 * A group over one span: scores (ROWS, SCORES) holds the dot products of the keys [from, to), at
 * key `from`, both multiples of TURN; they become weights, and `span` says what they add up to.
 */
void attn_weigh_rows(const call *s, const row_group *g, span_state *span, float *scores,
                     int32_t from, int32_t to);

/* ---- values.c ---- */

/*
 * How a span's values are summed. A masked key has weight 0, but 0·NaN is NaN, and a sum of large
 * values can leave the floats though their mean does not. So a span that gives anything but finite
 * numbers is summed again with more care.
 */
enum {
  CARE_NONE,
  CARE_MASKS, /* masked keys are passed over: the same bits, without what only they brought in */
  CARE_RANGE  /* and the values are divided by RANGE_SCALE */
};
#define RANGE_SCALE 1024.0f

/*
 * acc[r] = Σ_j w_rj v_j over the keys [from, to) of the span that begins at `start`, with w at key
 * `from`. Returns whether all of them are finite.
 */
int attn_sum_values(const call *s, const head_job *job, const row_group *g, float *acc,
                    const float *w, int32_t from, int32_t to, int32_t start, int care);

/*
 * Σ e_j v_j of a finished row: totals (width), or where there are none, sums (width) times scale.
 */
typedef struct {
  const double *totals;
  const float *sums;
  double scale;
} row_sums;

/*
 * The row's output, its sums times `share`. Means of floats: never larger than the largest float,
 * but by rounding.
 */
void attn_write_means(float *out, const row_sums *sums, double share, int32_t size);

/* ---- bytes.c: the two products over bytes ---- */

/*
 * A group's queries, for a cache, to integers of 16 bits relative to the largest channel of each.
 */
void attn_pack_byte_queries(const call *s, const head_job *job, const row_group *g);

/* Scores of the keys [from, hi), at key `from`, of the span that begins at `start`. */
void attn_score_bytes(const call *s, const head_job *job, const row_group *g, float *scores,
                      int32_t from, int32_t hi, int32_t start);

/*
 * sums[r] = Σ_j w_rj v_j/divisor over the keys [from, to), as attn_sum_values has them. w is at key
 * `from`, a multiple of 16.
 */
void attn_sum_bytes(const call *s, const head_job *job, const row_group *g, float *sums,
                    const float *w, int32_t from, int32_t to, int32_t start, double divisor);

/* ---- int8.c: arrays as bytes ---- */

size_t attn_int8_bytes(const attn_params *p);

/*
 * The keys and values [from, count) of the span that begins at `start`, from a multiple of BLOCK.
 */
void attn_round_span(const call *s, const head_job *job, int32_t start, int32_t from,
                     int32_t count);

/* A group's queries, for the span that is loaded, to integers of 8 bits. */
void attn_round_queries(const call *s, const head_job *job, const row_group *g);

/* Adds to scores of row r, from key `at` of the span on, what keys have lost. */
void attn_add_shared(const call *s, float *scores, int r, int32_t at, int32_t count);

/* ---- pack.c ---- */

/*
 * Makes the span from key `start` on the job's, as far as [lo, hi) reaches: packs it, or points to
 * where it can be read as it is, by the rows [first, end) of the kv head.
 */
void attn_load_span(const call *s, head_job *job, int32_t start, int32_t lo, int32_t hi,
                    int32_t first, int32_t end);

/*
 * Lays a group's queries out as the tile reads them; or rounds them, to bytes or for a cache of
 * bytes.
 */
void attn_pack_queries(const call *s, const head_job *job, const row_group *g);

/* ---- spans.c ---- */

/*
 * A group over the span that is loaded, which it must reach: its states (ROWS) and its sums of
 * values, acc (ROWS, width).
 */
void attn_span(const call *s, const head_job *job, const row_group *g, int32_t start,
               span_state *span, float *acc);

/* ---- results.c ---- */

/*
 * Adds a finished span to what earlier spans left in row and totals (width): both rescaled to the
 * larger maximum, in double. Without totals, to the row alone.
 */
void attn_merge_span(const call *s, const row_temperature *t, row_state *row,
                     const span_state *part, double *totals, const float *acc);

/* Nothing is attended until a span says so. */
void attn_begin_row(const call *s, const row_group *g, int x);

/* Writes the row's output and whatever else is wanted; a row without weights needs no sums. */
void attn_end_row(const call *s, const head_job *job, const row_group *g, int x,
                  const row_state *row, const row_sums *sums);

#endif
