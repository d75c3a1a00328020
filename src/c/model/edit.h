/* edit.h: an edit copies numbers out at a point of a layer, or changes them there. */
#ifndef EDIT_H
#define EDIT_H

#include "pass.h"

struct attn_edit {
  attn_edit *next;
  const attn_decoder *d;
  int32_t point;
  int32_t kind;
  int32_t first_row;
  int32_t rows;
  int32_t first_column;
  int32_t columns;
  float *data;   /* (rows, stride) */
  size_t stride; /* columns or more, or 0 */
  double gain;
};

/* Does the edits of one point, in their order, for some rows. Threads may share the rows. */
void attn_pass_edit(const attn_pass *p, int32_t layer, int32_t point, row_range rows);

#endif
