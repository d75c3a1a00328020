/*
 * Products with weights that are floats. F16 and BF16 become float32 in registers, or in a block of
 * columns that many inputs share.
 */
#include "product_f32.h"
#include "chains.h"
#include "inputs.h"
#include "lanes.h"
#include "one_input.h"

/*
 * Columns at a time, a multiple of CHAIN_SPAN. Converted, they take 8 KB of first-level cache and
 * of stack.
 */
enum { BLOCK_COLUMNS = 256 };

/* Eight weights. F16: as v_halves_apart gives them, unless some are `non_finite`. */
INLINE void eight_weights(const int type, int non_finite, f32x4 w[2], const uint8_t *p)
{
  if (type == ATTN_F32) {
    w[0] = v_load((const float *)p);
    w[1] = v_load((const float *)p + 4);
  } else if (type == ATTN_F16 && non_finite) {
    v_halves(w, (i16x8)v_load_i(p), 1);
  } else if (type == ATTN_F16) {
    v_halves_apart(w, (i16x8)v_load_i(p));
  } else {
    v_bfloats(w, (i16x8)v_load_i(p));
  }
}

/* The product of one column of several panels, added to sums; `w` goes on to the next. */
INLINE void add_column(const int type, const int non_finite, const int panels, f32x4 (*sum)[2],
                       const uint8_t **w, float x)
{
  f32x4 s = v_splat(x);
  f32x4 y[2];
  for (int p = 0; p < panels; p++) {
    eight_weights(type, non_finite, y, w[p]);
    sum[p][0] = v_madd(s, y[0], sum[p][0]);
    sum[p][1] = v_madd(s, y[1], sum[p][1]);
    w[p] += PANEL * (type == ATTN_F32 ? 4 : 2);
  }
}

/*
 * The chains of chains.h for one input and several panels; both chains of a span run side by side.
 * With F16 the input takes the factor that its weights lack, which changes no bit of a product.
 * `non_finite`: some weight is not finite, or some input is too large for the factor.
 */
INLINE void one_input_floats(const int type, const int non_finite, const int panels,
                             const one_input_task *a)
{
  const int apart = type == ATTN_F16 && !non_finite;
  const float *inputs = a->x;
  const uint8_t *w[STREAMS];
  f32x4 total[STREAMS][2];
  for (int p = 0; p < panels; p++) {
    w[p] = a->panel[p];
    /* −0, so that a first sum of −0 stays −0 as in the tile */
    total[p][0] = total[p][1] = v_splat(-0.0f);
  }
  for (int32_t start = 0; start < a->columns; start += CHAIN_SPAN) {
    int32_t count = a->columns - start < CHAIN_SPAN ? a->columns - start : CHAIN_SPAN;
    int32_t c = 0;
    float scaled[CHAIN_SPAN];
    for (int32_t k = 0; apart && k < count; k++)
      scaled[k] = inputs[start + k] * HALF_SCALE;
    const float *x = apart ? scaled : inputs + start;
    f32x4 even[STREAMS][2] = {0};
    f32x4 odd[STREAMS][2] = {0};
    for (; c + 2 <= count; c += 2) {
      add_column(type, non_finite, panels, even, w, x[c]);
      add_column(type, non_finite, panels, odd, w, x[c + 1]);
    }
    if (c < count)
      add_column(type, non_finite, panels, even, w, x[c]);
    for (int p = 0; p < panels; p++)
      for (int v = 0; v < 2; v++)
        total[p][v] = count > 1 ? total[p][v] + even[p][v] + odd[p][v] : total[p][v] + even[p][v];
  }
  for (int p = 0; p < panels; p++) {
    f32x4 even = total[p][0];
    f32x4 odd = total[p][1];
    v_store(a->y + PANEL * p, apart ? __builtin_shufflevector(even, odd, 0, 4, 1, 5) : even);
    v_store(a->y + PANEL * p + 4, apart ? __builtin_shufflevector(even, odd, 2, 6, 3, 7) : odd);
  }
}

#define ONE_INPUT_FLOATS(name, type, non_finite, panels)                                           \
  static void name(const one_input_task *a) { one_input_floats(type, non_finite, panels, a); }
ONE_INPUT_FLOATS(one_f32, ATTN_F32, 0, STREAMS)
ONE_INPUT_FLOATS(one_f16, ATTN_F16, 0, STREAMS)
ONE_INPUT_FLOATS(one_f16_non_finite, ATTN_F16, 1, 1)
ONE_INPUT_FLOATS(one_bf16, ATTN_BF16, 0, STREAMS)

/* Whether an input times HALF_SCALE stays finite. */
static int scalable(const float *x, int32_t columns)
{
  int all = 1;
  for (int32_t c = 0; c < columns; c++)
    all &= x[c] > -65536.0f && x[c] < 65536.0f;
  return all;
}

KERNEL void tile(float *acc, const float *x, const float *panel, int32_t columns, int first)
{
  float_tile(acc, x, panel, columns, first);
}

/* A block of columns of one panel, as float32: where it lies, or converted. */
static const float *float_block(float *converted, /* (BLOCK_COLUMNS, PANEL) */
                                const attn_matrix *w, int32_t panel, int32_t column,
                                int32_t columns)
{
  const uint8_t *p = row_panel(w, panel) + (size_t)column * PANEL * (w->type == ATTN_F32 ? 4 : 2);
  if (w->type == ATTN_F32)
    return (const float *)p;
  for (int32_t k = 0; k < columns; k++) {
    f32x4 y[2];
    if (w->type == ATTN_F16)
      eight_weights(ATTN_F16, 1, y, p + 2 * PANEL * k);
    else
      eight_weights(ATTN_BF16, 0, y, p + 2 * PANEL * k);
    v_store(converted + PANEL * k, y[0]);
    v_store(converted + PANEL * k + 4, y[1]);
  }
  return converted;
}

/*
 * A block of at most BLOCK_COLUMNS columns of one panel, and inputs in tiles of four. The first
 * block writes the outputs, the others add to them.
 */
static void multiply_block(float *out, /* (inputs, stride), of which the panel's lanes l */
                           size_t stride, const attn_matrix *w,
                           const float *x, /* (inputs/TILE4, tile_size): (columns, TILE4) each */
                           size_t tile_size, int32_t inputs, int32_t panel, int32_t column,
                           int32_t columns, lanes l)
{
  float converted[BLOCK_COLUMNS * PANEL];
  float sums[TILE4 * PANEL];
  const float *weights = float_block(converted, w, panel, column, columns);
  float *y = out + (size_t)panel * PANEL;
  for (int32_t i = 0; i < inputs; i += TILE4, y += TILE4 * stride, x += tile_size) {
    int32_t rows = inputs - i < TILE4 ? inputs - i : TILE4;
    if (column > 0) {
      for (int a = 0; a < TILE4 * PANEL; a += 4)
        v_store(sums + a, v_splat(0));
      move_lanes(sums, PANEL, y, stride, rows, l);
    }
    tile(sums, x, weights, columns, column == 0);
    move_lanes(y, stride, sums, PANEL, rows, l);
  }
}

INLINE int32_t block_columns(const attn_matrix *w, int32_t column)
{
  return w->columns - column < BLOCK_COLUMNS ? w->columns - column : BLOCK_COLUMNS;
}

one_input_kernel *attn_float_kernel(const attn_matrix *w, const float *x, int32_t columns,
                                    int32_t *streams)
{
  const int non_finite = w->type == ATTN_F16 && (w->has_non_finite || !scalable(x, columns));
  *streams = non_finite ? 1 : STREAMS;
  if (non_finite)
    return one_f16_non_finite;
  return w->type == ATTN_F32 ? one_f32 : w->type == ATTN_BF16 ? one_bf16 : one_f16;
}

/* A single input, which is read as it is. */
static void multiply_one(float *out, const attn_matrix *w, const float *x, int32_t first_row,
                         int32_t end_row)
{
  int32_t streams;
  one_input_kernel *kernel = attn_float_kernel(w, x, w->columns, &streams);
  attn_multiply_one_input(out, w, x, 0, kernel, streams, first_row, end_row);
}

void attn_multiply_floats(float *out, size_t stride, const attn_matrix *w, const void *prepared,
                          int32_t m, int32_t first_row, int32_t end_row)
{
  const float *x = prepared;
  const size_t columns = (size_t)w->columns;
  int32_t tiled = m % TILE4 == 1 ? m - 1 : m;
  int32_t side_by_side = attn_multiply_inputs_per_block(w->type, w->columns);
  for (int32_t i = 0; i < tiled; i += side_by_side)
    for (int32_t panel = first_row / PANEL; panel * PANEL < end_row; panel++)
      for (int32_t c = 0; c < w->columns; c += BLOCK_COLUMNS)
        multiply_block(out + (size_t)i * stride, stride, w,
                       x + (size_t)i * columns + (size_t)c * TILE4, TILE4 * columns,
                       tiled - i < side_by_side ? tiled - i : side_by_side, panel, c,
                       block_columns(w, c), lanes_of(panel, first_row, end_row));
  if (tiled < m)
    multiply_one(out + (size_t)tiled * stride, w, x + (size_t)tiled * columns, first_row, end_row);
}

void attn_multiply_float_rows(float *y, size_t y_stride, const float *x, size_t x_stride, int32_t m,
                              const attn_matrix *w, int32_t first_row, int32_t end_row)
{
  float packed[FLOAT_ROWS * BLOCK_COLUMNS];
  int32_t tiled = m % TILE4 == 1 ? m - 1 : m;
  for (int32_t c = 0; c < w->columns && tiled > 0; c += BLOCK_COLUMNS) {
    int32_t columns = block_columns(w, c);
    for (int32_t i = 0; i < tiled; i += TILE4)
      attn_interleave_rows(packed + i * BLOCK_COLUMNS, x + (size_t)i * x_stride + c, x_stride,
                           (size_t)columns, tiled - i < TILE4 ? tiled - i : TILE4);
    for (int32_t panel = first_row / PANEL; panel * PANEL < end_row; panel++)
      multiply_block(y, y_stride, w, packed, TILE4 * BLOCK_COLUMNS, tiled, panel, c, columns,
                     lanes_of(panel, first_row, end_row));
  }
  if (tiled < m)
    multiply_one(y + (size_t)tiled * y_stride, w, x + (size_t)tiled * x_stride, first_row, end_row);
}
