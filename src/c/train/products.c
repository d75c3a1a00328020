/*
 * C = start + A·Bᵀ of matrices that lie as they are.
 *
 * product_f32.c of `matrix` multiplies weights that were packed once for many calls. Here both
 * sides are new in each step, either may be transposed, and sums go on from `start`. So a piece of
 * each is packed beside its use. Both have the same inner loop, float_tile.
 */
#include "products.h"
#include "matrix/chains.h"

enum {
  /* A piece of the outputs, at most. Packing it costs little beside multiplying it. */
  PIECE_SIDE = 128,
  /* Shorter sides are not worth the packing. */
  MIN_SIDE = 32,
  /* Pieces for several threads where a product is large enough, so that they end together. Larger
   * pieces are less to pack, so a thread alone has those: tuning.md#training-pieces */
  PIECES = 16,
  LINE = 16, /* floats in a line of the cache: tuning.md#training-lines */
  /* Terms that are packed at a time, a multiple of CHAIN_SPAN. */
  DEPTH = 256,
};
_Static_assert(DEPTH % CHAIN_SPAN == 0, "a block of terms begins where a span of chains does");

typedef struct {
  const train_product *p;
  int32_t side_rows;
  int32_t side_columns; /* of a piece */
  int32_t across;       /* pieces side by side */
} product_task;

size_t attn_train_product_bytes(void) { return (size_t)2 * PIECE_SIDE * DEPTH * sizeof(float); }

/* Where a piece's row is packed: rows lie in groups of `width`, each (depth, width). */
INLINE float *packed_row(float *to, const int width, int32_t row, int32_t depth)
{
  return to + (size_t)(row / width * width) * (size_t)depth + (size_t)(row % width);
}

/* `depth` terms of four rows, of which `count` are there. Term k goes to `to` + k·width. Here the
 * terms of a row lie side by side in memory. */
INLINE void pack_along(float *to, const int width, const float *from, size_t step, int32_t count,
                       int32_t depth)
{
  int32_t k = 0;
  for (; count == 4 && k + 4 <= depth; k += 4) {
    f32x4 x[4];
    for (int r = 0; r < 4; r++)
      x[r] = v_load(from + (size_t)r * step + k);
    v_transpose(x);
    for (int l = 0; l < 4; l++)
      v_store(to + (k + l) * width, x[l]);
  }
  for (; k < depth; k++)
    for (int r = 0; r < 4; r++)
      to[k * width + r] = r < count ? from[(size_t)r * step + (size_t)k] : 0;
}

/* The same where the rows of a term lie side by side. */
INLINE void pack_across(float *to, const int width, const float *from, size_t step, int32_t count,
                        int32_t depth)
{
  for (int32_t k = 0; k < depth; k++, from += step, to += width)
    if (count == 4)
      v_store(to, v_load(from));
    else
      for (int r = 0; r < 4; r++)
        to[r] = r < count ? from[r] : 0;
}

/*
 * The same for LINE rows at once. One term lies far from the next, so each term reads a line of the
 * cache. If only four rows were read, the line would often be gone before the next four need it.
 */
INLINE void pack_line(float *to, const int width, const float *from, size_t step, int32_t depth)
{
  float *at[LINE / 4];
  for (int v = 0; v < LINE / 4; v++)
    at[v] = packed_row(to, width, 4 * v, depth);
  ROLLED for (int32_t k = 0; k < depth; k++, from += step)
  {
    UNROLLED for (int v = 0; v < LINE / 4; v++) v_store(at[v] + k * width, v_load(from + 4 * v));
  }
}

/* Rows [first, first + count) and terms [k, k + depth) in groups of `width` rows: (depth, width).
 * Lanes without a row are 0. */
INLINE void pack(float *to, const int width, const product_operand *x, int32_t first, int32_t count,
                 int32_t k, int32_t depth)
{
  const float *from = x->at + (size_t)first * x->row_step + (size_t)k * x->k_step;
  int32_t r = 0;
  for (; x->row_step == 1 && r + LINE <= count; r += LINE)
    pack_line(packed_row(to, width, r, depth), width, from + r, x->k_step, depth);
  for (; r < (count + width - 1) / width * width; r += 4) {
    const int32_t rest = count - r;
    const int32_t four = rest > 4 ? 4 : rest > 0 ? rest : 0;
    const float *row = from + (size_t)r * x->row_step;
    if (x->k_step == 1)
      pack_along(packed_row(to, width, r, depth), width, row, x->row_step, four, depth);
    else
      pack_across(packed_row(to, width, r, depth), width, row, x->k_step, four, depth);
  }
}

KERNEL void pack_rows(float *to, const product_operand *x, int32_t first, int32_t count, int32_t k,
                      int32_t depth)
{
  pack(to, TILE4, x, first, count, k, depth);
}

KERNEL void pack_panels(float *to, const product_operand *x, int32_t first, int32_t count,
                        int32_t k, int32_t depth)
{
  pack(to, PANEL, x, first, count, k, depth);
}

KERNEL void tile(float *sums, const float *x, const float *panel, int32_t depth, int first)
{
  float_tile(sums, x, panel, depth, first);
}

/* Up to (TILE4, PANEL) numbers. */
INLINE void copy_tile(float *to, size_t to_stride, const float *from, size_t from_stride,
                      int32_t rows, int32_t columns)
{
  for (int32_t r = 0; r < rows; r++, to += to_stride, from += from_stride)
    if (columns == PANEL) {
      v_store(to, v_load(from));
      v_store(to + 4, v_load(from + 4));
    } else {
      for (int32_t c = 0; c < columns; c++)
        to[c] = from[c];
    }
}

/* A block of terms of a piece, whose packed rows are a and panels b. */
static void multiply_block(float *out, const float *start, size_t stride, const float *a,
                           const float *b, int32_t rows, int32_t columns, int32_t depth)
{
  float sums[TILE4 * PANEL];
  for (int32_t j = 0; j < columns; j += PANEL, b += PANEL * depth) {
    const float *x = a;
    const int32_t wide = columns - j < PANEL ? columns - j : PANEL;
    for (int32_t i = 0; i < rows; i += TILE4, x += TILE4 * depth) {
      const int32_t high = rows - i < TILE4 ? rows - i : TILE4;
      const size_t at = (size_t)i * stride + (size_t)j;
      if (start && (high < TILE4 || wide < PANEL))
        for (int s = 0; s < TILE4 * PANEL; s += 4)
          v_store(sums + s, v_splat(0));
      if (start)
        copy_tile(sums, PANEL, start + at, stride, high, wide);
      tile(sums, x, b, depth, !start);
      copy_tile(out + at, stride, sums, PANEL, high, wide);
    }
  }
}

static void product_piece(void *task, int32_t index, void *scratch)
{
  const product_task *s = task;
  const train_product *p = s->p;
  const int32_t i = index / s->across * s->side_rows;
  const int32_t j = index % s->across * s->side_columns;
  const int32_t rows = p->rows - i < s->side_rows ? p->rows - i : s->side_rows;
  const int32_t columns = p->columns - j < s->side_columns ? p->columns - j : s->side_columns;
  const size_t stride = (size_t)p->columns;
  const size_t at = (size_t)i * stride + (size_t)j;
  float *a = scratch;
  float *b = a + PIECE_SIDE * DEPTH;
  for (int32_t k = 0; k < p->depth; k += DEPTH) {
    const int32_t depth = p->depth - k < DEPTH ? p->depth - k : DEPTH;
    const float *start = k > 0 ? p->out : p->start;
    pack_rows(a, &p->a, i, rows, k, depth);
    pack_panels(b, &p->b, j, columns, k, depth);
    multiply_block(p->out + at, start ? start + at : NULL, stride, a, b, rows, columns, depth);
  }
}

INLINE int32_t pieces_along(int32_t size, int32_t side) { return (size + side - 1) / side; }

void attn_train_multiply(attn_team *team, const train_product *p)
{
  product_task task = {p, PIECE_SIDE, PIECE_SIDE, 0};
  const int32_t wanted = attn_team_threads(team) > 1 ? PIECES : 1;
  int32_t pieces;
  for (;;) {
    task.across = pieces_along(p->columns, task.side_columns);
    pieces = task.across * pieces_along(p->rows, task.side_rows);
    int32_t *side = task.side_rows >= task.side_columns ? &task.side_rows : &task.side_columns;
    if (pieces >= wanted || *side <= MIN_SIDE)
      break;
    *side /= 2;
  }
  attn_team_run(team, product_piece, &task, pieces, (double)p->rows * p->columns * p->depth);
}
