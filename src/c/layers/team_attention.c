/* Attention by a team: the pieces of attn_work_*, each thread taking them until none is left. */
#include "layers.h"

/* Multiply-adds below which one thread is faster than cutting the call into pieces. */
#define WORTH 4e5

static int shared_out(const attn_team *team, const attn_params *p)
{
  return attn_team_threads(team) > 1 && attn_work_size(p) > WORTH;
}

size_t attn_team_attend_bytes(const attn_team *team, const attn_params *p)
{
  return shared_out(team, p) ? attn_work_bytes(p) : 0;
}

static void run_piece(void *task, int32_t index, void *scratch)
{
  (void)index;
  attn_work_run(task, scratch);
}

int32_t attn_team_attend(attn_team *team, const attn_params *p, float *out, const float *q,
                         const float *k, const float *v, const attn_cache *cache, void *room)
{
  void *scratch = attn_team_scratch(team);
  if (!shared_out(team, p))
    return cache ? attn_cache_attend(p, out, q, cache, scratch)
                 : attn_forward_f32(p, out, q, k, v, scratch);
  attn_work *work = room;
  int32_t status = attn_work_begin(work, p, out, q, k, v, cache, scratch);
  if (status != ATTN_OK)
    return status;
  attn_team_run(team, run_piece, work, attn_team_threads(team), attn_work_size(p));
  if (!attn_team_lost(team))
    attn_work_end(work, scratch);
  return ATTN_OK;
}
