/*
 * Scores that leave the floats, though nothing that they are made of does. A product is often
 * brought back by a small scale, and biases may cancel. If the score fits in the end, it is
 * computed anew in double. If not, the whole row is.
 */
#include "kernel.h"

static row64 row_in_double(const call *s, const head_job *job, const query_rows *set, int x)
{
  row64 row = s->in_double; /* scratch */
  const float *query = query_of_row(s, job, set, x);
  double *q = row.value + s->p->value_dim;
  for (int32_t c = 0; c < s->p->dim; c++)
    q[c] = query[c];
  row.p = s->p;
  row.b = job->b;
  row.h = set->h[x];
  row.i = set->i[x];
  row.view = set->view[x];
  row.single = 1;
  row.q = q;
  row.k32 = job->k;
  row.v32 = job->v;
  row.k_stride = job->k_stride;
  row.v_stride = job->v_stride;
  row.cache = job->cache;
  row.kv_head = job->kv_head;
  row.out = row_out(s, job, set, x);
  return row;
}

INLINE int finite(float x) { return x - x == 0; }

/* A key that is not finite counts as NaN where keys are rounded to bytes. */
static double mended_score(const call *s, const row64 *row, int32_t j)
{
  double raw = s->int8 ? row64_score(row, j, ATTN_SCORES_RAW) : 0;
  return raw - raw == 0 ? row64_score(row, j, ATTN_SCORES_MASKED) : __builtin_nan("");
}

int attn_mend_scores(const call *s, const head_job *job, const query_rows *set, int x, float *z,
                     int32_t from, int32_t to)
{
  const row_temperature *t = &set->t[x];
  const row64 row = row_in_double(s, job, set, x);
  const int32_t end = to < s->p->n ? to : s->p->n;
  const double max = (double)F32_MAX * t->unit;
  int beyond = 0;
  for (int32_t j = from; j < end; j++, z++) {
    float *result = set->scores[x] ? set->scores[x] + j : NULL;
    if (result && s->unmasked_scores && !finite(*result))
      *result = row_float(row64_score(&row, j, s->p->scores_stage));
    if (!row64_attends(&row, j))
      continue;
    /* wanted scores must not change the others */
    if (result && !s->unmasked_scores && !finite(*result))
      *result = row_float(mended_score(s, &row, j));
    if (!finite(*z)) {
      double score = mended_score(s, &row, j);
      beyond |= score - score == 0 && (score > max || score < -max);
      *z = row_float(score / t->unit);
    }
    beyond |= *z > t->max_score || *z < -t->max_score;
  }
  return beyond;
}

int attn_small_scores_matter(const call *s, const head_job *job, const query_rows *set, int x,
                             const float *z, int32_t from, int32_t to)
{
  const row_temperature *t = &set->t[x];
  const row64 row = row_in_double(s, job, set, x);
  for (int32_t j = from; j < to; j++, z++) {
    if (*z >= t->near_zero || *z <= -t->near_zero || !row64_attends(&row, j))
      continue;
    double score = row64_score(&row, j, ATTN_SCORES_MASKED) / t->unit;
    double error = score - *z;
    if (error * error > 0x1p-40 * (score * score))
      return 1;
  }
  return 0;
}

int attn_small_channels_matter(const call *s, const head_job *job, const query_rows *set, int x,
                               int32_t from, int32_t to)
{
  const double T = set->t[x].value;
  /* each channel of the query is off by half the smallest float at most */
  const double limit = 0x1p-28 * (T < 1 ? T : 1) / (0x1p-150 * s->largest_scale);
  if (limit > (double)F32_MAX)
    return 0;
  const row64 row = row_in_double(s, job, set, x);
  for (int32_t j = from; j < to; j++)
    if (row64_attends(&row, j) && row64_largest_channel(&row, j) > limit)
      return 1;
  return 0;
}

void attn_attend_in_double(const call *s, const head_job *job, const query_rows *set, int x)
{
  row64 row = row_in_double(s, job, set, x);
  /* the scores of other rows have been mended */
  row.scores = set->t[x].in_double ? set->scores[x] : NULL;
  row64_attend(&row);
}
