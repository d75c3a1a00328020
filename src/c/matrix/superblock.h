/* One row of a superblock in a panel. */
#ifndef SUPERBLOCK_H
#define SUPERBLOCK_H

#include "panel.h"

/* Between `b` and row r of the superblock that begins at `at`. */
void attn_superblock_store(const superblock *b, const weight_type *t, int32_t form, uint8_t *at,
                           int32_t r);
void attn_superblock_load(superblock *b, const weight_type *t, int32_t form, const uint8_t *at,
                          int32_t r);

#endif
