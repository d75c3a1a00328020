/*
 * Trains a small model from stdin through train.h, with every array in memory of exactly its size.
 * Losses, heads and parameters go to stdout. Sanitizers watch every access, and the bits must be
 * those of the simd module.
 *
 * The stream: int32 as in `sizes` below; doubles seed, deviation, rotary base, epsilon, largest
 * norm, rate, last rate, warmup, schedule, decay, both betas and the optimizer's epsilon; then for
 * each step the tokens and the targets (batch, context). The answer: for each step its loss and the
 * norm; the scores of heads on the last batch; parameters and both moments.
 */
#include "train.h"
#include "helpers.h"
#include "stream.h"

struct {
  int32_t layers;
  int32_t width;
  int32_t heads;
  int32_t kv_heads;
  int32_t head_dim;
  int32_t hidden;
  int32_t vocab;
  int32_t context;
  int32_t batch;
  int32_t tied;
  int32_t activation;
  int32_t steps;
} sizes;

struct {
  double seed;
  double deviation;
  double rope_base;
  double epsilon;
  double max_norm;
  double rate;
  double last_rate;
  double warmup;
  double schedule;
  double decay;
  double beta1;
  double beta2;
  double adamw_epsilon;
} numbers;

static attn_trainer *trainer(void)
{
  attn_trainer *t = fresh(attn_trainer_bytes());
  check(!attn_trainer_init(t, sizes.layers, sizes.width, sizes.heads, sizes.kv_heads,
                           sizes.head_dim, sizes.hidden, sizes.vocab, sizes.context, sizes.batch),
        "trainer_init");
  check(
      !attn_trainer_set_model(t, sizes.tied, sizes.activation, numbers.rope_base, numbers.epsilon),
      "set_model");
  attn_trainer_place(t, fresh(attn_trainer_memory_bytes(t)));
  attn_trainer_randomize(t, numbers.seed, numbers.deviation);
  return t;
}

/* All parts of a batch. */
static double losses(attn_trainer *t, attn_team *team, const int32_t *tokens,
                     const int32_t *targets)
{
  const double weight = 1 / ((double)sizes.batch * sizes.context);
  double sum = 0;
  attn_trainer_clear(t);
  int32_t count;
  for (int32_t first = 0; first < sizes.batch; first += count) {
    const int32_t remaining = sizes.batch - first;
    const int32_t limit = attn_trainer_sequences(t);
    const size_t at = (size_t)first * (size_t)sizes.context;
    count = remaining < limit ? remaining : limit;
    void *shared = fresh(attn_trainer_shared_bytes(t, team, count));
    sum += attn_trainer_gradient(t, team, tokens + at, targets + at, count, weight, shared);
    free(shared);
  }
  return sum / ((double)sizes.batch * sizes.context);
}

int main(void)
{
  read_bytes(&sizes, sizeof sizes);
  read_bytes(&numbers, sizeof numbers);
  attn_trainer *t = trainer();
  const size_t bytes = (size_t)sizes.batch * (size_t)sizes.context * sizeof(int32_t);
  const size_t scratch = (attn_trainer_heads_bytes(t) + 15) / 16 * 16;
  const size_t scores = (size_t)sizes.layers * (size_t)sizes.heads * ATTN_HEAD_SCORES;
  const size_t block = attn_trainer_parameter_count(t) * sizeof(float);
  attn_team *team = fresh(attn_team_bytes());
  attn_team_open(team, CASE_THREADS, fresh(scratch * CASE_THREADS), scratch);
  helpers_of_team helpers;
  begin_helpers(&helpers, team);
  for (int32_t step = 0; step < sizes.steps; step++) {
    int32_t *tokens = read_fresh(bytes);
    int32_t *targets = read_fresh(bytes);
    const double rate =
        attn_learning_rate(step, numbers.schedule, numbers.warmup, numbers.rate, numbers.last_rate);
    double answer[2] = {losses(t, team, tokens, targets)};
    answer[1] = attn_trainer_update(t, NULL, step + 1, numbers.max_norm, rate, numbers.decay,
                                    numbers.beta1, numbers.beta2, numbers.adamw_epsilon);
    write_bytes(answer, sizeof answer);
    if (step == sizes.steps - 1) {
      double *heads = fresh(scores * sizeof(double));
      void *shared = fresh(attn_trainer_shared_bytes(t, team, 1));
      attn_trainer_heads(t, team, heads, tokens, 1, shared);
      free(shared);
      write_bytes(heads, scores * sizeof(double));
    }
    free(tokens);
    free(targets);
  }
  check(!attn_team_lost(team), "a thread was lost");
  end_helpers(&helpers);
  write_bytes(attn_trainer_parameters(t), block);
  write_bytes(attn_trainer_first_moments(t), block);
  write_bytes(attn_trainer_second_moments(t), block);
  return 0;
}
