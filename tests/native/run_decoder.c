/*
 * Runs a small model from stdin through decoder.h, with every array in memory of exactly its size,
 * and writes logits, statistics and rows to stdout: sanitizers watch every access, and the bits
 * must be those of the simd module.
 *
 * The stream: int32 as in `sizes`; the chunks of the prompt; its tokens; doubles eps, scale,
 * softcap, final softcap, embedding scale, rotary base, that of layers with a window, and a
 * temperature for each head; then the tensors, float32, in the order of decoder_model.h.
 * The answer, for each chunk: the last token's logits; seven statistics (layers, heads, t); the
 * last token's weights (heads, length) of the last layer. Then the query (heads, head_dim) of
 * position 1 in the last layer. decoder_changes.h says how both go on.
 */
#include "decoder_changes.h"
#include "decoder_model.h"

/*
 * A team and a pass for t tokens, each in memory of its own. Of several threads only this one
 * comes, and has all the pieces.
 */
static attn_pass *pass_for(const attn_decoder *d, attn_team **team, int32_t threads, int32_t t,
                           int32_t outputs)
{
  size_t scratch = (attn_pass_scratch_bytes(d, t) + 15) & ~(size_t)15;
  *team = fresh(attn_team_bytes());
  attn_team_open(*team, threads, fresh((size_t)threads * scratch), scratch);
  return fresh(attn_pass_bytes(d, *team, t, outputs));
}

/* The results of reading all tokens at once. */
typedef struct {
  const float *logits;
  float *weights; /* of the last layer and token (heads, t) */
  uint8_t *snapshots[64];
} reading;

static reading read_all(const attn_decoder *d, int32_t threads, const int32_t *tokens, int32_t t,
                        int32_t outputs)
{
  reading r = {.weights = fresh((size_t)sizes.heads * (size_t)t * sizeof(float))};
  attn_team *team;
  for (int32_t l = 0; l < sizes.layers; l++)
    attn_cache_truncate(caches[l], 0);
  attn_pass *p = pass_for(d, &team, threads, t, outputs);
  check(!attn_pass_begin(p, d, team, tokens, t, outputs), "begin");
  check(!attn_pass_want_weights(p, sizes.layers - 1, r.weights, NULL, sizes.heads, 0),
        "want_weights");
  check(attn_pass_run(p, team, attn_pass_remaining(p)) == 0, "all at once");
  for (int32_t l = 0; l < sizes.layers; l++)
    attn_cache_snapshot(caches[l], r.snapshots[l] = fresh(attn_cache_snapshot_bytes(caches[l])));
  r.logits = attn_pass_logits(p);
  return r;
}

/* Whether logits are those, and weights and caches as another reading has left them. */
static void compare(const reading *r, const float *logits, const reading *other, int32_t t,
                    int32_t outputs)
{
  check(!memcmp(r->logits, logits, (size_t)outputs * (size_t)sizes.vocab * sizeof(float)),
        "logits");
  check(!memcmp(r->weights, other->weights, (size_t)sizes.heads * (size_t)t * sizeof(float)),
        "weights");
  for (int32_t l = 0; l < sizes.layers; l++)
    check(!memcmp(r->snapshots[l], other->snapshots[l], attn_cache_snapshot_bytes(caches[l])),
          "caches");
}

/*
 * Of the last layer only what has logits is computed: logits and caches are the same for any number
 * of them.
 */
static void vary_outputs(const attn_decoder *d, const int32_t *tokens, int32_t t)
{
  const reading all = read_all(d, 1, tokens, t, t);
  for (int32_t outputs = 0; outputs < t; outputs++) {
    reading some = read_all(d, 1, tokens, t, outputs);
    compare(&some, all.logits + (size_t)(t - outputs) * (size_t)sizes.vocab, &all, t, outputs);
  }
}

/*
 * The context is long enough for a team to share a few tokens by spans of keys. That needs memory
 * of its own.
 */
static void fill_context(const attn_decoder *d, const int32_t *tokens, int32_t count)
{
  const int32_t t = sizes.context;
  int32_t *ids = fresh((size_t)t * sizeof(int32_t));
  for (int32_t i = 0; i < t; i++)
    ids[i] = tokens[i % count];
  reading one = read_all(d, 1, ids, t, 1);
  reading two = read_all(d, 2, ids, t, 1);
  compare(&two, one.logits, &one, t, 1);
}

/* ---- A pass that is changed and recorded */

enum { RECORDED = 6 };
static const int32_t points[RECORDED] = {ATTN_AT_RESID_PRE, ATTN_AT_Z,       ATTN_AT_ATTN_OUT,
                                         ATTN_AT_RESID_MID, ATTN_AT_MLP_OUT, ATTN_AT_RESID_POST};

static size_t width_of(int32_t point)
{
  return (size_t)(point == ATTN_AT_Z ? sizes.heads * sizes.head_dim : sizes.dim);
}

typedef struct {
  float *at[RECORDED][64]; /* of the layers */
  const float *logits;
} recording;

/* Whether no thread was lost; the answer goes to stdout then. */
static int run_changed(attn_decoder *d, const changes *all, recording *r)
{
  const size_t layers = (size_t)sizes.layers;
  const size_t heads = (size_t)sizes.heads;
  const size_t n = (size_t)all->n;
  attn_team *team;
  for (int32_t l = 0; l < sizes.layers; l++)
    attn_cache_truncate(caches[l], 0);
  check(!attn_decoder_set_segments(d, all->edges, all->segment_count), "set_segments");
  attn_pass *p = pass_for(d, &team, CASE_THREADS, all->n, 1);
  check(!attn_pass_begin(p, d, team, all->tokens, all->n, 1), "begin");
  for (int32_t x = 0; x < all->change_count; x++)
    add_change(p, &all->changes[x]);
  for (const mask *m = all->masks; m < all->masks + all->mask_count; m++)
    check(!attn_pass_set_mask(p, m->layer, m->numbers, m->heads), "set_mask");
  const size_t sums = layers * heads * n * (size_t)all->segment_count * sizeof(float);
  float *segments = fresh(sums);
  float *weights[64];
  attn_pass_want_segments(p, segments);
  attn_pass_want_all_tokens(p);
  for (int32_t l = 0; l < sizes.layers; l++) {
    weights[l] = fresh(heads * n * n * sizeof(float));
    check(!attn_pass_want_weights(p, l, weights[l], NULL, sizes.heads, 1), "want_weights");
    for (int x = 0; x < RECORDED; x++)
      r->at[x][l] = record(p, all->n, l, points[x], (int32_t)width_of(points[x]));
  }
  if (!run_together(p, team))
    return 0;
  r->logits = attn_pass_logits(p);
  write_bytes(r->logits, (size_t)sizes.vocab * sizeof(float));
  for (int x = 0; x < RECORDED; x++)
    for (int32_t l = 0; l < sizes.layers; l++)
      write_bytes(r->at[x][l], n * width_of(points[x]) * sizeof(float));
  for (int32_t l = 0; l < sizes.layers; l++)
    write_bytes(weights[l], heads * n * n * sizeof(float));
  write_bytes(segments, sums);
  check(!attn_decoder_set_segments(d, NULL, 0), "set_segments");
  return 1;
}

/* A pass that begins behind all layers, with the stream of the changed one, has its logits. */
static void begin_at_the_end(const attn_decoder *d, const changes *all, const recording *r)
{
  attn_team *team;
  attn_pass *p = pass_for(d, &team, 1, 1, 1);
  const float *x = r->at[RECORDED - 1][sizes.layers - 1] + (size_t)(all->n - 1) * (size_t)sizes.dim;
  check(!attn_pass_begin_at(p, d, team, x, 1, 1, sizes.layers), "begin_at the end");
  attn_pass_run(p, team, attn_pass_remaining(p));
  check(!memcmp(attn_pass_logits(p), r->logits, (size_t)sizes.vocab * sizeof(float)),
        "logits from the end");
}

/* A pass that begins before the last layer has the logits of one from the tokens. */
static void begin_in_the_middle(const attn_decoder *d, const changes *all)
{
  attn_team *team;
  const int32_t n = all->n;
  const int32_t last = sizes.layers - 1;
  for (int32_t l = 0; l < sizes.layers; l++)
    attn_cache_truncate(caches[l], 0);
  attn_pass *p = pass_for(d, &team, 1, n, 1);
  check(!attn_pass_begin(p, d, team, all->tokens, n, 1), "begin");
  const float *x = record(p, n, last, ATTN_AT_RESID_PRE, sizes.dim);
  attn_pass_run(p, team, attn_pass_remaining(p));
  const float *logits = attn_pass_logits(p);
  attn_cache_truncate(caches[last], 0);
  p = fresh(attn_pass_bytes(d, team, n, 1));
  check(!attn_pass_begin_at(p, d, team, x, n, 1, last), "begin_at");
  attn_pass_run(p, team, attn_pass_remaining(p));
  check(!memcmp(attn_pass_logits(p), logits, (size_t)sizes.vocab * sizeof(float)),
        "logits from the middle");
}

/* The parts of the heads in the last token, in one direction for all layers. */
static void write_parts(const attn_decoder *d, const changes *all, const recording *r)
{
  const size_t layers = (size_t)sizes.layers;
  const size_t dim = (size_t)sizes.dim;
  const size_t z = width_of(ATTN_AT_Z);
  float *u = fresh(layers * dim * sizeof *u);
  float *last = fresh(layers * z * sizeof *last);
  for (size_t l = 0; l < layers; l++) {
    memcpy(u + l * dim, all->u, dim * sizeof *u);
    memcpy(last + l * z, r->at[1][l] + (size_t)(all->n - 1) * z, z * sizeof *last);
  }
  const size_t part_bytes = layers * (size_t)sizes.heads * sizeof(double);
  const size_t square_bytes = layers * sizeof(double);
  double *parts = fresh(part_bytes);
  double *squares = fresh(square_bytes);
  attn_decoder_head_parts(d, u, last, parts, squares, fresh(attn_decoder_head_parts_bytes(d)));
  write_bytes(parts, part_bytes);
  write_bytes(squares, square_bytes);
}

/* An edit of a decoder does in each pass the same as one of the pass, and nothing when cleared. */
static void check_kept_edits(attn_decoder *d, const changes *all)
{
  const size_t bytes = (size_t)sizes.vocab * sizeof(float);
  const int32_t point = ATTN_AT_ATTN_OUT;
  float *logits[3];
  attn_edit *edit = fresh(attn_edit_bytes());
  for (int32_t way = 0; way < 3; way++) {
    attn_team *team;
    attn_pass *p = pass_for(d, &team, 1, 1, 1);
    for (int32_t l = 0; l < sizes.layers; l++)
      attn_cache_truncate(caches[l], 0);
    if (way == 0)
      check(!attn_decoder_add_edit(d, edit, 0, point, ATTN_EDIT_ADD), "add_edit of the decoder");
    check(!attn_pass_begin(p, d, team, all->tokens, 1, 1), "begin");
    if (way == 1)
      check(!attn_pass_add_edit(p, edit, 0, point, ATTN_EDIT_ADD), "add_edit");
    attn_edit_set_data(edit, all->u, 0);
    attn_pass_run(p, team, attn_pass_remaining(p));
    logits[way] = fresh(bytes);
    memcpy(logits[way], attn_pass_logits(p), bytes);
    attn_decoder_clear_edits(d);
  }
  check(!memcmp(logits[0], logits[1], bytes), "an edit of the decoder");
  check(memcmp(logits[0], logits[2], bytes) != 0, "no edit");
}

static void run_changes(attn_decoder *d)
{
  const changes all = read_changes(sizes.dim);
  recording r;
  while (!run_changed(d, &all, &r))
    ;
  write_parts(d, &all, &r);
  begin_at_the_end(d, &all, &r);
  begin_in_the_middle(d, &all);
  attn_edit *edit = fresh(attn_edit_bytes());
  attn_team *team;
  attn_pass *p = pass_for(d, &team, 1, 1, 1);
  check(!attn_pass_begin(p, d, team, all.tokens, 1, 1), "begin");
  check(attn_pass_add_edit(p, edit, sizes.layers, 0, 0) == ATTN_E_RANGE, "a layer that is none");
  check(attn_pass_add_edit(p, edit, 0, 7, 0) == ATTN_E_RANGE, "a point that is none");
  check(attn_pass_set_mask(p, 0, NULL, sizes.heads + 1) == ATTN_E_RANGE,
        "heads of a mask that are none");
  check(!attn_pass_add_edit(p, edit, 0, ATTN_AT_Z, ATTN_EDIT_SCALE), "add_edit");
  check(attn_edit_set_columns(edit, 1, (int32_t)width_of(ATTN_AT_Z)) == ATTN_E_RANGE,
        "columns that are none");
  check(attn_decoder_add_edit(d, edit, sizes.layers, 0, 0) == ATTN_E_RANGE, "a layer that is none");
  check(attn_decoder_add_edit(d, edit, 0, 7, 0) == ATTN_E_RANGE, "a point that is none");
  check_kept_edits(d, &all);
}

int main(void)
{
  check(fread(&sizes, sizeof sizes, 1, stdin) == 1, "no sizes");
  int32_t *chunk = read_fresh((size_t)sizes.chunks * sizeof(int32_t));
  int32_t length = 0;
  int32_t all = 0;
  for (int32_t x = 0; x < sizes.chunks; x++)
    all += chunk[x];
  int32_t *tokens = read_fresh((size_t)all * sizeof(int32_t));
  attn_decoder *d =
      read_model(read_fresh((size_t)(7 + sizes.layers * sizes.heads) * sizeof(double)));
  attn_team *team;
  for (int32_t x = 0; x < sizes.chunks; x++) {
    int32_t t = chunk[x];
    attn_pass *p = pass_for(d, &team, 1, t, 1);
    check(!attn_pass_begin(p, d, team, tokens + length, t, 1), "begin");
    length += t;
    size_t count = (size_t)sizes.layers * (size_t)sizes.heads * (size_t)t;
    size_t bytes = count * sizeof(float);
    void *stats = fresh((ATTN_STATISTICS + 1) * bytes);
    attn_pass_want_stats(p, stats);
    float *weights = fresh((size_t)sizes.heads * (size_t)length * sizeof(float));
    check(!attn_pass_want_weights(p, sizes.layers - 1, weights, NULL, sizes.heads, 0),
          "want_weights");
    while (attn_pass_run(p, team, 1))
      ;
    write_bytes(attn_pass_logits(p), (size_t)sizes.vocab * sizeof(float));
    write_bytes(stats, (ATTN_STATISTICS + 1) * bytes);
    write_bytes(weights, (size_t)sizes.heads * (size_t)length * sizeof(float));
  }
  attn_pass *p = pass_for(d, &team, 1, 1, 0);
  check(!attn_pass_begin_again(p, d, team, tokens[1], 1, sizes.layers - 1), "begin_again");
  attn_pass_run(p, team, attn_pass_remaining(p));
  write_bytes(attn_pass_queries(p), (size_t)sizes.heads * (size_t)sizes.head_dim * sizeof(float));
  if (sizes.context > 1000)
    fill_context(d, tokens, length);
  vary_outputs(d, tokens, length);
  /* a refused call leaves nothing behind for a sanitizer to find */
  check(attn_pass_begin(p, d, team, (int32_t[]){sizes.vocab}, 1, 0) == ATTN_E_RANGE,
        "a token that is none");
  check(attn_pass_begin_again(p, d, team, 0, length, 0) == ATTN_E_RANGE, "a position that is none");
  check(attn_pass_begin(p, d, team, tokens, sizes.context - length + 1, 0) == ATTN_E_LIMIT,
        "more than fits");
  run_changes(d);
  return 0;
}
