/* A trainer: its sizes, the places of its parameters, and its memory. */
#include "trainer.h"
#include "base/arena.h"
#include "base/sizes.h"

/* Tokens of a pass, about: few, because all their activations are kept. */
enum { PART_TOKENS = 1024 };

/* No sum of bytes leaves 64 bits below these, and no product of two sizes 32. */
enum { MAX_SIZE = 1 << 20, MAX_PARAMETERS = 1 << 28 };

size_t attn_trainer_bytes(void) { return sizeof(attn_trainer); }

int32_t attn_trainer_init(attn_trainer *t, int32_t layers, int32_t width, int32_t heads,
                          int32_t kv_heads, int32_t head_dim, int32_t hidden, int32_t vocab,
                          int32_t context, int32_t batch)
{
  if (layers < 1 || width < 1 || heads < 1 || kv_heads < 1 || head_dim < 1 || hidden < 0 ||
      vocab < 1 || context < 1 || batch < 1)
    return ATTN_E_RANGE;
  if (heads % kv_heads || head_dim % 2)
    return ATTN_E_SHAPE;
  const double channels = (double)heads * head_dim;
  const double layer = 4.0 * channels * width + 3.0 * width * hidden;
  if (head_dim > MAX_DIM || channels > MAX_SIZE || width > MAX_SIZE || hidden > MAX_SIZE ||
      context > MAX_SIZE || 2.0 * vocab * width + layers * layer > MAX_PARAMETERS)
    return ATTN_E_LIMIT;
  const int32_t fit = context < PART_TOKENS ? PART_TOKENS / context : 1;
  *t = (attn_trainer){.layers = layers,
                      .width = width,
                      .heads = heads,
                      .kv_heads = kv_heads,
                      .head_dim = head_dim,
                      .hidden = hidden,
                      .vocab = vocab,
                      .context = context,
                      .sequences = batch < fit ? batch : fit};
  return attn_trainer_set_model(t, 1, ATTN_SILU, 1e4, 1e-5);
}

int32_t attn_trainer_set_model(attn_trainer *t, int32_t tied, int32_t activation, double rope_base,
                               double epsilon)
{
  if (!(rope_base > 0 && epsilon >= 0))
    return ATTN_E_RANGE;
  t->tied = tied;
  t->activation = activation;
  t->rope_base = rope_base;
  t->epsilon = epsilon;
  return ATTN_OK;
}

int32_t attn_trainer_sequences(const attn_trainer *t) { return t->sequences; }

/* ---- Parameters */

int32_t attn_trainer_rows(const attn_trainer *t, int32_t parameter)
{
  const int32_t width = t->hidden ? t->width : 0;
  switch (parameter) {
  case ATTN_PARAMETER_EMBEDDING:
    return t->vocab;
  case ATTN_PARAMETER_Q:
    return t->heads * t->head_dim;
  case ATTN_PARAMETER_K:
  case ATTN_PARAMETER_V:
    return t->kv_heads * t->head_dim;
  case ATTN_PARAMETER_FFN_NORM:
  case ATTN_PARAMETER_DOWN:
    return width;
  case ATTN_PARAMETER_GATE:
  case ATTN_PARAMETER_UP:
    return t->hidden;
  case ATTN_PARAMETER_OUTPUT:
    return t->tied ? 0 : t->vocab;
  default:
    return t->width;
  }
}

int32_t attn_trainer_columns(const attn_trainer *t, int32_t parameter)
{
  switch (parameter) {
  case ATTN_PARAMETER_NORM:
  case ATTN_PARAMETER_FFN_NORM:
  case ATTN_PARAMETER_END_NORM:
    return 1;
  case ATTN_PARAMETER_O:
    return t->heads * t->head_dim;
  case ATTN_PARAMETER_DOWN:
    return t->hidden;
  default:
    return t->width;
  }
}

static size_t size_of(const attn_trainer *t, int32_t parameter)
{
  return (size_t)attn_trainer_rows(t, parameter) * (size_t)attn_trainer_columns(t, parameter);
}

/* Numbers of the parameters [from, to) of one layer. */
static size_t size_between(const attn_trainer *t, int32_t from, int32_t to)
{
  size_t size = 0;
  for (int32_t parameter = from; parameter < to; parameter++)
    size += size_of(t, parameter);
  return size;
}

size_t attn_trainer_offset(const attn_trainer *t, int32_t parameter, int32_t layer)
{
  const size_t layer_size = size_between(t, ATTN_PARAMETER_NORM, ATTN_PARAMETER_END_NORM);
  const int32_t before = parameter == ATTN_PARAMETER_EMBEDDING ? 0
                         : parameter < ATTN_PARAMETER_END_NORM ? layer
                                                               : t->layers - 1;
  return size_between(t, 0, parameter) + (size_t)before * layer_size;
}

size_t attn_trainer_parameter_count(const attn_trainer *t)
{
  return attn_trainer_offset(t, ATTN_PARAMETERS, 0);
}

float *attn_trainer_parameters(const attn_trainer *t) { return t->parameters; }
float *attn_trainer_gradients(const attn_trainer *t) { return t->gradients; }
float *attn_trainer_first_moments(const attn_trainer *t) { return t->first; }
float *attn_trainer_second_moments(const attn_trainer *t) { return t->second; }

layer_parameters attn_trainer_layer(const attn_trainer *t, float *block, int32_t layer)
{
  return (layer_parameters){
      .norm = block + attn_trainer_offset(t, ATTN_PARAMETER_NORM, layer),
      .q = block + attn_trainer_offset(t, ATTN_PARAMETER_Q, layer),
      .k = block + attn_trainer_offset(t, ATTN_PARAMETER_K, layer),
      .v = block + attn_trainer_offset(t, ATTN_PARAMETER_V, layer),
      .o = block + attn_trainer_offset(t, ATTN_PARAMETER_O, layer),
      .ffn_norm = block + attn_trainer_offset(t, ATTN_PARAMETER_FFN_NORM, layer),
      .gate = block + attn_trainer_offset(t, ATTN_PARAMETER_GATE, layer),
      .up = block + attn_trainer_offset(t, ATTN_PARAMETER_UP, layer),
      .down = block + attn_trainer_offset(t, ATTN_PARAMETER_DOWN, layer),
  };
}

/* ---- Memory */

static float *floats(arena *a, size_t rows, int32_t columns)
{
  return arena_allocate(a, (uint64_t)rows * (uint64_t)columns, sizeof(float));
}

static void lay_out_layer(arena *a, const attn_trainer *t, layer_activations *l, size_t n)
{
  l->x = floats(a, n, t->width);
  l->norm = floats(a, n, t->width);
  l->q = floats(a, n, t->heads * t->head_dim);
  l->k = floats(a, n, t->kv_heads * t->head_dim);
  l->v = floats(a, n, t->kv_heads * t->head_dim);
  l->a = floats(a, n, t->heads * t->head_dim);
  l->lse = floats(a, n, t->heads);
  if (!t->hidden)
    return;
  l->mid = floats(a, n, t->width);
  l->ffn_norm = floats(a, n, t->width);
  l->gate = floats(a, n, t->hidden);
  l->up = floats(a, n, t->hidden);
  l->h = floats(a, n, t->hidden);
}

/* Lays everything out from `base`; with a NULL base only measures it. */
static size_t lay_out(attn_trainer *t, void *base)
{
  const size_t n = (size_t)t->sequences * (size_t)t->context;
  const size_t count = attn_trainer_parameter_count(t);
  arena a = {.base = base};
  t->parameters = floats(&a, count, 1);
  t->gradients = floats(&a, count, 1);
  t->first = floats(&a, count, 1);
  t->second = floats(&a, count, 1);
  t->cos = floats(&a, (size_t)t->context, t->head_dim / 2);
  t->sin = floats(&a, (size_t)t->context, t->head_dim / 2);
  t->layer = arena_allocate(&a, (uint64_t)t->layers, sizeof *t->layer);
  for (int32_t layer = 0; layer < t->layers; layer++) {
    layer_activations l = {0};
    lay_out_layer(&a, t, &l, n);
    if (base)
      t->layer[layer] = l;
  }
  t->end = floats(&a, n, t->width);
  t->end_norm = floats(&a, n, t->width);
  t->logits = floats(&a, LOGIT_ROWS, t->vocab);
  t->losses = arena_allocate(&a, n, sizeof *t->losses);
  t->dx = floats(&a, n, t->width);
  t->da = floats(&a, n, t->heads * t->head_dim);
  t->dq = floats(&a, n, t->heads * t->head_dim);
  t->dk = floats(&a, n, t->kv_heads * t->head_dim);
  t->dv = floats(&a, n, t->kv_heads * t->head_dim);
  t->r = arena_allocate(&a, n, sizeof *t->r);
  t->gradient = arena_allocate(&a, attn_gradient_bytes(), 1);
  return arena_bytes(&a);
}

size_t attn_trainer_memory_bytes(const attn_trainer *t)
{
  attn_trainer measured = *t;
  return lay_out(&measured, NULL);
}

void attn_trainer_place(attn_trainer *t, void *memory)
{
  const int32_t norms[] = {ATTN_PARAMETER_NORM, ATTN_PARAMETER_FFN_NORM, ATTN_PARAMETER_END_NORM};
  __builtin_memset(memory, 0, attn_trainer_memory_bytes(t));
  lay_out(t, memory);
  for (int32_t layer = 0; layer < t->layers; layer++)
    for (int32_t i = 0; i < 3; i++) {
      float *norm = t->parameters + attn_trainer_offset(t, norms[i], layer);
      for (int32_t c = 0; c < attn_trainer_rows(t, norms[i]); c++)
        norm[c] = 1;
    }
  double frequencies[MAX_DIM / 2];
  attn_rope_frequencies(frequencies, t->head_dim, t->rope_base);
  attn_rope_table(t->cos, t->sin, frequencies, t->head_dim, 0, t->context, 1);
}

void attn_trainer_clear(attn_trainer *t)
{
  __builtin_memset(t->gradients, 0, attn_trainer_parameter_count(t) * sizeof *t->gradients);
}
