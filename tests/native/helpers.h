/* The other threads of a team: with the caller they are CASE_THREADS. */
#ifndef HELPERS_H
#define HELPERS_H

#include "stream.h"
#include "team.h"

#ifndef CASE_THREADS
#define CASE_THREADS 1
#endif

#if CASE_THREADS > 1
#include <pthread.h>

typedef struct {
  attn_team *team;
  int32_t index;
} team_member;

static inline void *join_team(void *argument)
{
  const team_member *member = argument;
  attn_team_join(member->team, member->index);
  return NULL;
}
#endif

/* Must stay where it is until end_helpers. */
typedef struct {
  attn_team *team;
#if CASE_THREADS > 1
  pthread_t threads[CASE_THREADS];
  team_member members[CASE_THREADS];
#endif
} helpers_of_team;

/* For a team that is open. */
static inline void begin_helpers(helpers_of_team *helpers, attn_team *team)
{
  helpers->team = team;
#if CASE_THREADS > 1
  for (int32_t t = 1; t < CASE_THREADS; t++) {
    helpers->members[t] = (team_member){team, t};
    check(!pthread_create(&helpers->threads[t], NULL, join_team, &helpers->members[t]),
          "no thread");
  }
#endif
}

/* Closes the team and waits for its threads. */
static inline void end_helpers(helpers_of_team *helpers)
{
  attn_team_close(helpers->team);
#if CASE_THREADS > 1
  for (int32_t t = 1; t < CASE_THREADS; t++)
    pthread_join(helpers->threads[t], NULL);
#endif
}

#endif
