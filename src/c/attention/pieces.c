/* Cuts a call into pieces for any number of threads. The bits do not depend on their number. */
#include "base/arena.h"
#include "kernel.h"

/* Multiply-adds of a piece at most: tuning.md#attention-pieces */
#define MAX_PIECE 3e8

enum {
  /*
   * rows of a kv head up to which a piece is a span of its keys, else a chunk of its rows:
   * tuning.md#span-pieces
   */
  MAX_SPAN_ROWS = 16,
  /* More kv heads are pieces enough without spans: tuning.md#span-pieces */
  MAX_SPAN_HEADS = 1024,
  /* With more kv heads than this, a call is not shared out: tuning.md#shared-heads */
  MAX_SHARED_HEADS = 1 << 16,
  /*
   * Results of spans wait in memory until they are merged, for each row of each span. Where they
   * would take more bytes than this, pieces are chunks.
   */
  MAX_SPAN_BYTES = 1 << 26,
};

struct attn_work {
  const attn_params *p;
  arrays a;
  int32_t rows; /* of a kv head */
  int32_t pieces;
  int32_t per_head;
  int32_t by_span; /* a piece is a span of a kv head, else `chunk` of its rows */
  int32_t chunk;
  int32_t next; /* the first piece that no thread has taken */
  int32_t unfinished;
  span_state *spans; /* by_span: (pieces, rows) */
  float *sums;       /* by_span: (pieces, rows, width) */
  double *segments;  /* by_span: (pieces, rows, segment_count) */
};

/* Whether pieces are spans. A job is a kv head of one batch, and has `spans` of them. */
static int cut_by_span(const attn_params *p, int32_t jobs, int32_t rows, int32_t spans)
{
  const size_t result = sizeof(span_state) + attn_width(p) * sizeof(float) +
                        (size_t)p->segment_count * sizeof(double);
  return rows <= MAX_SPAN_ROWS && jobs <= MAX_SPAN_HEADS &&
         (double)jobs * spans * rows * (double)result <= MAX_SPAN_BYTES;
}

/*
 * Cuts the call by spans, or into chunks. Chunks are halved down to CHUNK / 8 rows until there are
 * 16 pieces (tuning.md#chunk-pieces). Then they are halved down to TILE4 rows while a piece is
 * above MAX_PIECE.
 */
static attn_work plan(const attn_params *p)
{
  int32_t jobs = p->batch * p->kv_heads;
  int32_t rows = p->m * (p->heads / p->kv_heads);
  int32_t spans = (p->n + SPAN - 1) / SPAN;
  attn_work w = {.p = p, .rows = rows, .chunk = CHUNK};
  w.by_span = cut_by_span(p, jobs, rows, spans);
  double row = (double)p->n * (p->dim + p->value_dim);
  while (w.chunk > CHUNK / 8 && jobs * ((rows + w.chunk - 1) / w.chunk) < 16)
    w.chunk /= 2;
  while (w.chunk > TILE4 && w.chunk * row > MAX_PIECE)
    w.chunk /= 2;
  w.per_head = w.by_span ? spans : (rows + w.chunk - 1) / w.chunk;
  w.pieces = w.unfinished = jobs * w.per_head;
  return w;
}

/* The work and, behind it, the results of each span; `base` is NULL to measure them. */
static size_t layout_work(attn_work *w, void *base)
{
  size_t rows = w->by_span ? (size_t)w->pieces * (size_t)w->rows : 0;
  arena a = {.base = base};
  arena_allocate(&a, 1, sizeof *w);
  w->spans = arena_allocate(&a, rows, sizeof *w->spans);
  w->sums = arena_allocate(&a, rows * attn_width(w->p), sizeof *w->sums);
  w->segments = arena_allocate(&a, rows * (size_t)w->p->segment_count, sizeof *w->segments);
  return arena_bytes(&a);
}

size_t attn_work_bytes(const attn_params *p)
{
  attn_work w = plan(p);
  return layout_work(&w, NULL);
}

double attn_work_size(const attn_params *p)
{
  /* very many small heads are not worth the bookkeeping */
  if ((int64_t)p->batch * p->kv_heads > MAX_SHARED_HEADS)
    return 0;
  return (double)p->batch * p->heads * p->m * p->n * (p->dim + p->value_dim);
}

int32_t attn_work_begin(attn_work *w, const attn_params *p, float *out, const float *q,
                        const float *k, const float *v, const attn_cache *cache, void *scratch)
{
  int32_t status = cache ? attn_check_cache(p, cache) : ATTN_OK;
  if (status != ATTN_OK)
    return status;
  *w = plan(p);
  w->a = (arrays){.out = out, .queries = q, .k = k, .v = v, .cache = cache};
  layout_work(w, w);
  if (!w->by_span)
    return ATTN_OK; /* each chunk clears the results of its rows */
  call s = attn_begin_call(p, cache, scratch);
  for (int32_t head = 0; head < p->batch * p->kv_heads; head++) {
    head_job job = attn_head_job(&s, &w->a, head);
    query_rows set;
    for (int32_t r = 0; r < w->rows; r += set.count) {
      set = attn_query_rows(&s, &job, r, w->rows);
      for (int x = 0; x < set.count; x++)
        attn_clear_results(&s, &set, x);
    }
  }
  return ATTN_OK;
}

/* All rows of a kv head over one span. */
static void run_span(call *s, attn_work *w, head_job *job, int32_t piece, int32_t start)
{
  const int32_t end = w->rows;
  int loaded = 0;
  query_rows set;
  job->halves_in_place = attn_halves_in_place(s, job, 0, end);
  for (int32_t r = 0; r < end; r += set.count) {
    set = attn_query_rows(s, job, r, end);
    size_t at = (size_t)piece * (size_t)w->rows + (size_t)r;
    if (!attn_reaches(&set, start)) {
      for (int x = 0; x < set.count; x++)
        w->spans[at + (size_t)x] = (span_state){.row = row_empty(), .divided_by = 1.0};
      continue;
    }
    if (!loaded++)
      /* the whole span: later sets may see more of it than this one */
      attn_load_span(s, job, start, 0, s->p->n, end);
    attn_pack_queries(s, job, &set);
    attn_attend_span(s, job, &set, w->spans + at, w->sums + at * s->width,
                     w->segments + at * (size_t)s->p->segment_count);
  }
}

static void run_piece(call *s, attn_work *w, int32_t piece)
{
  head_job job = attn_head_job(s, &w->a, piece / w->per_head);
  int32_t part = piece % w->per_head;
  if (w->by_span) {
    run_span(s, w, &job, piece, part * SPAN);
    return;
  }
  /* the last rows first: in a causal head they take longest */
  int32_t first = (w->per_head - 1 - part) * w->chunk;
  attn_attend_chunk(s, &job, first, w->rows - first < w->chunk ? w->rows : first + w->chunk);
}

void attn_work_run(attn_work *w, void *scratch)
{
  call s = attn_begin_call(w->p, w->a.cache, scratch);
  for (;;) {
    int32_t piece = __atomic_fetch_add(&w->next, 1, __ATOMIC_SEQ_CST);
    if (piece >= w->pieces)
      return;
    run_piece(&s, w, piece);
    __atomic_fetch_sub(&w->unfinished, 1, __ATOMIC_SEQ_CST);
  }
}

int32_t attn_work_remaining(const attn_work *w)
{
  return __atomic_load_n(&w->unfinished, __ATOMIC_SEQ_CST);
}

/* The spans of row x of a set, merged in order, and its results. */
static void end_row(call *s, const attn_work *w, const head_job *job, int32_t head,
                    const query_rows *set, int32_t r, int x)
{
  row_state row = row_empty();
  for (int32_t part = 0; part < w->per_head; part++) {
    size_t at = (size_t)(head * w->per_head + part) * (size_t)w->rows + (size_t)(r + x);
    attn_merge_span(s, &set->t[x], &row, &w->spans[at], s->totals, w->sums + at * s->width,
                    s->segment_totals);
  }
  attn_end_row(s, job, set, x, &row,
               &(row_sums){.totals = s->totals, .segments = s->segment_totals});
}

void attn_work_end(attn_work *w, void *scratch)
{
  if (!w->by_span)
    return;
  call s = attn_begin_call(w->p, w->a.cache, scratch);
  for (int32_t head = 0; head < w->p->batch * w->p->kv_heads; head++) {
    head_job job = attn_head_job(&s, &w->a, head);
    query_rows set;
    for (int32_t r = 0; r < w->rows; r += set.count) {
      set = attn_query_rows(&s, &job, r, w->rows);
      for (int x = 0; x < set.count; x++)
        end_row(&s, w, &job, head, &set, r, x);
    }
  }
}
