/* Inputs made ready for products: quantised, or only laid side by side (inputs.h). */
#include "inputs.h"

size_t attn_multiply_scratch_bytes(int32_t type, int32_t m, int32_t columns)
{
  weight_type t = attn_weight_type(type);
  if (m < 1 || m > INT32_MAX - GROUP || !attn_matrix_row_bytes(type, columns))
    return 0;
  uint64_t rows = (uint64_t)inputs_round_up(m), per_row = 4 * (uint64_t)columns;
  /* the wide form of a block alone, which takes more than a quarter of one for four */
  if (t.low_bits)
    per_row = (uint64_t)(columns / PART) * (uint64_t)input_block(1, 1);
  uint64_t bytes = rows * per_row;
  return bytes < (uint64_t)1 << 31 ? (size_t)bytes : 0;
}

/* Which of the two forms inputs take. */
static int is_wide(weight_type t) { return weight_form(t) == DOT_WIDE; }

int32_t attn_multiply_kind(int32_t type)
{
  weight_type t = attn_weight_type(type);
  return !t.low_bits ? 0 : is_wide(t) ? 1 : 2;
}

const void *attn_multiply_inputs(const void *scratch, int32_t i, int32_t columns, int32_t type)
{
  weight_type t = attn_weight_type(type);
  return (const uint8_t *)scratch + (size_t)i * input_bytes(t, is_wide(t), columns);
}

int32_t attn_multiply_abreast(int32_t columns)
{
  int32_t most = 196608 / columns & ~(GROUP - 1);
  return most < GROUP ? GROUP : most;
}

/* One row's part, as vectors of 16 bits or of 8. sums: of each half. Returns d, NaN if x has NaN or an infinity in it. */
INLINE float quantize_part(int wide, i32x4 q[4], int32_t sums[2], const float *x)
{
  f32x4 most = v_splat(0), not_finite = v_splat(0),
        magic = v_splat(12582912.0f); /* 1.5·2^23: adding it rounds to an integer */
  for (int c = 0; c < PART; c += 4) {
    f32x4 y = v_load(x + c);
    most = v_max(most, (f32x4)((i32x4)y & v_splat_i(INT32_MAX)));
    not_finite += y - y;
  }
  float max = v_hmax(most), d = max / 127.0f + v_hsum(not_finite);
  /* max/127 is to be a normal number and 127/max finite; so little is 0 */
  f32x4 inverse = v_splat(max > 2e-36f ? 127.0f / max : 0);
  ROLLED for (int h = 0; h < 2; h++)
  {
    i32x4 n[4], sum = {0};
    for (int v = 0; v < 4; v++) {
      n[v] = (i32x4)(v_load(x + 16 * h + 4 * v) * inverse + magic) - (i32x4)magic;
      /* NaN and infinity leave anything; the scale says so */
      n[v] = n[v] << 24 >> 24;
      sum += n[v];
    }
    sums[h] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    i32x4 low = v_narrow(n[0], n[1]), high = v_narrow(n[2], n[3]);
    if (wide)
      q[2 * h] = low, q[2 * h + 1] = high;
    else
      q[h] = v_narrow_bytes(low, high);
  }
  return max > 2e-36f || d != d ? d : 0;
}

/* A part of `count` rows, to a block of `rows`. */
KERNEL void store_block(int wide, int32_t rows, uint8_t *block, const float *x, size_t columns, int32_t count)
{
  float *numbers = (float *)(void *)(block + input_quants(wide, rows));
  int32_t *below = (int32_t *)(void *)(numbers + 2 * rows);
  i32x4 q[GROUP][4] = {{{0}}};
  ROLLED for (int32_t r = 0; r < rows; r++, x += columns)
  {
    int32_t sums[2] = {0, 0};
    numbers[r] = r < count ? quantize_part(wide, q[r], sums, x) : 0;
    numbers[rows + r] = (float)(sums[0] + sums[1]);
    if (!wide) {
      below[r] = -(sums[0] + sums[1]);
      below[rows + r] = -sums[0];
    }
  }
  ROLLED for (int v = 0; v < (wide ? 4 : 2); v++)
  {
    f32x4 y[GROUP] = {(f32x4)q[0][v], (f32x4)q[1][v], (f32x4)q[2][v], (f32x4)q[3][v]};
    if (rows > 1)
      v_transpose(y);
    for (int l = 0; l < GROUP && l < rows; l++, block += 16)
      v_store_i(block, (i32x4)y[l]);
  }
}

/* Four rows side by side; those that are not there are zeros. */
static void store_floats(float *to, const float *x, size_t columns, int32_t count)
{
  size_t c = 0;
  for (; c + 4 <= columns; c += 4, to += 4 * GROUP) {
    f32x4 y[GROUP];
    for (int r = 0; r < GROUP; r++)
      y[r] = r < count ? v_load(x + (size_t)r * columns + c) : v_splat(0);
    v_transpose(y);
    for (int l = 0; l < 4; l++)
      v_store(to + GROUP * l, y[l]);
  }
  for (; c < columns; c++, to += GROUP)
    for (int r = 0; r < GROUP; r++)
      to[r] = r < count ? x[(size_t)r * columns + c] : 0;
}

void attn_multiply_prepare(void *scratch, const float *x, int32_t first, int32_t end, int32_t columns, int32_t type)
{
  weight_type t = attn_weight_type(type);
  int wide = is_wide(t);
  for (int32_t i = first; i < end; i += GROUP) {
    uint8_t *group = (uint8_t *)attn_multiply_inputs(scratch, i, columns, type);
    const float *from = x + (size_t)i * (size_t)columns;
    int32_t count = end - i < GROUP ? end - i : GROUP, rows = count == 1 ? 1 : GROUP;
    if (!t.low_bits && rows == 1)
      __builtin_memcpy(group, from, (size_t)columns * sizeof(float));
    else if (!t.low_bits)
      store_floats((float *)(void *)group, from, (size_t)columns, count);
    else
      for (int32_t c = 0; c < columns; c += PART, group += input_block(wide, rows))
        store_block(wide, rows, group, from + c, (size_t)columns, count);
  }
}
