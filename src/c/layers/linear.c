/* The linear layer y = x·Wᵀ + bias, shared out among a team, and the sum with a residual. */
#include "layers.h"
#include "matrix/product_f32.h"

enum { TEAM_PANELS = 2 }; /* panels in one piece, or a multiple: a single input reads two at once */

typedef struct {
  float *y;
  size_t y_stride;
  const float *x;
  size_t x_stride;
  int32_t m;
  const attn_matrix *w;
  const float *bias;
  int32_t parts, part_rows; /* a piece is FLOAT_ROWS inputs and one part of the outputs */
} product;

static void run_piece(void *task, int32_t index, void *scratch)
{
  (void)scratch;
  const product *p = task;
  int32_t rows = attn_matrix_rows(p->w), first = index % p->parts * p->part_rows,
          end = rows - first < p->part_rows ? rows : first + p->part_rows;
  int32_t i = index / p->parts * FLOAT_ROWS, m = p->m - i < FLOAT_ROWS ? p->m - i : FLOAT_ROWS;
  float *y = p->y + (size_t)i * p->y_stride;
  attn_multiply_float_rows(y, p->y_stride, p->x + (size_t)i * p->x_stride, p->x_stride, m, p->w,
                           first, end);
  for (int32_t k = 0; p->bias && k < m; k++, y += p->y_stride)
    for (int32_t r = first; r < end; r++)
      y[r] += p->bias[r];
}

void attn_matmul(attn_team *team, float *y, size_t y_stride, const float *x, size_t x_stride,
                 int32_t m, const attn_matrix *w, const float *bias)
{
  enum { STEP = TEAM_PANELS * PANEL };
  int32_t rows = attn_matrix_rows(w), chunks = (m + FLOAT_ROWS - 1) / FLOAT_ROWS, parts = 1;
  int32_t wanted = 4 * attn_team_threads(team); /* several pieces for each thread */
  if (attn_team_threads(team) > 1 && chunks < wanted && m > 0)
    parts = (wanted + chunks - 1) / chunks;
  int32_t part_rows = ((rows + parts - 1) / parts + STEP - 1) / STEP * STEP;
  product p = {y, y_stride, x, x_stride, m, w, bias, (rows + part_rows - 1) / part_rows, part_rows};
  attn_team_run(team, run_piece, &p, chunks * p.parts, (double)m * rows * attn_matrix_columns(w));
}

void attn_add(float *y, const float *a, const float *b, size_t count)
{
  for (size_t i = 0; i < count; i++)
    y[i] = a[i] + b[i];
}
