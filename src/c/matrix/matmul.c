/*
 * y = x·Wᵀ in float32: which rows meet which panels when, and who does it. The loops themselves are
 * in dense_tile.c.
 */
#include "dense.h"

enum {
  /*
   * columns at a time, a multiple of the chain: the panel's part stays in the first-level cache …
   */
  DENSE_BLOCK = 256,
  DENSE_ROWS = 32, /* … and so do this many rows of x (32 KB, on the stack) */
};

typedef struct {
  float *y;
  size_t y_stride;
  const float *x;
  size_t x_stride;
  int32_t m;
  const attn_dense *w;
  const float *bias;
  int32_t parts, panels_per_part; /* a piece is DENSE_ROWS rows and one part of the panels */
} product;

/* Four rows' columns side by side, zero beyond `rows`. */
static void pack_rows(float *to, /* (columns, GROUP) */
                      const product *p, int32_t first, int32_t rows, int32_t column,
                      int32_t columns)
{
  const float *x[GROUP];
  for (int r = 0; r < GROUP; r++)
    x[r] = p->x + (size_t)(first + (r < rows ? r : 0)) * p->x_stride + column;
  int32_t c = 0;
  for (; c + 4 <= columns; c += 4) {
    f32x4 v[GROUP];
    for (int r = 0; r < GROUP; r++)
      v[r] = r < rows ? v_load(x[r] + c) : v_splat(0);
    v_transpose(v);
    for (int l = 0; l < 4; l++)
      v_store(to + (c + l) * GROUP, v[l]);
  }
  for (; c < columns; c++)
    for (int r = 0; r < GROUP; r++)
      to[c * GROUP + r] = r < rows ? x[r][c] : 0;
}

/* Copies what is real of a tile, from y or to y. */
INLINE void move_tile(float *to, size_t to_stride, const float *from, size_t from_stride,
                      int32_t rows, int32_t count)
{
  for (int32_t r = 0; r < rows; r++, to += to_stride, from += from_stride)
    if (count == PANEL) {
      v_store(to, v_load(from));
      v_store(to + 4, v_load(from + 4));
    } else {
      ROLLED for (int32_t c = 0; c < count; c++) to[c] = from[c];
    }
}

static void add_bias(const product *p, int32_t first, int32_t end, int32_t from, int32_t to)
{
  for (int32_t i = first; i < end; i++)
    for (int32_t r = from; r < to; r++)
      p->y[(size_t)i * p->y_stride + (size_t)r] += p->bias[r];
}

static void many_rows(const product *p, int32_t first, int32_t end, int32_t from, int32_t to)
{
  /* the sums of one tile, away from y, whose rows may all lie in the same lines of the cache */
  float packed[DENSE_ROWS * DENSE_BLOCK], sums[GROUP * PANEL];
  const attn_dense *w = p->w;
  for (int32_t start = 0; start < w->columns; start += DENSE_BLOCK) {
    int32_t columns = w->columns - start < DENSE_BLOCK ? w->columns - start : DENSE_BLOCK;
    for (int32_t i = first; i < end; i += GROUP)
      pack_rows(packed + (i - first) * DENSE_BLOCK, p, i, end - i < GROUP ? end - i : GROUP, start,
                columns);
    for (int32_t n = from; n < to; n++) {
      const float *panel = panel_at(w, n) + (size_t)start * PANEL;
      int32_t count = w->rows - n * PANEL < PANEL ? w->rows - n * PANEL : PANEL;
      for (int32_t i = first; i < end; i += GROUP) {
        int32_t rows = end - i < GROUP ? end - i : GROUP;
        const float *x = packed + (i - first) * DENSE_BLOCK;
        float *y = p->y + (size_t)i * p->y_stride + (size_t)n * PANEL;
        if (start)
          move_tile(sums, PANEL, y, p->y_stride, rows, count);
        attn_dense_tile(sums, x, panel, columns, start == 0);
        move_tile(y, p->y_stride, sums, PANEL, rows, count);
      }
    }
  }
}

/* The panels are cut into streams, as in panels.h; one that has ended repeats the first. */
static void one_row(const product *p, int32_t i, int32_t from, int32_t to)
{
  const attn_dense *w = p->w;
  float y[STREAMS * PANEL], *out = p->y + (size_t)i * p->y_stride;
  int32_t length = (to - from + STREAMS - 1) / STREAMS;
  for (int32_t first = from; first < from + length; first++) {
    const float *panel[STREAMS];
    for (int32_t s = 0; s < STREAMS; s++)
      panel[s] = panel_at(w, first + s * length < to ? first + s * length : first);
    attn_dense_streams(y, p->x + (size_t)i * p->x_stride, panel, w->columns);
    for (int32_t s = 0, n = first; s < STREAMS && n < to; s++, n += length)
      move_tile(out + n * PANEL, 0, y + s * PANEL, 0, 1,
                w->rows - n * PANEL < PANEL ? w->rows - n * PANEL : PANEL);
  }
}

static void run_piece(void *task, int32_t index, void *scratch)
{
  (void)scratch;
  const product *p = task;
  int32_t first = index / p->parts * DENSE_ROWS, from = index % p->parts * p->panels_per_part;
  int32_t end = p->m - first < DENSE_ROWS ? p->m : first + DENSE_ROWS;
  int32_t panels = panels_of(p->w),
          to = panels - from < p->panels_per_part ? panels : from + p->panels_per_part;
  if (from >= to)
    return;
  if (end - first == 1)
    one_row(p, first, from, to);
  else
    many_rows(p, first, end, from, to);
  if (p->bias)
    add_bias(p, first, end, from * PANEL, to * PANEL < p->w->rows ? to * PANEL : p->w->rows);
}

void attn_matmul(attn_team *team, float *y, size_t y_stride, const float *x, size_t x_stride,
                 int32_t m, const attn_dense *w, const float *bias)
{
  product p = {y, y_stride, x, x_stride, m, w, bias, .parts = 1};
  /* several pieces for each thread, of whole groups of panels */
  int32_t chunks = (m + DENSE_ROWS - 1) / DENSE_ROWS, panels = panels_of(w),
          wanted = 4 * attn_team_threads(team);
  if (attn_team_threads(team) > 1 && chunks < wanted && m > 0)
    p.parts = (wanted + chunks - 1) / chunks;
  p.panels_per_part = ((panels + p.parts - 1) / p.parts + STREAMS - 1) / STREAMS * STREAMS;
  p.parts = (panels + p.panels_per_part - 1) / p.panels_per_part;
  attn_team_run(team, run_piece, &p, chunks * p.parts, (double)m * w->rows * w->columns);
}

void attn_add(float *y, const float *a, const float *b, size_t count)
{
  for (size_t i = 0; i < count; i++)
    y[i] = a[i] + b[i];
}
