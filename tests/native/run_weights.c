/*
 * Runs matrices of weights from stdin through weights.h, with every array in memory of exactly its
 * size, and writes rows and products to stdout: sanitizers watch every access, and the bits must be
 * those of the simd module. Compiled once for each way in which an engine's 8-bit dot product may
 * behave (V_DOT8_LIKE in simd.h).
 *
 * The stream: int32 type, that of the rows as they come, rows, columns, m, the number of pieces;
 * their bounds (pieces + 1); the rows as a file has them; x (m, columns). The answer: the form of
 * dot product for 8 bits; every row; every product, in pieces. End of file is the end.
 */
#include "base/dot_form.h"
#include "stream.h"
#include "weights.h"

/* An array from the stream, one element behind an aligned address. */
typedef struct {
  char *block;
  void *data;
} array;

static array read_array(size_t element, size_t bytes)
{
  array a;
  a.block = fresh(bytes + element);
  a.data = a.block + element;
  read_bytes(a.data, bytes);
  return a;
}

int main(void)
{
  int32_t head[6];
  int32_t form = attn_dot_form(8);
  write_bytes(&form, 4);
  while (fread(head, 4, 6, stdin) == 6) {
    int32_t type = head[0];
    int32_t from = head[1];
    int32_t rows = head[2];
    int32_t columns = head[3];
    int32_t m = head[4];
    int32_t pieces = head[5];
    array bounds = read_array(4, 4 * ((size_t)pieces + 1));
    size_t row_bytes = attn_matrix_row_bytes(from, columns);
    array source = read_array(1, row_bytes * (size_t)rows);
    array x = read_array(4, 4 * (size_t)m * (size_t)columns);

    attn_matrix *w = fresh(attn_matrix_bytes(type, rows, columns));
    if (attn_matrix_init(w, type, rows, columns) != ATTN_OK)
      fail("attn_matrix_init refused a valid shape");
    /* the second half of the rows first */
    int32_t half = rows / 2;
    const uint8_t *bytes = source.data;
    if (attn_matrix_pack(w, from, bytes + row_bytes * (size_t)half, half, rows - half) != ATTN_OK ||
        attn_matrix_pack(w, from, bytes, 0, half) != ATTN_OK)
      fail("attn_matrix_pack refused rows that are there");
    float *row = fresh(4 * (size_t)columns);
    for (int32_t r = 0; r < rows; r++) {
      attn_matrix_row(w, r, row);
      write_bytes(row, 4 * (size_t)columns);
    }

    void *prepared = fresh(attn_multiply_prepared_bytes(type, m, columns));
    attn_multiply_prepare(prepared, x.data, 0, m, columns, type);
    /* one element more, so that y is not aligned either */
    size_t count = (size_t)m * (size_t)rows;
    char *y = fresh(4 * count + 4);
    const int32_t *bound = bounds.data;
    for (int32_t p = 0; p < pieces; p++)
      attn_multiply((float *)(void *)(y + 4), (size_t)rows, w, prepared, m, bound[p], bound[p + 1]);
    write_bytes(y + 4, 4 * count);

    free(y);
    free(prepared);
    free(row);
    free(w);
    free(x.block);
    free(source.block);
    free(bounds.block);
  }
  return 0;
}
