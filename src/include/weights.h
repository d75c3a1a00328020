/*
 * weights.h: matrices of model weights, and their products.
 *
 *     y = x·Wᵀ        W (rows, columns), one row for each output; x (m, columns); y (m, rows)
 *
 * A matrix is filled once, from rows in the file's format, in any order. The rows are repacked into
 * panels of 8 rows for the kernels. A product takes two steps, because several matrices often share
 * an input:
 *
 *     attn_multiply_prepare(prepared, x, 0, m, columns, type);
 *     attn_multiply(q, heads * dim, wq, prepared, m, 0, heads * dim);
 *     attn_multiply(k, kv_heads * dim, wk, prepared, m, 0, kv_heads * dim);
 *
 * With quantised weights the inputs are quantised as well: each block of 32 has its own scale, and
 * the dot product of two blocks is an exact integer. With F32, F16 and BF16 weights everything is
 * float32.
 *
 * The contract of attn.h holds here. Moreover, y has the same bits whatever m is and however the
 * outputs are split. With quantised weights it has the same bits on every engine, in `simd` and
 * `relaxed` alike.
 */
#ifndef WEIGHTS_H
#define WEIGHTS_H

#include "attn.h"

/*
 * The types of weights, numbered as in GGUF files. A block has one scale d; columns must be a
 * multiple of it. formats.c has the layout of each block.
 */
enum {
  ATTN_F32 = 0,
  ATTN_F16 = 1,
  ATTN_Q4_0 = 2,  /* blocks of 32: d·(q − 8) */
  ATTN_Q4_1 = 3,  /* d·q + m */
  ATTN_Q5_0 = 6,  /* d·(q − 16) */
  ATTN_Q5_1 = 7,  /* d·q + m */
  ATTN_Q8_0 = 8,  /* d·q */
  ATTN_Q4_K = 12, /* blocks of 256, s and t for each 32: d·s·q − m·t */
  ATTN_Q5_K = 13, /* the same with 5 bits */
  ATTN_Q6_K = 14, /* blocks of 256, s for each 16: d·s·(q − 32) */
  ATTN_BF16 = 30,
};

/* The name as in GGUF files; NULL if there is no such type. All types are below 64. */
ATTN_API const char *attn_weight_type_name(int32_t type);

/* Weights in a block, and bytes of a block in a file; 0 if there is no such type. */
ATTN_API int32_t attn_weight_type_block(int32_t type);
ATTN_API int32_t attn_weight_type_block_bytes(int32_t type);

/* Whether a block has a minimum m, as d·q + m or d·s·q − m·t; 0 if there is no such type. */
ATTN_API int32_t attn_weight_type_has_min(int32_t type);

/*
 * Opaque; attn_matrix_bytes of 16-aligned memory: a few numbers, then the packed rows. It may be
 * moved as a whole.
 */
typedef struct attn_matrix attn_matrix;

/* 0 if the type, rows or columns are not valid, or the size is above 2 GiB. */
ATTN_API size_t attn_matrix_bytes(int32_t type, int32_t rows, int32_t columns);

/* Bytes of one row in the file's format; 0 as above. */
ATTN_API size_t attn_matrix_row_bytes(int32_t type, int32_t columns);

/* An empty matrix: all zero, until rows are packed. ATTN_E_RANGE where attn_matrix_bytes is 0. */
ATTN_API int32_t attn_matrix_init(attn_matrix *w, int32_t type, int32_t rows, int32_t columns);

ATTN_API int32_t attn_matrix_type(const attn_matrix *w);
ATTN_API int32_t attn_matrix_rows(const attn_matrix *w);
ATTN_API int32_t attn_matrix_columns(const attn_matrix *w);

/*
 * Packs rows [first_row, first_row + count) from the file's format. ATTN_E_RANGE if there are no
 * such rows, ATTN_E_FORMAT if source_type differs from the matrix's. Only a Q8_0 matrix also takes
 *   F32, F16, BF16   quantised: d = max|w|/127 in each block of 32, rounded to float16, and q = w/d
 *                    to the nearest, ties to even
 *   Q5_0             exactly: its products have the same bits
 */
ATTN_API int32_t attn_matrix_pack(attn_matrix *w, int32_t source_type,
                                  /* (count, attn_matrix_row_bytes) of source_type */
                                  const uint8_t *source, int32_t first_row, int32_t count);

/* Fills an F32 matrix from its transpose. ATTN_E_FORMAT for other types. */
ATTN_API int32_t attn_matrix_pack_transposed(attn_matrix *w,
                                             const float *source /* (columns, rows) */);

/* Row `row` of [0, rows) as float32; it looks up an embedding. */
ATTN_API void attn_matrix_row(const attn_matrix *w, int32_t row, float *out /* (columns) */);

/*
 * ---- Products --------------------------------------------------------------------------------
 */

/*
 * Bytes of the prepared inputs, 16-aligned: about 2 for each number with quantised weights, else 4.
 * 0 if the sizes are not valid.
 */
ATTN_API size_t attn_multiply_prepared_bytes(int32_t type, int32_t m, int32_t columns);

/*
 * Prepares inputs [first, end) of m for matrices of `columns` columns. Threads may share them by
 * multiples of four. Inputs prepared for one type serve all types of its kind. The engine decides
 * whether quantised weights multiply integers of 16 or of 8 bits.
 */
ATTN_API int32_t attn_multiply_kind(int32_t type);
enum { ATTN_MULTIPLY_FLOATS, ATTN_MULTIPLY_I16, ATTN_MULTIPLY_I8, ATTN_MULTIPLY_KINDS };
ATTN_API void attn_multiply_prepare(void *prepared, const float *x /* (m, columns) */,
                                    int32_t first, int32_t end, int32_t columns, int32_t type);

/*
 * One input, prepared with the scales of another one x. So parts of x that sum up to it, each
 * channel in one of them, are quantised as x is.
 */
ATTN_API void attn_multiply_prepare_part(void *prepared, const float *part, /* (columns) */
                                         const float *x /* (columns) */, int32_t columns,
                                         int32_t type);

/* One input that was prepared alone, as its products multiply it. Blocks with a NaN are NaN. */
ATTN_API void attn_multiply_prepared_numbers(float *x, /* (columns) */
                                             const void *prepared, int32_t columns, int32_t type);

/*
 * Where input i begins, a multiple of four. A product may also be shared by its inputs: as one of
 * inputs i to m and their outputs.
 */
const void *attn_multiply_inputs(const void *prepared, int32_t i, int32_t columns, int32_t type);

/*
 * Inputs that stay in a second-level cache while rows of a matrix go by, a multiple of four. They
 * take 440 to 790 KB (tuning.md#inputs-per-block).
 */
int32_t attn_multiply_inputs_per_block(int32_t type, int32_t columns);

/*
 * Outputs [first_row, end_row) of the m inputs, to out[i·stride + row]; nothing else is written. w
 * must have these rows. Threads may share a product by its rows. Splits at multiples of 8 waste
 * nothing; for a single input these are multiples of 16. out overlaps neither w nor the inputs.
 *
 * The error against exact arithmetic, with u = 2⁻²⁴ and b the number of blocks of 32 columns:
 *   floats      |error| ≤ u·(33 + b)·Σ|x·w|
 *   quantised   |error| ≤ Σ_blocks d·(½ + 2⁻¹⁵)·Σ|w| + u·(b + 5)·Σ|x'|·(|d·s·q| + |m·t|)
 * In the first sum d is max|x|/127 of the block: the cost of quantising the inputs. The second sum
 * is rounding; x' are the inputs as quantised. Blocks of inputs below 2e-36 count as zero. These
 * bounds are proofs. Underflow adds b·2⁻¹⁴⁹, with floats columns·2⁻¹⁴⁹.
 *
 * NaN or infinity in an input makes its outputs NaN or infinite; in a weight or scale, the outputs
 * of that row. With quantised weights they are NaN.
 */
ATTN_API void attn_multiply(float *out, /* (m, stride) */
                            size_t stride, const attn_matrix *w, const void *prepared, int32_t m,
                            int32_t first_row, int32_t end_row);

/*
 * ⟨u, W x⟩ in parts: parts[k] += ⟨u, W x_k⟩, where x_k is zero but in some neighbouring columns,
 * and all[row] += (W x_k)[row]; all may be NULL. Input k is prepared with its columns alone, and
 * lies at prepared + k·stride. Its columns are the two numbers columns[k]: the first, and their
 * count. Both are multiples of attn_weight_type_block.
 */
ATTN_API void attn_multiply_parts(double *parts /* (count) */, double *all /* (rows) */,
                                  const attn_matrix *w, const float *u /* (rows) */,
                                  const void *prepared, size_t stride,
                                  const int32_t *columns /* (count, 2) */, int32_t count);

#endif
