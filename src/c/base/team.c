/*
 * A team of threads and the steps they share. One number holds the step and how many of its pieces
 * nobody has yet. A thread that lowers it owns a piece of exactly that step. The step cannot end
 * before that piece is done, and its task cannot change. So a thread that was away for long never
 * confuses two steps.
 */
#include "team.h"

/* Multiply-adds below which handing a step out costs more than it gains (tuning.md#shared-step). */
#define MIN_SHARED 1e5

/* Reads of shared memory between two readings of the clock: tuning.md#clock-looks */
#define LOOKS (1 << 20)

/* Milliseconds, by the clock of the page. Without one, each reading is ATTN_TEAM_MAX_WAIT later. */
#if TEAM_CLOCK
double now(void);
#else
static double now(void) { return __builtin_inf(); }
#endif

struct attn_team {
  uint64_t open;      /* step << 32 | pieces that nobody has */
  int32_t unfinished; /* pieces */
  int32_t closed;
  int32_t lost;
  int32_t threads;
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

static void do_pieces(attn_team *team, void *scratch)
{
  uint64_t open = __atomic_load_n(&team->open, __ATOMIC_SEQ_CST);
  while ((uint32_t)open) {
    if (!__atomic_compare_exchange_n(&team->open, &open, open - 1, 0, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST))
      continue;
    team->piece(team->task, team->pieces - (int32_t)(uint32_t)open, scratch);
    __atomic_fetch_sub(&team->unfinished, 1, __ATOMIC_SEQ_CST);
    open = __atomic_load_n(&team->open, __ATOMIC_SEQ_CST);
  }
}

void attn_team_join(attn_team *team, int32_t index)
{
  while (!__atomic_load_n(&team->closed, __ATOMIC_SEQ_CST))
    do_pieces(team, team->scratch + (size_t)index * team->scratch_bytes);
}

void attn_team_close(attn_team *team) { __atomic_store_n(&team->closed, 1, __ATOMIC_SEQ_CST); }

void attn_team_run(attn_team *team, attn_piece *piece, void *task, int32_t pieces,
                   double multiply_adds)
{
  void *scratch = attn_team_scratch(team);
  if (team && team->lost)
    return;
  if (!team || team->threads == 1 || pieces < 2 || multiply_adds < MIN_SHARED) {
    for (int32_t index = 0; index < pieces; index++)
      piece(task, index, scratch);
    return;
  }
  team->piece = piece;
  team->task = task;
  team->pieces = pieces;
  __atomic_store_n(&team->unfinished, pieces, __ATOMIC_SEQ_CST);
  uint64_t step = (__atomic_load_n(&team->open, __ATOMIC_SEQ_CST) >> 32) + 1;
  __atomic_store_n(&team->open, step << 32 | (uint32_t)pieces, __ATOMIC_SEQ_CST);
  do_pieces(team, scratch);
  int32_t before = pieces;
  int32_t looks = 0;
  double waited = 0;
  double last = 0;
  for (int32_t unfinished; (unfinished = __atomic_load_n(&team->unfinished, __ATOMIC_SEQ_CST)) > 0;
       before = unfinished)
    if (unfinished != before)
      waited = 0;
    else if (++looks == LOOKS) {
      double time = now();
      double elapsed = time - last;
      waited += elapsed < ATTN_TEAM_MAX_WAIT ? elapsed : ATTN_TEAM_MAX_WAIT;
      last = time;
      looks = 0;
      if (waited > ATTN_TEAM_PATIENCE) {
        team->lost = 1;
        return;
      }
    }
}
