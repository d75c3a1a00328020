/*
 * The elementary functions of src/c/base/math.h against the C library in a wider type. float32 exp
 * is tried over every float in [−104, −0]. float32 tanh is tried over every float in [2^-13, 24]
 * and a sixteenth of those below. float64 exp, log and tanh are tried at four million points each.
 * With a number n as its argument it tries an n-th of them, in pieces of 2^20 floats.
 *
 * It is built twice: plain (the bits of the simd kernels) and with V_FUSED (as a relaxed engine may
 * compute). Exit status 1 if a stated bound is broken.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/math.h"

enum { THREADS = 2, PIECE = 1 << 20 };

/* One of this number of pieces and points is tried. */
static int one_of = 1;

static float float_of(uint32_t bits)
{
  float x;
  memcpy(&x, &bits, 4);
  return x;
}

static uint32_t bits_of(float x)
{
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return bits;
}

/* Distance in units of the last place of a float as large as the exact value, which is positive. */
static double ulps(float got, double exact)
{
  uint64_t bits;
  memcpy(&bits, &exact, 8);
  uint64_t exponent = bits >> 52;

  /* subnormal floats share the last place of the smallest normal ones */
  uint64_t lowest = 1023 - 126;
  bits = ((exponent < lowest ? lowest : exponent) - 23) << 52;
  double ulp;
  memcpy(&ulp, &bits, 8);
  return fabs((double)got - exact) / ulp;
}

/* A range of float bit patterns, and the largest error found in it. */
typedef struct range {
  void (*check)(struct range *r, uint32_t from, uint32_t to);
  uint32_t from;
  uint32_t to;
  double worst;
  float worst_at;
  uint64_t checked;
  uint64_t bad;
  const char *what;
} range;

static void bad(range *r, const char *what)
{
  r->bad++;
  r->what = what;
}

static void record(range *r, float x, double error)
{
  if (error > r->worst) {
    r->worst = error;
    r->worst_at = x;
  }
}

/* Bit patterns count up from −0 to −104, so x falls and exp must never rise. */
static void check_exp(range *r, uint32_t from, uint32_t to)
{
  float before = from == 0x80000000u ? 1.0f : v_exp(v_splat(float_of(from - 1)))[0];
  for (uint32_t bits = from; bits < to; bits += 4) {
    f32x4 x = {float_of(bits), float_of(bits + 1), float_of(bits + 2), float_of(bits + 3)};
    f32x4 y = v_exp(x);
    r->checked += 4;
    /* Down to −2^-26 exactly 1 is within ¼ ULP, and most floats are there. */
    if (x[3] > -1.4901161193847656e-8f && before == 1 && !v_any(y != v_splat(1.0f)))
      continue;
    for (int l = 0; l < 4; l++) {
      if (y[l] > before)
        bad(r, "not monotone");
      if (y[l] > 1)
        bad(r, "above 1");
      before = y[l];
      if (x[l] >= EXP_UNDERFLOW)
        record(r, x[l], ulps(y[l], exp((double)x[l])));
      else if (x[l] < EXP_UNDERFLOW - 0.01f && bits_of(y[l]) != 0)
        bad(r, "not 0 below EXP_UNDERFLOW");
    }
  }
}

static void check_tanh(range *r, uint32_t from, uint32_t to)
{
  /* below 2^-13 tanh is x − x³/3 and a term beyond double; 4 floats of every 64 do there */
  const float series = 1.220703125e-4f;
  for (uint32_t bits = from; bits < to; bits += float_of(bits) < series ? 64 : 4) {
    f32x4 x = {float_of(bits), float_of(bits + 1), float_of(bits + 2), float_of(bits + 3)};
    f32x4 y = v_tanh(x);
    f32x4 z = v_tanh(-x);
    for (int l = 0; l < 4; l++) {
      double a = x[l];
      record(r, x[l], ulps(y[l], x[l] < series ? a - a * a * a / 3 : tanh(a)));
      if (y[l] > 1)
        bad(r, "above 1");
      if (bits_of(z[l]) != (bits_of(y[l]) | 0x80000000u))
        bad(r, "not odd");
    }
    r->checked += 4;
  }
}

/*
 * A thread's share: every THREADS-th piece of those that are tried, since some parts of the range
 * are much slower than others.
 */
static void *check_share(void *argument)
{
  range *r = argument;
  for (uint64_t at = r->from; at <= r->to; at += (uint64_t)one_of * THREADS * PIECE)
    r->check(r, (uint32_t)at, at + PIECE <= r->to ? (uint32_t)at + PIECE : r->to + 1);
  return NULL;
}

/* Runs a check over the bit patterns [from, to] on THREADS threads. */
static int exhaustive(const char *name, void (*check)(range *, uint32_t, uint32_t), uint32_t from,
                      uint32_t to, double limit)
{
  struct timespec start;
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  range part[THREADS];
  range all = {.what = "ok"};
  pthread_t thread[THREADS];
  for (int t = 0; t < THREADS; t++) {
    part[t] = (range){.check = check, .from = from + (uint32_t)(t * one_of * PIECE), .to = to};
    pthread_create(&thread[t], NULL, check_share, &part[t]);
  }
  for (int t = 0; t < THREADS; t++) {
    pthread_join(thread[t], NULL);
    all.checked += part[t].checked;
    all.bad += part[t].bad;
    if (part[t].bad)
      all.what = part[t].what;
    if (part[t].worst >= all.worst) {
      all.worst = part[t].worst;
      all.worst_at = part[t].worst_at;
    }
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  double seconds =
      (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
  int failed = all.bad || !(all.worst <= limit);
  printf(
      "%s: %llu floats, max %.4f ULP at %a (%.9g), limit %.2f, %llu broken rules%s%s, %.1f s: %s\n",
      name, (unsigned long long)all.checked, all.worst, (double)all.worst_at, (double)all.worst_at,
      limit, (unsigned long long)all.bad, all.bad ? ", last: " : "", all.bad ? all.what : "",
      seconds, failed ? "FAILED" : "ok");
  return failed;
}

/* Two functions in double against long double, at points drawn from a generator. */
static uint64_t state = 88172645463325252u;

static double uniform(void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) * 0x1p-53;
}

static double point_exp(void)
{
  double u = uniform();
  return u < 0.5    ? -708 * 2 * u
         : u < 0.75 ? -ldexp(1 + uniform(), -(int)(60 * uniform()))
                    : 709 * uniform();
}

static double point_log(void)
{
  double u = uniform();
  return u < 0.5    ? ldexp(1 + uniform(), (int)(2000 * uniform()) - 1020)
         : u < 0.75 ? 0.5 + uniform()
                    : 1 + uniform() * 1e5;
}

static double point_tanh(void)
{
  return uniform() < 0.5 ? 24 * uniform() : ldexp(1 + uniform(), -(int)(60 * uniform()));
}

static int sampled(const char *name, double (*f)(double), long double (*exact)(long double),
                   double (*point)(void), double limit)
{
  double worst = 0;
  double worst_at = 0;
  int points = 4000000 / one_of;
  for (int i = 0; i < points; i++) {
    double x = point();
    long double want = exact(x);
    int e;
    frexpl(want, &e);
    double error = (double)(fabsl(f(x) - want) / ldexpl(1.0L, (e < -1021 ? -1021 : e) - 53));
    if (!(error <= worst)) {
      worst = error;
      worst_at = x;
    }
  }
  int failed = !(worst <= limit);
  printf("%s: %d doubles, max %.4f ULP at %a (%.17g), limit %.2f: %s\n", name, points, worst,
         worst_at, worst_at, limit, failed ? "FAILED" : "ok");
  return failed;
}

static int same(const char *name, double got, double want)
{
  int ok = got == want ? signbit(got) == signbit(want) : got != got && want != want;
  if (!ok)
    printf("%s is %a, should be %a: FAILED\n", name, got, want);
  return !ok;
}

#define EXP(x) (double)v_exp(v_splat(x))[0]
#define TANH(x) (double)v_tanh(v_splat(x))[0]

int main(int count, char **arguments)
{
  one_of = count > 1 ? atoi(arguments[1]) : 1;
  float inf = (float)INFINITY;
  float nan = (float)NAN;
  int failed = 0;
#ifdef V_FUSED
  printf("fused multiply-add\n");
#else
  printf("multiply, then add\n");
#endif
  failed += same("exp(0)", EXP(0.0f), 1) + same("exp(-0)", EXP(-0.0f), 1) +
            same("exp(-inf)", EXP(-inf), 0);
  failed += same("exp(nan)", EXP(nan), NAN) + same("exp(-1e4)", EXP(-1e4f), 0) +
            same("exp(-FLT_MAX)", EXP(-3.4028235e38f), 0);
  failed += same("exp(below EXP_UNDERFLOW)", EXP(EXP_UNDERFLOW - 0.01f), 0);
  failed += same("tanh(inf)", TANH(inf), 1) + same("tanh(-inf)", TANH(-inf), -1) +
            same("tanh(nan)", TANH(nan), NAN);
  failed += same("tanh(1e30)", TANH(1e30f), 1) + same("tanh(-FLT_MAX)", TANH(-3.4028235e38f), -1);
  failed += same("f64 exp(0)", f64_exp(0), 1) + same("f64 exp(-inf)", f64_exp(-INFINITY), 0) +
            same("f64 exp(nan)", f64_exp(NAN), NAN);
  failed += same("f64 exp(710)", f64_exp(710), INFINITY) + same("f64 exp(-746)", f64_exp(-746), 0);
  failed += same("f64 log(1)", f64_log(1), 0) + same("f64 log(0)", f64_log(0), -INFINITY) +
            same("f64 log(nan)", f64_log(NAN), NAN);
  failed +=
      same("f64 log(inf)", f64_log(INFINITY), INFINITY) + same("f64 log(-1)", f64_log(-1), NAN);
  failed += same("f64 tanh(0)", f64_tanh(0), 0) + same("f64 tanh(-0)", f64_tanh(-0.0), -0.0) +
            same("f64 tanh(-inf)", f64_tanh(-INFINITY), -1);
  failed += same("f64 tanh(nan)", f64_tanh(NAN), NAN);
  failed += exhaustive("exp ", check_exp, 0x80000000u, bits_of(-104.0f), 1.5);
  failed += exhaustive("tanh", check_tanh, 0, bits_of(24.0f), 2.5);
  failed += sampled("f64 exp ", f64_exp, expl, point_exp, 1);
  failed += sampled("f64 log ", f64_log, logl, point_log, 2);
  failed += sampled("f64 tanh", f64_tanh, tanhl, point_tanh, 3);
  return failed != 0;
}
