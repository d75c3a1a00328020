/* The results of a row (softmax_state.h). */
#include "softmax_state.h"

double row_weigh(int kind, double t, double temperature)
{
  if (kind == T_FINITE)
    return t == 0 ? 1.0 : f64_exp(t / temperature);
  return kind == T_ZERO ? (t < 0 ? 0 : 1.0 + t) : 1.0 + t * 0.0;
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
  return row->sum + f64_exp(gap / temperature);
}

/* In terms of the shifted scores H = log Σe − ⟨z − max⟩/T and ⟨z⟩ = max + ⟨z − max⟩. */
row_summary row_summarize(const row_state *row, double temperature)
{
  int kind = temperature_kind(temperature);
  if (row->attended == 0)
    return (row_summary){.lse = -__builtin_inf()};
  if (row_is_void(row)) {
    double none = __builtin_nan("");
    return (row_summary){none, none, none, none, none, row->attended, row->argmax};
  }
  /*
   * log(Σe/n) by itself, because in KL the two logarithms nearly cancel when the weights are nearly
   * uniform
   */
  double mean = row->moment / row->total, log_mean = f64_log(row->total / row->attended);
  /* the sums differ by roundings of float, so x is small and two terms of log(1 + x) are enough */
  double log_sum = f64_log(row->sum), x = row->total / row->sum - 1.0,
         log_total = log_sum + (x - 0.5 * x * x);
  double shift = kind == T_FINITE ? mean / temperature : 0;
  double entropy = log_total - shift, kl = shift - log_mean;
  double lse = kind == T_FINITE ? log_sum + row->max / temperature : f64_log(row->attended);
  if (kind == T_ZERO)
    lse = row->max == 0 || row->sum != row->sum ? log_sum : row->max * __builtin_inf();
  return (row_summary){
      .lse = lse,
      /* rounding may leave either a hair below zero */
      .entropy = entropy < 0 ? 0 : entropy,
      .kl = kl < 0 ? 0 : kl,
      .expected_score = row->max + mean,
      .max_weight = 1.0 / row->sum,
      .attended = row->attended,
      .argmax = kind == T_INFINITE ? row->first : row->argmax,
  };
}
