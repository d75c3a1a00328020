/* The results of a row (softmax_state.h). */
#include "softmax_state.h"

/* (score − max)/T, also if the difference of the two leaves the doubles. */
static double exponent_of(double score, double max, double temperature)
{
  double t = score - max;
  return t - t == 0 || temperature <= 1 ? t / temperature : score / temperature - max / temperature;
}

double weight_in_double(int kind, double score, double max, double temperature)
{
  double t = score - max;
  if (kind == T_FINITE)
    return t == 0 ? 1.0 : f64_exp(exponent_of(score, max, temperature));
  if (kind == T_ZERO)
    return t < 0 ? 0 : 1.0 + t;
  return t == t ? 1.0 : t;
}

double row_denominator(const row_state *row, double temperature, const double *sink)
{
  int kind = temperature_kind(temperature);
  if (!sink || *sink == -__builtin_inf())
    return row_is_void(row) ? __builtin_nan("") : row->sum;
  double gap = *sink - row->max;
  if (gap != gap)
    return gap;
  if (kind == T_INFINITE)
    return row->sum + 1;
  if (kind == T_ZERO)
    return gap > 0 ? __builtin_inf() : row->sum + (gap == 0);
  return row->sum + f64_exp(exponent_of(*sink, row->max, temperature));
}

/*
 * In terms of the shifted scores H = log Σe − ⟨score − max⟩/T and ⟨score⟩ = max + ⟨score − max⟩.
 */
row_summary row_summarize(const row_state *row, double temperature)
{
  int kind = temperature_kind(temperature);
  if (row->attended == 0)
    return (row_summary){.lse = -__builtin_inf()};
  if (row_is_void(row)) {
    const double none = __builtin_nan("");
    row_summary nothing = {.lse = none};
    for (int stat = 0; stat < ATTN_STATISTICS; stat++)
      nothing.stats[stat] = none;
    nothing.stats[ATTN_STAT_N] = row->attended;
    nothing.stats[ATTN_STAT_ARGMAX] = row->argmax;
    return nothing;
  }
  /*
   * log(Σe/n) by itself, because in KL the two logarithms nearly cancel when the weights are nearly
   * uniform
   */
  double mean = row->moment / row->total;
  double log_mean = f64_log(row->total / row->attended);
  /* the sums differ by roundings of float, so x is small and two terms of log(1 + x) are enough */
  double log_sum = f64_log(row->sum);
  double x = row->total / row->sum - 1.0;
  double log_total = log_sum + (x - 0.5 * x * x);
  double shift = kind != T_FINITE ? 0 : mean / temperature / (row->large ? SMALL : 1);
  double entropy = log_total - shift;
  double kl = shift - log_mean;
  double expected = row->large ? (row->max * SMALL + mean) / SMALL : row->max + mean;
  double variance = row->spread / row->total;
  double lse = kind == T_FINITE ? log_sum + row->max / temperature : f64_log(row->attended);
  if (kind == T_ZERO)
    lse = row->max == 0 || row->sum != row->sum ? log_sum : row->max * __builtin_inf();
  return (row_summary){
      .lse = lse,
      .stats =
          {
              [ATTN_STAT_N] = row->attended,
              /* rounding may leave either a hair below zero */
              [ATTN_STAT_ENTROPY] = entropy < 0 ? 0 : entropy,
              [ATTN_STAT_KL] = kl < 0 ? 0 : kl,
              [ATTN_STAT_SCORE] = expected,
              [ATTN_STAT_MAX] = 1.0 / row->sum,
              [ATTN_STAT_ARGMAX] = kind == T_INFINITE ? row->first : row->argmax,
              [ATTN_STAT_VARIANCE] = row->large ? variance / SMALL / SMALL : variance,
          },
  };
}

static void put(void *a, size_t at, double x, int single)
{
  if (single)
    ((float *)a)[at] = row_float(x);
  else
    ((double *)a)[at] = x;
}

void row_write_summary(const attn_params *p, size_t at, const row_state *row, double temperature,
                       int single)
{
  if (!p->lse && !p->stats)
    return;
  row_summary summary = row_summarize(row, temperature);
  if (p->lse)
    put(p->lse, at, summary.lse, single);
  char *plane = p->stats;
  for (int stat = 0; plane && stat < ATTN_STATISTICS; stat++) {
    if (stat == ATTN_STAT_N || stat == ATTN_STAT_ARGMAX)
      ((int32_t *)(void *)plane)[at] = (int32_t)summary.stats[stat];
    else
      put(plane, at, summary.stats[stat], single);
    plane += p->plane * (single ? sizeof(float) : sizeof(double));
  }
}
