/* y = x·Wᵀ: which inputs meet which panels with which kernels, and in which order. */
#include "base/half.h"
#include "inputs.h"
#include "kernels.h"
#include "lanes.h"
#include "one_input.h"
#include "product_f32.h"

static void read_scales(chunk_scales *scales, const weight_type *t, panel_chunk chunk)
{
  f32x4 d[2] = {{0}, {0}};
  f32x4 m[2] = {{0}, {0}};
  for (int32_t p = 0; p < chunk.blocks; p++) {
    const uint8_t *sub = quants_at(chunk, p) - sub_scale_bytes(t);
    if (!t->sub_scales || p % (SUPERBLOCK / BLOCK32) == 0)
      superblock_scales(d, m, t->has_min, 1, sub - head_bytes(t));
    f32x4 dp[2] = {d[0], d[1]};
    f32x4 mp[2] = {m[0], m[1]};
    if (t->sub_scales == SCALES_AND_MINS)
      times_sub_scales(dp, mp, sub);
    for (int v = 0; v < 2; v++) {
      v_store(scales->d + PANEL * p + 4 * v, dp[v]);
      if (t->has_min)
        v_store(scales->m + PANEL * p + 4 * v, mp[v]);
    }
  }
}

/* A product of a quantised matrix. */
typedef struct {
  float *out;
  size_t stride;
  const attn_matrix *w;
  const void *prepared;
  const weight_type *t;
  const product_kernels *kernels;
  int32_t i16; /* whether lanes have 16 bits */
} product;

static const product_kernels *kernels_of(const weight_type *t, int32_t form)
{
  const product_kernels *table = form == DOT_I16     ? attn_i16_kernels
                                 : form == DOT_PAIRS ? attn_pairs_kernels
                                                     : attn_i8_kernels;
  return &table[t->family];
}

/* Where the tile begins whose first input is i. */
static const uint8_t *input_at(const product *x, int32_t i)
{
  return (const uint8_t *)x->prepared + (size_t)i * input_bytes(x->t, x->i16, x->w->columns);
}

/* The offset of the quants as they are stored. */
static int32_t stored_offset(const product *x)
{
  return x->t->bits == 8 && x->w->form == DOT_SIGNED ? 0 : x->t->offset;
}

/* The offset of the quants as tiles read them. */
static int32_t tile_offset(const product *x)
{
  if (x->i16 || x->t->offset == 0 || x->w->form == DOT_SIGNED)
    return 0;
  return x->w->form == DOT_PAIRS ? x->t->offset : 128;
}

/* Inputs [from, to) and one panel; `from` is a multiple of four. */
KERNEL void multiply_panel(const product *x, int32_t from, int32_t to, int32_t panel, lanes l)
{
  union {
    int16_t i16[CHUNK_COLUMNS * PANEL];
    int8_t i8[CHUNK_COLUMNS * PANEL];
  } unpacked;
  chunk_scales scales;
  const product_kernels *kernels = x->kernels;
  const int32_t columns = x->w->columns;
  const int32_t block = input_block(x->i16, TILE4);
  const int32_t tile_bytes = columns / BLOCK32 * block;
  const int32_t offset = tile_offset(x);
  /* the end of the tiles whose outputs are all asked for */
  const int32_t whole = l.end - l.begin == PANEL ? to - (to - from) % TILE4 : from;
  for (int32_t c = 0; c < columns; c += CHUNK_COLUMNS) {
    panel_chunk chunk = chunk_at(x->t, row_panel(x->w, panel), c, columns);
    read_scales(&scales, x->t, chunk);
    if (kernels->unpack)
      kernels->unpack(&unpacked, chunk, offset - x->t->offset);
    const int32_t unpacked_step = BLOCK32 * PANEL * (x->i16 ? 2 : 1);
    tile_weights weights = {.weights = kernels->unpack ? (const void *)&unpacked : chunk.quants,
                            .step = kernels->unpack ? unpacked_step : chunk.stride,
                            .chunk = chunk,
                            .scales = &scales,
                            .stride = x->stride,
                            .tile_bytes = tile_bytes,
                            .first = c == 0,
                            .has_offset = offset != 0};
    const uint8_t *input = input_at(x, from) + c / BLOCK32 * block;
    float *y = x->out + (size_t)from * x->stride + (size_t)panel * PANEL;
    kernels->tile(y, input, &weights, (whole - from) / TILE4);
    weights.stride = PANEL;
    float some[TILE4 * PANEL] = {0};
    for (int32_t i = whole; i < to; i += TILE4) {
      int32_t rows = to - i < TILE4 ? to - i : TILE4;
      float *at = y + (size_t)(i - from) * x->stride;
      if (c > 0)
        move_lanes(some, PANEL, at, x->stride, rows, l);
      kernels->tile(some, input + (i - from) / TILE4 * tile_bytes, &weights, 1);
      move_lanes(at, x->stride, some, PANEL, rows, l);
    }
  }
}

/* Whether all scales of a row are finite. */
static int row_is_finite(const attn_matrix *w, const weight_type *t, int32_t row)
{
  const uint8_t *at = row_panel(w, row / PANEL);
  for (int32_t c = 0; c < w->columns; c += t->block_weights, at += superblock_bytes(t))
    for (int32_t half = row % PANEL * 2; half < head_bytes(t); half += 16)
      if (!half_is_finite((uint16_t)(at[half] | at[half + 1] << 8)))
        return 0;
  return 1;
}

/* Outputs of rows with a scale that is not finite are NaN. The kernels do not look for it. */
static void spoil_non_finite(const product *x, int32_t m, int32_t first_row, int32_t end_row)
{
  for (int32_t row = first_row; row < end_row; row++)
    if (!row_is_finite(x->w, x->t, row))
      for (int32_t i = 0; i < m; i++)
        x->out[(size_t)i * x->stride + (size_t)row] = __builtin_nanf("");
}

static product product_with(float *out, size_t stride, const attn_matrix *w, const void *prepared)
{
  const weight_type *t = attn_weight_type(w->type);
  return (product){out, stride, w, prepared, t, kernels_of(t, w->form), w->form == DOT_I16};
}

void attn_multiply(float *out, size_t stride, const attn_matrix *w, const void *prepared, int32_t m,
                   int32_t first_row, int32_t end_row)
{
  const weight_type *t = attn_weight_type(w->type);
  if (is_float(t)) {
    attn_multiply_floats(out, stride, w, prepared, m, first_row, end_row);
    return;
  }
  product x = product_with(out, stride, w, prepared);
  int32_t tiled = m % TILE4 == 1 ? m - 1 : m;
  int32_t side_by_side = attn_multiply_inputs_per_block(w->type, w->columns);
  for (int32_t i = 0; i < tiled; i += side_by_side)
    for (int32_t panel = first_row / PANEL; panel * PANEL < end_row; panel++)
      multiply_panel(&x, i, tiled - i < side_by_side ? tiled : i + side_by_side, panel,
                     lanes_of(panel, first_row, end_row));
  if (tiled < m)
    attn_multiply_one_input(out + (size_t)tiled * stride, w, input_at(&x, tiled),
                            (float)stored_offset(&x), x.kernels->one_input, x.kernels->streams,
                            first_row, end_row);
  if (w->has_non_finite)
    spoil_non_finite(&x, m, first_row, end_row);
}

/* The kernel for one input in `columns` columns, and how many panels it reads at once. */
static one_input_kernel *kernel_of(const product *x, const void *input, int32_t columns,
                                   int32_t *streams)
{
  if (is_float(x->t))
    return attn_float_kernel(x->w, input, columns, streams);
  *streams = x->kernels->streams;
  return x->kernels->one_input;
}

void attn_multiply_parts(double *parts, double *all, const attn_matrix *w, const float *u,
                         const void *prepared, size_t stride, const int32_t *columns, int32_t count)
{
  const product x = product_with(NULL, 0, w, NULL);
  const int32_t panels = (w->rows + PANEL - 1) / PANEL;
  float y[STREAMS * PANEL];
  one_input_task a = {.y = y, .t = x.t, .offset = is_float(x.t) ? 0 : (float)stored_offset(&x)};
  /* some panels meet all parts while they are in the first-level cache */
  for (int32_t p = 0; p < panels; p += STREAMS)
    for (int32_t k = 0; k < count; k++) {
      const size_t before = panel_bytes(x.t, columns[2 * k]);
      int32_t streams;
      a.x = (const uint8_t *)prepared + (size_t)k * stride;
      a.columns = columns[2 * k + 1];
      one_input_kernel *kernel = kernel_of(&x, a.x, a.columns, &streams);
      for (int32_t first = p; first < p + STREAMS && first < panels; first += streams) {
        const int32_t row = first * PANEL;
        const int32_t rest = w->rows - row;
        const int32_t rows = rest < streams * PANEL ? rest : streams * PANEL;
        double sum = 0;
        for (int32_t s = 0; s < streams; s++) /* a panel that is missing repeats the first */
          a.panel[s] = row_panel(w, first + s < panels ? first + s : first) + before;
        kernel(&a);
        for (int32_t r = 0; r < rows; r++)
          sum += (double)u[row + r] * (double)y[r];
        for (int32_t r = 0; all && r < rows; r++)
          all[row + r] += (double)y[r];
        parts[k] += sum;
      }
    }
  if (w->has_non_finite && !is_float(x.t))
    for (int32_t k = 0; k < count; k++)
      parts[k] = (double)__builtin_nanf("");
}
