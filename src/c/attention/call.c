/*
 * float32 attention: tiled, with online softmax, in memory that does not grow with m or n.
 *
 * The order of every sum is fixed by key positions alone. Keys are taken in spans of SPAN, each
 * under its own maximum; spans then merge in order. Short chains keep the error from growing with
 * n, and spans are independent of each other.
 *
 * The work for one kv head goes row chunk by row chunk. A span's keys are packed into panels once
 * per chunk; then each group of rows (query by query, the heads of the kv group side by side) runs
 * through the span.
 */
#include "base/arena.h"
#include "integer_tiles.h"
#include "kernel.h"

/*
 * How many rows the next group takes when so many are left: a small remainder would cost nearly as
 * much as a whole group.
 */
static int32_t group_size(const call *s, const head_job *job, int32_t left)
{
  const int32_t type = job->cache ? job->cache->type : ATTN_CACHE_F32;
  /* more than TILE4 would have halves widened; two smaller groups have not */
  int32_t most =
      s->p->sinks || s->int8 || type == ATTN_CACHE_Q8 || (type == ATTN_CACHE_F16 && left <= ROWS)
          ? TILE4
          : ROWS;
  return left <= most ? left : left < 2 * most ? (left + 1) / 2 : most;
}

/* T, and what the scores of its rows are counted in. */
static row_temperature temperature_in(const call *s, double value)
{
  row_temperature t = {.kind = temperature_kind(value), .value = value};
  t.unit = s->plain && t.kind != T_INFINITE ? s->scale : 1;
  t.inverse = nearest_float((double)t.unit / value); /* T = 0 and T = ∞ do not use it */
  return t;
}

static row_group group_of(const call *s, const head_job *job, int32_t r, int32_t end)
{
  const attn_params *p = s->p;
  row_group g = {.count = group_size(s, job, end - r), .lo = p->n};
  for (int x = 0; x < g.count; x++) {
    int32_t i = (r + x) / job->group, h = job->kv_head * job->group + (r + x) % job->group;
    g.i[x] = i;
    g.h[x] = h;
    g.view[x] = row_view_of(p, job->b, h, i);
    g.t[x] = temperature_in(s, temperature_of(p, h));
    if (g.view[x].lo < g.view[x].hi) {
      g.lo = g.view[x].lo < g.lo ? g.view[x].lo : g.lo;
      g.hi = g.view[x].hi > g.hi ? g.view[x].hi : g.hi;
    }
    int64_t at = weights_at(p, job->b, h, i);
    g.weights[x] = at < 0 ? NULL : (float *)p->weights + at;
    g.scores[x] = p->scores ? (float *)p->scores + row_index(p, job->b, h, i) * (size_t)p->n : NULL;
  }
  if (s->unmasked_scores) {
    g.lo = 0;
    g.hi = p->n;
  }
  return g;
}

/* Whether any row of a group sees keys of the span that begins at `start`. */
static int reaches(const row_group *g, int32_t start)
{
  return g->lo < start + SPAN && g->hi > start;
}

static double *totals_of(const call *s, int32_t row) { return s->totals + (size_t)row * s->width; }

/* One group over the span that is loaded; its results where this is its last span. */
static void attend_group(const call *s, const head_job *job, const row_group *g, int32_t start,
                         int32_t row)
{
  const int begins = g->lo >= start, ends = g->hi <= start + SPAN;
  span_state span[ROWS];
  attn_span(s, job, g, start, span, s->acc);
  for (int x = 0; x < g->count; x++) {
    const float *acc = s->acc + (size_t)x * s->width;
    row_state *state = &s->rows[row + x];
    double *totals = begins && ends ? NULL : totals_of(s, row + x);
    if (begins)
      *state = row_empty();
    attn_merge_span(s, &g->t[x], state, &span[x], totals, acc);
    if (ends)
      attn_end_row(s, job, g, x, state, &(row_sums){totals, acc, span[x].scale});
  }
}

/*
 * Reads a number of each line of cache, so that a group's queries are near when their turn comes.
 */
static void fetch_queries(const call *s, const head_job *job, const row_group *g)
{
  for (int x = 0; x < g->count; x++) {
    const volatile float *q = query_row(s, job, g, x);
    for (int32_t c = 0; c < s->p->dim; c += 16)
      (void)q[c];
  }
}

/* The rows [first, end) of a kv head, at most CHUNK of them. */
static void attend_chunk(const call *s, head_job *job, int32_t first, int32_t end)
{
  const row_state nothing = row_empty();
  int32_t lo = s->p->n, hi = 0, count = 0;
  for (int32_t r = first; r < end; r += s->groups[count++].count) {
    row_group *g = &s->groups[count];
    *g = group_of(s, job, r, end);
    lo = g->lo < lo ? g->lo : lo;
    hi = g->hi > hi ? g->hi : hi;
    for (int x = 0; x < g->count; x++) {
      attn_begin_row(s, g, x);
      if (g->lo >= g->hi)
        attn_end_row(s, job, g, x, &nothing, NULL);
    }
  }
  for (int32_t start = lo / SPAN * SPAN; start < hi; start += SPAN) {
    attn_load_span(s, job, start, lo, hi, first, end);
    const row_group *last = s->groups + count;
    int32_t row = 0;
    for (const row_group *g = s->groups; g < last; row += g++->count) {
      if (!reaches(g, start))
        continue;
      if (count > 1 || s->int8 || start == lo / SPAN * SPAN) /* one group's stay packed */
        attn_pack_queries(s, job, g);
      if (g + 1 < last)
        fetch_queries(s, job, g + 1);
      attend_group(s, job, g, start, row);
    }
  }
}

/*
 * ---- One call
 * -------------------------------------------------------------------------------------------------------
 */

static size_t width_of(const attn_params *p) { return whole_strips((size_t)p->value_dim); }

/* Lays the scratch out from `base`; with a NULL base only measures it. */
static size_t layout_scratch(const attn_params *p, call *s, char *base)
{
  size_t width = width_of(p), f = sizeof(float);
  size_t dim = words_of(p->dim) * WORD; /* whole words of bytes */
  size_t span = p->n < SPAN ? whole_panels((size_t)p->n) : SPAN;
  size_t numbers = SPAN / WORD * TILE4 * (size_t)room_by(BY_PAIRS);
  arena a = {.base = base};
  s->panels = arena_allocate(&a, span * dim, f);
  s->values = arena_allocate(&a, span * width, f);
  s->queries = arena_allocate(&a, ROWS * dim, sizeof(f32x4));
  s->scores = arena_allocate(&a, ROWS * SCORES, f);
  s->numbers = arena_allocate(&a, numbers, sizeof(int32_t));
  s->starts = arena_allocate(&a, TILE4, sizeof(int32_t));
  s->query_factors = arena_allocate(&a, TILE4, f);
  s->sums = arena_allocate(&a, SPAN / BLOCK * ROWS * width, f);
  s->acc = arena_allocate(&a, ROWS * width, f);
  s->spare = arena_allocate(&a, ROWS * width, f);
  s->int8 = arena_allocate(&a, p->precision == ATTN_INT8 ? attn_int8_bytes(p) : 0, 1);
  s->totals = arena_allocate(&a, CHUNK * width, sizeof(double));
  s->rows = arena_allocate(&a, CHUNK, sizeof(row_state));
  s->groups = arena_allocate(&a, CHUNK / TILE4, sizeof(row_group));
  return arena_bytes(&a);
}

size_t attn_scratch_bytes_f32(const attn_params *p)
{
  call s;
  return layout_scratch(p, &s, NULL);
}

static call begin_call(const attn_params *p, const attn_cache *cache, void *scratch)
{
  call s = {.p = p, .softcap = nearest_float(p->softcap)};
  /* a fraction below 1 cannot take a query out of the floats, and a power of two rounds nothing */
  int exponent;
  s.query_scale = f64_split(p->scale, &exponent);
  s.scale = exponent > 127 ? 0x1p127f : exponent < -149 ? 0x1p-149f : (float)f64_power2(exponent);
  if (exponent > 127)
    s.query_scale *= 2;
  s.unmasked_scores = p->scores && p->scores_stage != ATTN_SCORES_MASKED;
  s.plain = !p->key_scale && !(p->softcap > 0) && !p->mask_kind && !p->alibi && !p->scores &&
            exponent > -64 && exponent < 64;
  s.q_strides = strides_of(p, p->heads, p->m, p->dim);
  s.out_strides = strides_of(p, p->heads, p->m, p->value_dim);
  s.width = width_of(p);
  layout_scratch(p, &s, scratch);
  s.form = cache ? cache->form : attn_dot_form(8);
  if (p->precision != ATTN_INT8)
    s.int8 = NULL;
  return s;
}

/* Where a call's arrays are; k and v are NULL where it has a cache. */
typedef struct {
  float *out;
  const float *q, *k, *v;
  const attn_cache *cache;
} arrays;

/* The job of one kv head, counted over all batches. */
static head_job job_of(const call *s, const arrays *a, int32_t head)
{
  const attn_params *p = s->p;
  int32_t b = head / p->kv_heads, kv_head = head % p->kv_heads;
  head_job job = {.b = b,
                  .kv_head = kv_head,
                  .group = p->heads / p->kv_heads,
                  .q = a->q + (size_t)b * s->q_strides.batch,
                  .out = a->out + (size_t)b * s->out_strides.batch};
  if (a->cache) {
    job.cache = a->cache;
  } else {
    strides ks = strides_of(p, p->kv_heads, p->n, p->dim),
            vs = strides_of(p, p->kv_heads, p->n, p->value_dim);
    job.k = a->k + (size_t)b * ks.batch + (size_t)kv_head * ks.head;
    job.v = a->v + (size_t)b * vs.batch + (size_t)kv_head * vs.head;
    job.k_stride = ks.position;
    job.v_stride = vs.position;
  }
  return job;
}

static void attend(const attn_params *p, const arrays *a, void *scratch)
{
  call s = begin_call(p, a->cache, scratch);
  for (int32_t head = 0; head < p->batch * p->kv_heads; head++) {
    head_job job = job_of(&s, a, head);
    int32_t rows = p->m * job.group;
    for (int32_t first = 0; first < rows; first += CHUNK)
      attend_chunk(&s, &job, first, rows - first < CHUNK ? rows : first + CHUNK);
  }
}

int32_t attn_forward_f32(const attn_params *p, float *out, const float *q, const float *k,
                         const float *v, void *scratch)
{
  attend(p, &(arrays){out, q, k, v, NULL}, scratch);
  return ATTN_OK;
}

/* Whether the options fit the cache, as a status. */
static int32_t fit(const attn_params *p, const attn_cache *cache)
{
  if (p->precision != ATTN_FLOAT)
    return ATTN_E_RANGE;
  int fits = p->batch == 1 && p->kv_heads == cache->kv_heads && p->dim == cache->dim &&
             p->value_dim == cache->value_dim && p->n == cache->length;
  return fits ? ATTN_OK : ATTN_E_SHAPE;
}

int32_t attn_cache_attend(const attn_params *p, float *out, const float *q, const attn_cache *cache,
                          void *scratch)
{
  int32_t status = fit(p, cache);
  if (status == ATTN_OK)
    attend(p, &(arrays){out, q, NULL, NULL, cache}, scratch);
  return status;
}

/*
 * ---- A call in pieces
 * ---------------------------------------------------------------------------------------------
 */

/*
 * Multiply-adds of a piece, at most: a fraction of a second even where everything is summed with
 * care.
 */
#define PIECE 3e8

struct attn_work {
  const attn_params *p;
  arrays a;
  int32_t pieces, per_head;
  int32_t by_span; /* a piece is a span of a kv head, else `chunk` of its rows */
  int32_t chunk;
  int32_t next, left; /* the first piece not offered yet; how many are not done */
  span_state *spans;  /* by_span: (pieces, FEW) */
  float *sums;        /* by_span: (pieces, FEW, width) */
};

/*
 * More kv heads than that are pieces enough without cutting them by spans, and a state for each of
 * their spans might not fit into memory.
 */
enum { MANY_HEADS = 1024 };

/* Pieces large enough to be worth taking, and several for each thread. */
static attn_work plan(const attn_params *p)
{
  attn_work w = {.p = p, .chunk = CHUNK};
  int32_t heads = p->batch * p->kv_heads, rows = p->m * (p->heads / p->kv_heads);
  w.by_span = rows <= FEW && heads <= MANY_HEADS;
  double row = (double)p->n * (p->dim + p->value_dim);
  while (w.chunk > CHUNK / 8 && heads * ((rows + w.chunk - 1) / w.chunk) < 16)
    w.chunk /= 2;
  while (w.chunk > TILE4 && w.chunk * row > PIECE)
    w.chunk /= 2;
  w.per_head = w.by_span ? (p->n + SPAN - 1) / SPAN : (rows + w.chunk - 1) / w.chunk;
  w.pieces = w.left = heads * w.per_head;
  return w;
}

/* The work and, behind it, the partial results by span; `base` is NULL where it only measures. */
static size_t layout_work(attn_work *w, char *base)
{
  size_t rows = w->by_span ? (size_t)w->pieces * FEW : 0;
  arena a = {.base = base};
  arena_allocate(&a, 1, sizeof *w);
  w->spans = arena_allocate(&a, rows, sizeof *w->spans);
  w->sums = arena_allocate(&a, rows * width_of(w->p), sizeof *w->sums);
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
  if ((int64_t)p->batch * p->kv_heads > 1 << 16)
    return 0;
  return (double)p->batch * p->heads * p->m * p->n * (p->dim + p->value_dim);
}

int32_t attn_work_begin(attn_work *w, const attn_params *p, float *out, const float *q,
                        const float *k, const float *v, const attn_cache *cache, void *scratch)
{
  int32_t status = cache ? fit(p, cache) : ATTN_OK;
  if (status != ATTN_OK)
    return status;
  *w = plan(p);
  w->a = (arrays){out, q, k, v, cache};
  layout_work(w, (char *)w);
  if (!w->by_span)
    return ATTN_OK;
  call s = begin_call(p, cache, scratch);
  for (int32_t head = 0; head < p->batch * p->kv_heads; head++) {
    head_job job = job_of(&s, &w->a, head);
    row_group g;
    for (int32_t r = 0; r < p->m * job.group; r += g.count) {
      g = group_of(&s, &job, r, p->m * job.group);
      for (int x = 0; x < g.count; x++)
        attn_begin_row(&s, &g, x);
    }
  }
  return ATTN_OK;
}

static void run_piece(const call *s, attn_work *w, int32_t piece)
{
  head_job job = job_of(s, &w->a, piece / w->per_head);
  int32_t rows = s->p->m * job.group, part = piece % w->per_head;
  if (!w->by_span) {
    /*
     * the last rows of a causal head see the most keys, and the piece that is taken last of all is
     * to be short
     */
    int32_t first = (w->per_head - 1 - part) * w->chunk;
    attend_chunk(s, &job, first, rows - first < w->chunk ? rows : first + w->chunk);
    return;
  }
  const int32_t start = part * SPAN;
  int loaded = 0;
  row_group g;
  for (int32_t r = 0; r < rows; r += g.count) {
    g = group_of(s, &job, r, rows);
    size_t at = (size_t)piece * FEW + (size_t)r;
    if (!reaches(&g, start)) {
      for (int x = 0; x < g.count; x++)
        w->spans[at + (size_t)x] = (span_state){row_empty(), 1.0};
      continue;
    }
    if (!loaded++)
      attn_load_span(s, &job, start, 0, s->p->n, 0, rows);
    attn_pack_queries(s, &job, &g);
    attn_span(s, &job, &g, start, w->spans + at, w->sums + at * s->width);
  }
}

void attn_work_run(attn_work *w, void *scratch)
{
  call s = begin_call(w->p, w->a.cache, scratch);
  for (;;) {
    int32_t piece = __atomic_fetch_add(&w->next, 1, __ATOMIC_SEQ_CST);
    if (piece >= w->pieces)
      return;
    run_piece(&s, w, piece);
    __atomic_fetch_sub(&w->left, 1, __ATOMIC_SEQ_CST);
  }
}

int32_t attn_work_left(const attn_work *w) { return __atomic_load_n(&w->left, __ATOMIC_SEQ_CST); }

void attn_work_end(attn_work *w, void *scratch)
{
  if (!w->by_span)
    return;
  call s = begin_call(w->p, w->a.cache, scratch);
  for (int32_t head = 0; head < w->p->batch * w->p->kv_heads; head++) {
    head_job job = job_of(&s, &w->a, head);
    int32_t rows = w->p->m * job.group;
    row_group g;
    for (int32_t r = 0; r < rows; r += g.count) {
      g = group_of(&s, &job, r, rows);
      for (int x = 0; x < g.count; x++) {
        row_state row = row_empty();
        for (int32_t part = 0; part < w->per_head; part++) {
          size_t at = (size_t)(head * w->per_head + part) * FEW + (size_t)(r + x);
          attn_merge_span(&s, &g.t[x], &row, &w->spans[at], s.totals, w->sums + at * s.width);
        }
        attn_end_row(&s, &job, &g, x, &row, &(row_sums){s.totals, NULL, 0});
      }
    }
  }
}
