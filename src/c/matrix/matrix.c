/* Matrices of weights: their size, and rows in. */
#include "matrix.h"
#include "base/half.h"
#include "base/math.h"
#include "superblock.h"

/* A matrix is below 2 GiB. */
static size_t below_limit(uint64_t bytes) { return bytes < (uint64_t)1 << 31 ? (size_t)bytes : 0; }

size_t attn_matrix_row_bytes(int32_t type, int32_t columns)
{
  const weight_type *t = attn_weight_type(type);
  if (!t || columns < 1 || columns % t->block_weights)
    return 0;
  return below_limit((uint64_t)(columns / t->block_weights) * (uint64_t)t->block_bytes);
}

size_t attn_matrix_bytes(int32_t type, int32_t rows, int32_t columns)
{
  if (rows < 1 || !attn_matrix_row_bytes(type, columns))
    return 0;
  const weight_type *t = attn_weight_type(type);
  uint64_t blocks = (uint64_t)(columns / t->block_weights);
  uint64_t panels = ((uint64_t)rows + PANEL - 1) / PANEL;
  int32_t bytes = is_float(t) ? PANEL * t->block_bytes : superblock_bytes(t);
  return below_limit(sizeof(attn_matrix) + panels * blocks * (uint64_t)bytes);
}

int32_t attn_matrix_init(attn_matrix *w, int32_t type, int32_t rows, int32_t columns)
{
  size_t bytes = attn_matrix_bytes(type, rows, columns);
  if (!bytes)
    return ATTN_E_RANGE;
  __builtin_memset(w, 0, bytes);
  w->type = type;
  w->rows = rows;
  w->columns = columns;
  w->form = weight_form(attn_weight_type(type));
  return ATTN_OK;
}

int32_t attn_matrix_type(const attn_matrix *w) { return w->type; }
int32_t attn_matrix_rows(const attn_matrix *w) { return w->rows; }
int32_t attn_matrix_columns(const attn_matrix *w) { return w->columns; }

/* One row into lane r of a panel. */
static void pack_f32(float *panel, int32_t columns, int32_t r, const uint8_t *row)
{
  for (int32_t c = 0; c < columns; c++)
    __builtin_memcpy(panel + c * PANEL + r, row + c * 4, 4);
}

/* The same of F16 or BF16. */
static void pack_halves(attn_matrix *w, uint16_t *panel, int32_t r, const uint8_t *row)
{
  int32_t non_finite = 0;
  for (int32_t c = 0; c < w->columns; c++) {
    uint16_t x;
    __builtin_memcpy(&x, row + c * 2, 2);
    panel[c * PANEL + r] = x;
    non_finite |= !half_is_finite(x);
  }
  if (w->type == ATTN_F16)
    w->has_non_finite |= non_finite;
}

/*
 * 32 floats as Q8_0: d = max|x|/127 as a float16, q = x/d to the nearest. All q are zero where that
 * d is 0. d is NaN where x is not finite.
 */
static void quantize(superblock *b, const float *x)
{
  float max = 0;
  float non_finite = 0;
  for (int c = 0; c < BLOCK32; c++) {
    float a = x[c] < 0 ? -x[c] : x[c];
    max = a > max ? a : max;
    non_finite += x[c] - x[c];
  }
  b->d = half_of_float(max / 127.0f + non_finite);
  float d = half_to_float(b->d);
  for (int c = 0; c < BLOCK32; c++) {
    /* d may have been rounded down. If x or d is not finite, neither is the product d·q. */
    float y = d > 0 ? x[c] / d : 0;
    float bounded = 0;
    if (y > 127.0f)
      bounded = 127.0f;
    else if (y < -127.0f)
      bounded = -127.0f;
    else if (y == y)
      bounded = y;
    b->q[c] = (uint8_t)((int32_t)(bounded + F32_ROUNDS - F32_ROUNDS) + 128);
  }
}

/* A block of Q8_0 from 32 weights of another type. */
static void read_as_q8(superblock *b, int32_t type, const uint8_t *source)
{
  const weight_type *from = attn_weight_type(type);
  if (from->read) {
    from->read(b, source);
    for (int c = 0; c < BLOCK32; c++)
      b->q[c] = (uint8_t)(b->q[c] - from->offset + 128);
    return;
  }
  float x[BLOCK32];
  for (int c = 0; c < BLOCK32; c++, source += from->block_bytes)
    x[c] = attn_read_float(type, source);
  quantize(b, x);
}

static void pack_quantised(attn_matrix *w, uint8_t *at, int32_t r, int32_t source_type,
                           const uint8_t *source)
{
  const weight_type *t = attn_weight_type(w->type);
  const weight_type *from = attn_weight_type(source_type);
  const int32_t source_bytes = t->block_weights / from->block_weights * from->block_bytes;
  for (int32_t c = 0; c < w->columns; c += t->block_weights) {
    superblock b;
    if (t == from)
      t->read(&b, source);
    else
      read_as_q8(&b, source_type, source);
    w->has_non_finite |= !half_is_finite(b.d) || (t->has_min && !half_is_finite(b.m));
    attn_superblock_store(&b, t, w->form, at, r);
    source += source_bytes;
    at += superblock_bytes(t);
  }
}

/* Whether a matrix of `type` can be filled from rows of source_type. */
static int is_source(int32_t type, int32_t source_type)
{
  const weight_type *from = attn_weight_type(source_type);
  if (!from || type == source_type)
    return from != NULL;
  return type == ATTN_Q8_0 && (is_float(from) || source_type == ATTN_Q5_0);
}

int32_t attn_matrix_pack(attn_matrix *w, int32_t source_type, const uint8_t *source,
                         int32_t first_row, int32_t count)
{
  if (!is_source(w->type, source_type))
    return ATTN_E_FORMAT;
  if (first_row < 0 || count < 0 || count > w->rows - first_row)
    return ATTN_E_RANGE;
  const size_t row_bytes = attn_matrix_row_bytes(source_type, w->columns);
  for (int32_t row = first_row; row < first_row + count; row++, source += row_bytes) {
    uint8_t *panel = row_panel(w, row / PANEL);
    if (!is_float(attn_weight_type(w->type)))
      pack_quantised(w, panel, row % PANEL, source_type, source);
    else if (w->type == ATTN_F32)
      pack_f32((float *)(void *)panel, w->columns, row % PANEL, source);
    else
      pack_halves(w, (uint16_t *)(void *)panel, row % PANEL, source);
  }
  return ATTN_OK;
}

int32_t attn_matrix_pack_transposed(attn_matrix *w, const float *source)
{
  if (w->type != ATTN_F32)
    return ATTN_E_FORMAT;
  for (int32_t row = 0; row < w->rows; row += PANEL) {
    float *panel = (float *)(void *)row_panel(w, row / PANEL);
    int32_t count = w->rows - row < PANEL ? w->rows - row : PANEL;
    for (int32_t c = 0; c < w->columns; c++)
      __builtin_memcpy(panel + c * PANEL, source + (size_t)c * (size_t)w->rows + row,
                       (size_t)count * sizeof(float));
  }
  return ATTN_OK;
}
