/* One input by the panels of a matrix. */
#ifndef ONE_INPUT_H
#define ONE_INPUT_H

#include "kernels.h"
#include "matrix.h"

/*
 * The product of rows [first_row, end_row). The panels are cut into streams of
 * neighbours, and the kernel is given one panel of each stream at a time. Two streams are read at
 * places far from each other, which are prefetched independently, and an input is loaded once for
 * both. Quants of 5 and 6 bits leave no registers for two (tuning.md#two-streams).
 */
void attn_multiply_one_input(float *out /* (rows) */, const attn_matrix *w, const void *x,
                             float offset, one_input_kernel *kernel, int32_t streams,
                             int32_t first_row, int32_t end_row);

#endif
