/* Products with weights that are floats: F32, F16 or BF16. */
#ifndef PRODUCT_F32_H
#define PRODUCT_F32_H

#include "matrix.h"
#include "one_input.h"

/* attn_multiply for such a matrix. */
void attn_multiply_floats(float *out, size_t stride, const attn_matrix *w, const void *prepared,
                          int32_t m, int32_t first_row, int32_t end_row);

/* The kernel for one input of `columns` columns of such a matrix; *streams panels at once. */
one_input_kernel *attn_float_kernel(const attn_matrix *w, const float *x, int32_t columns,
                                    int32_t *streams);

enum { FLOAT_ROWS = 32 }; /* with a block of columns, 32 KB of stack */

/*
 * The same of at most FLOAT_ROWS inputs that lie as they are, for layers. The bits are the same.
 */
void attn_multiply_float_rows(float *y /* (m, y_stride) */, size_t y_stride,
                              const float *x /* (m, x_stride) */, size_t x_stride, int32_t m,
                              const attn_matrix *w, int32_t first_row, int32_t end_row);

#endif
