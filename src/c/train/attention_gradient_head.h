/*
 * The gradient of float32 attention in tiles, after FlashAttention-2 (Dao, arXiv 2307.08691).
 *
 * How a kv head goes through them, for each block of QUERIES query rows of each of its heads:
 *   attn_gradient_begin_rows     attention_gradient_limits.c: whether tiles can take the rows
 *   attn_gradient_pack_queries   attention_gradient_pack.c: the rows, in groups and in strips
 *   for each block of KEYS keys that a row of the block sees:
 *     pair_products              attention_gradient_tiles.c: Q·Kᵀ and dO·Vᵀ, into two tiles
 *     attn_gradient_weigh        attention_gradient_weigh.c: the tiles become p and the factors
 *     add_to_queries             dq += factors·K
 *     add_to_keys                dv += pᵀ·dO and dk += factorsᵀ·Q
 *   rows in double               those whose numbers leave the floats
 *
 * The order of every sum is that of blocks, heads and positions. Tiles in which nothing is attended
 * are passed over.
 */
#ifndef ATTENTION_GRADIENT_HEAD_H
#define ATTENTION_GRADIENT_HEAD_H

#include "attention/tiles.h"
#include "attention_gradient_row.h"

enum {
  /* of a block; multiples of ROWS, which is 5 or 6. tuning.md#gradient-blocks */
  KEYS = 120,
  QUERIES = 60,
  LINE = KEYS + 16, /* from row to row of a tile; no power of two, as SCORE_STRIDE */
  GROUPS = QUERIES / ROWS,
};
_Static_assert(KEYS % PANEL == 0 && KEYS % ROWS == 0 && QUERIES % ROWS == 0,
               "blocks have whole panels and groups");

/* A query row in tiles. */
typedef struct {
  row_view view;   /* empty if the row is done in double */
  float minus_lse; /* of all logits, with that of the sink */
  float mean;      /* D */
  int in_double;
} tile_row;

/* Keys [from, to) of a block, multiples of PANEL. */
typedef struct {
  int32_t from;
  int32_t to;
} key_range;

/* One kv head, as one thread works on it. */
typedef struct {
  const gradient_call *call;
  const attn_params *p;
  int32_t b;
  int32_t kv_head;
  head_sums *sums; /* (batch, heads), shared */
  size_t width;
  size_t value_width; /* dim and value_dim in whole strips */

  /* scratch: the keys and values of the kv head. Those that are not finite count as 0. */
  float *key_panels;   /* (blocks, KEYS/PANEL, dim, PANEL) */
  float *value_panels; /* (blocks, KEYS/PANEL, value_dim, PANEL) */
  float *key_strips;   /* (blocks, width/STRIP, KEYS, STRIP) */
  float *dk;           /* the same, sums */
  float *dv;           /* (blocks, value_width/STRIP, KEYS, STRIP), sums */
  int32_t *not_finite; /* (n): positions of keys that are not finite, */
  int32_t not_finite_count;
  float max_key;
  float max_value;   /* the largest finite channels, */
  double max_factor; /* and the largest |scale·keyScale|, at least |scale| */

  /* scratch: a block of query rows of head h */
  int32_t h;
  int32_t first;
  int32_t count;
  float *query_groups; /* (GROUPS, dim, ROWS) */
  float *d_out_groups; /* (GROUPS, value_dim, ROWS) */
  float *query_strips; /* (width/STRIP, QUERIES, STRIP) */
  float *d_out_strips; /* (value_width/STRIP, QUERIES, STRIP) */
  float *dq;           /* (width/STRIP, QUERIES, STRIP), sums */
  tile_row *rows;      /* (QUERIES) */
  float *weights;      /* (QUERIES, LINE): scores, then p */
  float *factors;      /* (QUERIES, LINE): dP, then scale·keyScale·dR */

  row_gradient in_double; /* its scratch, and the places of the sums */
} gradient_tiles;

/* ---- attention_gradient_limits.c */

/*
 * The largest |x| of each row; infinite or NaN if some number is. The rows are read one right after
 * the other, because each is a miss of the cache: tuning.md#gradient-rows
 */
void attn_gradient_largest(float *to, const float *x, size_t step, int32_t count, int32_t size);

/*
 * Notes key j. `key` and `value` are the largest |x| of its channels and of its value's. Returns 0
 * if one of them is not finite.
 */
int attn_gradient_note_key(gradient_tiles *t, int32_t j, float key, float value);

/* Sets the rows of the block. */
void attn_gradient_begin_rows(gradient_tiles *t);

/* ---- attention_gradient_pack.c */

/* The keys and values of kv head t->kv_head of batch t->b; clears their gradients. */
void attn_gradient_pack_keys(gradient_tiles *t);

/* The rows [first, first + count) of head h; clears their gradients. */
void attn_gradient_pack_queries(gradient_tiles *t, int32_t h, int32_t first, int32_t count);

/* Writes the rows of dq, but those in double. */
void attn_gradient_write_queries(const gradient_tiles *t);

/* Writes dk and dv of the keys [from, to) from sums of `parts` parts, each `part_size` on. */
void attn_gradient_write_keys(const gradient_tiles *t, int32_t from, int32_t to, int32_t parts,
                              size_t part_size);

/* Adds the gradients of a row in double to those of its keys and values. */
void attn_gradient_add_row(gradient_tiles *t);

/* ---- attention_gradient_weigh.c */

/*
 * Row x of the tiles of the block that begins at key `start`: scores and dP become weights and
 * factors in the range, and 0 elsewhere.
 */
void attn_gradient_weigh(gradient_tiles *t, int32_t x, int32_t start, key_range range);

/* ---- attention_gradient_tiles.c */

/* Bytes of the scratch of a thread; lays it out from `base`, unless it is NULL. */
size_t attn_gradient_place_tiles(gradient_tiles *t, const attn_gradient *g, void *base);

/* Floats of dk and dv of a kv head, in strips. */
size_t attn_gradient_sums_of_head(const attn_params *p);

/* Places dk and dv of a part of the kv head in the memory that threads share. */
void attn_gradient_place_sums(gradient_tiles *t, int32_t part);

/* Every `parts`th block of query rows of the kv head from block `part` on. */
void attn_gradient_kv_head(gradient_tiles *t, int32_t part, int32_t parts);

/* ---- attention_gradient_f64.c */

/* All rows of a kv head of a call in float64, and its dk and dv. */
void attn_gradient_kv_head_f64(row_gradient *r, const gradient_call *call, int32_t b,
                               int32_t kv_head);

#endif
