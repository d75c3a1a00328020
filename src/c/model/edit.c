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
static int32_t columns_at(const attn_pass *p, int32_t point)
{
  return point == ATTN_AT_Q || point == ATTN_AT_Z ? p->d->heads * p->d->head_dim : p->d->dim;
}

size_t attn_edit_bytes(void) { return sizeof(attn_edit); }

int32_t attn_pass_add_edit(attn_pass *p, attn_edit *edit, int32_t layer, int32_t point,
                           int32_t kind)
{
  if (layer < 0 || layer >= p->d->layers || point < 0 || point > ATTN_AT_RESID_POST || kind < 0 ||
      kind > ATTN_EDIT_REPLACE)
    return ATTN_E_RANGE;
  *edit = (attn_edit){.p = p,
                      .point = point,
                      .kind = kind,
                      .rows = p->t,
                      .columns = columns_at(p, point),
                      .gain = 1};
  attn_edit **last = &p->request[layer].edits;
  while (*last)
    last = &(*last)->next;
  *last = edit;
  return ATTN_OK;
}

void attn_edit_set_rows(attn_edit *edit, int32_t first, int32_t count)
{
  edit->first_row = first;
  edit->rows = count;
}

int32_t attn_edit_set_columns(attn_edit *edit, int32_t first, int32_t count)
{
  if (first < 0 || count < 0 || count > columns_at(edit->p, edit->point) - first)
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

void attn_pass_edit(const attn_pass *p, int32_t layer, int32_t point, row_range rows)
{
  const size_t columns = (size_t)columns_at(p, point);
  for (const attn_edit *e = p->request[layer].edits; e; e = e->next) {
    const int32_t end = e->first_row + e->rows < rows.end ? e->first_row + e->rows : rows.end;
    if (e->point != point)
      continue;
    for (int32_t i = e->first_row > rows.first ? e->first_row : rows.first; i < end; i++) {
      float *y = array_at(p, point) + (size_t)i * columns + (size_t)e->first_column;
      float *data = e->data ? e->data + (size_t)(i - e->first_row) * e->stride : NULL;
      edit_row(e->kind, y, data, e->columns, e->gain);
    }
  }
}
