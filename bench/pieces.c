/*
 * Reads the clock around each piece of a call. The linker is given --wrap=attn_team_run, so each
 * call of that function comes here. All else is the engine's own. The clock is performance.now, and
 * undisturbed.js keeps its readings.
 */
#include "team.h"

double now(void);
void __real_attn_team_run(attn_team *team, attn_piece *piece, void *task, int32_t pieces,
                          double multiply_adds);
void __wrap_attn_team_run(attn_team *team, attn_piece *piece, void *task, int32_t pieces,
                          double multiply_adds);

typedef struct {
  attn_piece *piece;
  void *task;
} timed_task;

static void timed_piece(void *task, int32_t index, void *scratch)
{
  const timed_task *timed = task;
  now();
  timed->piece(timed->task, index, scratch);
}

void __wrap_attn_team_run(attn_team *team, attn_piece *piece, void *task, int32_t pieces,
                          double multiply_adds)
{
  timed_task timed = {piece, task};
  __real_attn_team_run(team, timed_piece, &timed, pieces, multiply_adds);
  now();
}
