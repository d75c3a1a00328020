/* The softmax of one row as a running sum, and its results: shared by float32 and float64. */
#ifndef SOFTMAX_STATE_H
#define SOFTMAX_STATE_H

#include "options.h"
#include "base/math.h"

/* With e_j = exp((score_j − max)/T), or its limit for T = 0 and T = ∞. */
typedef struct {
  double max;   /* the largest score; −∞ while nothing finite was seen */
  double sum;   /* Σ e_j: of a span in the type of the data, of merged spans in double */
  double total; /* Σ e_j with less rounding, for the statistics */
  /* Σ e_j·(score_j − max), from which entropy and the expected score follow */
  double moment;
  double spread; /* Σ e_j·(score_j − ⟨score⟩)², for the variance */
  int32_t attended;
  int32_t argmax;
  int32_t first; /* the lowest attended position */
  int32_t large; /* moment and spread are those of the scores times SMALL, so they stay finite */
  /*
   * Floats are not enough, so the row is computed in double. A score or a sum of values is too
   * large or too small for them, or the query has lost bits that count (beyond.c, chunk.c).
   */
  int32_t beyond;
} row_state;

#define SMALL 0x1p-64

INLINE row_state row_empty(void) { return (row_state){.max = -__builtin_inf()}; }

/* Keys are attended, but every score is −∞: their softmax is 0/0. */
INLINE int row_is_void(const row_state *row)
{
  return row->attended && row->max == -__builtin_inf();
}

typedef struct {
  double lse;
  double stats[ATTN_STATISTICS];
} row_summary;

/* The temperature of a row in floats, and the unit of its scores. */
typedef struct {
  int kind;
  float unit;      /* the power of two of p->scale if nothing else is done to scores, else 1 */
  float inverse;   /* unit/T */
  double value;    /* T */
  float max_score; /* larger scores would make differences or sums of them leave the floats */
  int in_double;   /* floats are too coarse near 0 for this T, or for this scale */
  float near_zero; /* at T = 0: smaller scores may have lost bits that their order needs */
} row_temperature;

#define LOWEST (-F32_MAX)

/*
 * The limit of exp(t/T) at T = 0 or, with another kind, at T = ∞. t ≤ 0 is the difference of a
 * score from max. NaN stays NaN.
 */
INLINE f32x4 weigh_without_exp(const int kind, f32x4 t)
{
  const f32x4 one = v_splat(1.0f);
  const f32x4 zero = v_splat(0.0f);
  if (kind == T_ZERO)
    return v_select(t < zero, zero, one + t);
  return v_select(t < v_splat(LOWEST), zero, one + t * zero);
}

/* The same at any T. */
INLINE f32x4 weigh(const int kind, f32x4 t, f32x4 inverse_t)
{
  return kind == T_FINITE ? v_exp(t * inverse_t) : weigh_without_exp(kind, t);
}

/* The same in double: exp((score − max)/T), or its limit. */
double weight_in_double(int kind, double score, double max, double temperature);

/*
 * The divisor of the weights e_j: their sum, plus the row's sink (a logit of its own) if there is
 * one. ∞ if the sink gets all the weight.
 */
double row_denominator(const row_state *row, double temperature, const double *sink);

/* Statements 5 and 9. */
row_summary row_summarize(const row_state *row, double temperature);

/* Writes them to the results that are wanted, of floats if `single`. */
void row_write_summary(const attn_params *p, size_t at, const row_state *row, double temperature,
                       int single);

/* A result as a float; a finite one beyond the floats becomes the nearest. */
INLINE float row_float(double x)
{
  const double max = F32_MAX;
  return x - x == 0 && (x > max || x < -max) ? (float)(x > 0 ? max : -max) : (float)x;
}

#endif
