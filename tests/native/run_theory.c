/*
 * Runs recorded calls of theory.h and consequences.h from stdin natively, and writes the outputs to
 * stdout. Every array lies in memory of exactly its size. Sanitizers watch every access, and the
 * bits must be those of the simd module. tests/theory/native.test.js records and compares.
 *
 * A call is the length of its name, the name, the number of its arguments, and the arguments. Each
 * begins with a letter. 'i': an int32 (0 for NULL). 'd': a double. 'p': bytes and content. 'o':
 * bytes of an output. 's': bytes of scratch. The answer is the status, the returned double, and the
 * outputs in order. Numbers are little-endian.
 */
#include "consequences.h"
#include "stream.h"

enum { MAX_ARGUMENTS = 20 };

typedef struct {
  int kind;
  int32_t i;
  double d;
  void *p;
  int32_t bytes;
} argument;

static argument read_argument(void)
{
  argument a = {.kind = getchar()};
  if (a.kind == 'i')
    read_bytes(&a.i, 4);
  else if (a.kind == 'd')
    read_bytes(&a.d, 8);
  else {
    read_bytes(&a.bytes, 4);
    a.p = fresh((size_t)a.bytes);
    if (a.kind == 'p')
      read_bytes(a.p, (size_t)a.bytes);
  }
  return a;
}

#define P(x) a[x].p
#define I(x) a[x].i
/* a whole number arrives as one, wherever a double is meant */
#define D(x) (a[x].kind == 'i' ? (double)a[x].i : a[x].d)
#define IS(f) (strcmp(name, #f) == 0)

static int32_t call(const char *name, const argument *a, double *value)
{
  if (IS(likelihood))
    return attn_likelihood(P(0), P(1), P(2), P(3), P(4), P(5), P(6), P(7), P(8), P(9), P(10), I(11),
                           I(12), I(13), D(14), D(15));
  if (IS(maxent_weigh))
    return attn_maxent_weigh(P(0), P(1), P(2), P(3), P(4), I(5), I(6));
  if (IS(maxent_solve))
    return attn_maxent_solve(P(0), P(1), P(2), I(3), D(4));
  if (IS(budget_solve))
    return attn_budget_solve(P(0), P(1), P(2), I(3), D(4));
  if (IS(budget_frontier))
    return attn_budget_frontier(P(0), P(1), P(2), P(3), I(4), I(5), P(6));
  if (IS(budget_spent))
    return attn_budget_spent(P(0), P(1), P(2), I(3), D(4));
  if (IS(gibbs_measure))
    return attn_gibbs_measure(P(0), P(1), P(2), P(3), I(4), D(5));
  if (IS(gibbs_merge))
    return attn_gibbs_merge(P(0), P(1), P(2), P(3), P(4), I(5), I(6), D(7), P(8));
  if (IS(lse_measure))
    return attn_lse_measure(P(0), P(1), P(2), P(3), I(4), D(5), P(6));
  if (IS(jacobian_apply))
    return attn_jacobian_apply(P(0), P(1), P(2), I(3), D(4));
  if (IS(jacobian_spectrum))
    return attn_jacobian_spectrum(P(0), P(1), P(2), I(3), D(4), P(5));
  if (IS(lipschitz_measure))
    return attn_lipschitz_measure(P(0), P(1), P(2), P(3), P(4), I(5), I(6), D(7), P(8));
  if (IS(limits_measure))
    return attn_limits_measure(P(0), P(1), P(2), P(3), P(4), I(5), D(6));
  if (IS(sharing_measure))
    return attn_sharing_measure(P(0), P(1), P(2), P(3), P(4), P(5), P(6), P(7), I(8), I(9), I(10),
                                I(11), D(12), P(13));
  if (IS(operator_norm))
    return attn_operator_norm(P(0), P(1), I(2), I(3), P(4));
  if (IS(scale_experiment))
    return attn_scale_experiment(P(0), I(1), I(2), I(3), (uint32_t)I(4), P(5));
  if (IS(susceptibility_measure))
    return attn_susceptibility_measure(P(0), P(1), I(2), D(3));
  if (IS(norms_measure))
    return attn_norms_measure(P(0), P(1), P(2), P(3), P(4), I(5), I(6), D(7), P(8));
  if (IS(dispersion_measure))
    return attn_dispersion_measure(P(0), P(1), I(2), D(3));
  if (IS(critical_measure))
    return attn_critical_measure(P(0), P(1), I(2), D(3), P(4));
  if (IS(gate_measure))
    return attn_gate_measure(P(0), P(1), P(2), I(3), D(4), D(5));
  if (IS(prior_measure))
    return attn_prior_measure(P(0), P(1), P(2), P(3), P(4), P(5), I(6), D(7));
  if (IS(hopfield_descend))
    return attn_hopfield_descend(P(0), P(1), P(2), P(3), P(4), I(5), I(6), I(7), D(8), P(9));
  if (IS(draws_experiment))
    return attn_draws_experiment(P(0), P(1), I(2), D(3), D(4), I(5), (uint32_t)I(6), P(7));
  if (IS(jacobian_top))
    *value = attn_jacobian_top(P(0), I(1), D(2));
  else if (IS(random_normal))
    attn_random_normal(P(0), I(1), (uint32_t)I(2));
  else if (IS(spectrum_scratch_doubles))
    *value = (double)attn_spectrum_scratch_doubles(I(0));
  else if (IS(sharing_scratch_doubles))
    *value = (double)attn_sharing_scratch_doubles(I(0), I(1), I(2));
  else
    fail(name);
  return ATTN_OK;
}

int main(void)
{
  for (int length; (length = getchar()) != EOF;) {
    char name[64] = {0};
    argument a[MAX_ARGUMENTS];
    read_bytes(name, (size_t)length);
    int count = getchar();
    check(count <= MAX_ARGUMENTS, "too many arguments");
    for (int x = 0; x < count; x++)
      a[x] = read_argument();
    double value = 0;
    int32_t status = call(name, a, &value);
    write_bytes(&status, 4);
    write_bytes(&value, 8);
    for (int x = 0; x < count; x++) {
      if (a[x].kind == 'o')
        write_bytes(a[x].p, (size_t)a[x].bytes);
      if (a[x].kind == 'p' || a[x].kind == 'o' || a[x].kind == 's')
        free(a[x].p);
    }
  }
  return 0;
}
