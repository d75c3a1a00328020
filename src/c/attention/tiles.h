/*
 * The tiles of float32 attention, of up to ROWS query rows: scores of a panel of keys, and sums of
 * a block of values. The sizes: tuning.md#span-sizes.
 *
 * Scores: keys lie in key panels of eight, transposed. Lanes run along the keys, and each score is
 * a sum over the channels, in chains that meet as a tree. Output: lanes run along the channels, and
 * each is a sum over the keys, in chains that are added in order. So the bits of a row do not
 * depend on how many rows are done together, and no horizontal sum is needed.
 *
 * ROWS × 2 vectors of sums hide the latency of a multiply-add, and fit into the registers that V8
 * leaves (tuning.md#query-rows).
 */
#ifndef ATTENTION_TILES_H
#define ATTENTION_TILES_H

#include "base/half.h"
#include "base/sizes.h"

enum {
  ROWS = V_ROWS, /* query rows done together, or fewer */
  STRIP = 8,     /* channels in a strip of packed values */
  SPAN = 512,    /* keys scored and weighted at once, a multiple of BLOCK */
  /* from row to row; at a power of two all rows would share lines of the processor's cache */
  SCORE_STRIDE = SPAN + 16,
  BLOCK = 128, /* keys whose values lie together and are summed together */
  /* Terms in one chain of additions: a longer sum adds up chains, so its error is near a tree's. */
  CHANNEL_CHAIN = 8,
  FINE_CHAIN = 4, /* of channels beside a sink: the errors that all logits share do not cancel */
  KEY_CHAIN = 16,
  TREE = 8, /* levels: the widest head has 256 chains beside a sink */
};
_Static_assert(MAX_DIM <= FINE_CHAIN << TREE, "a tree of TREE levels holds 2^TREE chains");

/* Keys in whole panels. */
INLINE size_t whole_panels(size_t keys) { return (keys + PANEL - 1) & ~(size_t)(PANEL - 1); }

/* Channels in whole strips. */
INLINE size_t whole_strips(size_t size) { return (size + STRIP - 1) / STRIP * STRIP; }

/* How many of `rows` rows the block of row j has: `block` of them, or the remaining ones. */
INLINE size_t strip_rows(size_t block, size_t rows, size_t j)
{
  size_t remaining = rows - j / block * block;
  return remaining < block ? remaining : block;
}

/*
 * Eight keys or values: floats or, if `is_f16`, finite float16 without HALF_SCALE. Queries and
 * weights have that factor instead, which changes no bit of a product. Of eight halves the even
 * ones come first, then the odd ones; put_in_order reorders their sums.
 */
INLINE void load_eight(const int is_f16, f32x4 y[2], const char *p)
{
  if (is_f16) {
    v_halves_apart(y, (i16x8)v_load_i(p));
    return;
  }
  const float *floats = (const void *)p;
  y[0] = v_load(floats);
  y[1] = v_load(floats + 4);
}

INLINE size_t bytes_of_eight(const int is_f16) { return is_f16 ? 16 : 32; }

INLINE void put_in_order(f32x4 y[2])
{
  f32x4 even = y[0];
  f32x4 odd = y[1];
  y[0] = __builtin_shufflevector(even, odd, 0, 4, 1, 5);
  y[1] = __builtin_shufflevector(even, odd, 2, 6, 3, 7);
}

/*
 * sums[p·rows + r] += q_r·k of one channel of each panel p. Each `panel` moves on to its next
 * channel. The first product of a chain replaces the sum. Each number of a query stands four times
 * side by side, because JavaScriptCore spreads a number slowly (tuning.md#queries-four-times).
 */
INLINE void add_channel(const int rows, const int is_f16, const int panels, const int first,
                        f32x4 sums[ROWS][2], const float *queries, const char **panel)
{
  for (int p = 0; p < panels; p++) {
    f32x4 k[2];
    load_eight(is_f16, k, panel[p]);
    panel[p] += bytes_of_eight(is_f16);
    for (int r = 0; r < rows; r++) {
      f32x4 q = v_load(queries + 4 * r);
      f32x4 *sum = sums[p * rows + r];
      for (int l = 0; l < 2; l++)
        sum[l] = first ? q * k[l] : v_madd(q, k[l], sum[l]);
    }
  }
}

INLINE void add_sums(const int count, f32x4 sums[ROWS][2], f32x4 (*others)[2])
{
  for (int r = 0; r < count; r++)
    for (int l = 0; l < 2; l++)
      sums[r][l] = others[r][l] + sums[r][l];
}

/*
 * One tile: scores[p][r][0..8) = ⟨q_r, k_j⟩ for the eight keys of each panel. A single row
 * reads several panels at the same time, from places far apart. With `is_f16`, keys are float16.
 *
 * Sums of chains meet as in a binary counter: level l of the tree holds the sum of 2^l chains. So a
 * product passes through at most chain + log2(dim/chain) additions.
 */
INLINE void panel_scores(const int rows, const int is_f16, const int panels, int chain,
                         float *const *scores, /* (panels) of (rows, SCORE_STRIDE) */
                         const float *queries, /* (dim, rows, 4) */
                         const char **panel,   /* (panels) of (dim, PANEL); moved to their ends */
                         int32_t dim)
{
  const int count = rows * panels;
  const size_t step = bytes_of_eight(is_f16);
  const ptrdiff_t whole = chain * (ptrdiff_t)step;
  f32x4 tree[TREE * ROWS][2];
  const char *end = panel[0] + (size_t)dim * step;
  for (uint32_t done = 0; panel[0] != end; done++) {
    const char *stop = end - panel[0] < whole ? end : panel[0] + whole;
    f32x4 sum[ROWS][2];
    add_channel(rows, is_f16, panels, 1, sum, queries, panel);
    queries += 4 * rows;
    for (; panel[0] != stop; queries += 4 * rows)
      add_channel(rows, is_f16, panels, 0, sum, queries, panel);
    f32x4(*level)[2] = tree;
    /*
     * `full` has a bit for each level that is added. That is the run of full levels from level 0
     * on, as in a carry. At the end it is every full level, also above an empty one.
     */
    const int more = panel[0] != end;
    for (uint32_t full = more ? done & ~(done + 1) : done; full; full >>= 1, level += count)
      if (full & 1)
        add_sums(count, sum, level);
    if (more) {
      for (int r = 0; r < count; r++)
        for (int l = 0; l < 2; l++)
          level[r][l] = sum[r][l];
      continue;
    }
    for (int p = 0; p < panels; p++)
      for (int r = 0; r < rows; r++)
        for (int l = 0; l < 2; l++)
          v_store(scores[p] + r * SCORE_STRIDE + 4 * l, sum[p * rows + r][l]);
  }
}

/*
 * One or two rows read values at two places at the same time, other rows at one. The places are two
 * strips of one block, or the same strip of two blocks. From one to the next: v in bytes, w and
 * sums in floats.
 */
typedef struct {
  size_t v;
  size_t w;
  size_t sums;
} place_steps;

/* sums[r] += w_r·v of one key at each place; the first of a chain replaces the sum. */
INLINE void add_key(const int rows, const int is_f16, const int count, const int first,
                    f32x4 sums[ROWS][2 * STREAMS], const float *w, const char *v,
                    const place_steps *next)
{
  for (int p = 0; p < count; p++, w += next->w, v += next->v) {
    f32x4 value[2];
    load_eight(is_f16, value, v);
    for (int r = 0; r < rows; r++) {
      f32x4 weight = v_splat(w[r * SCORE_STRIDE]);
      for (int l = 0; l < 2; l++) {
        f32x4 *sum = &sums[r][2 * p + l];
        *sum = first ? weight * value[l] : v_madd(weight, value[l], *sum);
      }
    }
  }
}

/*
 * The other tile: sums[r] = Σ_j w_rj v_j over the keys [from, to) of a block, for a strip of
 * channels at `count` places. Chains begin at fixed positions of the block, wherever `from` is.
 */
INLINE void block_values(const int rows, const int is_f16, const int count, float *sums,
                         size_t width,               /* (rows, width) */
                         const float *w,             /* (rows, SCORE_STRIDE), at key `from` */
                         const char *v, size_t step, /* at key `from`, and bytes to the next key */
                         const place_steps *next, int32_t from, int32_t to)
{
  for (int32_t start = from; start < to;) {
    int32_t end =
        (start / KEY_CHAIN + 1) * KEY_CHAIN < to ? (start / KEY_CHAIN + 1) * KEY_CHAIN : to;
    f32x4 sum[ROWS][2 * STREAMS];
    add_key(rows, is_f16, count, 1, sum, w, v, next);
    w++;
    v += step;
    for (int32_t j = start + 1; j < end; j++, w++, v += step)
      add_key(rows, is_f16, count, 0, sum, w, v, next);
    /* all loads before any store, because all places may be the same */
    if (start != from)
      for (int r = 0; r < rows; r++)
        for (int p = 0; p < count; p++)
          for (int l = 0; l < 2; l++)
            sum[r][2 * p + l] =
                v_load(sums + (size_t)r * width + p * next->sums + 4 * l) + sum[r][2 * p + l];
    for (int r = 0; r < rows; r++)
      for (int p = 0; p < count; p++)
        for (int l = 0; l < 2; l++)
          v_store(sums + (size_t)r * width + p * next->sums + 4 * l, sum[r][2 * p + l]);
    start = end;
  }
}

#endif
