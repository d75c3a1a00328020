/* Statements 21 and 22: a sink as a null hypothesis, and biases as a prior over the keys. */
#include "consequences.h"
#include "distribution.h"

int32_t attn_gate_measure(double *weights, attn_gate_report *report, const double *z, int32_t n,
                          double sink, double temperature)
{
  if (n < 1 || !is_finite(sink) || !is_temperature(temperature))
    return ATTN_E_RANGE;
  distribution d = distribute(weights, z, n, temperature);
  double odds = (d.max - sink) / temperature + d.log_sum;
  /* as if the sink were one more key */
  double max = greater(d.max, sink);
  double null = f64_exp((sink - max) / temperature);
  exact_sum all = {null, 0};
  exact_sum keys = {0, 0};
  for (int32_t j = 0; j < n; j++)
    sum_add(&all, weights[j] = f64_exp((z[j] - max) / temperature));
  double total = sum_of(all);
  for (int32_t j = 0; j < n; j++)
    sum_add(&keys, weights[j] /= total);
  double gate = 1 / (1 + f64_exp(-odds));
  double closed = 1 / (1 + f64_exp(odds));
  double units = 32 + 32 * f64_log(n) + 8 * closed * magnitude(odds);
  *report = (attn_gate_report){
      .gate = gate, .sink = null / total, .odds = odds, .lse = d.max / temperature + d.log_sum};
  report->identity =
      (attn_identity){sum_of(keys), gate, ROUNDING * gate, ROUNDING * gate * units + n * 0x1p-1022};
  return ATTN_OK;
}

/* A row of logits and biases, relative to the largest of each. */
typedef struct {
  const double *z;
  const double *bias;
  double max_z;
  double max_bias;
  double temperature;
  double shift;     /* the largest t + τ */
  double log_sum;   /* log Σ exp(t + τ − shift) */
  double log_prior; /* log Σ exp(τ) */
} posterior;

INLINE double score_at(const posterior *r, int32_t j)
{
  return (r->z[j] - r->max_z) / r->temperature;
}

INLINE double bias_at(const posterior *r, int32_t j)
{
  return (r->bias[j] - r->max_bias) / r->temperature;
}

static posterior infer(double *weights, double *prior, const double *z, const double *bias,
                       int32_t n, double temperature)
{
  posterior r = {.z = z,
                 .bias = bias,
                 .max_z = largest(z, n),
                 .max_bias = largest(bias, n),
                 .temperature = temperature};
  for (int32_t j = 0; j < n; j++)
    weights[j] = score_at(&r, j) + bias_at(&r, j);
  distribution joint = distribute(weights, weights, n, 1);
  r.shift = joint.max;
  r.log_sum = joint.log_sum;
  r.log_prior = distribute(prior, bias, n, temperature).log_sum;
  return r;
}

/* A distribution compared with the posterior. t and τ: score_at, bias_at. */
typedef struct {
  double score;     /* ⟨t⟩ */
  double size;      /* ⟨|t| + |τ|⟩ */
  double to_prior;  /* KL from the prior */
  double to_answer; /* KL from the posterior */
} standing;

static standing stand(const posterior *r, const double *candidate, double whole,
                      const double *weights, const double *prior, int32_t n)
{
  exact_sum score = {0, 0};
  exact_sum size = {0, 0};
  exact_sum to_prior = {0, 0};
  exact_sum to_answer = {0, 0};
  for (int32_t j = 0; j < n; j++) {
    double c = candidate[j] / whole;
    double t = score_at(r, j);
    double tau = bias_at(r, j);
    sum_add(&score, c == 0 ? 0 : c * t);
    sum_add(&size, c == 0 ? 0 : -c * (t + tau));
    sum_add(&to_prior, divergence(c, prior[j], tau - r->log_prior));
    sum_add(&to_answer, divergence(c, weights[j], t + tau - r->shift - r->log_sum));
  }
  return (standing){sum_of(score), sum_of(size), sum_of(to_prior), sum_of(to_answer)};
}

int32_t attn_prior_measure(double *weights, double *prior, attn_prior_report *report,
                           const double *z, const double *bias, const double *candidate, int32_t n,
                           double temperature)
{
  if (n < 1 || !is_temperature(temperature))
    return ATTN_E_RANGE;
  const double whole = candidate_sum(candidate, n);
  if (whole == 0)
    return ATTN_E_RANGE;
  posterior r = infer(weights, prior, z, bias, n, temperature);
  standing own = stand(&r, weights, 1, weights, prior, n);
  standing other = candidate ? stand(&r, candidate, whole, weights, prior, n) : own;
  /* log Σ π_j exp(t_j) */
  double best = r.shift + r.log_sum - r.log_prior;
  double reached = other.score - other.to_prior;
  double units = 32 + 64 * f64_log(n) - 16 * r.shift;
  *report = (attn_prior_report){.optimum = r.max_z + temperature * best,
                                .objective = r.max_z + temperature * reached,
                                .kl = candidate ? other.to_answer : 0,
                                .evidence = own.to_prior};
  report->identity = identity_of(temperature * (best - reached), temperature * report->kl,
                                 ROUNDING * temperature, units + 16 * other.size);
  report->evidence_identity =
      identity_of(own.to_prior, own.score - best, ROUNDING, units + 16 * own.size);
  return ATTN_OK;
}
