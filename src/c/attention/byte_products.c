/*
 * Attention over bytes, which a cache holds (ATTN_CACHE_Q8) or int8.c has made: both products are
 * sums of integers, and scales come in around them. Queries and weights are rounded to 15 bits and
 * a sign for a cache, to 7 for the others.
 */
#include "integer_tiles.h"
#include "kernel.h"

static int numbers_of(const call *s) { return numbers_by(s->form, s->int8 != NULL); }

/*
 * ---- Scores
 * --------------------------------------------------------------------------------------------------------
 */

/* What a query's largest channel becomes: a sum over all channels of a key must stay below 2^31. */
static double largest_query(int32_t dim)
{
  double most = 2147483647.0 / (128.0 * (dim + 1));
  return most < MOST_SPLIT ? (double)(int32_t)most : MOST_SPLIT;
}

/* Rounded to nearest even. */
static int32_t to_integer(double x)
{
  return (int32_t)(x + 6755399441055744.0 - 6755399441055744.0);
}

void attn_pack_byte_queries(const call *s, const head_job *job, const row_group *g)
{
  enum { EIGHT = 8 };
  const int32_t dim = s->p->dim;
  const double limit = largest_query(dim);
  const int by = numbers_of(s);
  for (int x = 0; x < g->count; x++) {
    const float *q = query_row(s, job, g, x);
    int32_t *to = (int32_t *)(void *)s->queries + x * room_by(by), all = 0;
    double most = 0, sum = 0;
    for (int32_t c = 0; c < dim; c++) {
      double size = q[c] < 0 ? -(double)q[c] : q[c];
      most = size > most ? size : most;
      sum += size;
    }
    double unit = most > 0 && sum - sum == 0 ? limit / most : 0;
    for (int32_t c = 0; c < dim; c += EIGHT, to += 2 * TILE4 * room_by(by)) {
      int32_t n[EIGHT];
      for (int32_t l = 0; l < EIGHT; l++)
        all += n[l] = unit > 0 && c + l < dim ? to_integer(q[c + l] * unit) : 0;
      put_numbers(by, to, v_load_i(n), v_load_i(n + 4));
    }
    s->starts[x] = start_of(s->form, all);
    /* NaN or infinity anywhere makes NaN of all scores */
    s->query_factors[x] =
        sum - sum == 0 ? nearest_float(s->p->scale / s->scale * most / limit) : __builtin_nanf("");
  }
}

void attn_score_bytes(const call *s, const head_job *job, const row_group *g, float *scores,
                      int32_t from, int32_t hi, int32_t start)
{
  const int32_t at = from - start, count = (hi - from + PANEL - 1) & ~(PANEL - 1);
  const size_t words = words_of(s->p->dim);
  /* integers, which become floats where they are */
  attn_integers(numbers_of(s), g->count,
                &(product){.to = (int32_t *)(void *)scores,
                           .step = SCORES,
                           .x = (const int32_t *)(const void *)s->queries,
                           .panel = job->byte_keys + (size_t)at * words * WORD,
                           .panel_bytes = PANEL * words * WORD,
                           .words = words,
                           .count = (size_t)count / PANEL});
  for (int r = 0; r < g->count; r++, scores += SCORES) {
    const i32x4 first = v_splat_i(s->starts[r]);
    const f32x4 factor = v_splat(s->query_factors[r]);
    ROLLED for (int32_t j = 0; j < count; j += PANEL)
        UNROLLED for (int32_t l = j; l < j + PANEL; l += 4)
            v_store(scores + l, v_float(v_load_i(scores + l) + first) * factor *
                                    v_load(job->key_scales + at + l));
    if (s->int8)
      attn_add_shared(s, scores, r, at, count);
  }
}

/*
 * ---- Values
 * --------------------------------------------------------------------------------------------------------
 */

/* The bits of 1.5·2^23: adding it rounds to an integer that stands in the low bits. */
enum { MAGIC = 0x4B400000 };

/*
 * A row's weights times the scales of the values, as integers relative to the largest, to (words,
 * TILE4, room); returns what one is worth. A key of weight 0 has no part in it, whatever its scale:
 * where that is NaN, as behind the last key it may be, 0 takes its place.
 */
KERNEL float round_weights(const call *s, int32_t *to, int32_t *start, const float *w,
                           const float *scales, int32_t count)
{
  const int by = numbers_of(s);
  const float limit = s->int8 ? 127.0f : (float)MOST_SPLIT;
  const f32x4 zero = v_splat(0);
  f32x4 most[2] = {zero, zero}, total[2] = {zero, zero};
  i32x4 sum = v_splat_i(0);
  ROLLED for (int32_t j = 0; j < count; j += 8) UNROLLED for (int l = 0; l < 2; l++)
  {
    f32x4 e = v_load(w + j + 4 * l);
    most[l] = v_max(most[l], e * v_load(scales + j + 4 * l));
    total[l] += e;
  }
  float all = v_hsum(total[0] + total[1]), largest = v_hmax(v_max(most[0], most[1]));
  if (all != all)
    largest = __builtin_inff(); /* a weight of NaN makes NaN of all sums: 0·∞ */
  const float inverse = limit / largest;
  /* what rounds to 0 beside so small a largest is not worth a second scale */
  const f32x4 unit = v_splat(inverse > 0x1p126f ? 0 : inverse), magic = (f32x4)v_keep(MAGIC);
  ROLLED for (int32_t j = 0; j < count; j += 8, to += 2 * TILE4 * room_by(by))
  {
    i32x4 n[2];
    UNROLLED for (int l = 0; l < 2; l++)
    {
      n[l] =
          (i32x4)(v_max(zero, v_load(w + j + 4 * l) * v_load(scales + j + 4 * l)) * unit + magic) -
          (i32x4)magic;
      sum += n[l];
    }
    put_numbers(by, to, n[0], n[1]);
  }
  *start = start_of(s->form, v_hsum_i(sum));
  return largest / limit;
}

/* Whether a row attends to a value that counts as NaN, even with a weight of 0. */
static int attends_to_nan(const call *s, const row_view *view, const float *scales, int32_t from,
                          int32_t count)
{
  for (int32_t j = 0; j < count; j++)
    if (scales[j] != scales[j] && attn_key_attended(s->p, view, from + j))
      return 1;
  return 0;
}

void attn_sum_bytes(const call *s, const head_job *job, const row_group *g, float *sums,
                    const float *w, int32_t from, int32_t to, int32_t start, double divisor)
{
  /* whole eights; what was not attended weighs 0 */
  const int32_t at = from - start, count = (to - from + PANEL - 1) & ~(PANEL - 1);
  const float *scales = job->value_scales + at;
  const int by = numbers_of(s);
  int32_t starts[TILE4];
  float worths[TILE4];
  for (int r = 0; r < g->count; r++) {
    worths[r] =
        round_weights(s, s->numbers + r * room_by(by), &starts[r], w + r * SCORES, scales, count);
    worths[r] = (float)(worths[r] / divisor);
    if (job->wild && attends_to_nan(s, &g->view[r], scales, from, count))
      worths[r] = __builtin_nanf("");
  }
  /* integers, (rows, width), which become the sums where they are */
  attn_integers(by, g->count,
                &(product){.to = (int32_t *)(void *)sums,
                           .step = s->width,
                           .x = s->numbers,
                           .panel = job->byte_values + at * STRIP,
                           .panel_bytes = strip_rows(SPAN, job->value_rows, 0) * STRIP,
                           .words = words_of(count),
                           .count = s->width / STRIP});
  for (int r = 0; r < g->count; r++, sums += s->width)
    ROLLED for (size_t c = 0; c < s->width; c += 4)
        v_store(sums + c, v_float(v_load_i(sums + c) + v_splat_i(starts[r])) * v_splat(worths[r]));
}
