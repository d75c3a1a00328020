/* The loss over logits, with its gradient. */
#include "train.h"
#include "base/math.h"
#include "layers/share.h"

/* Time of a logit, in multiply-adds. */
#define LOGIT_COST 12.0

typedef struct {
  float *dz;
  double *losses;
  const float *z;
  const int32_t *targets;
  int32_t vocab;
  double weight;
} loss_task;

/*
 * Four logits. Lanes behind the last logit hold `other`, which must change nothing: −∞ in a sum of
 * exponentials, and the first logit in a maximum. Only the end of a row needs the slow code for a
 * part of a vector: tuning.md#training-logits
 */
INLINE f32x4 logits_at(const float *z, int32_t remaining, float other)
{
  if (remaining >= 4)
    return v_load(z);
  f32x4 x = v_load_tail(z, (size_t)remaining);
  for (int32_t l = remaining; l < 4; l++)
    x[l] = other;
  return x;
}

KERNEL float largest(const float *z, int32_t count)
{
  f32x4 max = v_splat(z[0]);
  for (int32_t j = 0; j < count; j += 4)
    max = v_max(max, logits_at(z + j, count - j, z[0]));
  return v_hmax(max);
}

/* Σ exp(z − max), in double. With e, the terms are written. */
KERNEL double exponentials(float *e, const float *z, int32_t count, float max)
{
  f64x2 low = {0, 0};
  f64x2 high = {0, 0};
  for (int32_t j = 0; j < count; j += 4) {
    const f32x4 x = v_exp(logits_at(z + j, count - j, -__builtin_inff()) - v_splat(max));
    low += v_low_double(x);
    high += v_high_double(x);
    if (e && count - j >= 4)
      v_store(e + j, x);
    else if (e)
      v_store_tail(e + j, x, (size_t)(count - j));
  }
  return (low[0] + low[1]) + (high[0] + high[1]);
}

static void loss_rows(const void *context, row_range rows)
{
  const loss_task *s = context;
  const size_t vocab = (size_t)s->vocab;
  for (int32_t i = rows.first; i < rows.end; i++) {
    const float *z = s->z + (size_t)i * vocab;
    float *dz = s->dz ? s->dz + (size_t)i * vocab : NULL;
    const int32_t target = s->targets[i];
    s->losses[i] = 0;
    if (target == ATTN_IGNORE) {
      for (size_t j = 0; dz && j < vocab; j++)
        dz[j] = 0;
      continue;
    }
    const float max = largest(z, s->vocab);
    const float at = z[target];
    const double sum = exponentials(dz, z, s->vocab, max);
    s->losses[i] = f64_log(sum) + ((double)max - (double)at);
    if (!dz)
      continue;
    const float factor = (float)(s->weight / sum);
    for (size_t j = 0; j < vocab; j++)
      dz[j] *= factor;
    dz[target] -= (float)s->weight;
  }
}

double attn_cross_entropy(attn_team *team, float *dz, double *losses, const float *z,
                          const int32_t *targets, int32_t rows, int32_t vocab, double weight)
{
  const loss_task task = {dz, losses, z, targets, vocab, weight};
  double sum = 0;
  attn_share_rows(team, loss_rows, &task, (row_range){0, rows}, LOGIT_COST * vocab);
  for (int32_t i = 0; i < rows; i++)
    sum += losses[i];
  return sum;
}
