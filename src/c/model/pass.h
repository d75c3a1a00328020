/* pass.h: a pass over some tokens as it goes through the layers. */
#ifndef PASS_H
#define PASS_H

#include "setup.h"
#include "attention/options.h"
#include "layers/block.h"

/* The requests of a caller to a layer, each NULL where there is none. */
typedef struct {
  float *weights;           /* (chosen, 1 or t, length) */
  const int32_t *head_slot; /* (heads) */
  int32_t chosen;
  int32_t all_tokens;
  const float *mask; /* (mask_heads, t, length) */
  int32_t mask_heads;
  attn_edit *edits; /* a list */
} layer_request;

/* Behind the statistics of attn.h comes the weight of position 0. */
enum { PASS_FIRST_WEIGHT = ATTN_STATISTICS, PASS_STATISTICS };

struct attn_pass {
  const attn_decoder *d;
  int32_t t;
  int32_t outputs;
  int32_t position; /* of the first token */
  int32_t length;   /* of the caches when the pass is done */
  int32_t next;
  int32_t end; /* layers */
  int32_t next_part;
  int32_t parts;      /* of the product with the output matrix */
  int32_t again;      /* the caches have the token already */
  int32_t given;      /* the layer whose x was given, −1: none */
  int32_t all_tokens; /* the last layer has them all */
  attn_params params;
  int32_t *tokens;        /* (t) */
  int32_t *last_row;      /* (t), the row_slot that chooses the last */
  layer_request *request; /* (layers) */
  float *x;               /* (t, dim): the residual stream */
  float *h;               /* (t, dim): its norm */
  float *y;               /* (t, dim): a block's result */
  float *q;               /* (t, heads, head_dim): queries */
  float *a;               /* (t, heads, head_dim): the result of attention */
  float *k;               /* (t, kv_heads, head_dim) */
  float *v;               /* (t, kv_heads, head_dim) */
  float *gate;            /* (t, hidden) */
  float *up;              /* (t, hidden) */
  float *logits;          /* (outputs, vocab) */
  prepared_inputs inputs; /* (t, columns of the widest matrix) */
  float *lse;             /* (heads, t) */
  float *first_key;       /* (2, kv_heads, head_dim): key and value of position 0 */
  void *attend;           /* attn_team_attend_bytes */

  void *stats;     /* (PASS_STATISTICS, layers, heads, t), or NULL */
  float *segments; /* (layers, heads, t, segment_count), or NULL */
};

/*
 * The last layer ends with the tokens from here on: those with logits, and up to three before them.
 * It is a multiple of four, because four inputs are prepared together, as a tile4.
 */
INLINE int32_t pass_first_output(int32_t t, int32_t outputs)
{
  return outputs > 0 ? (t - outputs) & ~3 : t;
}

#endif
