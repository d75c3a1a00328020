/* Attention by a team: the threads run the pieces of attn_work_* until all are done. */
#include "layers.h"

/* With fewer multiply-adds one thread is faster than a team: tuning.md#team-attention */
#define MIN_SHARED_WORK 4e5

static int is_shared(const attn_team *team, const attn_params *p)
{
  return attn_team_threads(team) > 1 && attn_work_size(p) > MIN_SHARED_WORK;
}

size_t attn_team_attend_bytes(const attn_team *team, const attn_params *p)
{
  return is_shared(team, p) ? attn_work_bytes(p) : 0;
}

static void run_piece(void *task, int32_t index, void *scratch)
{
  (void)index;
  attn_work_run(task, scratch);
}

int32_t attn_team_attend(attn_team *team, const attn_params *p, float *out, const float *q,
                         const float *k, const float *v, const attn_cache *cache, void *shared)
{
  void *scratch = attn_team_scratch(team);
  if (!is_shared(team, p))
    return cache ? attn_cache_attend(p, out, q, cache, scratch)
                 : attn_forward_f32(p, out, q, k, v, scratch);
  attn_work *work = shared;
  int32_t status = attn_work_begin(work, p, out, q, k, v, cache, scratch);
  if (status != ATTN_OK)
    return status;
  attn_team_run(team, run_piece, work, attn_team_threads(team), attn_work_size(p));
  if (!attn_team_lost(team))
    attn_work_end(work, scratch);
  return ATTN_OK;
}
