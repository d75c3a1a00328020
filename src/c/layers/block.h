/*
 * block.h: the steps around attention that every layer has.
 *
 *     x is prepared for the products                         attn_block_input
 *     q, k, v = x·W_Qᵀ + b_Q, x·W_Kᵀ + b_K, x·W_Vᵀ + b_V     attn_block_project
 *     k = rotate(norm(k))                                    attn_block_norm_and_rotate
 *     the cache takes k and v                                attn_cache_append
 *     q = rotate(norm(q))                                    attn_block_norm_and_rotate
 *     a = attention(q, K, V)                                 attn_team_attend
 *     y = a·W_Oᵀ + b_O                                       attn_block_output
 *
 * The caller fills an attention_block and calls the steps in this order. A caller that prepares x
 * in a step of its own leaves the first out. It may leave some rows out of later steps. A team
 * shares each step.
 */
#ifndef BLOCK_H
#define BLOCK_H

#include "share.h"

/* One projection of x, which gives heads. */
typedef struct {
  const attn_matrix *w; /* (heads·dim, columns of x); NULL: there is no such projection */
  const float *bias;    /* (heads·dim), or NULL */
  const float *norm;    /* (dim): scale of an RMSNorm of each head, or NULL */
  float *y;             /* (rows, stride): the result, head by head */
  size_t stride;        /* heads·dim, or more */
  int32_t heads;
  int32_t dim;
  int32_t first_rotated; /* channel of a head; dim: none is rotated */
} head_projection;

/* The rotary table of a layer, and the places of its rows in their sequences. */
typedef struct {
  const float *cos; /* (positions, rotary_dim/2); NULL: nothing is rotated */
  const float *sin; /* (positions, rotary_dim/2); NULL: nothing is rotated */
  int32_t rotary_dim;
  int32_t interleaved;
  int32_t m;                /* rows of one sequence */
  int32_t past;             /* position of each sequence's first row */
  const int32_t *positions; /* (rows): the position of each row instead, or NULL */
} rotation;

typedef struct {
  const float *x;         /* (rows, columns) */
  prepared_inputs inputs; /* of x, later of a */
  head_projection q;
  head_projection k;
  head_projection v;
  int32_t one_plus; /* of the norms, as in attn_rms_norm */
  double epsilon;
  rotation rotation;
  float *a;             /* (rows, heads·value_dim): the result of attention */
  const attn_matrix *o; /* (outputs, heads·value_dim) */
  const float *o_bias;  /* (outputs), or NULL */
  float *y;             /* (rows, outputs) */
} attention_block;

/* Makes the size enough for the products of `rows` rows. Needs the matrices of b only. */
void attn_block_reserve(inputs_size *size, const attention_block *b, int32_t rows);

/* Prepares some rows of x, as one thread. attn_block_input does all of them, as a team. */
void attn_block_prepare(const attention_block *b, row_range rows);
void attn_block_input(const attention_block *b, attn_team *team, row_range rows);

/* Keys and values of `rows`, queries of the rows `attending`. */
void attn_block_project(const attention_block *b, attn_team *team, row_range rows,
                        row_range attending);

/* Norm and rotation of one of the projections. */
void attn_block_norm_and_rotate(const attention_block *b, const head_projection *y, attn_team *team,
                                row_range rows);

void attn_block_output(const attention_block *b, attn_team *team, row_range rows);

#endif
