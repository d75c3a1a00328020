/* The forward pass of training, which the scores of heads go through too. */
#ifndef STEP_H
#define STEP_H

#include "trainer.h"

/* The options of attention over these sequences; lse (sequences, heads, context) or NULL. */
attn_params attn_trainer_attention(const attn_trainer *t, int32_t sequences, float *lse);

/* From tokens to the input of the last norm. `shared` is of attn_trainer_shared_bytes. */
void attn_trainer_forward(const attn_trainer *t, attn_team *team, const int32_t *tokens,
                          int32_t sequences, void *shared);

#endif
