/* attend.h: the attention of a layer in a pass, with its statistics and weights. */
#ifndef ATTEND_H
#define ATTEND_H

#include "pass.h"

/* p->a = attention of p->q (rows) over the layer's cache, and all that was asked for besides. */
void attn_pass_attend(const attn_pass *p, attn_team *team, int32_t layer, row_range rows);

#endif
