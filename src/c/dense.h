/* A float32 matrix in panels of eight rows, transposed, the last one filled up with zeros. */
#ifndef DENSE_H
#define DENSE_H

#include "layers.h"
#include "tile.h"

struct attn_dense {
  int32_t rows, columns;
  int32_t unused[2]; /* keeps the panels 16-aligned */
};

INLINE int32_t panels_of(const attn_dense *w) { return (w->rows + PANEL - 1) / PANEL; }

/* (columns, PANEL) */
INLINE float *panel_at(const attn_dense *w, int32_t panel)
{
  return (float *)(w + 1) + (size_t)panel * (size_t)w->columns * PANEL;
}

#endif
