/* y = x·Wᵀ: which part of the work meets which kernel, and in what order. */
#include "panels.h"

void attn_chunk_scales(chunk_scales *scales, weight_type t, panel_chunk chunk)
{
  f32x4 d[2] = {{0}, {0}}, m[2] = {{0}, {0}};
  for (int32_t p = 0; p < chunk.parts; p++) {
    const uint8_t *sub = quants_at(chunk, p) - t.sub_scales;
    if (!t.sub_scales || p % (UNIT / PART) == 0)
      unit_scales(d, m, t.sign_m, 1, sub - unit_head(t));
    f32x4 dp[2] = {d[0], d[1]}, mp[2] = {m[0], m[1]};
    if (t.sub_scales && t.sign_m)
      times_sub_scales(dp, mp, sub);
    UNROLLED for (int v = 0; v < 2; v++)
    {
      v_store(scales->d + PANEL * p + 4 * v, dp[v]);
      if (t.sign_m)
        v_store(scales->m + PANEL * p + 4 * v, mp[v]);
    }
  }
}

void attn_move_lanes(float *to, size_t to_stride, const float *from, size_t from_stride,
                     int32_t rows, lanes l)
{
  ROLLED for (int32_t r = 0; r < rows; r++, to += to_stride, from += from_stride)
  {
    if (l.end - l.begin == PANEL) {
      v_store(to, v_load(from));
      v_store(to + 4, v_load(from + 4));
    } else {
      ROLLED for (int32_t c = l.begin; c < l.end; c++) to[c] = from[c];
    }
  }
}

/* A product of a quantised matrix, and what follows from that. */
typedef struct {
  float *out;
  size_t stride;
  const attn_matrix *w;
  const void *scratch;
  weight_type t;
  int32_t wide, pairs;
} product;

/* Where the group begins whose first input is i. */
static const uint8_t *input_at(const product *x, int32_t i)
{
  return (const uint8_t *)x->scratch + (size_t)i * input_bytes(x->t, x->wide, x->w->columns);
}

/* Of the narrow form's weights, as they are stored. */
static int32_t stored_offset(const attn_matrix *w, weight_type t)
{
  return t.low_bits == 8 && w->form == DOT_SIGNED ? 0 : t.offset;
}

/* And as the tiles read them; the wide form does not ask. */
static int32_t tile_offset(const attn_matrix *w, weight_type t)
{
  return t.offset == 0 || w->form == DOT_SIGNED ? 0 : w->form == DOT_PAIRS ? t.offset : 128;
}

/* Inputs [from, to), from a multiple of four, and one panel. */
KERNEL void many(const product *x, int32_t from, int32_t to, int32_t panel, lanes l)
{
  union {
    int16_t wide[UNPACK * PANEL];
    int8_t narrow[UNPACK * PANEL];
  } unpacked;
  chunk_scales scales;
  tile_kernel *kernel = x->wide ? attn_tile_wide(x->t) : attn_tile_narrow(x->t, x->pairs);
  const int32_t columns = x->w->columns, block = input_block(x->wide, GROUP),
                group = columns / PART * block;
  const int32_t offset = tile_offset(x->w, x->t);
  const int as_stored = !x->wide && x->t.low_bits == 8;
  const int32_t whole =
      /* tiles of which all is asked for */
      l.end - l.begin == PANEL ? to - (to - from) % GROUP : from;
  for (int32_t c = 0; c < columns; c += UNPACK) {
    panel_chunk chunk = chunk_at(x->t, panel_of(x->w, panel), c, columns);
    attn_chunk_scales(&scales, x->t, chunk);
    if (x->wide)
      attn_unpack_wide(x->t, unpacked.wide, chunk);
    else if (!as_stored)
      attn_unpack_narrow(x->t, unpacked.narrow, chunk, offset);
    tile_weights weights = {.weights = as_stored ? (const void *)chunk.quants : &unpacked,
                            .step = as_stored ? chunk.stride : PART * PANEL,
                            .chunk = chunk,
                            .scales = &scales,
                            .stride = x->stride,
                            .group_bytes = group,
                            .first = c == 0,
                            .has_offset = offset != 0};
    const uint8_t *input = input_at(x, from) + c / PART * block;
    float *y = x->out + (size_t)from * x->stride + (size_t)panel * PANEL, some[GROUP * PANEL] = {0};
    kernel(y, input, &weights, (whole - from) / GROUP);
    weights.stride = PANEL;
    for (int32_t i = whole; i < to; i += GROUP) {
      int32_t rows = to - i < GROUP ? to - i : GROUP;
      float *at = y + (size_t)(i - from) * x->stride;
      if (c > 0)
        attn_move_lanes(some, PANEL, at, x->stride, rows, l);
      kernel(some, input + (i - from) / GROUP * group, &weights, 1);
      attn_move_lanes(at, x->stride, some, PANEL, rows, l);
    }
  }
}

void attn_multiply_alone(float *out, const attn_matrix *w, const void *x, float offset,
                         alone_kernel *kernel, int32_t streams, int32_t first_row, int32_t end_row)
{
  float y[STREAMS * PANEL];
  int32_t from = first_row / PANEL, to = (end_row + PANEL - 1) / PANEL,
          length = (to - from + streams - 1) / streams;
  alone a = {
      .y = y, .x = x, .columns = w->columns, .t = attn_weight_type(w->type), .offset = offset};
  for (int32_t first = from; first < from + length; first++) {
    for (int32_t s = 0; s < streams; s++) /* one that has ended repeats the first */
      a.panel[s] = panel_of(w, first + s * length < to ? first + s * length : first);
    kernel(&a);
    for (int32_t s = 0, panel = first; s < streams && panel < to; s++, panel += length)
      attn_move_lanes(out + (size_t)panel * PANEL, 0, y + PANEL * s, 0, 1,
                      lanes_of(panel, first_row, end_row));
  }
}

/* A row with a scale that is infinite or NaN gives NaN; the kernels for one input do not look. */
static int row_is_wild(const attn_matrix *w, weight_type t, int32_t row)
{
  const uint8_t *unit = panel_of(w, row / PANEL);
  for (int32_t c = 0; c < w->columns; c += t.block, unit += unit_bytes(t))
    for (int32_t at = row % PANEL * 2; at < unit_head(t); at += 16)
      if (!half_is_finite((uint16_t)(unit[at] | unit[at + 1] << 8)))
        return 1;
  return 0;
}

void attn_multiply(float *out, size_t stride, const attn_matrix *w, const void *scratch, int32_t m,
                   int32_t first_row, int32_t end_row)
{
  product x = {out,
               stride,
               w,
               scratch,
               attn_weight_type(w->type),
               w->form == DOT_WIDE,
               w->form == DOT_PAIRS};
  if (!x.t.low_bits)
    return attn_multiply_floats(out, stride, w, scratch, m, first_row, end_row);
  int32_t paired = m % GROUP == 1 ? m - 1 : m;
  int32_t abreast = attn_multiply_abreast(w->type, w->columns);
  for (int32_t i = 0; i < paired; i += abreast)
    for (int32_t panel = first_row / PANEL; panel * PANEL < end_row; panel++)
      many(&x, i, paired - i < abreast ? paired : i + abreast, panel,
           lanes_of(panel, first_row, end_row));
  if (paired < m)
    attn_multiply_alone(out + (size_t)paired * stride, w, input_at(&x, paired),
                        (float)(x.wide ? x.t.offset : stored_offset(w, x.t)),
                        x.wide ? attn_alone_wide(x.t) : attn_alone_narrow(x.t, x.pairs),
                        x.t.high_bits ? 1 : STREAMS, first_row, end_row);
  for (int32_t row = first_row; w->wild && row < end_row; row++)
    if (row_is_wild(w, x.t, row))
      for (int32_t i = 0; i < m; i++)
        out[(size_t)i * stride + (size_t)row] = __builtin_nanf("");
}
