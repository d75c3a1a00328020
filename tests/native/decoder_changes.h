/*
 * A pass whose arrays are changed and recorded, by CASE_THREADS threads, with every array in memory
 * of exactly its size; then a pass that begins in the middle, and the parts of heads.
 *
 * The stream, behind the tensors: the number of tokens n, and the tokens. Then the number of edits.
 * For each: int32 layer, point, kind, first row, rows, first column, columns, stride and numbers;
 * the gain, a double; its numbers, float32. Then the number of masks, for each its layer, heads,
 * and numbers (heads, n, n). Then the number of segments and their edges, and a vector u (dim).
 *
 * The answer: the logits of the last token; of each point but q, in order, its rows in all layers;
 * the weights (layers, heads, n, n); the sums (layers, heads, n, segments); the parts of heads in
 * the direction u (layers, heads) and the squares (layers), both double.
 */
#ifndef DECODER_CHANGES_H
#define DECODER_CHANGES_H

#include "decoder.h"
#include "helpers.h"
#include "stream.h"

/* Runs a whole pass. Returns whether no thread was lost: on a busy machine one may seem to be. */
static int run_together(attn_pass *p, attn_team *team)
{
  helpers_of_team helpers;
  begin_helpers(&helpers, team);
  attn_pass_run(p, team, attn_pass_remaining(p));
  end_helpers(&helpers);
  return !attn_team_lost(team);
}

typedef struct {
  int32_t layer;
  int32_t point;
  int32_t kind;
  int32_t first_row;
  int32_t rows;
  int32_t first_column;
  int32_t columns;
  int32_t stride;
  int32_t numbers;
} change_sizes;

typedef struct {
  change_sizes sizes;
  double gain;
  float *data;
} change;

typedef struct {
  int32_t layer;
  int32_t heads;
  float *numbers; /* (heads, n, n) */
} mask;

typedef struct {
  int32_t n;
  int32_t change_count;
  int32_t mask_count;
  int32_t segment_count;
  int32_t *tokens;
  int32_t *edges;
  change *changes;
  mask *masks;
  float *u; /* (dim) */
} changes;

static int32_t read_count(void)
{
  int32_t count;
  read_bytes(&count, sizeof count);
  return count;
}

static changes read_changes(int32_t dim)
{
  changes all = {.n = read_count()};
  const size_t n = (size_t)all.n;
  all.tokens = read_fresh(n * sizeof(int32_t));
  all.change_count = read_count();
  all.changes = fresh((size_t)all.change_count * sizeof *all.changes);
  for (change *e = all.changes; e < all.changes + all.change_count; e++) {
    read_bytes(&e->sizes, sizeof e->sizes);
    read_bytes(&e->gain, sizeof e->gain);
    e->data = read_fresh((size_t)e->sizes.numbers * sizeof(float));
  }
  all.mask_count = read_count();
  all.masks = fresh((size_t)all.mask_count * sizeof *all.masks);
  for (mask *m = all.masks; m < all.masks + all.mask_count; m++) {
    m->layer = read_count();
    m->heads = read_count();
    m->numbers = read_fresh((size_t)m->heads * n * n * sizeof(float));
  }
  all.segment_count = read_count();
  all.edges = read_fresh((size_t)(all.segment_count + 1) * sizeof(int32_t));
  all.u = read_fresh((size_t)dim * sizeof(float));
  return all;
}

static void add_change(attn_pass *p, const change *e)
{
  const change_sizes *s = &e->sizes;
  attn_edit *edit = fresh(attn_edit_bytes());
  check(!attn_pass_add_edit(p, edit, s->layer, s->point, s->kind), "add_edit");
  attn_edit_set_rows(edit, s->first_row, s->rows);
  check(!attn_edit_set_columns(edit, s->first_column, s->columns), "set_columns");
  if (s->numbers)
    attn_edit_set_data(edit, e->data, s->stride);
  attn_edit_set_gain(edit, e->gain);
}

/* Records a point of a layer, width numbers a token. */
static float *record(attn_pass *p, int32_t n, int32_t layer, int32_t point, int32_t width)
{
  float *data = fresh((size_t)n * (size_t)width * sizeof(float));
  attn_edit *edit = fresh(attn_edit_bytes());
  check(!attn_pass_add_edit(p, edit, layer, point, ATTN_EDIT_RECORD), "add_edit");
  attn_edit_set_data(edit, data, width);
  return data;
}

#endif
