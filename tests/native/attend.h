/*
 * float32 attention over arrays or a cache, with scratch of exactly its size: by one thread, or in
 * pieces by CASE_THREADS of them.
 */
#ifndef ATTEND_H
#define ATTEND_H

#include "attn.h"
#include "stream.h"

#ifndef CASE_THREADS
#define CASE_THREADS 1
#endif

#if CASE_THREADS > 1
#include <pthread.h>

typedef struct {
  attn_work *work;
  void *scratch;
} helper;

static inline void *help(void *argument)
{
  helper *h = argument;
  attn_work_run(h->work, h->scratch);
  return NULL;
}
#endif

static inline int32_t attend_f32(const attn_params *p, float *out, const float *q, const float *k,
                                 const float *v, const attn_cache *cache)
{
  int32_t status;
#if CASE_THREADS > 1
  pthread_t threads[CASE_THREADS];
  helper helpers[CASE_THREADS];
  attn_work *work = fresh(attn_work_bytes(p));
  for (int t = 0; t < CASE_THREADS; t++)
    helpers[t] = (helper){work, fresh(attn_scratch_bytes_f32(p))};
  status = attn_work_begin(work, p, out, q, k, v, cache, helpers[0].scratch);
  if (status == ATTN_OK) {
    for (int t = 1; t < CASE_THREADS; t++)
      check(!pthread_create(&threads[t], NULL, help, &helpers[t]), "no thread");
    help(&helpers[0]);
    for (int t = 1; t < CASE_THREADS; t++)
      pthread_join(threads[t], NULL);
    check(attn_work_remaining(work) == 0, "pieces remain");
    attn_work_end(work, helpers[0].scratch);
  }
  for (int t = 0; t < CASE_THREADS; t++)
    free(helpers[t].scratch);
  free(work);
#else
  void *scratch = fresh(attn_scratch_bytes_f32(p));
  status = cache ? attn_cache_attend(p, out, q, cache, scratch)
                 : attn_forward_f32(p, out, q, k, v, scratch);
  free(scratch);
#endif
  return status;
}

#endif
