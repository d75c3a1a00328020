/*
 * One row in double, in textbook order: for float64 calls, and for the rows of a float32 call
 * whose scores leave the floats.
 */
#ifndef ROW64_H
#define ROW64_H

#include "base/sums.h"
#include "softmax_state.h"

typedef struct {
  const attn_params *p;
  int32_t b;
  int32_t h;
  int32_t i;
  row_view view;
  int single; /* options and results are floats, else doubles */
  /* keys and values, (n, ·) with a stride each: doubles, or floats, or those of a cache */
  const double *k;
  const double *v;
  const float *k32;
  const float *v32;
  size_t k_stride;
  size_t v_stride;
  const attn_cache *cache;
  int32_t kv_head;
  const double *q; /* (dim) */
  void *out;       /* (value_dim) */
  void *scores;    /* (n), or NULL if not wanted */

  /* scratch */
  exact_sum *sums;     /* (value_dim): exact_pairs, then the last of an odd number */
  exact_sum *segments; /* (segment_count) */
  double *key;         /* (dim), unless k and v are doubles */
  double *value;       /* (value_dim), unless k and v are doubles */
  float *numbers;      /* as much as the larger of them, for a cache */
  double *z;           /* (n), or NULL: then scores are computed twice */
} row64;

/* Whether the masks let key j through. */
int row64_attends(const row64 *row, int32_t j);

/*
 * Score of key j at ATTN_SCORES_RAW, CAPPED or MASKED, there as if it were attended. If all that it
 * is made of is finite, so is the score: beyond the doubles it is the nearest.
 */
double row64_score(const row64 *row, int32_t j, int32_t stage);

/* The largest finite |channel| of key j. */
double row64_largest_channel(const row64 *row, int32_t j);

/* Computes the row and writes its results. Scores are written if row->scores is not NULL. */
void row64_attend(const row64 *row);

#endif
