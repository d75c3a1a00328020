/* Inputs made ready for products: quantised, or laid side by side (inputs.h). */
#include "inputs.h"
#include "base/math.h"
#include "formats.h"

size_t attn_multiply_prepared_bytes(int32_t type, int32_t m, int32_t columns)
{
  const weight_type *t = attn_weight_type(type);
  if (m < 1 || m > INT32_MAX - TILE4 || !attn_matrix_row_bytes(type, columns))
    return 0;
  uint64_t rows = (uint64_t)inputs_round_up(m);
  uint64_t per_row = 4 * (uint64_t)columns;
  /* the longest form: one row in 16 bits, more than a quarter of a block for four rows */
  if (!is_float(t))
    per_row = (uint64_t)(columns / BLOCK32) * (uint64_t)input_block(1, 1);
  uint64_t bytes = rows * per_row;
  return bytes < (uint64_t)1 << 31 ? (size_t)bytes : 0;
}

/* Whether inputs take 16 bits. */
static int is_i16(const weight_type *t) { return weight_form(t) == DOT_I16; }

int32_t attn_multiply_kind(int32_t type)
{
  const weight_type *t = attn_weight_type(type);
  return is_float(t) ? ATTN_MULTIPLY_FLOATS : is_i16(t) ? ATTN_MULTIPLY_I16 : ATTN_MULTIPLY_I8;
}

const void *attn_multiply_inputs(const void *prepared, int32_t i, int32_t columns, int32_t type)
{
  const weight_type *t = attn_weight_type(type);
  return (const uint8_t *)prepared + (size_t)i * input_bytes(t, is_i16(t), columns);
}

int32_t attn_multiply_inputs_per_block(int32_t type, int32_t columns)
{
  const weight_type *t = attn_weight_type(type);
  int32_t numbers = is_float(t) || is_i16(t) ? 196608 : 393216; /* tuning.md#inputs-per-block */
  int32_t inputs = numbers / columns & ~(TILE4 - 1);
  return inputs < TILE4 ? TILE4 : inputs;
}

/* Loops over registers here are unrolled by name (tuning.md#prepare-unrolled). */
INLINE void transpose_i(i32x4 x[TILE4])
{
  f32x4 y[TILE4] = {(f32x4)x[0], (f32x4)x[1], (f32x4)x[2], (f32x4)x[3]};
  v_transpose(y);
  UNROLLED for (int l = 0; l < TILE4; l++) x[l] = (i32x4)y[l];
}

/* The sum of each vector's lanes. */
INLINE i32x4 sums_of(i32x4 x[TILE4])
{
  transpose_i(x);
  return (x[0] + x[1]) + (x[2] + x[3]);
}

/* A tile4 or one row. Rows that are missing are zeros. */
typedef struct {
  int i16;
  int32_t rows;
  int32_t count;
  int32_t columns;
  const float *x;
  uint8_t *block; /* the first block */
} input_tile;

static const float zeros[BLOCK32];

/* The inputs of row r from column c on. */
INLINE const float *inputs_at(const input_tile *tile, int32_t r, int32_t c)
{
  return r < tile->count ? tile->x + (size_t)r * (size_t)tile->columns + c : zeros;
}

/*
 * The scale d of each block and row; it is NaN where an input is not finite. The factor 127/max
 * lies in place of the sum until the inputs are rounded. This is a pass of its own because a
 * division takes long.
 */
KERNEL void find_scales(const input_tile *tile)
{
  const f32x4 zero = v_splat(0);
  uint8_t *block = tile->block;
  for (int32_t c = 0; c < tile->columns;
       c += BLOCK32, block += input_block(tile->i16, tile->rows)) {
    float *numbers = (float *)(void *)(block + input_quants(tile->i16, tile->rows));
    /* |x| as integers, in the order of the numbers, infinity and NaN last */
    i32x4 max_bits[TILE4] = {{0}};
    for (int32_t r = 0; r < tile->rows; r++) {
      const float *from = inputs_at(tile, r, c);
      i32x4 m[2] = {{0}, {0}};
      UNROLLED for (int l = 0; l < BLOCK32 / 4; l++) m[l % 2] =
          v_max_i(m[l % 2], (i32x4)v_load(from + 4 * l) & v_splat_i(INT32_MAX));
      max_bits[r] = v_max_i(m[0], m[1]);
    }
    transpose_i(max_bits);
    f32x4 max =
        (f32x4)v_max_i(v_max_i(max_bits[0], max_bits[1]), v_max_i(max_bits[2], max_bits[3]));
    f32x4 d = max / v_splat(127.0f) + (max - max);
    /* max/127 must be a normal number and 127/max finite; below that, inputs count as 0 */
    i32x4 enough = max > v_splat(2e-36f);
    f32x4 scale = v_select(enough | (d != d), d, zero);
    f32x4 times = v_select(enough, v_splat(127.0f) / max, zero);
    if (tile->rows == 1)
      scale = __builtin_shufflevector(scale, times, 0, 4, 0, 4);
    else
      v_store(numbers + TILE4, times);
    v_store(numbers, scale);
  }
}

/* All blocks to integers, by the scales of find_scales. The sums replace the factors 127/max. */
KERNEL void round_inputs(const input_tile *tile)
{
  const f32x4 magic = v_splat(F32_ROUNDS);
  const int i16 = tile->i16;
  const int32_t rows = tile->rows;
  uint8_t *block = tile->block;
  for (int32_t c = 0; c < tile->columns; c += BLOCK32) {
    const float *scale = (const float *)(const void *)(block + input_quants(i16, rows));
    f32x4 d = v_load(scale);
    i32x4 q[4][TILE4];
    i32x4 sums[2][TILE4] = {{{0}}};
    for (int32_t r = 0; r < rows; r++) {
      const float *from = scale[r] == scale[r] ? inputs_at(tile, r, c) : zeros;
      f32x4 times = v_splat(scale[rows + r]);
      for (int h = 0; h < 2; h++, from += BLOCK32 / 2) {
        i32x4 n[4];
        UNROLLED for (int v = 0; v < 4; v++) n[v] =
            (i32x4)(v_load(from + 4 * v) * times + magic) - (i32x4)magic;
        sums[h][r] = (n[0] + n[1]) + (n[2] + n[3]);
        i32x4 low = v_pack(n[0], n[1]);
        i32x4 high = v_pack(n[2], n[3]);
        if (i16) {
          q[2 * h][r] = v_even_first((i16x8)low);
          q[2 * h + 1][r] = v_even_first((i16x8)high);
        } else {
          q[h][r] = v_pack_bytes(low, high);
        }
      }
    }
    for (int v = 0; v < (i16 ? 4 : 2); v++) {
      if (rows > 1)
        transpose_i(q[v]);
      for (int l = 0; l < rows; l++, block += 16)
        v_store_i(block, q[v][l]);
    }
    i32x4 low = sums_of(sums[0]);
    i32x4 all = low + sums_of(sums[1]);
    i32x4 numbers[TILE4] = {(i32x4)d, (i32x4)v_float(all), -all * 128, -low * 128};
    if (rows == 1)
      transpose_i(numbers);
    for (int l = 0; l < (rows == 1 ? 1 : i16 ? 2 : 4); l++, block += 16)
      v_store_i(block, numbers[l]);
  }
}

void attn_interleave_rows(float *to, const float *x, size_t stride, size_t columns, int32_t rows)
{
  size_t c = 0;
  for (; c + 4 <= columns; c += 4, to += 4 * TILE4) {
    f32x4 y[TILE4];
    for (int r = 0; r < TILE4; r++)
      y[r] = r < rows ? v_load(x + (size_t)r * stride + c) : v_splat(0);
    v_transpose(y);
    for (int l = 0; l < 4; l++)
      v_store(to + TILE4 * l, y[l]);
  }
  for (; c < columns; c++, to += TILE4)
    for (int r = 0; r < TILE4; r++)
      to[r] = r < rows ? x[(size_t)r * stride + c] : 0;
}

void attn_multiply_prepare(void *prepared, const float *x, int32_t first, int32_t end,
                           int32_t columns, int32_t type)
{
  const weight_type *t = attn_weight_type(type);
  const int i16 = is_i16(t);
  for (int32_t i = first; i < end; i += TILE4) {
    uint8_t *to = (uint8_t *)attn_multiply_inputs(prepared, i, columns, type);
    const float *from = x + (size_t)i * (size_t)columns;
    int32_t count = end - i < TILE4 ? end - i : TILE4;
    int32_t rows = count == 1 ? 1 : TILE4;
    if (is_float(t) && rows == 1)
      __builtin_memcpy(to, from, (size_t)columns * sizeof(float));
    else if (is_float(t))
      attn_interleave_rows((float *)(void *)to, from, (size_t)columns, (size_t)columns, count);
    else {
      input_tile tile = {i16, rows, count, columns, from, to};
      find_scales(&tile);
      round_inputs(&tile);
    }
  }
}

void attn_multiply_prepare_part(void *prepared, const float *part, const float *x, int32_t columns,
                                int32_t type)
{
  const weight_type *t = attn_weight_type(type);
  if (is_float(t)) {
    __builtin_memcpy(prepared, part, (size_t)columns * sizeof(float));
    return;
  }
  input_tile tile = {is_i16(t), 1, 1, columns, x, prepared};
  find_scales(&tile);
  tile.x = part;
  round_inputs(&tile);
}

void attn_multiply_prepared_numbers(float *x, const void *prepared, int32_t columns, int32_t type)
{
  const weight_type *t = attn_weight_type(type);
  if (is_float(t)) {
    __builtin_memcpy(x, prepared, (size_t)columns * sizeof(float));
    return;
  }
  const int i16 = is_i16(t);
  const uint8_t *block = prepared;
  for (int32_t first = 0; first < columns; first += BLOCK32, block += input_block(i16, 1)) {
    const float d = *(const float *)(const void *)(block + input_quants(i16, 1));
    for (int32_t c = 0; c < BLOCK32; c++)
      x[first + c] = d * (float)(i16 ? ((const int16_t *)(const void *)block)[i16_place(c)]
                                     : ((const int8_t *)block)[c]);
  }
}
