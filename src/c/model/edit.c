#include "edit.h"

/* The array of a point. */
static float *array_at(const attn_pass *p, int32_t point)
{
  switch (point) {
  case ATTN_AT_Q:
    return p->q;
  case ATTN_AT_Z:
    return p->a;
  case ATTN_AT_ATTN_OUT:
  case ATTN_AT_MLP_OUT:
    return p->y;
  default:
    return p->x;
  }
}

/* The length of a row of that array. */
static int32_t columns_at(const attn_decoder *d, int32_t point)
{
  return point == ATTN_AT_Q || point == ATTN_AT_Z ? d->heads * d->head_dim : d->dim;
}

size_t attn_edit_bytes(void) { return sizeof(attn_edit); }

/* Makes an edit of `rows` rows and all columns, the last of its list. */
static void append(attn_edit **list, attn_edit *edit, const attn_decoder *d, int32_t point,
                   int32_t kind, int32_t rows)
{
  *edit = (attn_edit){.d = d,
                      .point = point,
                      .kind = kind,
                      .rows = rows,
                      .columns = columns_at(d, point),
                      .gain = 1};
  while (*list)
    list = &(*list)->next;
  *list = edit;
}

static int is_edit(const attn_decoder *d, int32_t layer, int32_t point, int32_t kind)
{
  return layer >= 0 && layer < d->layers && point >= 0 && point <= ATTN_AT_RESID_POST &&
         kind >= 0 && kind <= ATTN_EDIT_REPLACE;
}

int32_t attn_pass_add_edit(attn_pass *p, attn_edit *edit, int32_t layer, int32_t point,
                           int32_t kind)
{
  if (!is_edit(p->d, layer, point, kind))
    return ATTN_E_RANGE;
  append(&p->request[layer].edits, edit, p->d, point, kind, p->t);
  return ATTN_OK;
}

int32_t attn_decoder_add_edit(attn_decoder *d, attn_edit *edit, int32_t layer, int32_t point,
                              int32_t kind)
{
  if (!is_edit(d, layer, point, kind))
    return ATTN_E_RANGE;
  append(&d->layer[layer].edits, edit, d, point, kind, INT32_MAX);
  return ATTN_OK;
}

void attn_decoder_clear_edits(attn_decoder *d)
{
  for (int32_t l = 0; l < d->layers; l++)
    d->layer[l].edits = NULL;
}

void attn_edit_set_rows(attn_edit *edit, int32_t first, int32_t count)
{
  edit->first_row = first;
  edit->rows = count;
}

int32_t attn_edit_set_columns(attn_edit *edit, int32_t first, int32_t count)
{
  if (first < 0 || count < 0 || count > columns_at(edit->d, edit->point) - first)
    return ATTN_E_RANGE;
  edit->first_column = first;
  edit->columns = count;
  return ATTN_OK;
}

void attn_edit_set_data(attn_edit *edit, float *data, int32_t stride)
{
  edit->data = data;
  edit->stride = (size_t)stride;
}

void attn_edit_set_gain(attn_edit *edit, double gain) { edit->gain = gain; }

/* One row of an edit: y and data (count). */
static void edit_row(int32_t kind, float *y, float *data, int32_t count, double gain)
{
  const size_t bytes = (size_t)count * sizeof *y;
  switch (kind) {
  case ATTN_EDIT_RECORD:
    __builtin_memcpy(data, y, bytes);
    break;
  case ATTN_EDIT_SCALE:
    for (int32_t c = 0; c < count; c++)
      y[c] = gain == 0 ? 0 : (float)(gain * (double)y[c]);
    break;
  case ATTN_EDIT_ADD:
    for (int32_t c = 0; c < count; c++)
      y[c] = (float)((double)y[c] + gain * (double)data[c]);
    break;
  default:
    __builtin_memcpy(y, data, bytes);
  }
}

/* Those of a list at a point, for some rows, where row 0 of an edit is row −first of the pass. */
static void edit_rows(const attn_pass *p, const attn_edit *list, int32_t point, row_range rows,
                      int32_t first)
{
  const size_t columns = (size_t)columns_at(p->d, point);
  for (const attn_edit *e = list; e; e = e->next) {
    if (e->point != point)
      continue;
    const int32_t begin = e->first_row - first;
    const int32_t end = rows.end - begin < e->rows ? rows.end : begin + e->rows;
    for (int32_t i = begin > rows.first ? begin : rows.first; i < end; i++) {
      float *y = array_at(p, point) + (size_t)i * columns + (size_t)e->first_column;
      float *data = e->data ? e->data + (size_t)(i - begin) * e->stride : NULL;
      edit_row(e->kind, y, data, e->columns, e->gain);
    }
  }
}

void attn_pass_edit(const attn_pass *p, int32_t layer, int32_t point, row_range rows)
{
  /* an x that was given has these edits already */
  if (layer != p->given || point != ATTN_AT_RESID_PRE)
    edit_rows(p, p->d->layer[layer].edits, point, rows, p->position);
  edit_rows(p, p->request[layer].edits, point, rows, 0);
}
