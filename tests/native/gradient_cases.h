/*
 * The record 'D' of run_cases.c: the gradient of a call, by a team of CASE_THREADS threads.
 * Included there, behind what reads the stream.
 */
#include "helpers.h"
#include "gradients.h"

typedef struct {
  size_t element; /* bytes of a number */
  const void *q;
  const void *k;
  const void *v;
  const void *output;
  const void *lse;
  const void *d_output;
  void *dq;
  void *dk;
  void *dv;
} gradient_arrays;

static void gradient_by_team(const attn_gradient *g, const gradient_arrays *a)
{
  const int is_double = a->element == 8;
  const size_t own =
      is_double ? attn_gradient_scratch_bytes_f64(g) : attn_gradient_scratch_bytes_f32(g);
  const size_t scratch = (own + 15) / 16 * 16;
  attn_team *team = (attn_team *)(void *)keep(attn_team_bytes());
  attn_team_open(team, CASE_THREADS, keep(scratch * CASE_THREADS), scratch);
  void *shared = keep(is_double ? attn_gradient_shared_bytes_f64(g, team)
                                : attn_gradient_shared_bytes_f32(g, team));
  helpers_of_team helpers;
  begin_helpers(&helpers, team);
  must(is_double
           ? attn_gradient_f64(g, team, a->dq, a->dk, a->dv, a->q, a->k, a->v, a->d_output, shared)
           : attn_gradient_f32(g, team, a->dq, a->dk, a->dv, a->q, a->k, a->v, a->output, a->lse,
                               a->d_output, shared));
  check(!attn_team_lost(team), "a thread was lost");
  end_helpers(&helpers);
}

static void run_gradient(void)
{
  results r = {.count = 0};
  int32_t shape[7];
  const size_t element = read_int() ? 8 : 4;
  size_t out_bytes;
  attn_params *p = read_call(&r, element, shape, &out_bytes);
  const size_t heads = (size_t)shape[1];
  const size_t n = (size_t)shape[4];
  const size_t rows = (size_t)shape[0] * heads * (size_t)shape[3];
  const size_t q_bytes = rows * (size_t)shape[5] * element;
  const size_t keys = (size_t)shape[0] * (size_t)shape[2] * n;
  const size_t k_bytes = keys * (size_t)shape[5] * element;
  const size_t v_bytes = keys * (size_t)shape[6] * element;
  gradient_arrays a = {.element = element};
  a.q = read_numbers(q_bytes);
  a.k = read_numbers(k_bytes);
  a.v = read_numbers(v_bytes);
  a.d_output = read_numbers(out_bytes);
  if (read_int()) {
    a.output = read_numbers(out_bytes);
    a.lse = read_numbers(rows * element);
  }
  attn_gradient *g = (attn_gradient *)(void *)keep(attn_gradient_bytes());
  must(attn_gradient_init(g, p));
  a.dq = result(&r, q_bytes);
  a.dk = result(&r, k_bytes);
  a.dv = result(&r, v_bytes);
  if (read_int())
    must(attn_gradient_want_key_scale(g, result(&r, n * element)));
  if (read_int())
    must(attn_gradient_want_sinks(g, result(&r, heads * element)));
  const int32_t mask_length = read_int();
  if (mask_length >= 0)
    must(attn_gradient_want_mask(g, result(&r, (size_t)mask_length * element)));
  shift = 0; /* doubles begin at their own alignment */
  double *d_scale = result(&r, heads * 8);
  attn_gradient_want_scalars(g, d_scale, result(&r, heads * 8));
  gradient_by_team(g, &a);
  for (int x = 0; x < r.count; x++)
    write_bytes(r.array[x], r.bytes[x]);
}
