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
  uint64_t bytes = sizeof(input_head) + rows * per_row;
  return bytes < (uint64_t)1 << 31 ? (size_t)bytes : 0;
}

/* One row's part. sums: of each half of q. Returns d, NaN if x has NaN or an infinity in it. */
static float quantize_part(int16_t *q, int32_t *sums, const float *x)
{
  f32x4 most = v_splat(0), wild = v_splat(0),
        magic = v_splat(12582912.0f); /* 1.5·2^23: adding it rounds to an integer */
  for (int c = 0; c < PART; c += 4) {
    f32x4 y = v_load(x + c);
    most = v_max(most, (f32x4)((i32x4)y & v_splat_i(INT32_MAX)));
    wild += y - y;
  }
  float max = v_hmax(most), d = max / 127.0f + v_hsum(wild);
  /* max/127 is to be a normal number and 127/max finite; so little is 0 */
  f32x4 inverse = v_splat(max > 2e-36f ? 127.0f / max : 0);
  i32x4 sum[2] = {{0}, {0}};
  for (int c = 0; c < PART; c += 4) {
    i32x4 n = (i32x4)(v_load(x + c) * inverse + magic) - (i32x4)magic;
    /* NaN and infinity leave anything; the scale says so */
    n = n << 24 >> 24;
    sum[c / 16] += n;
    for (int l = 0; l < 4; l++)
      q[c + l] = (int16_t)n[l];
  }
  for (int h = 0; h < 2; h++)
    sums[h] = (sum[h][0] + sum[h][1]) + (sum[h][2] + sum[h][3]);
  return max > 2e-36f || d != d ? d : 0;
}

/* Part p of `count` rows, to a block of `rows`. */
INLINE void store_block(const int wide, const int rows, uint8_t *block, const float *x, int32_t columns, int32_t count)
{
  float *numbers = (float *)(block + input_quants(wide, rows));
  for (int r = 0; r < rows; r++) {
    int16_t q[PART] = {0};
    int32_t sums[2] = {0, 0};
    float d = r < count ? quantize_part(q, sums, x + (size_t)r * (size_t)columns) : 0;
    for (int c = 0; c < PART; c++)
      if (wide)
        ((int16_t *)block)[(c / 2 * rows + r) * 2 + c % 2] = q[c];
      else
        ((int8_t *)block)[(c / 4 * rows + r) * 4 + c % 4] = (int8_t)q[c];
    numbers[r] = d;
    numbers[rows + r] = (float)(wide ? sums[0] + sums[1] : sums[0]);
    numbers[2 * rows + r] = (float)(wide ? 0 : sums[1]);
  }
}

KERNEL void store_four(int wide, uint8_t *block, const float *x, int32_t columns, int32_t count)
{
  if (wide)
    store_block(1, GROUP, block, x, columns, count);
  else
    store_block(0, GROUP, block, x, columns, count);
}

KERNEL void store_one(int wide, uint8_t *block, const float *x, int32_t columns)
{
  if (wide)
    store_block(1, 1, block, x, columns, 1);
  else
    store_block(0, 1, block, x, columns, 1);
}

void attn_multiply_prepare(void *scratch, const float *x, int32_t m, int32_t columns, int32_t type)
{
  input_head *head = scratch;
  *head = (input_head){m, columns, dot_form(), !attn_weight_type(type).low_bits};
  int wide = head->form == DOT_WIDE;
  for (int32_t i = 0; i < m; i += GROUP, x += (size_t)GROUP * (size_t)columns) {
    uint8_t *group = (uint8_t *)input_group(scratch, i);
    int32_t count = m - i < GROUP ? m - i : GROUP, rows = count == 1 ? 1 : GROUP;
    if (head->is_float) {
      for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < columns; c++)
          ((float *)group)[c * rows + r] = r < count ? x[(size_t)r * (size_t)columns + (size_t)c] : 0;
      continue;
    }
    for (int32_t c = 0; c < columns; c += PART, group += input_block(wide, rows))
      if (rows == 1)
        store_one(wide, group, x + c, columns);
      else
        store_four(wide, group, x + c, columns, count);
  }
}
