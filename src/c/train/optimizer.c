/* AdamW, the norm that clips its gradients, and the schedule of its learning rate. */
#include "train.h"
#include "base/math.h"

double attn_global_norm(const float *g, size_t count)
{
  double sums[4] = {0, 0, 0, 0};
  size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (int l = 0; l < 4; l++)
      sums[l] += (double)g[i + (size_t)l] * (double)g[i + (size_t)l];
  double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (; i < count; i++)
    sum += (double)g[i] * (double)g[i];
  return __builtin_sqrt(sum);
}

double attn_learning_rate(double step, double steps, double warmup, double rate, double last)
{
  double cos;
  double sin;
  if (step < warmup)
    return rate * (step + 1) / warmup;
  if (step >= steps)
    return last;
  f64_cos_sin(TWO_PI / 2 * (step - warmup) / (steps - warmup), &cos, &sin);
  return last + (rate - last) * (1 + cos) / 2;
}

/* Parameters of a piece. */
enum { PIECE = 8192 };

/* Time of a parameter, in multiply-adds. */
#define PARAMETER_COST 8.0

typedef struct {
  float *w;
  float *m;
  float *v;
  const float *g;
  size_t count;
  float clip;
  float keep;
  float rate;
  float rest1;
  float beta2;
  float rest2;
  float root;
  float epsilon; /* rest: 1 − β */
} adamw_task;

static void adamw_piece(void *task, int32_t index, void *scratch)
{
  const adamw_task *s = task;
  const size_t first = (size_t)index * PIECE;
  const size_t rest = s->count - first;
  const size_t end = first + (rest < PIECE ? rest : PIECE);
  (void)scratch;
  for (size_t i = first; i < end; i++) {
    const float g = s->clip * s->g[i];
    s->m[i] += s->rest1 * (g - s->m[i]);
    s->v[i] = s->beta2 * s->v[i] + s->rest2 * g * g;
    s->w[i] =
        s->w[i] * s->keep - s->rate * s->m[i] / (__builtin_sqrtf(s->v[i]) * s->root + s->epsilon);
  }
}

/* β to the nth, by squaring. */
static double power(double x, double n)
{
  double y = 1;
  for (uint64_t k = (uint64_t)n; k; k >>= 1, x *= x)
    if (k & 1)
      y *= x;
  return y;
}

void attn_adamw(attn_team *team, float *w, float *m, float *v, const float *g, size_t count,
                double number, double clip, double rate, double decay, double beta1, double beta2,
                double epsilon)
{
  adamw_task task = {.w = w, .m = m, .v = v, .g = g, .count = count};
  task.clip = (float)clip;
  task.keep = (float)(1 - rate * decay);
  task.rate = (float)(rate / (1 - power(beta1, number)));
  task.rest1 = (float)(1 - beta1);
  task.beta2 = (float)beta2;
  task.rest2 = (float)(1 - beta2);
  task.root = (float)(1 / __builtin_sqrt(1 - power(beta2, number)));
  task.epsilon = (float)epsilon;
  attn_team_run(team, adamw_piece, &task, (int32_t)((count + PIECE - 1) / PIECE),
                PARAMETER_COST * (double)count);
}
