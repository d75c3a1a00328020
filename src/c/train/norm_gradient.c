/* The gradient of RMSNorm. Sums and results are in double, and rounded once. */
#include "gradients.h"
#include "base/simd.h"
#include "layers/share.h"

/* Time of a number, in multiply-adds. */
#define NUMBER_COST 4.0

/* Channels whose sums over all rows run side by side. */
enum { SIDE_BY_SIDE = 16 };

typedef struct {
  float *dx;
  float *dg;
  const float *dy;
  const float *x;
  const float *g;
  double *r;
  int32_t rows;
  int32_t size;
  double epsilon;
} norm_task;

/* Σ x² and Σ dy·g·x, each in two chains of two lanes. */
KERNEL void row_sums(const float *dy, const float *x, const float *g, int32_t size, double *squares,
                     double *product)
{
  f64x2 a = {0, 0};
  f64x2 b = {0, 0};
  f64x2 s = {0, 0};
  f64x2 t = {0, 0};
  int32_t c = 0;
  for (; c + 4 <= size; c += 4) {
    f32x4 v = v_load(x + c);
    f32x4 d = v_load(dy + c);
    f32x4 w = v_load(g + c);
    f64x2 low = v_low_double(v);
    f64x2 high = v_high_double(v);
    a += low * low;
    b += high * high;
    s += v_low_double(d) * v_low_double(w) * low;
    t += v_high_double(d) * v_high_double(w) * high;
  }
  *squares = (a[0] + a[1]) + (b[0] + b[1]);
  *product = (s[0] + s[1]) + (t[0] + t[1]);
  for (; c < size; c++) {
    *squares += (double)x[c] * (double)x[c];
    *product += (double)dy[c] * (double)g[c] * (double)x[c];
  }
}

static void input_rows(const void *context, row_range rows)
{
  const norm_task *n = context;
  const size_t size = (size_t)n->size;
  for (int32_t i = rows.first; i < rows.end; i++) {
    const float *dy = n->dy + (size_t)i * size;
    const float *x = n->x + (size_t)i * size;
    float *dx = n->dx + (size_t)i * size;
    double squares;
    double product;
    row_sums(dy, x, n->g, n->size, &squares, &product);
    const double r = 1 / __builtin_sqrt(squares / n->size + n->epsilon);
    const double shared = r * r * r / n->size * product;
    n->r[i] = r;
    for (size_t c = 0; c < size; c++)
      dx[c] =
          (float)((double)dx[c] + (r * (double)n->g[c] * (double)dy[c] - (double)x[c] * shared));
  }
}

/* A few channels, over all rows in order. */
static void weight_piece(void *task, int32_t index, void *scratch)
{
  const norm_task *n = task;
  const int32_t first = index * SIDE_BY_SIDE;
  const int32_t rest = n->size - first;
  const int32_t count = rest < SIDE_BY_SIDE ? rest : SIDE_BY_SIDE;
  const float *dy = n->dy + first;
  const float *x = n->x + first;
  double sums[SIDE_BY_SIDE] = {0};
  (void)scratch;
  for (int32_t i = 0; i < n->rows; i++, dy += n->size, x += n->size) {
    const double r = n->r[i];
    if (count == SIDE_BY_SIDE)
      for (int c = 0; c < SIDE_BY_SIDE; c++)
        sums[c] += (double)dy[c] * (double)x[c] * r;
    else
      for (int32_t c = 0; c < count; c++)
        sums[c] += (double)dy[c] * (double)x[c] * r;
  }
  for (int32_t c = 0; c < count; c++)
    n->dg[first + c] = (float)((double)n->dg[first + c] + sums[c]);
}

void attn_rms_norm_gradient(attn_team *team, float *dx, float *dg, const float *dy, const float *x,
                            const float *g, double *r, int32_t rows, int32_t size, double epsilon)
{
  norm_task task = {dx, dg, dy, x, g, r, rows, size, epsilon};
  const double cost = NUMBER_COST * size;
  attn_share_rows(team, input_rows, &task, (row_range){0, rows}, cost);
  attn_team_run(team, weight_piece, &task, (size + SIDE_BY_SIDE - 1) / SIDE_BY_SIDE, cost * rows);
}
