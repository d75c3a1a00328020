/*
 * team.h: threads that help with a call of several steps.
 *
 *     attn_team_open(team, threads, scratch, scratch_bytes);      the calling thread
 *     attn_team_join(team, index); each other thread: helps until the team is closed
 *     attn_matmul(team, …); attn_rms_norm(…); attn_team_attend(team, …);
 *     attn_team_close(team);
 *
 * The calling thread runs ordinary code. A step that is large enough is cut into pieces for all
 * threads, and the next step begins when all are done. The bits are those of one thread. A team of
 * one thread only keeps its scratch; a NULL team is one thread without scratch.
 *
 * No thread waits for ever. If a step has not moved for about a second, a thread must have been
 * lost. Then every later step returns at once with nothing done, and attn_team_lost returns 1. The
 * caller does all of it again elsewhere.
 */
#ifndef TEAM_H
#define TEAM_H

#include "attn.h"

/* Opaque; attn_team_bytes of 16-aligned memory, shared. */
typedef struct attn_team attn_team;

ATTN_API size_t attn_team_bytes(void);

/* Milliseconds of a wait for other threads. */
enum {
  ATTN_TEAM_PATIENCE = 1000, /* after this, a call that has not moved has lost a thread */
  /* Time between two readings of the clock counts as at most this: the machine may sleep. */
  ATTN_TEAM_MAX_WAIT = 50,
};

/*
 * scratch: `threads` parts of scratch_bytes each, a multiple of 16. Thread i works in part i, and
 * the calling thread in part 0.
 */
ATTN_API void attn_team_open(attn_team *team, int32_t threads, void *scratch, size_t scratch_bytes);

/* Helps; index is one of [1, threads). Returns when the team is closed. */
ATTN_API void attn_team_join(attn_team *team, int32_t index);

/* Sends the helpers home. The memory is free when all of them have returned. */
ATTN_API void attn_team_close(attn_team *team);

/* 1 if a thread was lost; the results are then invalid. */
ATTN_API int32_t attn_team_lost(const attn_team *team);

/* ---- For functions that share their steps out ---- */

/* Does piece `index` of a step; scratch is the thread's own. */
typedef void attn_piece(void *task, int32_t index, void *scratch);

/*
 * Does the pieces [0, pieces), each once, in any order. multiply_adds: of all pieces together, as
 * small steps are not shared out.
 */
void attn_team_run(attn_team *team, attn_piece *piece, void *task, int32_t pieces,
                   double multiply_adds);

/* How many take part. */
int32_t attn_team_threads(const attn_team *team);

/* The calling thread's scratch. */
void *attn_team_scratch(attn_team *team);

#endif
