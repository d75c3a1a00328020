#include "share.h"
#include "base/sizes.h"
#include "layers.h"
#include "matrix/product_f32.h"

/* ---- By rows */

/* Rows in a piece, a multiple of four: tuning.md#rows-a-piece */
enum { PIECE_ROWS = 16 };

typedef struct {
  row_step *step;
  const void *context;
  row_range rows;
} row_task;

static void row_piece(void *task, int32_t index, void *scratch)
{
  const row_task *s = task;
  const int32_t first = s->rows.first + index * PIECE_ROWS;
  const int32_t remaining = s->rows.end - first;
  const int32_t count = remaining < PIECE_ROWS ? remaining : PIECE_ROWS;
  (void)scratch;
  s->step(s->context, (row_range){first, first + count});
}

void attn_share_rows(attn_team *team, row_step *step, const void *context, row_range rows,
                     double cost)
{
  const int32_t count = row_count(rows);
  row_task task = {step, context, rows};
  attn_team_run(team, row_piece, &task, (count + PIECE_ROWS - 1) / PIECE_ROWS, cost * count);
}

/* ---- By outputs of matrices */

/* A piece takes at least this many multiply-adds: tuning.md#product-pieces */
#define PIECE_WORK 2e5
/* Pieces for each thread, at most: tuning.md#product-pieces */
enum { PIECES_PER_THREAD = 16 };
/* Outputs of a piece are a multiple of this, which a single input reads together. */
enum { WHOLE = STREAMS * PANEL };

typedef struct {
  const prepared_inputs *inputs;
  const shared_product *products;
  int32_t count;
  int32_t piece_inputs;
  int32_t piece_outputs; /* of a piece, at most */
} product_task;

static void *inputs_for(const prepared_inputs *inputs, const attn_matrix *w)
{
  return inputs->kind[attn_multiply_kind(attn_matrix_type(w))];
}

void attn_inputs_reserve(inputs_size *size, const attn_matrix *w, int32_t rows)
{
  const int32_t type = attn_matrix_type(w);
  const size_t bytes = attn_multiply_prepared_bytes(type, rows, attn_matrix_columns(w));
  uint64_t *max = &size->kind[attn_multiply_kind(type)];
  if (rows > 0 && bytes == 0)
    *max = UINT32_MAX; /* more than memory has */
  else if (bytes > *max)
    *max = bytes;
}

prepared_inputs attn_inputs_allocate(arena *a, const inputs_size *size)
{
  prepared_inputs inputs;
  for (int32_t kind = 0; kind < ATTN_MULTIPLY_KINDS; kind++)
    inputs.kind[kind] = arena_allocate(a, size->kind[kind], 1);
  return inputs;
}

void attn_inputs_prepare(const prepared_inputs *inputs, const float *x,
                         const attn_matrix *const *matrices, int32_t count, row_range rows)
{
  for (int32_t i = 0; i < count; i++) {
    const attn_matrix *w = matrices[i];
    int32_t same = 0; /* the first matrix that multiplies the same inputs */
    while (inputs_for(inputs, matrices[same]) != inputs_for(inputs, w))
      same++;
    if (same == i)
      attn_multiply_prepare(inputs_for(inputs, w), x, rows.first, rows.end, attn_matrix_columns(w),
                            attn_matrix_type(w));
  }
}

row_range attn_part_of_outputs(const attn_matrix *w, int32_t part, int32_t parts)
{
  const int32_t rows = attn_matrix_rows(w);
  const int64_t whole = ((int64_t)rows + WHOLE - 1) / WHOLE;
  const int32_t first = (int32_t)(whole * part / parts) * WHOLE;
  const int32_t end = (int32_t)(whole * (part + 1) / parts) * WHOLE;
  return (row_range){first, end < rows ? end : rows};
}

/* Pieces that the outputs of one block of inputs are cut into. */
static int32_t pieces_across(const product_task *s, const shared_product *y)
{
  return (row_count(y->outputs) + s->piece_outputs - 1) / s->piece_outputs;
}

static int32_t pieces_of(const product_task *s, const shared_product *y)
{
  return (row_count(y->rows) + s->piece_inputs - 1) / s->piece_inputs * pieces_across(s, y);
}

static void product_piece(void *task, int32_t index, void *scratch)
{
  const product_task *s = task;
  const shared_product *y = s->products;
  (void)scratch;
  for (; index >= pieces_of(s, y); y++)
    index -= pieces_of(s, y);

  const attn_matrix *w = y->w;
  const int32_t across = pieces_across(s, y);
  const int32_t i = y->rows.first + index / across * s->piece_inputs;
  const int32_t m = y->rows.end - i < s->piece_inputs ? y->rows.end - i : s->piece_inputs;
  const int32_t first = y->outputs.first + index % across * s->piece_outputs;
  const int32_t remaining = y->outputs.end - first;
  const int32_t end = first + (remaining < s->piece_outputs ? remaining : s->piece_outputs);
  float *out = y->out + (size_t)i * y->stride;
  if (y->x)
    attn_multiply_float_rows(out, y->stride, y->x + (size_t)i * y->x_stride, y->x_stride, m, w,
                             first, end);
  else
    attn_multiply(out, y->stride, w,
                  attn_multiply_inputs(inputs_for(s->inputs, w), i, attn_matrix_columns(w),
                                       attn_matrix_type(w)),
                  m, first, end);
  for (int32_t r = 0; y->bias && r < m; r++, out += y->stride)
    attn_add(out + first, out + first, y->bias + first, (size_t)(end - first));
}

void attn_share_products(attn_team *team, const prepared_inputs *inputs,
                         const shared_product *products, int32_t count)
{
  const attn_matrix *w = products[0].w;
  const int32_t threads = attn_team_threads(team);
  const int32_t columns = attn_matrix_columns(w);
  int32_t outputs = 0;
  int32_t max_inputs = 0;
  int32_t pieces = 0;
  double work = 0;
  for (int32_t y = 0; y < count; y++) {
    const int32_t rows = row_count(products[y].outputs);
    const int32_t m = row_count(products[y].rows);
    outputs += rows;
    max_inputs = m > max_inputs ? m : max_inputs;
    work += (double)m * rows * columns;
  }

  /* a piece has as many inputs as stay in a cache, and as many outputs as its work allows */
  product_task task = {inputs, products, count, .piece_inputs = 0};
  task.piece_inputs =
      inputs ? attn_multiply_inputs_per_block(attn_matrix_type(w), columns) : FLOAT_ROWS;
  const int32_t blocks = (max_inputs + task.piece_inputs - 1) / task.piece_inputs;
  const int32_t max_pieces = threads > 1 ? PIECES_PER_THREAD * threads : 1;
  int32_t wanted = work < PIECE_WORK * max_pieces ? (int32_t)(work / PIECE_WORK) : max_pieces;
  wanted = wanted < threads ? threads : wanted;
  const int32_t across = blocks > 0 ? (wanted + blocks - 1) / blocks : 1;
  task.piece_outputs = ((outputs + across - 1) / across + WHOLE - 1) / WHOLE * WHOLE;

  for (int32_t y = 0; y < count; y++)
    pieces += pieces_of(&task, &products[y]);
  attn_team_run(team, product_piece, &task, pieces, work);
}

void attn_matmul(attn_team *team, float *y, size_t y_stride, const float *x, size_t x_stride,
                 int32_t m, const attn_matrix *w, const float *bias)
{
  const shared_product product = {y, y_stride, w, bias, all_outputs(w), {0, m}, x, x_stride};
  attn_share_products(team, NULL, &product, 1);
}
