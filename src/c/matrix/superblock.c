/* One row of a superblock, into a panel and out of it. Layouts as in panel.h. */
#include "superblock.h"
#include "quads.h"

/*
 * 32 quants of 8 bits. Here a quant is stored plus 128. Panels store it signed, except for the dot
 * product of unsigned bytes and the lower byte of a lane of 16 bits.
 */
static void store_bytes(int32_t form, uint8_t *x, int32_t r, const uint8_t *q)
{
  if (form == DOT_I16) {
    for (int c = 0; c < BLOCK32 / 2; c += 2) {
      const uint8_t *pair = q + i16_place(c);
      const uint8_t four[] = {pair[0], pair[16] ^ 128, pair[2], pair[18] ^ 128};
      __builtin_memcpy(x + c / 2 * 32 + 4 * r, four, 4);
    }
    return;
  }
  const uint8_t flip = form == DOT_UNSIGNED ? 0 : 128;
  for (int c = 0; c < BLOCK32; c++)
    x[(c / 4 * PANEL + r) * 4 + c % 4] = q[c] ^ flip;
}

static void load_bytes(int32_t form, uint8_t *q, const uint8_t *x, int32_t r)
{
  if (form == DOT_I16) {
    for (int c = 0; c < BLOCK32 / 2; c += 2) {
      const uint8_t *four = x + c / 2 * 32 + 4 * r;
      uint8_t *pair = q + i16_place(c);
      pair[0] = four[0];
      pair[16] = four[1] ^ 128;
      pair[2] = four[2];
      pair[18] = four[3] ^ 128;
    }
    return;
  }
  const uint8_t flip = form == DOT_UNSIGNED ? 0 : 128;
  for (int c = 0; c < BLOCK32; c++)
    q[c] = x[(c / 4 * PANEL + r) * 4 + c % 4] ^ flip;
}

/* 32 quants of fewer bits. */
static void store_words(int bits, uint8_t *x, int32_t r, const uint8_t *q)
{
  uint32_t quads[8];
  __builtin_memcpy(quads, q, sizeof quads);
  for (int k = 0; k < bits; k++) {
    uint32_t word = word_of(quads, bits, k);
    __builtin_memcpy(x + 32 * k + 4 * r, &word, 4);
  }
}

static void load_words(int bits, uint8_t *q, const uint8_t *x, int32_t r)
{
  i32x4 quads[8];
  x += r / 4 * 16;
  if (bits == 4)
    eight_quads(4, masks_of(4), quads, x);
  else if (bits == 5)
    eight_quads(5, masks_of(5), quads, x);
  else
    eight_quads(6, masks_of(6), quads, x);
  for (int c = 0; c < 8; c++)
    __builtin_memcpy(q + 4 * c, (const uint8_t *)&quads[c] + r % 4 * 4, 4);
}

void attn_superblock_store(const superblock *b, const weight_type *t, int32_t form, uint8_t *at,
                           int32_t r)
{
  __builtin_memcpy(at + 2 * r, &b->d, 2);
  if (t->has_min)
    __builtin_memcpy(at + 16 + 2 * r, &b->m, 2);
  uint8_t *x = at + head_bytes(t);
  for (int32_t p = 0; p < t->block_weights / BLOCK32; p++, x += block32_bytes(t)) {
    if (t->sub_scales) {
      x[r] = t->sub_scales == HALF_SCALES ? b->s[2 * p] : b->s[p];
      x[8 + r] = t->sub_scales == HALF_SCALES ? b->s[2 * p + 1] : b->t[p];
    }
    if (t->bits == 8)
      store_bytes(form, x + sub_scale_bytes(t), r, b->q + BLOCK32 * p);
    else
      store_words(t->bits, x + sub_scale_bytes(t), r, b->q + BLOCK32 * p);
  }
}

void attn_superblock_load(superblock *b, const weight_type *t, int32_t form, const uint8_t *at,
                          int32_t r)
{
  __builtin_memcpy(&b->d, at + 2 * r, 2);
  if (t->has_min)
    __builtin_memcpy(&b->m, at + 16 + 2 * r, 2);
  const uint8_t *x = at + head_bytes(t);
  for (int32_t p = 0; p < t->block_weights / BLOCK32; p++, x += block32_bytes(t)) {
    if (t->sub_scales == HALF_SCALES) {
      b->s[2 * p] = x[r];
      b->s[2 * p + 1] = x[8 + r];
    } else if (t->sub_scales) {
      b->s[p] = x[r];
      b->t[p] = x[8 + r];
    }
    if (t->bits == 8)
      load_bytes(form, b->q + BLOCK32 * p, x + sub_scale_bytes(t), r);
    else
      load_words(t->bits, b->q + BLOCK32 * p, x + sub_scale_bytes(t), r);
  }
}
