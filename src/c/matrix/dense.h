/* A float32 matrix in panels of eight rows, transposed, the last one filled up with zeros. */
#ifndef DENSE_H
#define DENSE_H

#include "chains.h"
#include "layers.h"

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

/* sums = (first ? 0 : sums) + x·panelᵀ over so many columns, for four rows and one panel. */
void attn_dense_tile(float *sums,        /* (GROUP, PANEL) */
                     const float *x,     /* (columns, GROUP) */
                     const float *panel, /* (columns, PANEL) */
                     int32_t columns, int first);

/* y = x·Wᵀ for a single row and STREAMS panels. */
void attn_dense_streams(float *y,                  /* (STREAMS, PANEL) */
                        const float *x,            /* (columns) */
                        const float *const *panel, /* (STREAMS) of (columns, PANEL) */
                        int32_t columns);

#endif
