/*
 * Statement 8: the eigenvalues of Diag p − ppᵀ, from the secular equation f(μ) = Σ_j x_j/(x_j − μ)
 * = 0 over the weights x. f rises from −∞ to ∞ between two neighbouring weights and has one root
 * there. A tree over the sorted weights gives the sums of distant ones from their moments, so that
 * f costs O(log n) and not O(n).
 */
#include "distribution.h"
#include "sensitivity.h"
#include "sort.h"

enum {
  LEAF = 32,  /* up to this many weights are added one by one */
  TERMS = 27, /* of a series in ratios up to ¼: 4⁻²⁷ is half a unit of rounding */
};

typedef struct {
  const double *x; /* (n), ascending; in any order without a tree */
  int32_t n;
  double *moments; /* (nodes, 2·TERMS), or NULL for no tree */
} tree;

/*
 * f between two neighbouring weights base and base + width, at base + s·width, times width. With t
 * = (x − μ)/width, left and right are Σ x/t over the weights up to base and above, each of one
 * sign; the slopes Σ x/t² come times s² and (1 − s)².
 */
typedef struct {
  double base;
  double width;
  double s;
  double left;
  double right;
  double left_slope;
  double right_slope;
} secular;

static void add_side(secular *f, int is_left, double sum, double slope)
{
  *(is_left ? &f->left : &f->right) += sum;
  *(is_left ? &f->left_slope : &f->right_slope) += slope;
}

static void add_weights(secular *f, const double *x, int32_t count)
{
  for (int32_t j = 0; j < count; j++) {
    int is_left = x[j] <= f->base;
    double t = (x[j] - f->base) / f->width - f->s;
    double scaled = (is_left ? f->s : 1 - f->s) / t;
    add_side(f, is_left, x[j] / t, x[j] * scaled * scaled);
  }
}

/* Node `node` of the tree, which holds x[lo … hi). */
static void add_node(secular *f, const tree *w, size_t node, int32_t lo, int32_t hi)
{
  if (hi - lo <= LEAF || !w->moments) {
    add_weights(f, w->x + lo, hi - lo);
    return;
  }
  double first = w->x[lo];
  double last = w->x[hi - 1];
  double radius = (last - first) / 2;
  double centre = first + radius;
  int is_left = last <= f->base;
  double side = is_left ? f->s : 1 - f->s;
  double far = f->s - (centre - f->base) / f->width;
  double ratio = radius / f->width / far;
  double nearness = (f->base + f->s * f->width) / first;
  double power = 1;
  double sum = 0;
  double slope = 0;
  const double *m = w->moments + node * 2 * TERMS;
  /* Σ x/t = −Σ_k m_k (radius/far)^k / far */
  if ((is_left || first > f->base) && ratio > -0.25 && ratio < 0.25) {
    for (int k = 0; k < TERMS; k++, power *= ratio) {
      sum -= m[k] * power;
      slope += (k + 1) * m[k] * power;
    }
    add_side(f, is_left, sum / far, slope * (side / far) * (side / far));
    /* Σ x/(x − μ) = Σ_k m_k (μ/first)^k, which converges for a wide node too */
  } else if (first > f->base && nearness <= 0.25) {
    m += TERMS;
    for (int k = 0; k + 1 < TERMS; k++, power *= nearness) {
      sum += m[k] * power;
      slope += (k + 1) * m[k + 1] * power;
    }
    add_side(f, 0, sum * f->width, slope * (side * f->width) * (side * f->width / first));
  } else {
    int32_t middle = lo + (hi - lo) / 2;
    add_node(f, w, 2 * node, lo, middle);
    add_node(f, w, 2 * node + 1, middle, hi);
  }
}

static void make_moments(const tree *w, size_t node, int32_t lo, int32_t hi)
{
  if (hi - lo <= LEAF)
    return;
  double first = w->x[lo];
  double radius = (w->x[hi - 1] - first) / 2;
  double centre = first + radius;
  double *m = w->moments + node * 2 * TERMS;
  for (int k = 0; k < 2 * TERMS; k++)
    m[k] = 0;
  for (int32_t j = lo; j < hi; j++) {
    double power = w->x[j];
    double inverse = 1;
    double step = radius > 0 ? (w->x[j] - centre) / radius : 0;
    double shrink = first / w->x[j];
    for (int k = 0; k < TERMS; k++, power *= step, inverse *= shrink) {
      m[k] += power;
      m[TERMS + k] += inverse;
    }
  }
  int32_t middle = lo + (hi - lo) / 2;
  make_moments(w, 2 * node, lo, middle);
  make_moments(w, 2 * node + 1, middle, hi);
}

/*
 * The root between base and base + width. The two sums are replaced by −a/s and b/(1 − s) of the
 * same slopes and a constant. That leaves a quadratic equation for the next s, the "middle way" of
 * divide-and-conquer eigensolvers. A bracket stands guard.
 */
static double root_above(const tree *w, double base, double width)
{
  double lo = 0;
  double hi = 1;
  double s = 0.5;
  for (int tries = 0; tries < 100; tries++) {
    secular f = {.base = base, .width = width, .s = s};
    add_node(&f, w, 1, 0, w->n);
    double value = f.left + f.right;
    double a = f.left_slope;
    double b = f.right_slope;
    if (f.left == 0) /* all weights below are 0, and so is the eigenvalue */
      return base;
    if (magnitude(value) <= 4 * ROUNDING * (f.right - f.left))
      break;
    if (value > 0)
      hi = s;
    else
      lo = s;
    double c = value + a / s - b / (1 - s);
    double linear = c + a + b;
    double root = linear * linear - 4 * c * a;
    root = __builtin_sqrt(root > 0 ? root : 0);
    double next = linear > 0 ? 2 * a / (linear + root) : (linear - root) / (2 * c);
    if (!(next > lo && next < hi))
      next = lo + (hi - lo) / 2;
    if (next == lo || next == hi || magnitude(next - s) <= ROUNDING * s)
      break;
    s = next;
  }
  return base + s * width;
}

/* Nodes are numbered as in a heap, from 1; the deepest have more than LEAF/2 weights each. */
size_t attn_spectrum_scratch_doubles(int32_t n)
{
  size_t nodes = 1;
  for (int32_t size = n; size > LEAF; size = size - size / 2)
    nodes *= 2;
  return (size_t)n + nodes * 2 * TERMS;
}

int32_t attn_jacobian_spectrum(double *eigenvalues, attn_identity *identity, const double *p,
                               int32_t n, double temperature, double *scratch)
{
  if (n < 1 || !is_temperature(temperature))
    return ATTN_E_RANGE;
  tree w = {.x = scratch, .n = n, .moments = scratch + n};
  exact_sum whole = {0, 0};
  exact_sum squares = {0, 0};
  exact_sum trace = {0, 0};
  for (int32_t j = 0; j < n; j++) {
    if (!(p[j] >= 0))
      return ATTN_E_RANGE;
    scratch[j] = p[j];
    sum_add(&whole, p[j]);
    sum_add(&squares, p[j] * p[j]);
  }
  sort(scratch, n);
  make_moments(&w, 1, 0, n);
  for (int32_t i = 0; i < n; i++) {
    double width = i + 1 < n ? w.x[i + 1] - w.x[i] : 0;
    double root = i + 1 == n ? 0 : width > 0 ? root_above(&w, w.x[i], width) : w.x[i];
    eigenvalues[i + 1 == n ? n - 1 : n - 2 - i] = root / temperature;
    sum_add(&trace, root / temperature);
  }
  double sum = sum_of(whole);
  *identity = identity_of(sum_of(trace), sum > 0 ? (sum - sum_of(squares) / sum) / temperature : 0,
                          ROUNDING / temperature, 64);
  return ATTN_OK;
}

double attn_jacobian_top(const double *p, int32_t n, double temperature)
{
  if (n < 1 || !is_temperature(temperature))
    return __builtin_nan("");
  double max = largest(p, n);
  double next = 0;
  int32_t ties = 0;
  for (int32_t j = 0; j < n; j++) {
    ties += p[j] == max;
    next = p[j] < max ? greater(next, p[j]) : next;
  }
  if (n == 1)
    return 0;
  tree w = {.x = p, .n = n};
  return (ties > 1 ? max : root_above(&w, next, max - next)) / temperature;
}
