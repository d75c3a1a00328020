/*
 * A team of real threads under the thread sanitizer: every piece of every step is done once, by
 * somebody, and before the next step begins; and a product shared out has the bits of one thread.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "layers.h"

enum { THREADS = 4, STEPS = 3000, MAX_PIECES = 37 };

static attn_team *team;

static void *help(void *index)
{
  attn_team_join(team, (int32_t)(size_t)index);
  return NULL;
}

typedef struct {
  int32_t step;
  /* plain memory: two threads in one piece, or one that comes late, would be a race */
  int32_t done[MAX_PIECES];
} job;

static void mark(void *task, int32_t index, void *scratch)
{
  job *j = task;
  j->done[index] += 1 + j->step;
  *(volatile int32_t *)scratch = index; /* its own */
}

/* The clock of team.c. */
double now(void);
double now(void)
{
  struct timespec time;
  timespec_get(&time, TIME_UTC);
  return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

typedef struct {
  const void *own; /* the calling thread's scratch */
  int32_t away;
  int32_t back;
} absence;

/*
 * Every other thread stays away until it is called back. The calling thread waits until one is
 * away.
 */
static void stay_away(void *task, int32_t index, void *scratch)
{
  absence *a = task;
  (void)index;
  if (scratch != a->own)
    __atomic_store_n(&a->away, 1, __ATOMIC_SEQ_CST);
  while (!__atomic_load_n(scratch == a->own ? &a->away : &a->back, __ATOMIC_SEQ_CST))
    ;
}

static void fail(const char *what)
{
  fprintf(stderr, "team_test: %s\n", what);
  exit(1);
}

int main(void)
{
  static char scratch[THREADS * 64] __attribute__((aligned(16)));
  pthread_t helpers[THREADS];
  team = aligned_alloc(16, (attn_team_bytes() + 15) & ~(size_t)15);
  attn_team_open(team, THREADS, scratch, 64);
  for (size_t x = 1; x < THREADS; x++)
    if (pthread_create(&helpers[x], NULL, help, (void *)x))
      fail("no thread");

  int32_t before = 0;
  int32_t wanted = 0;
  for (int32_t step = 0; step < STEPS; step++) {
    job j = {.step = step}; /* on the stack: the next step's lies in the same place */
    int32_t pieces = step % (MAX_PIECES + 1);
    attn_team_run(team, mark, &j, pieces, step % 5 ? 1e9 : 0);
    for (int32_t x = 0; x < MAX_PIECES; x++) {
      before += j.done[x];
      wanted += x < pieces ? 1 + step : 0;
    }
    if (before != wanted)
      fail("a piece was not done once");
  }

  enum { M = 65, ROWS = 90, COLUMNS = 300 };
  static float x[M * COLUMNS];
  static float w[ROWS * COLUMNS];
  static float one_thread[M * ROWS];
  static float shared[M * ROWS];
  for (int at = 0; at < M * COLUMNS; at++)
    x[at] = (float)(at * 7919 % 1009) / 500 - 1;
  for (int at = 0; at < ROWS * COLUMNS; at++)
    w[at] = (float)(at * 104729 % 1013) / 500 - 1;
  size_t bytes = attn_matrix_bytes(ATTN_F32, ROWS, COLUMNS);
  attn_matrix *matrix = aligned_alloc(16, (bytes + 15) & ~(size_t)15);
  if (attn_matrix_init(matrix, ATTN_F32, ROWS, COLUMNS) != ATTN_OK ||
      attn_matrix_pack(matrix, ATTN_F32, (const uint8_t *)w, 0, ROWS) != ATTN_OK)
    fail("a matrix was refused");
  attn_matmul(NULL, one_thread, ROWS, x, COLUMNS, M, matrix, NULL);
  for (int times = 0; times < 20; times++) {
    memset(shared, 0xCD, sizeof shared);
    attn_matmul(team, shared, ROWS, x, COLUMNS, M, matrix, NULL);
    if (memcmp(shared, one_thread, sizeof one_thread))
      fail("a product shared out has other bits");
  }

  if (attn_team_lost(team))
    fail("a thread counts as lost");
  absence lost = {.own = scratch};
  double start = now();
  attn_team_run(team, stay_away, &lost, MAX_PIECES, 1e9);
  if (!attn_team_lost(team) || now() - start < 500)
    fail("a thread that stays away does not count as lost, or too soon");
  job after = {.step = 1};
  attn_team_run(team, mark, &after, MAX_PIECES, 1e9);
  for (int32_t x = 0; x < MAX_PIECES; x++)
    if (after.done[x])
      fail("a step is done after a thread was lost");

  __atomic_store_n(&lost.back, 1, __ATOMIC_SEQ_CST);
  attn_team_close(team);
  for (size_t t = 1; t < THREADS; t++)
    pthread_join(helpers[t], NULL);
  free(matrix);
  free(team);
  printf("%d steps and 20 products by %d threads\n", STEPS, THREADS);
  return 0;
}
