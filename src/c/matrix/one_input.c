/* One input by the panels of a matrix. */
#include "one_input.h"
#include "lanes.h"

void attn_multiply_one_input(float *out, const attn_matrix *w, const void *x, float offset,
                             one_input_kernel *kernel, int32_t streams, int32_t first_row,
                             int32_t end_row)
{
  float y[STREAMS * PANEL];
  int32_t from = first_row / PANEL;
  int32_t to = (end_row + PANEL - 1) / PANEL;
  int32_t length = (to - from + streams - 1) / streams;
  one_input_task a = {
      .y = y, .x = x, .columns = w->columns, .t = attn_weight_type(w->type), .offset = offset};
  for (int32_t first = from; first < from + length; first++) {
    for (int32_t s = 0; s < streams; s++) /* a stream that has ended repeats the first */
      a.panel[s] = row_panel(w, first + s * length < to ? first + s * length : first);
    kernel(&a);
    int32_t panel = first;
    for (int32_t s = 0; s < streams && panel < to; s++, panel += length)
      move_lanes(out + (size_t)panel * PANEL, 0, y + PANEL * s, 0, 1,
                 lanes_of(panel, first_row, end_row));
  }
}
