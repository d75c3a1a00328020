/*
 * A type of weights: how a file stores it, how a panel stores it, and the kernels that multiply it.
 */
#ifndef WEIGHT_TYPE_H
#define WEIGHT_TYPE_H

#include "weights.h"

enum {
  BLOCK32 = 32,     /* columns whose dot product is one integer; inputs have one scale for them */
  SUPERBLOCK = 256, /* columns of a block of the K types */
};

/*
 * One row of a superblock, the same for all types and layouts. A superblock has the columns of one
 * block of the file: 256 with the K types, else 32. Weight c of block32 p is d·s·(q − offset). If
 * the type has a minimum, it is d·q + m, or d·s·q − m·t with SCALES_AND_MINS.
 */
typedef struct {
  uint16_t d;
  uint16_t m;            /* float16 */
  uint8_t s[16];         /* of each block32; HALF_SCALES: of each half of one, signed */
  uint8_t t[8];          /* of each block32 */
  uint8_t q[SUPERBLOCK]; /* with Q8_0 the number in the file plus 128 */
} superblock;

/* The scales of a block32 beside those of its superblock: in a panel, 16 bytes for 8 rows. */
enum {
  NO_SUB_SCALES,
  SCALES_AND_MINS, /* s and t */
  HALF_SCALES,     /* an s for each half */
};

/*
 * Types that share their kernels, by the bits of a quant. _MIN: with an m. _K: with sub-scales. The
 * tables of kernels.h have a row for each.
 */
enum { Q4, Q4_MIN, Q4_K, Q5, Q5_MIN, Q5_K, Q6_K, Q8, FAMILIES };

typedef struct {
  const char *name; /* as in GGUF */
  /* in a file */
  int16_t block_weights;
  int16_t block_bytes;
  void (*read)(superblock *to, const void *block); /* NULL: the weights are floats */
  /* in a panel */
  uint8_t bits;       /* of a quant; 0: the weights are floats */
  uint8_t offset;     /* to subtract from a quant */
  uint8_t has_min;    /* whether a superblock has an m */
  uint8_t sub_scales; /* NO_SUB_SCALES, … */
  uint8_t family;     /* Q4, …, of quantised types */
} weight_type;

#endif
