/*
 * The forward pass. Read attn_pass_run first: a layer is its few lines, and each line is a step
 * that a team may share, by rows of the matrices or by tokens.
 */
#include "pass.h"
#include "base/tiles.h"
#include "base/math.h"

/*
 * In a piece of a step that is shared by tokens: a multiple of four, as inputs are prepared. With
 * four, threads that take pieces get in each other's way: two are then 1.0 times as fast as one in
 * these steps, with sixteen 1.7 times (Zen 5, 256 tokens of 576 channels).
 */
enum { TOKENS = 16 };

/*
 * ---- Steps shared by tokens
 * --------------------------------------------------------------------------------------------
 */

/* What one token's work is, from token `first` on for `count`. */
typedef void token_step(attn_pass *p, const decoder_layer *l, int32_t first, int32_t count);

typedef struct {
  attn_pass *p;
  const decoder_layer *l;
  token_step *step;
} token_task;

static void token_piece(void *task, int32_t index, void *scratch)
{
  const token_task *s = task;
  int32_t first = s->p->from + index * TOKENS, left = s->p->t - first;
  (void)scratch;
  s->step(s->p, s->l, first, left < TOKENS ? left : TOKENS);
}

/* work: of one token, in the time of multiply-adds */
static void for_tokens(attn_pass *p, attn_team *team, const decoder_layer *l, token_step *step,
                       double work)
{
  const int32_t count = p->t - p->from;
  if (count <= TOKENS)
    step(p, l, p->from, count);
  else
    attn_team_run(team, token_piece, &(token_task){p, l, step}, (count + TOKENS - 1) / TOKENS,
                  work * count);
}

static void norm(const attn_pass *p, float *y, const float *x, int32_t rows, int32_t size,
                 const float *scale)
{
  attn_rms_norm(y, (size_t)size, x, (size_t)size, rows, size, scale, 0, p->d->eps);
}

/* The memory of the inputs that w takes. */
static void *inputs_for(const attn_pass *p, const attn_matrix *w)
{
  return p->inputs[attn_multiply_kind(attn_matrix_type(w))];
}

/*
 * Tokens [first, first + count) of x (tokens, columns) become inputs of products with some matrices
 * of so many columns.
 */
static void prepare(const attn_pass *p, const float *x, const attn_matrix *const *w,
                    int32_t matrices, int32_t first, int32_t count)
{
  for (int32_t y = 0; y < matrices; y++) {
    int32_t same = 0;
    while (inputs_for(p, w[same]) != inputs_for(p, w[y]))
      same++;
    if (same == y)
      attn_multiply_prepare(inputs_for(p, w[y]), x, first, first + count, attn_matrix_columns(w[y]),
                            attn_matrix_type(w[y]));
  }
}

static void look_up(attn_pass *p, const decoder_layer *l, int32_t first, int32_t count)
{
  (void)l;
  for (int32_t i = first; i < first + count; i++) {
    float *x = p->x + (size_t)i * (size_t)p->d->dim;
    attn_matrix_row(p->d->embedding, p->tokens[i], x);
    for (int32_t c = 0; c < p->d->dim; c++)
      x[c] *= p->d->embedding_scale;
  }
}

static void norm_for_attention(attn_pass *p, const decoder_layer *l, int32_t first, int32_t count)
{
  size_t at = (size_t)first * (size_t)p->d->dim;
  norm(p, p->h + at, p->x + at, count, p->d->dim, l->attn_norm);
  prepare(p, p->h, (const attn_matrix *[]){l->q, l->k, l->v}, 3, first, count);
}

/* Bias, norm and rotation of the heads of some tokens. */
static void turn(const attn_pass *p, const decoder_layer *l, float *x, const float *bias,
                 const float *scale, int32_t heads, int32_t first, int32_t count)
{
  int32_t d = p->d->head_dim;
  size_t size = (size_t)heads * (size_t)d, at = (size_t)(p->position + first) * (size_t)(d / 2);
  x += (size_t)first * size;
  for (int32_t i = 0; bias && i < count; i++)
    attn_add(x + (size_t)i * size, x + (size_t)i * size, bias, size);
  if (scale)
    norm(p, x, x, count * heads, d, scale);
  attn_rope(x, count, heads, size, (size_t)d, l->cos + at, l->sin + at, NULL, d, l->interleaved);
}

static void turn_queries(attn_pass *p, const decoder_layer *l, int32_t first, int32_t count)
{
  turn(p, l, p->q, l->q_bias, l->q_norm, p->d->heads, first, count);
}

static void turn_keys(attn_pass *p, const decoder_layer *l, int32_t first, int32_t count)
{
  const attn_decoder *d = p->d;
  size_t size = (size_t)d->kv_heads * (size_t)d->head_dim;
  turn(p, l, p->k, l->k_bias, l->k_norm, d->kv_heads, first, count);
  for (int32_t i = first; l->v_bias && i < first + count; i++)
    attn_add(p->v + (size_t)i * size, p->v + (size_t)i * size, l->v_bias, size);
}

static void prepare_attention(attn_pass *p, const decoder_layer *l, int32_t first, int32_t count)
{
  prepare(p, p->a, &l->o, 1, first, count);
}

/* x = x + N'(y) */
static void add_block(attn_pass *p, const float *post_norm, int32_t first, int32_t count)
{
  size_t dim = (size_t)p->d->dim, at = (size_t)first * dim;
  if (post_norm)
    norm(p, p->y + at, p->y + at, count, p->d->dim, post_norm);
  attn_add(p->x + at, p->x + at, p->y + at, (size_t)count * dim);
}

static void add_attention(attn_pass *p, const decoder_layer *l, int32_t first, int32_t count)
{
  size_t at = (size_t)first * (size_t)p->d->dim;
  add_block(p, l->attn_post_norm, first, count);
  norm(p, p->h + at, p->x + at, count, p->d->dim, l->ffn_norm);
  prepare(p, p->h, (const attn_matrix *[]){l->gate, l->up}, 2, first, count);
}

static void activate(attn_pass *p, const decoder_layer *l, int32_t first, int32_t count)
{
  size_t hidden = (size_t)p->d->hidden, at = (size_t)first * hidden;
  attn_activate(p->gate + at, p->gate + at, p->up + at, (size_t)count * hidden, p->d->activation);
  prepare(p, p->gate, &l->down, 1, first, count);
}

static void add_feed_forward(attn_pass *p, const decoder_layer *l, int32_t first, int32_t count)
{
  add_block(p, l->ffn_post_norm, first, count);
}

/*
 * ---- Steps shared by rows of matrices
 * --------------------------------------------------------------------------------
 */

/*
 * One to three products of the same prepared inputs, [first, end), cut by blocks of inputs and by
 * rows of the matrices.
 */
typedef struct {
  const attn_pass *p;
  int32_t first, end, inputs, rows; /* of a piece at most so many inputs and rows */
  int32_t count;
  struct {
    float *out; /* (end, rows of w) */
    const attn_matrix *w;
  } product[3];
} product_task;

static int32_t pieces_of(const product_task *s, const attn_matrix *w)
{
  return (attn_matrix_rows(w) + s->rows - 1) / s->rows;
}

static void product_piece(void *task, int32_t index, void *scratch)
{
  const product_task *s = task;
  int32_t across = 0, x = 0;
  (void)scratch;
  for (int32_t y = 0; y < s->count; y++)
    across += pieces_of(s, s->product[y].w);
  int32_t from = s->first + index / across * s->inputs,
          m = s->end - from < s->inputs ? s->end - from : s->inputs;
  for (index %= across; index >= pieces_of(s, s->product[x].w); x++)
    index -= pieces_of(s, s->product[x].w);
  const attn_matrix *w = s->product[x].w;
  int32_t all = attn_matrix_rows(w), first = index * s->rows,
          end = all - first < s->rows ? all : first + s->rows;
  const void *inputs =
      attn_multiply_inputs(inputs_for(s->p, w), from, attn_matrix_columns(w), attn_matrix_type(w));
  attn_multiply(s->product[x].out + (size_t)from * (size_t)all, (size_t)all, w, inputs, m, first,
                end);
}

/*
 * A thread that finds nothing left to take waits for about half a piece, so there are many; but
 * each is worth some microseconds, and has as many inputs as are kept near while its rows go by (of
 * the first matrix; others may want them in another form).
 */
static void multiply(attn_team *team, product_task *s)
{
  int32_t rows = 0, pieces = 0, threads = attn_team_threads(team),
          most = threads > 1 ? 16 * threads : 1;
  for (int32_t y = 0; y < s->count; y++)
    rows += attn_matrix_rows(s->product[y].w);
  const attn_matrix *first = s->product[0].w;
  int32_t m = s->end - s->first;
  double work = (double)m * rows * attn_matrix_columns(first);
  s->inputs = attn_multiply_abreast(attn_matrix_type(first), attn_matrix_columns(first));
  int32_t blocks = (m + s->inputs - 1) / s->inputs;
  int32_t across = work < 2e5 * most ? (int32_t)(work / 2e5) : most;
  across = across < threads ? threads : across;
  across = (across + blocks - 1) / blocks;
  int32_t whole = m == 1 ? STREAMS * PANEL : PANEL; /* rows that meet the inputs together */
  s->rows = ((rows + across - 1) / across + whole - 1) & ~(whole - 1);
  for (int32_t y = 0; y < s->count; y++)
    pieces += pieces_of(s, s->product[y].w);
  attn_team_run(team, product_piece, s, pieces * blocks, work);
}

/*
 * ---- The pass
 * -----------------------------------------------------------------------------------------------------------
 */

static void run_layer(attn_pass *p, attn_team *team, int32_t layer)
{
  const attn_decoder *d = p->d;
  const decoder_layer *l = &d->layer[layer];
  /*
   * in the last layer all tokens leave a key and a value, but only those with logits go on, and
   * those that are looked at have a query
   */
  const int32_t t = p->t,
                outputs = layer + 1 < d->layers || p->again ? 0 : pass_first_output(t, p->outputs);
  const int32_t queries = p->attended || (p->wish[layer].weights && outputs == t) ? 0 : outputs;
  p->from = 0;
  for_tokens(p, team, l, norm_for_attention, d->dim * 8.0);
  if (queries == 0)
    multiply(team, &(product_task){.p = p,
                                   .end = t,
                                   .count = 3,
                                   .product = {{p->q, l->q}, {p->k, l->k}, {p->v, l->v}}});
  else
    multiply(team, &(product_task){
                       .p = p, .end = t, .count = 2, .product = {{p->k, l->k}, {p->v, l->v}}});
  for_tokens(p, team, l, turn_keys, d->kv_heads * d->head_dim * 4.0);
  if (!p->again)
    attn_cache_append(l->cache, p->k, p->v, t, 1);
  if ((p->from = queries) == t)
    return;
  if (queries > 0)
    multiply(team, &(product_task){
                       .p = p, .first = queries, .end = t, .count = 1, .product = {{p->q, l->q}}});
  for_tokens(p, team, l, turn_queries, d->heads * d->head_dim * 4.0);
  attn_pass_attend(p, team, layer);
  if ((p->again && layer + 1 == p->end) || (p->from = outputs) == t)
    return;
  for_tokens(p, team, l, prepare_attention, d->heads * d->head_dim * 4.0);
  multiply(team, &(product_task){
                     .p = p, .first = outputs, .end = t, .count = 1, .product = {{p->y, l->o}}});
  for_tokens(p, team, l, add_attention, d->dim * 10.0);
  multiply(team, &(product_task){.p = p,
                                 .first = outputs,
                                 .end = t,
                                 .count = 2,
                                 .product = {{p->gate, l->gate}, {p->up, l->up}}});
  for_tokens(p, team, l, activate, d->hidden * 20.0);
  multiply(team, &(product_task){
                     .p = p, .first = outputs, .end = t, .count = 1, .product = {{p->y, l->down}}});
  for_tokens(p, team, l, add_feed_forward, d->dim * 6.0);
}

static void run_output(attn_pass *p, attn_team *team)
{
  const attn_decoder *d = p->d;
  norm(p, p->h, p->x + (size_t)(p->t - p->outputs) * (size_t)d->dim, p->outputs, d->dim, d->norm);
  prepare(p, p->h, &d->output, 1, 0, p->outputs);
  multiply(team, &(product_task){
                     .p = p, .end = p->outputs, .count = 1, .product = {{p->logits, d->output}}});
  float cap = (float)d->final_softcap;
  for (size_t c = 0; cap > 0 && c < (size_t)p->outputs * (size_t)d->vocab; c++)
    p->logits[c] = cap * v_tanh(v_splat(p->logits[c] / cap))[0];
}

int32_t attn_pass_run(attn_pass *p, attn_team *team, int32_t layers)
{
  if (p->next == 0 && layers > 0)
    for_tokens(p, team, NULL, look_up, p->d->dim);
  for (; layers > 0 && p->next < p->end; layers--, p->next++) {
    run_layer(p, team, p->next);
    if (p->next + 1 == p->end && p->outputs > 0)
      run_output(p, team);
  }
  return p->end - p->next;
}

const float *attn_pass_logits(const attn_pass *p) { return p->logits; }

const float *attn_pass_queries(const attn_pass *p) { return p->q; }
