/* Scores of heads, from all weights of one head and one sequence at a time. */
#include "step.h"
#include "base/arena.h"

/* A thread's memory. */
typedef struct {
  float *q;      /* (context, head_dim) */
  float *k;      /* (context, head_dim) */
  float *v;      /* (context, head_dim) */
  float *a;      /* (context, head_dim) */
  float *p;      /* (context, context): weights */
  float *stats;  /* (ATTN_STATISTICS, context) */
  void *scratch; /* of attention */
} head_memory;

typedef struct {
  attn_trainer *t;
  double *scores;
  const int32_t *tokens;
  int32_t sequences;
} heads_task;

/* One head and one sequence. */
static attn_params params_of(const attn_trainer *t, const head_memory *m)
{
  attn_params p;
  attn_init(&p, 1, 1, 1, t->context, t->context, t->head_dim, t->head_dim);
  attn_set_causal(&p, 1);
  attn_want_weights(&p, m->p, NULL, 1, NULL, t->context);
  attn_want_stats(&p, m->stats, (size_t)t->context);
  return p;
}

static size_t lay_out(const attn_trainer *t, head_memory *m, void *base)
{
  const size_t n = (size_t)t->context;
  const size_t size = n * (size_t)t->head_dim;
  const size_t f = sizeof(float);
  arena a = {.base = base};
  m->q = arena_allocate(&a, size, f);
  m->k = arena_allocate(&a, size, f);
  m->v = arena_allocate(&a, size, f);
  m->a = arena_allocate(&a, size, f);
  m->p = arena_allocate(&a, n * n, f);
  m->stats = arena_allocate(&a, ATTN_STATISTICS * n, f);
  const attn_params params = params_of(t, m);
  m->scratch = arena_allocate(&a, attn_scratch_bytes_f32(&params), 1);
  return arena_bytes(&a);
}

size_t attn_trainer_heads_bytes(const attn_trainer *t)
{
  head_memory m;
  const size_t bytes = lay_out(t, &m, NULL);
  const size_t pass = attn_trainer_scratch_bytes(t);
  return bytes > pass ? bytes : pass;
}

/* The channels of one head, of all positions of a sequence. */
static void gather(const attn_trainer *t, float *to, const float *from, int32_t heads, int32_t head)
{
  const size_t dim = (size_t)t->head_dim;
  from += (size_t)head * dim;
  for (int32_t i = 0; i < t->context; i++, to += dim, from += (size_t)heads * dim)
    __builtin_memcpy(to, from, dim * sizeof(float));
}

/* The weights of keys before i that follow an earlier occurrence of token i; 0 keys: −1. */
static double following(const float *p, const int32_t *tokens, int32_t i)
{
  double sum = -1;
  for (int32_t j = 1; j < i; j++)
    if (tokens[j - 1] == tokens[i])
      sum = (sum < 0 ? 0 : sum) + (double)p[j];
  return sum;
}

static void head_piece(void *task, int32_t index, void *scratch)
{
  const heads_task *s = task;
  const attn_trainer *t = s->t;
  const layer_activations *l = &t->layer[index / t->heads];
  const int32_t head = index % t->heads;
  const int32_t n = t->context;
  double sums[ATTN_HEAD_SCORES] = {0};
  double found = 0;
  head_memory m;
  lay_out(t, &m, scratch);
  const attn_params params = params_of(t, &m);
  for (int32_t b = 0; b < s->sequences; b++) {
    const size_t at = (size_t)b * (size_t)n * (size_t)t->head_dim;
    const int32_t kv_head = head / (t->heads / t->kv_heads);
    const int32_t *tokens = s->tokens + (size_t)b * (size_t)n;
    gather(t, m.q, l->q + at * (size_t)t->heads, t->heads, head);
    gather(t, m.k, l->k + at * (size_t)t->kv_heads, t->kv_heads, kv_head);
    gather(t, m.v, l->v + at * (size_t)t->kv_heads, t->kv_heads, kv_head);
    attn_forward_f32(&params, m.a, m.q, m.k, m.v, m.scratch);
    const float *kl = m.stats + (size_t)ATTN_STAT_KL * (size_t)n;
    const float *variance = m.stats + (size_t)ATTN_STAT_VARIANCE * (size_t)n;
    for (int32_t i = 1; i < n; i++) {
      const float *p = m.p + (size_t)i * (size_t)n;
      const double induced = following(p, tokens, i);
      sums[ATTN_HEAD_RHO] += (double)kl[i];
      sums[ATTN_HEAD_CHI] += (double)variance[i];
      sums[ATTN_HEAD_PREVIOUS] += (double)p[i - 1];
      if (induced >= 0) {
        sums[ATTN_HEAD_INDUCTION] += induced;
        found++;
      }
    }
  }
  const double rows = n > 1 ? (double)s->sequences * (n - 1) : 1;
  for (int score = 0; score < ATTN_HEAD_SCORES; score++)
    s->scores[(size_t)index * ATTN_HEAD_SCORES + (size_t)score] =
        sums[score] / (score != ATTN_HEAD_INDUCTION ? rows
                       : found > 0                  ? found
                                                    : 1);
}

void attn_trainer_heads(attn_trainer *t, attn_team *team, double *scores, const int32_t *tokens,
                        int32_t sequences, void *shared)
{
  heads_task task = {t, scores, tokens, sequences};
  const double work = (double)t->layers * t->heads * sequences * t->context * t->context;
  attn_trainer_forward(t, team, tokens, sequences, shared);
  attn_team_run(team, head_piece, &task, t->layers * t->heads, work * t->head_dim);
}
