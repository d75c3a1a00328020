/* A matrix of weights: its head, which the panels follow (panel.h). */
#ifndef MATRIX_H
#define MATRIX_H

#include "formats.h"
#include "panel.h"

struct attn_matrix {
  int32_t type;
  int32_t rows;
  int32_t columns;
  int32_t form;           /* of dot_form.h: the dot product that the quants are laid out for */
  int32_t has_non_finite; /* some float16, weight or scale, is infinite or NaN */
  int32_t unused[11];     /* to 64 bytes, so that panels begin at a multiple of 16 */
};

INLINE uint8_t *row_panel(const attn_matrix *w, int32_t panel)
{
  const weight_type *t = attn_weight_type(w->type);
  return (uint8_t *)(w + 1) + (size_t)panel * panel_bytes(t, w->columns);
}

#endif
