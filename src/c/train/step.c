/*
 * A step of training: forward, loss and backward over some sequences, and the update.
 *
 * The forward pass keeps every activation. The backward pass goes through the same steps from the
 * last to the first. There dx is the derivative of the loss by x. Once an activation is not needed
 * any more, its gradient is written over it.
 *
 * The forward pass of decoder.c is another one: it has a cache, packed weights and interventions,
 * and keeps no activation. Both have their norms, rotations and attention from the same functions.
 */
#include "step.h"
#include "layers/share.h"

/* Time of a number in a step without products, in multiply-adds. */
#define NUMBER_COST 4.0

/* A pass, as its steps see it. */
typedef struct {
  const attn_trainer *t;
  attn_team *team;
  int32_t sequences;
  int32_t n; /* n tokens in all */
  void *shared;
} pass;

/* ---- Steps by rows, which are tokens */

typedef struct {
  float *y;
  float *z;
  const float *x;
  const float *w;
  const attn_trainer *t;
  int32_t heads;
} step_task;

static void run_rows(const pass *p, row_step *step, const step_task *task, int32_t columns)
{
  attn_share_rows(p->team, step, task, (row_range){0, p->n}, NUMBER_COST * columns);
}

/* y = N(x) */
static void norm_rows(const void *context, row_range rows)
{
  const step_task *s = context;
  const size_t width = (size_t)s->t->width;
  const size_t at = (size_t)rows.first * width;
  attn_rms_norm(s->y + at, width, s->x + at, width, row_count(rows), s->t->width, s->w, 0,
                s->t->epsilon);
}

/* Rotates y, or its gradient back. */
static void rotate(const step_task *s, row_range rows, int back)
{
  const attn_trainer *t = s->t;
  const size_t dim = (size_t)t->head_dim;
  const size_t width = (size_t)s->heads * dim;
  for (int32_t i = rows.first; i < rows.end; i++) {
    const size_t at = (size_t)(i % t->context) * (dim / 2);
    float *y = s->y + (size_t)i * width;
    if (back)
      attn_rope_gradient(y, 1, s->heads, width, dim, t->cos + at, t->sin + at, NULL, t->head_dim,
                         0);
    else
      attn_rope(y, 1, s->heads, width, dim, t->cos + at, t->sin + at, NULL, t->head_dim, 0);
  }
}

static void rotate_rows(const void *context, row_range rows) { rotate(context, rows, 0); }
static void rotate_back_rows(const void *context, row_range rows) { rotate(context, rows, 1); }

/* y = f(x) ⊙ w */
static void activate_rows(const void *context, row_range rows)
{
  const step_task *s = context;
  const size_t hidden = (size_t)s->t->hidden;
  const size_t at = (size_t)rows.first * hidden;
  attn_activate(s->y + at, s->x + at, s->w + at, (size_t)row_count(rows) * hidden,
                s->t->activation);
}

/* From dh in x to the gradients of gate in y and of up in z, where gate and up are. */
static void activate_gradient_rows(const void *context, row_range rows)
{
  const step_task *s = context;
  const size_t hidden = (size_t)s->t->hidden;
  const size_t at = (size_t)rows.first * hidden;
  attn_activate_gradient(s->y + at, s->z + at, s->x + at, s->y + at, s->z + at,
                         (size_t)row_count(rows) * hidden, s->t->activation);
}

static void norm(const pass *p, float *y, const float *x, const float *w)
{
  run_rows(p, norm_rows, &(step_task){.y = y, .x = x, .w = w, .t = p->t}, p->t->width);
}

/* Adds to dx. */
static void norm_gradient(const pass *p, float *dw, const float *dy, const float *x, const float *w)
{
  attn_rms_norm_gradient(p->team, p->t->dx, dw, dy, x, w, p->t->r, p->n, p->t->width,
                         p->t->epsilon);
}

static void rotate_heads(const pass *p, row_step *step, float *y, int32_t heads)
{
  run_rows(p, step, &(step_task){.y = y, .heads = heads, .t = p->t}, heads * p->t->head_dim);
}

/* ---- Forward */

attn_params attn_trainer_attention(const attn_trainer *t, int32_t sequences, float *lse)
{
  attn_params p;
  attn_init(&p, sequences, t->heads, t->kv_heads, t->context, t->context, t->head_dim, t->head_dim);
  attn_set_layout(&p, 1);
  attn_set_causal(&p, 1);
  attn_want_lse(&p, lse);
  return p;
}

/* x of the next layer. */
static float *output_of(const attn_trainer *t, int32_t layer)
{
  return layer + 1 < t->layers ? t->layer[layer + 1].x : t->end;
}

static void forward_layer(const pass *p, int32_t layer)
{
  const attn_trainer *t = p->t;
  const layer_activations *l = &t->layer[layer];
  const layer_parameters w = attn_trainer_layer(t, t->parameters, layer);
  const int32_t n = p->n;
  const int32_t q = t->heads * t->head_dim;
  const int32_t kv = t->kv_heads * t->head_dim;
  float *next = output_of(t, layer);
  float *mid = t->hidden ? l->mid : next;

  /* queries, keys and values of N(x) */
  norm(p, l->norm, l->x, w.norm);
  attn_linear(p->team, l->q, NULL, l->norm, w.q, n, t->width, q);
  attn_linear(p->team, l->k, NULL, l->norm, w.k, n, t->width, kv);
  attn_linear(p->team, l->v, NULL, l->norm, w.v, n, t->width, kv);

  /* rotary positions */
  rotate_heads(p, rotate_rows, l->q, t->heads);
  rotate_heads(p, rotate_rows, l->k, t->kv_heads);

  /* attention, and its output beside the residual */
  const attn_params params = attn_trainer_attention(t, p->sequences, l->lse);
  attn_team_attend(p->team, &params, l->a, l->q, l->k, l->v, NULL, p->shared);
  attn_linear(p->team, mid, l->x, l->a, w.o, n, q, t->width);
  if (!t->hidden)
    return;

  /* feed-forward: gate and up of N(x), their product, and down beside the residual */
  norm(p, l->ffn_norm, mid, w.ffn_norm);
  attn_linear(p->team, l->gate, NULL, l->ffn_norm, w.gate, n, t->width, t->hidden);
  attn_linear(p->team, l->up, NULL, l->ffn_norm, w.up, n, t->width, t->hidden);
  run_rows(p, activate_rows, &(step_task){.y = l->h, .x = l->gate, .w = l->up, .t = t}, t->hidden);
  attn_linear(p->team, next, mid, l->h, w.down, n, t->hidden, t->width);
}

void attn_trainer_forward(const attn_trainer *t, attn_team *team, const int32_t *tokens,
                          int32_t sequences, void *shared)
{
  const pass p = {t, team, sequences, sequences * t->context, shared};
  attn_embed(t->layer[0].x, t->parameters, tokens, p.n, t->width);
  for (int32_t layer = 0; layer < t->layers; layer++)
    forward_layer(&p, layer);
}

/* ---- The loss */

/* From the last x to Σ losses. With `gradients`, dx becomes the gradient of that x. */
static double output_loss(const pass *p, const int32_t *targets, double weight, float *gradients)
{
  const attn_trainer *t = p->t;
  const size_t width = (size_t)t->width;
  const size_t norm_at = attn_trainer_offset(t, ATTN_PARAMETER_END_NORM, 0);
  const size_t output_at = t->tied ? 0 : attn_trainer_offset(t, ATTN_PARAMETER_OUTPUT, 0);
  const float *w = t->parameters + output_at;
  double sum = 0;
  norm(p, t->end_norm, t->end, t->parameters + norm_at);

  /* logits of some tokens at a time; then their gradient in the same place */
  for (int32_t i = 0; i < p->n; i += LOGIT_ROWS) {
    const int32_t rows = p->n - i < LOGIT_ROWS ? p->n - i : LOGIT_ROWS;
    float *x = t->end_norm + (size_t)i * width;
    float *dz = gradients ? t->logits : NULL;
    attn_linear(p->team, t->logits, NULL, x, w, rows, t->width, t->vocab);
    sum +=
        attn_cross_entropy(p->team, dz, t->losses, t->logits, targets + i, rows, t->vocab, weight);
    if (!gradients)
      continue;
    attn_linear_weight_gradient(p->team, gradients + output_at, dz, x, rows, t->width, t->vocab);
    attn_linear_input_gradient(p->team, x, NULL, dz, w, rows, t->width, t->vocab);
  }
  if (gradients) {
    __builtin_memset(t->dx, 0, (size_t)p->n * width * sizeof *t->dx);
    norm_gradient(p, gradients + norm_at, t->end_norm, t->end, t->parameters + norm_at);
  }
  return sum;
}

/* ---- Backward */

/* From dx of the layer's output to dx of its attention's output. */
static void backward_feed_forward(const pass *p, const layer_activations *l,
                                  const layer_parameters *w, const layer_parameters *d)
{
  const attn_trainer *t = p->t;
  const int32_t n = p->n;
  const int32_t width = t->width;
  const int32_t hidden = t->hidden;

  /* down: dh takes the place of h */
  attn_linear_weight_gradient(p->team, d->down, t->dx, l->h, n, hidden, width);
  attn_linear_input_gradient(p->team, l->h, NULL, t->dx, w->down, n, hidden, width);

  /* h = f(gate) ⊙ up */
  run_rows(p, activate_gradient_rows, &(step_task){.y = l->gate, .z = l->up, .x = l->h, .t = t},
           hidden);

  /* gate and up, then the gradient of their input in its place */
  attn_linear_weight_gradient(p->team, d->gate, l->gate, l->ffn_norm, n, width, hidden);
  attn_linear_weight_gradient(p->team, d->up, l->up, l->ffn_norm, n, width, hidden);
  float *dn = l->ffn_norm;
  attn_linear_input_gradient(p->team, dn, NULL, l->gate, w->gate, n, width, hidden);
  attn_linear_input_gradient(p->team, dn, dn, l->up, w->up, n, width, hidden);

  /* the norm, whose part joins that of the residual in dx */
  norm_gradient(p, d->ffn_norm, dn, l->mid, w->ffn_norm);
}

/* From dx of attention's output to dx of the layer's input. */
static void backward_attention(const pass *p, const layer_activations *l, const layer_parameters *w,
                               const layer_parameters *d)
{
  const attn_trainer *t = p->t;
  const int32_t n = p->n;
  const int32_t width = t->width;
  const int32_t q = t->heads * t->head_dim;
  const int32_t kv = t->kv_heads * t->head_dim;

  /* the output matrix */
  attn_linear_weight_gradient(p->team, d->o, t->dx, l->a, n, q, width);
  attn_linear_input_gradient(p->team, t->da, NULL, t->dx, w->o, n, q, width);

  /* attention */
  const attn_params params = attn_trainer_attention(t, p->sequences, NULL);
  attn_gradient_init(t->gradient, &params);
  attn_gradient_f32(t->gradient, p->team, t->dq, t->dk, t->dv, l->q, l->k, l->v, l->a, l->lse,
                    t->da, p->shared);

  /* rotary positions */
  rotate_heads(p, rotate_back_rows, t->dq, t->heads);
  rotate_heads(p, rotate_back_rows, t->dk, t->kv_heads);

  /* queries, keys and values, then the gradient of their input in its place */
  attn_linear_weight_gradient(p->team, d->q, t->dq, l->norm, n, width, q);
  attn_linear_weight_gradient(p->team, d->k, t->dk, l->norm, n, width, kv);
  attn_linear_weight_gradient(p->team, d->v, t->dv, l->norm, n, width, kv);
  float *dn = l->norm;
  attn_linear_input_gradient(p->team, dn, NULL, t->dq, w->q, n, width, q);
  attn_linear_input_gradient(p->team, dn, dn, t->dk, w->k, n, width, kv);
  attn_linear_input_gradient(p->team, dn, dn, t->dv, w->v, n, width, kv);

  /* the norm, whose part joins that of the residual in dx */
  norm_gradient(p, d->norm, dn, l->x, w->norm);
}

double attn_trainer_gradient(attn_trainer *t, attn_team *team, const int32_t *tokens,
                             const int32_t *targets, int32_t sequences, double weight, void *shared)
{
  const pass p = {t, team, sequences, sequences * t->context, shared};
  attn_trainer_forward(t, team, tokens, sequences, shared);
  const double sum = output_loss(&p, targets, weight, t->gradients);
  for (int32_t layer = t->layers - 1; layer >= 0; layer--) {
    const layer_activations *l = &t->layer[layer];
    const layer_parameters w = attn_trainer_layer(t, t->parameters, layer);
    const layer_parameters d = attn_trainer_layer(t, t->gradients, layer);
    if (t->hidden)
      backward_feed_forward(&p, l, &w, &d);
    backward_attention(&p, l, &w, &d);
  }
  attn_embed_gradient(team, t->gradients, t->dx, tokens, p.n, t->width);
  return sum;
}

double attn_trainer_loss(attn_trainer *t, attn_team *team, const int32_t *tokens,
                         const int32_t *targets, int32_t sequences, void *shared)
{
  const pass p = {t, team, sequences, sequences * t->context, shared};
  attn_trainer_forward(t, team, tokens, sequences, shared);
  return output_loss(&p, targets, 0, NULL);
}

/* ---- Memory of a call */

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

size_t attn_trainer_scratch_bytes(const attn_trainer *t)
{
  const attn_params params = attn_trainer_attention(t, t->sequences, NULL);
  attn_gradient_init(t->gradient, &params);
  const size_t attention =
      larger(attn_scratch_bytes_f32(&params), attn_gradient_scratch_bytes_f32(t->gradient));
  return larger(attention, attn_linear_scratch_bytes());
}

size_t attn_trainer_shared_bytes(const attn_trainer *t, const attn_team *team, int32_t sequences)
{
  const attn_params params = attn_trainer_attention(t, sequences, NULL);
  attn_gradient_init(t->gradient, &params);
  return larger(attn_team_attend_bytes(team, &params),
                attn_gradient_shared_bytes_f32(t->gradient, team));
}

/* ---- The update */

static int decays(const attn_trainer *t, int32_t parameter)
{
  return attn_trainer_columns(t, parameter) > 1;
}

double attn_trainer_update(attn_trainer *t, attn_team *team, double number, double max_norm,
                           double rate, double decay, double beta1, double beta2, double epsilon)
{
  const double norm = attn_global_norm(t->gradients, attn_trainer_parameter_count(t));
  const double clip = max_norm > 0 && norm > max_norm ? max_norm / norm : 1;
  if (!(norm <= F64_MAX))
    return norm;
  for (int32_t parameter = 0; parameter < ATTN_PARAMETERS; parameter++) {
    const size_t count =
        (size_t)attn_trainer_rows(t, parameter) * (size_t)attn_trainer_columns(t, parameter);
    const int in_layers = parameter >= ATTN_PARAMETER_NORM && parameter < ATTN_PARAMETER_END_NORM;
    for (int32_t layer = 0; layer < (in_layers ? t->layers : 1); layer++) {
      const size_t at = attn_trainer_offset(t, parameter, layer);
      attn_adamw(team, t->parameters + at, t->first + at, t->second + at, t->gradients + at, count,
                 number, clip, rate, decays(t, parameter) ? decay : 0, beta1, beta2, epsilon);
    }
  }
  return norm;
}
