/* The parts that heads have in a logit. */
#include "setup.h"
#include "base/arena.h"

/* The columns of a layer's W_o that hold a head: whole blocks, so some may be its neighbours'. */
typedef struct {
  int32_t first, end;
} columns_of_head;

static columns_of_head columns_of(const attn_decoder *d, int32_t layer, int32_t head)
{
  const int32_t block = attn_weight_type_block(attn_matrix_type(d->layer[layer].o));
  const int32_t first = head * d->head_dim, end = first + d->head_dim;
  return (columns_of_head){first / block * block, (end + block - 1) / block * block};
}

typedef struct {
  float *y;       /* (dim) */
  double *all;    /* (dim): the sum over heads */
  float *a;       /* the head's channels in its columns, zero elsewhere */
  void *prepared; /* the same */
} ledger_memory;

static arena lay_out(void *memory, ledger_memory *m, const attn_decoder *d)
{
  arena a = {.base = memory};
  int32_t columns = 0;
  size_t prepared = 0;
  for (int32_t l = 0; l < d->layers; l++)
    for (int32_t h = 0; h < d->heads; h++) {
      const columns_of_head c = columns_of(d, l, h);
      const int32_t count = c.end - c.first, type = attn_matrix_type(d->layer[l].o);
      const size_t bytes = attn_multiply_prepared_bytes(type, 1, count);
      columns = count > columns ? count : columns;
      prepared = bytes > prepared ? bytes : prepared;
    }
  m->y = arena_allocate(&a, (uint64_t)d->dim, sizeof *m->y);
  m->all = arena_allocate(&a, (uint64_t)d->dim, sizeof *m->all);
  m->a = arena_allocate(&a, (uint64_t)columns, sizeof *m->a);
  m->prepared = arena_allocate(&a, prepared, 1);
  return a;
}

size_t attn_decoder_head_parts_bytes(const attn_decoder *d)
{
  ledger_memory m;
  const arena a = lay_out(NULL, &m, d);
  return arena_bytes(&a);
}

/* y = W_o z_h, for the channels z_h of one head. */
static void multiply_head(const ledger_memory *m, const attn_decoder *d, const float *z,
                          int32_t layer, int32_t head)
{
  const attn_matrix *o = d->layer[layer].o;
  const columns_of_head c = columns_of(d, layer, head);
  const int32_t count = c.end - c.first, first = head * d->head_dim, end = first + d->head_dim;
  for (int32_t k = c.first; k < c.end; k++)
    m->a[k - c.first] = k >= first && k < end ? z[k] : 0;
  attn_multiply_prepare(m->prepared, m->a, 0, 1, count, attn_matrix_type(o));
  attn_multiply_columns(m->y, o, m->prepared, c.first, count);
}

void attn_decoder_head_parts(const attn_decoder *d, const float *u, const float *z, double *parts,
                             double *squares, void *memory)
{
  ledger_memory m;
  lay_out(memory, &m, d);
  for (int32_t l = 0; l < d->layers; l++, u += d->dim, z += d->heads * d->head_dim) {
    const float *bias = d->layer[l].o_bias;
    for (int32_t r = 0; r < d->dim; r++)
      m.all[r] = bias ? (double)bias[r] : 0;
    for (int32_t h = 0; h < d->heads; h++) {
      double sum = 0;
      multiply_head(&m, d, z, l, h);
      for (int32_t r = 0; r < d->dim; r++) {
        sum += (double)u[r] * (double)m.y[r];
        m.all[r] += (double)m.y[r];
      }
      *parts++ = sum;
    }
    double square = 0;
    for (int32_t r = 0; r < d->dim; r++)
      square += m.all[r] * m.all[r];
    *squares++ = square / d->dim;
  }
}
