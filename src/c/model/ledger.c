/* The parts of a logit that need products: those of heads, and the inputs of the last product. */
#include "setup.h"
#include "base/arena.h"
#include "layers.h"

/* The columns of a layer's W_o that hold a head: whole blocks, so some may be its neighbours'. */
typedef struct {
  int32_t first;
  int32_t end;
} columns_of_head;

static columns_of_head columns_of(const attn_decoder *d, int32_t layer, int32_t head)
{
  const int32_t block = attn_weight_type_block(attn_matrix_type(d->layer[layer].o));
  const int32_t first = head * d->head_dim;
  const int32_t end = first + d->head_dim;
  return (columns_of_head){first / block * block, (end + block - 1) / block * block};
}

typedef struct {
  double *all;      /* (dim): the sum over heads */
  float *a;         /* a head's channels in its columns, zero elsewhere */
  int32_t *columns; /* (heads, 2) */
  uint8_t *inputs;  /* (heads, stride): the same, prepared */
  size_t stride;
} ledger_memory;

static arena lay_out(void *memory, ledger_memory *m, const attn_decoder *d)
{
  arena a = {.base = memory};
  int32_t max_columns = 0;
  m->stride = 0;
  for (int32_t l = 0; l < d->layers; l++)
    for (int32_t h = 0; h < d->heads; h++) {
      const columns_of_head c = columns_of(d, l, h);
      const int32_t count = c.end - c.first;
      const int32_t type = attn_matrix_type(d->layer[l].o);
      const size_t bytes = (attn_multiply_prepared_bytes(type, 1, count) + 15) & ~(size_t)15;
      max_columns = count > max_columns ? count : max_columns;
      m->stride = bytes > m->stride ? bytes : m->stride;
    }
  m->all = arena_allocate(&a, (uint64_t)d->dim, sizeof *m->all);
  m->a = arena_allocate(&a, (uint64_t)max_columns, sizeof *m->a);
  m->columns = arena_allocate(&a, 2 * (uint64_t)d->heads, sizeof *m->columns);
  m->inputs = arena_allocate(&a, (uint64_t)d->heads * m->stride, 1);
  return a;
}

size_t attn_decoder_head_parts_bytes(const attn_decoder *d)
{
  ledger_memory m;
  const arena a = lay_out(NULL, &m, d);
  return arena_bytes(&a);
}

/* The channels of one head, as an input of its columns, with the scales of all of them. */
static void prepare_head(const ledger_memory *m, const attn_decoder *d, const float *z,
                         int32_t layer, int32_t head)
{
  const columns_of_head c = columns_of(d, layer, head);
  const int32_t count = c.end - c.first;
  const int32_t first = head * d->head_dim;
  const int32_t end = first + d->head_dim;
  for (int32_t k = c.first; k < c.end; k++)
    m->a[k - c.first] = k >= first && k < end ? z[k] : 0;
  m->columns[2 * head] = c.first;
  m->columns[2 * head + 1] = count;
  attn_multiply_prepare_part(m->inputs + (size_t)head * m->stride, m->a, z + c.first, count,
                             attn_matrix_type(d->layer[layer].o));
}

void attn_decoder_head_parts(const attn_decoder *d, const float *u, const float *z, double *parts,
                             double *squares, void *memory)
{
  ledger_memory m;
  lay_out(memory, &m, d);
  for (int32_t l = 0; l < d->layers; l++, u += d->dim, z += d->heads * d->head_dim) {
    const decoder_layer *layer = &d->layer[l];
    double *all = layer->attn_post_norm ? m.all : NULL;
    double square = 0;
    for (int32_t r = 0; all && r < d->dim; r++)
      all[r] = layer->o_bias ? (double)layer->o_bias[r] : 0;
    for (int32_t h = 0; h < d->heads; h++) {
      prepare_head(&m, d, z, l, h);
      parts[h] = 0;
    }
    attn_multiply_parts(parts, all, layer->o, u, m.inputs, m.stride, m.columns, d->heads);
    for (int32_t r = 0; all && r < d->dim; r++)
      square += all[r] * all[r];
    *squares++ = square / d->dim;
    parts += d->heads;
  }
}

typedef struct {
  float *h; /* (dim): the result of the last norm */
  void *prepared;
} last_inputs;

static arena lay_out_inputs(void *memory, last_inputs *m, const attn_decoder *d)
{
  arena a = {.base = memory};
  const int32_t type = attn_matrix_type(d->output);
  m->h = arena_allocate(&a, (uint64_t)d->dim, sizeof *m->h);
  m->prepared = arena_allocate(&a, attn_multiply_prepared_bytes(type, 1, d->dim), 1);
  return a;
}

size_t attn_decoder_last_inputs_bytes(const attn_decoder *d)
{
  last_inputs m;
  const arena a = lay_out_inputs(NULL, &m, d);
  return arena_bytes(&a);
}

void attn_decoder_last_inputs(const attn_decoder *d, const float *x, float *inputs, void *memory)
{
  last_inputs m;
  lay_out_inputs(memory, &m, d);
  const size_t dim = (size_t)d->dim;
  const int32_t type = attn_matrix_type(d->output);
  attn_rms_norm(m.h, dim, x, dim, 1, d->dim, d->norm, 0, d->eps);
  attn_multiply_prepare(m.prepared, m.h, 0, 1, d->dim, type);
  attn_multiply_prepared_numbers(inputs, m.prepared, d->dim, type);
}
