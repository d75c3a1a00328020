/* One row of a matrix as float32. */
#include "base/half.h"
#include "matrix.h"
#include "superblock.h"

static void float_row(const attn_matrix *w, const weight_type *t, int32_t row, float *out)
{
  const uint8_t *panel = row_panel(w, row / PANEL);
  for (int32_t c = 0; c < w->columns; c++)
    out[c] = attn_read_float(w->type, panel + (c * PANEL + row % PANEL) * t->block_bytes);
}

/*
 * The weights of one row of a superblock. d·s and m·t are exact, and so is d·s times a quant: only
 * the sum is rounded.
 */
static void weights_of(float *out, const superblock *b, const weight_type *t)
{
  float d = half_to_float(b->d);
  float m = t->has_min ? half_to_float(b->m) : 0;
  for (int32_t c = 0; c < t->block_weights; c++) {
    int32_t p = c / BLOCK32;
    int32_t q = b->q[c] - t->offset;
    float scale = d;
    float minimum = m;
    if (t->sub_scales == SCALES_AND_MINS) {
      scale *= (float)b->s[p];
      minimum *= (float)-b->t[p];
    } else if (t->sub_scales == HALF_SCALES) {
      q *= (int8_t)b->s[c / (BLOCK32 / 2)];
    }
    out[c] = scale * (float)q + minimum;
  }
}

void attn_matrix_row(const attn_matrix *w, int32_t row, float *out)
{
  const weight_type *t = attn_weight_type(w->type);
  if (is_float(t)) {
    float_row(w, t, row, out);
    return;
  }
  const uint8_t *at = row_panel(w, row / PANEL);
  for (int32_t c = 0; c < w->columns; c += t->block_weights, at += superblock_bytes(t)) {
    superblock b;
    attn_superblock_load(&b, t, w->form, at, row % PANEL);
    weights_of(out + c, &b, t);
  }
}
