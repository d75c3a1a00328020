/* A pass over some tokens as it goes through the layers. */
#ifndef PASS_H
#define PASS_H

#include "setup.h"
#include "attention/options.h"

/* Which heads of a layer have their weights returned. */
typedef struct {
  float *weights;
  const int32_t *head_slot;
  int32_t chosen;
} weights_wish;

struct attn_pass {
  const attn_decoder *d;
  int32_t t, outputs;
  int32_t position;  /* of the first token */
  int32_t length;    /* of the caches when the pass is done */
  int32_t next, end; /* layers */
  /* the first token of the steps that follow: from the last attention on, only some are wanted */
  int32_t from;
  int32_t again; /* the caches have the token already */
  attn_params params;
  int32_t *tokens;                   /* (t) */
  int32_t *last_row;                 /* (t), the row_slot that chooses the last */
  weights_wish *wish;                /* (layers) */
  float *x, *h, *y;                  /* (t, dim) */
  float *q, *a;                      /* (t, heads, head_dim): queries, what attention gives */
  float *k, *v;                      /* (t, kv_heads, head_dim) */
  float *gate, *up;                  /* (t, hidden) */
  float *logits;                     /* (outputs, vocab) */
  void *inputs[ATTN_MULTIPLY_KINDS]; /* as products take them */
  float *lse;                        /* (heads, t) */
  float *first_key;                  /* (2, kv_heads, head_dim): key and value of position 0 */
  void *room;                        /* of attn_team_attend */
  int32_t *attended, *argmax;        /* statistics (layers, heads, t), or NULL */
  float *entropy, *kl, *expected_score, *max_weight, *first_weight;
};

/*
 * Of the last layer, the first of the tokens that have logits: a multiple of four, as inputs are
 * prepared.
 */
INLINE int32_t pass_first_output(int32_t t, int32_t outputs)
{
  return outputs > 0 ? (t - outputs) & ~3 : t;
}

/* From the queries to what attention gives, with whatever is wanted besides; in heads.c. */
void attn_pass_attend(attn_pass *p, attn_team *team, int32_t layer);

#endif
