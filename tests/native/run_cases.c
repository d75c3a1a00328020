/*
 * Runs a stream of cases from stdin natively through the kernels, and writes all results to stdout.
 * Every array lies in memory of exactly its size. tests/support/stream.js writes the stream and
 * reads the answer. Sanitizers watch every access, and the bits must be those of the simd module.
 *
 * A byte of the stream names the next part. 'F': a call. 'C': a cache and its operations. 'G': the
 * Gaussian view. 'L': something of layers.h. 'D': a gradient. The end of the file is the end.
 * Numbers are little-endian int32 and double; arrays follow without lengths, which the shapes give.
 */
#include "attend.h"
#include "layers.h"
#include "theory.h"

static int32_t read_int(void)
{
  int32_t x;
  read_bytes(&x, 4);
  return x;
}

static double read_double(void)
{
  double x;
  read_bytes(&x, 8);
  return x;
}

static void write_int(int32_t x) { write_bytes(&x, 4); }

/* ---- Memory of exact size, freed after each case ---- */

enum { MAX_BLOCKS = 128 };
static void *blocks[MAX_BLOCKS];
static int block_count;

/*
 * In half of the cases arrays of numbers begin one element behind a 16-aligned address: no more may
 * be assumed.
 */
static size_t shift;

static char *keep(size_t bytes)
{
  check(block_count < MAX_BLOCKS, "too many arrays");
  return blocks[block_count++] = fresh(bytes);
}

static void *numbers(size_t bytes) { return keep(bytes + shift) + shift; }

static void *read_numbers(size_t bytes)
{
  void *a = numbers(bytes);
  read_bytes(a, bytes);
  return a;
}

static const int32_t *read_ints(size_t count)
{
  void *a = keep(count * 4);
  read_bytes(a, count * 4);
  return a;
}

static void free_all(void)
{
  while (block_count)
    free(blocks[--block_count]);
}

/* ---- One call ---- */

/* The results of a call, in the order of the answer. */
typedef struct {
  void *array[4 + ATTN_STATISTICS];
  size_t bytes[4 + ATTN_STATISTICS];
  int count;
} results;

static void *result(results *r, size_t bytes)
{
  r->array[r->count] = numbers(bytes);
  r->bytes[r->count] = bytes;
  return r->array[r->count++];
}

static void must(int32_t status) { check(status == ATTN_OK, "a setter refused a valid option"); }

/*
 * Reads shape and options, and allocates the results. The cache's sizes stand in the place of
 * k and v.
 */
static attn_params *read_call(results *r, size_t element, int32_t shape[7], size_t *out_bytes)
{
  shift = element * (size_t)read_int();
  for (int x = 0; x < 7; x++)
    shape[x] = read_int();
  size_t batch = (size_t)shape[0];
  size_t heads = (size_t)shape[1];
  size_t m = (size_t)shape[3];
  size_t n = (size_t)shape[4];
  attn_params *p = (attn_params *)(void *)keep(attn_params_bytes());
  must(attn_init(p, shape[0], shape[1], shape[2], shape[3], shape[4], shape[5], shape[6]));
  must(attn_set_layout(p, read_int()));
  if (read_int())
    must(attn_set_scale(p, read_double()));
  must(attn_set_temperature(p, read_double()));
  must(attn_set_softcap(p, read_double()));
  attn_set_causal(p, read_int());
  int32_t left = read_int();
  int32_t right = read_int();
  int32_t per_batch = read_int();
  int32_t offset = read_int();
  must(attn_set_window(p, left, right));
  must(attn_set_offset(p, offset, per_batch ? read_ints(batch) : NULL));
  attn_set_key_lengths(p, read_int() ? read_ints(batch) : NULL);
  int32_t kind = read_int();
  if (kind) {
    int32_t size[4];
    size_t count = kind == ATTN_MASK_ADD ? element : 1;
    for (int x = 0; x < 4; x++)
      count *= (size_t)(size[x] = read_int());
    must(attn_set_mask(p, kind, read_numbers(count), size[0], size[1], size[2], size[3]));
  }
  attn_set_key_scale(p, read_int() ? read_numbers(n * element) : NULL);
  attn_set_alibi(p, read_int() ? read_numbers(heads * element) : NULL);
  attn_set_sinks(p, read_int() ? read_numbers(heads * element) : NULL);
  must(attn_set_precision(p, read_int()));

  *out_bytes = batch * heads * m * (size_t)shape[6] * element;
  int32_t chosen = read_int();
  int32_t stage;
  int32_t everything;
  if (chosen == 1)
    attn_want_weights(p, result(r, batch * heads * m * n * element), NULL, 0, NULL, 0);
  if (chosen == 2) {
    int32_t chosen_heads = read_int();
    int32_t chosen_rows = read_int();
    const int32_t *head_slot = read_ints(heads);
    const int32_t *row_slot = read_ints(m);
    attn_want_weights(p,
                      result(r, batch * (size_t)chosen_heads * (size_t)chosen_rows * n * element),
                      head_slot, chosen_heads, row_slot, chosen_rows);
  }
  if ((stage = read_int()) >= 0)
    must(attn_want_scores(p, stage, result(r, batch * heads * m * n * element)));
  if ((everything = read_int())) {
    size_t rows = batch * heads * m;
    attn_want_lse(p, result(r, rows * element));
    char *stats = numbers(ATTN_STATISTICS * rows * element);
    attn_want_stats(p, stats, rows);
    for (int x = 0; x < ATTN_STATISTICS; x++) {
      const int is_integer = x == ATTN_STAT_N || x == ATTN_STAT_ARGMAX;
      r->array[r->count] = stats + (size_t)x * rows * element;
      r->bytes[r->count++] = rows * (is_integer ? sizeof(int32_t) : element);
    }
  }
  int32_t segments = read_int();
  if (segments) {
    size_t sums = batch * heads * m * (size_t)segments;
    void *to = result(r, sums * element);
    must(attn_want_segments(p, to, read_ints((size_t)segments + 1), segments));
  }
  return p;
}

static void answer(int32_t status, const void *out, size_t out_bytes, const results *r)
{
  write_int(status);
  write_bytes(out, out_bytes);
  for (int x = 0; x < r->count; x++)
    write_bytes(r->array[x], r->bytes[x]);
}

static void run_call(void)
{
  results r = {.count = 0};
  int32_t is_double = read_int();
  int32_t shape[7];
  size_t element = is_double ? 8 : 4;
  size_t out_bytes;
  attn_params *p = read_call(&r, element, shape, &out_bytes);
  size_t queries = (size_t)shape[0] * (size_t)shape[1] * (size_t)shape[3];
  size_t keys = (size_t)shape[0] * (size_t)shape[2] * (size_t)shape[4];
  void *q = read_numbers(queries * (size_t)shape[5] * element);
  void *k = read_numbers(keys * (size_t)shape[5] * element);
  void *v = read_numbers(keys * (size_t)shape[6] * element);
  void *out = numbers(out_bytes);
  int32_t status = is_double ? attn_forward_f64(p, out, q, k, v, keep(attn_scratch_bytes_f64(p)))
                             : attend_f32(p, out, q, k, v, NULL);
  answer(status, out, out_bytes, &r);
}

/* The Gaussian view, and its comparison with softmax attention of the same inputs. */
static void run_gaussian(void)
{
  int32_t is_double = read_int();
  int32_t m = read_int();
  int32_t n = read_int();
  int32_t dim = read_int();
  int32_t value_dim = read_int();
  int32_t restore_key_norm = read_int();
  double temperature = read_double();
  size_t element = is_double ? 8 : 4;
  size_t rows = (size_t)m;
  size_t keys = (size_t)n;
  shift = element;
  void *q = read_numbers(rows * (size_t)dim * element);
  void *k = read_numbers(keys * (size_t)dim * element);
  void *v = read_numbers(keys * (size_t)value_dim * element);
  size_t weight_bytes = rows * keys * element;
  size_t out_bytes = rows * (size_t)value_dim * element;
  void *weights = numbers(weight_bytes);
  void *out = numbers(out_bytes);
  must(is_double ? attn_gaussian_f64(weights, out, q, k, v, m, n, dim, value_dim, temperature,
                                     restore_key_norm)
                 : attn_gaussian_f32(weights, out, q, k, v, m, n, dim, value_dim, temperature,
                                     restore_key_norm));
  write_bytes(weights, weight_bytes);
  write_bytes(out, out_bytes);

  attn_params *p = (attn_params *)(void *)keep(attn_params_bytes());
  void *softmax = numbers(weight_bytes);
  void *attended = numbers(out_bytes);
  must(attn_init(p, 1, 1, 1, m, n, dim, value_dim));
  must(attn_set_temperature(p, temperature));
  attn_want_weights(p, softmax, NULL, 0, NULL, 0);
  if (is_double)
    must(attn_forward_f64(p, attended, q, k, v, keep(attn_scratch_bytes_f64(p))));
  else
    must(attn_forward_f32(p, attended, q, k, v, keep(attn_scratch_bytes_f32(p))));
  attn_gaussian_report *report = (attn_gaussian_report *)(void *)keep(sizeof *report);
  attn_gaussian_compare(report, softmax, weights, attended, out, q, k, v, m, n, dim, value_dim,
                        temperature, is_double);
  write_bytes(report, sizeof *report);
}

/* ---- A cache ---- */

/*
 * Restores `bytes` of a snapshot, with a bit of byte `flip` turned if there is such a byte, from
 * memory of exactly that size.
 */
static int32_t restore_copy(attn_cache *cache, const uint8_t *snapshot, size_t bytes, size_t flip)
{
  uint8_t *copy = malloc(bytes ? bytes : 1);
  memcpy(copy, snapshot, bytes);
  if (flip < bytes)
    copy[flip] ^= (uint8_t)(1 << (flip % 8));
  int32_t status = attn_cache_restore(cache, copy, bytes);
  free(copy);
  return status;
}

/*
 * Restores shortened and damaged copies of the cache's snapshot into `target`, which must refuse
 * them all and stay what it was: at every byte of the header, then at about 256 places. Returns how
 * many it took.
 */
static int32_t attack(const attn_cache *cache, attn_cache *target, size_t target_bytes)
{
  size_t bytes = attn_cache_snapshot_bytes(cache);
  uint8_t *good = malloc(bytes);
  uint8_t *before = malloc(target_bytes);
  int32_t accepted = 0;
  attn_cache_snapshot(cache, good);
  memcpy(before, target, target_bytes);
  for (size_t at = 0; at < bytes; at += at < 40 ? 1 : bytes / 256 + 1) {
    accepted += restore_copy(target, good, at, bytes) == ATTN_OK;
    accepted += restore_copy(target, good, bytes, at) == ATTN_OK;
    accepted += restore_copy(target, good, bytes - 1 - at, bytes) == ATTN_OK;
    accepted += memcmp(target, before, target_bytes) != 0;
  }
  free(good);
  free(before);
  return accepted;
}

static void run_cache(void)
{
  int32_t kv_heads = read_int();
  int32_t dim = read_int();
  int32_t value_dim = read_int();
  int32_t capacity = read_int();
  int32_t type = read_int();
  size_t bytes = attn_cache_bytes(kv_heads, dim, value_dim, capacity, type);
  size_t heads = (size_t)kv_heads;
  attn_cache *cache = (attn_cache *)(void *)keep(bytes);
  must(attn_cache_init(cache, kv_heads, dim, value_dim, capacity, type));
  write_int((int32_t)bytes);
  for (;;) {
    int32_t operation = read_int();
    int32_t mark = block_count;
    if (operation == 'E')
      return;
    if (operation == 'A') {
      int32_t t = read_int();
      int32_t positions_first = read_int();
      float *k = read_numbers(heads * (size_t)t * (size_t)dim * 4);
      float *v = read_numbers(heads * (size_t)t * (size_t)value_dim * 4);
      write_int(attn_cache_append(cache, k, v, t, positions_first));
    } else if (operation == 'T') {
      write_int(attn_cache_truncate(cache, read_int()));
    } else if (operation == 'R') {
      int32_t from = read_int();
      int32_t to = read_int();
      size_t count = heads * (size_t)(to - from);
      float *k = numbers(count * (size_t)dim * 4);
      float *v = numbers(count * (size_t)value_dim * 4);
      write_int(attn_cache_read(cache, k, v, from, to));
      write_bytes(k, count * (size_t)dim * 4);
      write_bytes(v, count * (size_t)value_dim * 4);
      /* snapshot, and continue on a cache of another capacity that took it */
    } else if (operation == 'S') {
      int32_t other = read_int();
      size_t size = attn_cache_snapshot_bytes(cache);
      size_t other_bytes = attn_cache_bytes(kv_heads, dim, value_dim, other, type);
      uint8_t *snapshot = (uint8_t *)keep(size);
      attn_cache_snapshot(cache, snapshot);
      attn_cache *next = malloc(other_bytes);
      memset(next, 0xCD, other_bytes);
      must(attn_cache_init(next, kv_heads, dim, value_dim, other, type));
      write_int(attack(cache, next, other_bytes));
      write_int(attn_cache_restore(next, snapshot, size));
      write_bytes(snapshot, size);
      free(blocks[0]);
      blocks[0] = cache = next;
    } else if (operation == 'Q') {
      results r = {.count = 0};
      int32_t shape[7];
      size_t out_bytes;
      attn_params *p = read_call(&r, 4, shape, &out_bytes);
      float *q = read_numbers((size_t)shape[1] * (size_t)shape[3] * (size_t)shape[5] * 4);
      float *out = numbers(out_bytes);
      answer(attend_f32(p, out, q, NULL, NULL, cache), out, out_bytes, &r);
    } else {
      fail("unknown cache operation");
    }
    while (block_count > mark)
      free(blocks[--block_count]);
  }
}

#include "gradient_cases.h"
#include "layer_cases.h"

int main(void)
{
  for (int kind; (kind = getchar()) != EOF;) {
    if (kind == 'F')
      run_call();
    else if (kind == 'C')
      run_cache();
    else if (kind == 'G')
      run_gaussian();
    else if (kind == 'L')
      run_layer();
    else if (kind == 'D')
      run_gradient();
    else
      fail("unknown record");
    free_all();
  }
  return 0;
}
