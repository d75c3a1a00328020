/*
 * A team of threads and the steps they share. One number hands out the pieces. It holds the number
 * of the step and of the pieces that remain. A thread that lowers it has a piece of just that step.
 * The step cannot end, nor its task change, before that piece is done. So a thread that was away
 * for long never mistakes a piece of one step for that of another.
 */
#include "team.h"

/* Below this, handing a step out costs more than it brings: about 5 µs of one thread. */
#define WORTH 1e5

/* Milliseconds after which a step that has not moved has lost a thread. */
#define PATIENCE 1000

/* Reads of shared memory between two readings of the clock: about a millisecond. */
#define LOOKS (1 << 20)

/*
 * At most this many milliseconds between two readings count as waiting. If it was longer, the
 * machine itself was away.
 */
#define MAX_WAIT 50

/*
 * Milliseconds, by the clock of the side that made the memory. Without a clock each reading counts
 * as MAX_WAIT: one thread has no others.
 */
#if TEAM_CLOCK
double now(void);
#else
static double now(void) { return __builtin_inf(); }
#endif

struct attn_team {
  uint64_t open; /* step << 32 | pieces to take */
  int32_t left;  /* pieces not done */
  int32_t closed, lost, threads;
  attn_piece *piece;
  void *task;
  int32_t pieces;
  char *scratch;
  size_t scratch_bytes;
};

size_t attn_team_bytes(void) { return sizeof(attn_team); }

void attn_team_open(attn_team *team, int32_t threads, void *scratch, size_t scratch_bytes)
{
  *team = (attn_team){.threads = threads, .scratch = scratch, .scratch_bytes = scratch_bytes};
}

int32_t attn_team_lost(const attn_team *team) { return team->lost; }
int32_t attn_team_threads(const attn_team *team) { return team ? team->threads : 1; }
void *attn_team_scratch(attn_team *team) { return team ? team->scratch : NULL; }

static void take_pieces(attn_team *team, void *scratch)
{
  uint64_t open = __atomic_load_n(&team->open, __ATOMIC_SEQ_CST);
  while ((uint32_t)open) {
    if (!__atomic_compare_exchange_n(&team->open, &open, open - 1, 0, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST))
      continue;
    team->piece(team->task, team->pieces - (int32_t)(uint32_t)open, scratch);
    __atomic_fetch_sub(&team->left, 1, __ATOMIC_SEQ_CST);
    open = __atomic_load_n(&team->open, __ATOMIC_SEQ_CST);
  }
}

void attn_team_join(attn_team *team, int32_t index)
{
  while (!__atomic_load_n(&team->closed, __ATOMIC_SEQ_CST))
    take_pieces(team, team->scratch + (size_t)index * team->scratch_bytes);
}

void attn_team_close(attn_team *team) { __atomic_store_n(&team->closed, 1, __ATOMIC_SEQ_CST); }

void attn_team_run(attn_team *team, attn_piece *piece, void *task, int32_t pieces,
                   double multiply_adds)
{
  void *scratch = attn_team_scratch(team);
  if (team && team->lost)
    return;
  if (!team || team->threads == 1 || pieces < 2 || multiply_adds < WORTH) {
    for (int32_t index = 0; index < pieces; index++)
      piece(task, index, scratch);
    return;
  }
  team->piece = piece;
  team->task = task;
  team->pieces = pieces;
  __atomic_store_n(&team->left, pieces, __ATOMIC_SEQ_CST);
  uint64_t step = (__atomic_load_n(&team->open, __ATOMIC_SEQ_CST) >> 32) + 1;
  __atomic_store_n(&team->open, step << 32 | (uint32_t)pieces, __ATOMIC_SEQ_CST);
  take_pieces(team, scratch);
  int32_t before = pieces, looks = 0;
  double waited = 0, last = 0;
  for (int32_t left; (left = __atomic_load_n(&team->left, __ATOMIC_SEQ_CST)) > 0; before = left)
    if (left != before)
      waited = 0;
    else if (++looks == LOOKS) {
      double time = now(), elapsed = time - last;
      waited += elapsed < MAX_WAIT ? elapsed : MAX_WAIT;
      last = time;
      looks = 0;
      if (waited > PATIENCE) {
        team->lost = 1;
        return;
      }
    }
}
