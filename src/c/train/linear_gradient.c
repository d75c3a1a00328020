/* Linear layers and their gradients, as products of matrices that lie as they are. */
#include "gradients.h"
#include "products.h"

/* x (rows, size), summed along its rows or across them. */
static product_operand along(const float *x, int32_t size)
{
  return (product_operand){x, (size_t)size, 1};
}
static product_operand across(const float *x, int32_t size)
{
  return (product_operand){x, 1, (size_t)size};
}

size_t attn_linear_scratch_bytes(void) { return attn_train_product_bytes(); }

void attn_linear(attn_team *team, float *y, const float *start, const float *x, const float *w,
                 int32_t rows, int32_t inputs, int32_t outputs)
{
  const train_product p = {y, start, along(x, inputs), along(w, inputs), rows, outputs, inputs};
  attn_train_multiply(team, &p);
}

void attn_linear_input_gradient(attn_team *team, float *dx, const float *start, const float *dy,
                                const float *w, int32_t rows, int32_t inputs, int32_t outputs)
{
  const train_product p = {dx, start, along(dy, outputs), across(w, inputs), rows, inputs, outputs};
  attn_train_multiply(team, &p);
}

void attn_linear_weight_gradient(attn_team *team, float *dw, const float *dy, const float *x,
                                 int32_t rows, int32_t inputs, int32_t outputs)
{
  const train_product p = {dw, dw, across(dy, outputs), across(x, inputs), outputs, inputs, rows};
  attn_train_multiply(team, &p);
}
