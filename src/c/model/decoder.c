/*
 * The forward pass. Read run_layer first: it is one layer from top to bottom, a comment a step. A
 * team shares each step, by tokens or by rows of matrices (share.h). The points of a layer, where
 * numbers are copied or changed, lie inside these steps (edit.h).
 */
#include "decoder.h"
#include "attend.h"
#include "edit.h"
#include "base/math.h"

/* Time for each number that a step reads, in multiply-adds: tuning.md#step-costs */
#define EMBED_COST 1.0
#define NORM_COST 8.0
#define ADD_AND_NORM_COST 10.0
#define ACTIVATE_COST 20.0
#define ADD_COST 6.0

/* ---- Steps that tokens share: each does the tokens [rows.first, rows.end) */

typedef struct {
  const attn_pass *p;
  int32_t layer;
  const decoder_layer *l;
  const attention_block *attention;
} layer_step;

static void norm(const attn_pass *p, float *y, const float *x, int32_t rows, const float *scale)
{
  const size_t dim = (size_t)p->d->dim;
  attn_rms_norm(y, dim, x, dim, rows, p->d->dim, scale, 0, p->d->eps);
}

static void look_up(const void *context, row_range rows)
{
  const attn_pass *p = context;
  for (int32_t i = rows.first; i < rows.end; i++) {
    float *x = p->x + (size_t)i * (size_t)p->d->dim;
    attn_matrix_row(p->d->embedding, p->tokens[i], x);
    for (int32_t c = 0; c < p->d->dim; c++)
      x[c] *= p->d->embedding_scale;
  }
}

static void norm_for_attention(const void *context, row_range rows)
{
  const layer_step *s = context;
  const attn_pass *p = s->p;
  const size_t at = (size_t)rows.first * (size_t)p->d->dim;
  attn_pass_edit(p, s->layer, ATTN_AT_RESID_PRE, rows);
  norm(p, p->h + at, p->x + at, row_count(rows), s->l->attn_norm);
  attn_block_prepare(s->attention, rows);
}

/* x = x + N'(y), where `point` is N'(y) and the next one x */
static void add_residual(const layer_step *s, const float *post_norm, int32_t point, row_range rows)
{
  const attn_pass *p = s->p;
  const size_t dim = (size_t)p->d->dim;
  const size_t at = (size_t)rows.first * dim;
  if (post_norm)
    norm(p, p->y + at, p->y + at, row_count(rows), post_norm);
  attn_pass_edit(p, s->layer, point, rows);
  attn_add(p->x + at, p->x + at, p->y + at, (size_t)row_count(rows) * dim);
  attn_pass_edit(p, s->layer, point + 1, rows);
}

static void add_attention_and_norm(const void *context, row_range rows)
{
  const layer_step *s = context;
  const attn_pass *p = s->p;
  const size_t at = (size_t)rows.first * (size_t)p->d->dim;
  add_residual(s, s->l->attn_post_norm, ATTN_AT_ATTN_OUT, rows);
  norm(p, p->h + at, p->x + at, row_count(rows), s->l->ffn_norm);
  attn_inputs_prepare(&p->inputs, p->h, (const attn_matrix *[]){s->l->gate, s->l->up}, 2, rows);
}

static void activate(const void *context, row_range rows)
{
  const layer_step *s = context;
  const attn_pass *p = s->p;
  const size_t hidden = (size_t)p->d->hidden;
  const size_t at = (size_t)rows.first * hidden;
  attn_activate(p->gate + at, p->gate + at, p->up + at, (size_t)row_count(rows) * hidden,
                p->d->activation);
  attn_inputs_prepare(&p->inputs, p->gate, &s->l->down, 1, rows);
}

static void add_feed_forward(const void *context, row_range rows)
{
  const layer_step *s = context;
  add_residual(s, s->l->ffn_post_norm, ATTN_AT_MLP_OUT, rows);
}

/* ---- The pass */

static attention_block attention_of(const attn_pass *p, const decoder_layer *l)
{
  const attn_decoder *d = p->d;
  const size_t size = (size_t)d->heads * (size_t)d->head_dim;
  const size_t kv_size = (size_t)d->kv_heads * (size_t)d->head_dim;
  return (attention_block){
      .x = p->h,
      .inputs = p->inputs,
      .q = {l->q, l->q_bias, l->q_norm, p->q, size, d->heads, d->head_dim, 0},
      .k = {l->k, l->k_bias, l->k_norm, p->k, kv_size, d->kv_heads, d->head_dim, 0},
      .v = {l->v, l->v_bias, NULL, p->v, kv_size, d->kv_heads, d->head_dim, 0},
      .epsilon = d->eps,
      .rotation = {.cos = l->cos,
                   .sin = l->sin,
                   .rotary_dim = d->head_dim,
                   .interleaved = l->interleaved,
                   .m = p->t,
                   .past = p->position},
      .a = p->a,
      .o = l->o,
      .o_bias = l->o_bias,
      .y = p->y,
  };
}

/* Tokens that leave the layer: all, but in the last layer only those that are asked for. */
static row_range tokens_out(const attn_pass *p, int32_t layer)
{
  const int last = layer + 1 == p->d->layers && !p->again && !p->all_tokens;
  return (row_range){last ? pass_first_output(p->t, p->outputs) : 0, p->t};
}

/*
 * Tokens with a query: those that leave the layer, or all if somebody looks at the attention. A
 * mask has all of them too.
 */
static row_range tokens_attending(const attn_pass *p, int32_t layer)
{
  const layer_request *request = &p->request[layer];
  const row_range out = tokens_out(p, layer);
  const int weights = request->weights && (request->all_tokens || row_count(out) == 0);
  return p->stats || p->segments || weights || request->mask ? (row_range){0, p->t} : out;
}

static void run_layer(const attn_pass *p, attn_team *team, int32_t layer)
{
  const attn_decoder *d = p->d;
  const decoder_layer *l = &d->layer[layer];
  const attention_block attention = attention_of(p, l);
  const layer_step step = {p, layer, l, &attention};
  const row_range all = {0, p->t};
  const row_range attending = tokens_attending(p, layer);
  const row_range out = tokens_out(p, layer);

  /* h = N(x) */
  attn_share_rows(team, norm_for_attention, &step, all, NORM_COST * d->dim);

  /* q, k, v = W_q h + b_q, W_k h + b_k, W_v h + b_v */
  attn_block_project(&attention, team, all, attending);

  /* k = R·N(k) */
  attn_block_norm_and_rotate(&attention, &attention.k, team, all);

  /* the cache takes keys and values, unless it has them already */
  if (!p->again)
    attn_cache_append(l->cache, p->k, p->v, p->t, 1);
  if (row_count(attending) == 0)
    return;

  /* q = R·N(q) */
  attn_block_norm_and_rotate(&attention, &attention.q, team, attending);
  attn_pass_edit(p, layer, ATTN_AT_Q, attending);

  /* a = attention(q, K, V) */
  attn_pass_attend(p, team, layer, attending);
  attn_pass_edit(p, layer, ATTN_AT_Z, attending);
  if (row_count(out) == 0 || (p->outputs == 0 && p->again && layer + 1 == p->end))
    return;

  /* y = W_o a + b_o */
  attn_block_output(&attention, team, out);

  /* x = x + N'(y), h = N(x) */
  attn_share_rows(team, add_attention_and_norm, &step, out, ADD_AND_NORM_COST * d->dim);

  /* gate, up = W_gate h + b_gate, W_up h + b_up */
  const shared_product expand[] = {product_of(p->gate, l->gate, l->gate_bias, out),
                                   product_of(p->up, l->up, l->up_bias, out)};
  attn_share_products(team, &p->inputs, expand, 2);

  /* gate = f(gate) ⊙ up */
  attn_share_rows(team, activate, &step, out, ACTIVATE_COST * d->hidden);

  /* y = W_down gate + b_down */
  const shared_product contract = product_of(p->y, l->down, l->down_bias, out);
  attn_share_products(team, &p->inputs, &contract, 1);

  /* x = x + N'(y) */
  attn_share_rows(team, add_feed_forward, &step, out, ADD_COST * d->dim);
}

/* Some parts of logits = W·N(x) of the last tokens, which are the first inputs here. */
static void run_output(attn_pass *p, attn_team *team, int32_t parts)
{
  const attn_decoder *d = p->d;
  const row_range all = {0, p->outputs};
  const int32_t next = p->next_part;
  const int32_t end = next + parts;
  shared_product logits = product_of(p->logits, d->output, NULL, all);
  logits.outputs = (row_range){attn_part_of_outputs(d->output, next, p->parts).first,
                               attn_part_of_outputs(d->output, end - 1, p->parts).end};
  p->next_part = end;

  /* h = N(x) */
  if (next == 0) {
    norm(p, p->h, p->x + (size_t)(p->t - p->outputs) * (size_t)d->dim, p->outputs, d->norm);
    attn_inputs_prepare(&p->inputs, p->h, &d->output, 1, all);
  }

  /* logits = W h */
  attn_share_products(team, &p->inputs, &logits, 1);

  /* logits = c·tanh(logits/c) */
  const float cap = (float)d->final_softcap;
  for (int32_t i = 0; cap > 0 && i < p->outputs; i++) {
    float *row = p->logits + (size_t)i * (size_t)d->vocab;
    for (int32_t c = logits.outputs.first; c < logits.outputs.end; c++)
      row[c] = cap * v_tanh(v_splat(row[c] / cap))[0];
  }
}

int32_t attn_pass_remaining(const attn_pass *p)
{
  return p->end - p->next + p->parts - p->next_part;
}

int32_t attn_pass_run(attn_pass *p, attn_team *team, int32_t steps)
{
  if (p->next == 0 && steps > 0 && p->given < 0)
    attn_share_rows(team, look_up, p, (row_range){0, p->t}, EMBED_COST * p->d->dim);
  for (; steps > 0 && p->next < p->end; steps--, p->next++)
    run_layer(p, team, p->next);
  const int32_t parts = p->parts - p->next_part;
  if (steps > 0 && parts > 0)
    run_output(p, team, steps < parts ? steps : parts);
  return attn_pass_remaining(p);
}

const float *attn_pass_logits(const attn_pass *p) { return p->logits; }

const float *attn_pass_queries(const attn_pass *p) { return p->q; }
