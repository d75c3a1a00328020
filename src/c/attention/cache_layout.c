/*
 * One key or value of a KV cache: from floats to the type of the cache and back, and where its
 * numbers lie.
 */
#include "cache_layout.h"
#include "base/half.h"
#include "base/math.h"

/* ---- Floats and records ---- */

/* Channels c..c+3 of x less the reference, with 0 beyond the last. */
INLINE f32x4 difference_at(const float *x, const float *reference, int32_t c, int32_t size)
{
  f32x4 y = c + 4 <= size ? v_load(x + c) : v_load_tail(x + c, (size_t)(size - c));
  return reference ? y - v_load(reference + c) : y;
}

/* The largest |number| of the difference: infinity or NaN if any is not finite. */
static float largest_number(const float *x, const float *reference, int32_t size)
{
  i32x4 max = v_splat_i(0);
  for (int32_t c = 0; c < size; c += 4) /* in the order of their bits, NaN is the largest */
    max = v_max_i(max, (i32x4)difference_at(x, reference, c, size) & v_splat_i(INT32_MAX));
  max = v_max_i(max, (i32x4){max[2], max[3], max[0], max[1]});
  max = v_max_i(max, (i32x4){max[1], max[0], max[3], max[2]});
  return ((f32x4)max)[0];
}

/* Four numbers times per_unit, at most 127 in size, rounded to nearest even. */
INLINE i32x4 to_integers(f32x4 x, double per_unit)
{
  const f64x2 low = v_low_double(x) * per_unit + F64_ROUNDS;
  const f64x2 high = v_high_double(x) * per_unit + F64_ROUNDS;
  return __builtin_shufflevector((i32x4)low, (i32x4)high, 0, 2, 4, 6);
}

static void encode_bytes(char *record, const float *x, int32_t size, const float *reference)
{
  float max = largest_number(x, NULL, size);
  const float rest = reference ? largest_number(x, reference, size) : max;
  /* a key that is not finite has no difference that is smaller */
  const int differs = rest < max;
  if (differs)
    max = rest;
  else
    reference = NULL;
  /* a scale among the subnormal floats is rounded up, so that no quotient is beyond 127 */
  float scale = max - max == 0 ? max / 127.0f : __builtin_nanf("");
  if ((double)scale * 127.0 < max)
    scale += 0x1p-149f;
  if (differs)
    scale = -scale;
  __builtin_memcpy(record, &scale, sizeof scale);
  record += sizeof scale;
  __builtin_memset(record, 0, (size_t)size);
  for (int32_t c = 0; c < size && (scale > 0 || scale < 0); c += 4) {
    i32x4 halves = to_integers(difference_at(x, reference, c, size), 1.0 / scale);
    halves = v_pack(halves, halves);
    /* up to 3 bytes beyond its end, within MAX_RECORD */
    __builtin_memcpy(record + c, &(int32_t){v_pack_bytes(halves, halves)[0]}, 4);
  }
}

void record_encode(int32_t type, char *record, const float *x, int32_t size, const float *reference)
{
  if (type == ATTN_CACHE_F32)
    __builtin_memcpy(record, x, (size_t)size * sizeof(float));
  else if (type == ATTN_CACHE_F16)
    for (int32_t c = 0; c < size; c += 4) {
      i32x4 halves =
          v_halves_of(c + 4 <= size ? v_load(x + c) : v_load_tail(x + c, (size_t)(size - c)));
      i32x4 four = v_narrow(halves, halves);
      /* up to 6 bytes beyond its end, within MAX_RECORD */
      __builtin_memcpy(record + 2 * c, &four, 8);
    }
  else
    encode_bytes(record, x, size, reference);
}

void record_decode(int32_t type, float *x, const char *record, int32_t size, const float *reference)
{
  float scale = 1;
  if (type == ATTN_CACHE_F32)
    __builtin_memcpy(x, record, (size_t)size * sizeof(float));
  else if (type == ATTN_CACHE_F16)
    for (int32_t c = 0; c < size; c++) {
      uint16_t half;
      __builtin_memcpy(&half, record + 2 * c, 2);
      x[c] = half_to_float(half);
    }
  else {
    __builtin_memcpy(&scale, record, sizeof scale);
    for (int32_t c = 0; c < size; c++)
      x[c] = number_of_byte((int8_t)record[sizeof scale + (size_t)c], scale,
                            reference ? reference[c] : 0);
  }
}

/* ---- Records and the cache ---- */

/*
 * Where a vector's numbers lie: `run` of them with `apart` from one to the next, number c at base +
 * ⌊c/run⌋·step + (c mod run)·apart, in numbers.
 */
typedef struct {
  char *base;
  size_t run;
  size_t step;
  size_t apart;
  char *panel; /* of a key, which is computed with whatever lies beside it; NULL for a value */
  size_t panel_bytes;
  float *scale; /* of bytes */
} places;

static places places_of(const attn_cache *c, int32_t kv_head, int32_t j, int is_value)
{
  const size_t number = cache_number_bytes(c->type);
  const size_t size = is_value ? cache_value_size(c) : cache_key_size(c);
  const int bytes = c->type == ATTN_CACHE_Q8;
  const size_t block = !is_value ? PANEL : bytes ? SPAN : BLOCK;
  const size_t row = (size_t)j;
  const size_t lane = row % block;
  const size_t before = (row - lane) * size * number;
  places p = {.scale =
                  bytes ? cache_scales(c, kv_head) + (is_value ? cache_rows(c) : 0) + j : NULL};
  if (is_value) {
    size_t at = bytes ? lane / WORD * (STRIP * WORD) + lane % WORD : lane * STRIP;
    p.base = cache_values(c, kv_head) + before + at * number;
    p.run = STRIP;
    p.step = strip_rows(block, cache_rows(c), row) * STRIP;
    p.apart = bytes ? WORD : 1;
  } else {
    p.panel = cache_keys(c, kv_head) + before;
    p.panel_bytes = PANEL * size * number;
    p.run = bytes ? WORD : 1;
    p.base = p.panel + lane * p.run * number;
    p.step = PANEL * p.run;
    p.apart = 1;
  }
  return p;
}

INLINE void move_run(const size_t number, const int store, char *at, size_t apart, char *record,
                     size_t count, char flip)
{
  for (char *end = record + count * number; record < end; record += number, at += apart * number) {
    __builtin_memcpy(store ? at : record, store ? record : at, number);
    *(store ? at : record) ^= flip;
  }
}

INLINE void move_numbers(const size_t number, const int store, const places *p, char *record,
                         size_t size, char flip)
{
  const size_t run = p->run;
  char *base = p->base;
  if (run == 1)
    move_run(number, store, base, p->step, record, size, flip);
  else
    for (size_t c = 0; c < size; c += run, base += p->step * number)
      move_run(number, store, base, p->apart, record + c * number, size - c < run ? size - c : run,
               flip);
}

static void move_record(const int store, const attn_cache *c, const places *p, char *record,
                        int is_value)
{
  size_t size = (size_t)(is_value ? c->value_dim : c->dim);
  if (c->type == ATTN_CACHE_Q8)
    move_numbers(1, store, p, record + sizeof(float), size, (char)flip_of(c->dot_form));
  else if (c->type == ATTN_CACHE_F32)
    move_numbers(4, store, p, record, size, 0);
  else
    move_numbers(2, store, p, record, size, 0);
}

/* Whether a number of a record of halves or bytes is not finite. */
static int32_t has_not_finite(int32_t type, const char *record, int32_t size)
{
  float scale;
  int32_t not_finite = 0;
  if (type == ATTN_CACHE_Q8) {
    __builtin_memcpy(&scale, record, sizeof scale);
    return scale - scale != 0;
  }
  for (const char *end = record + 2 * size; record < end; record += 2) {
    uint16_t half;
    __builtin_memcpy(&half, record, 2);
    not_finite |= !half_is_finite(half);
  }
  return not_finite;
}

void record_store(attn_cache *c, int32_t kv_head, int32_t j, int is_value, const char *record)
{
  places p = places_of(c, kv_head, j, is_value);
  size_t number = cache_number_bytes(c->type);
  /* the kernels compute with eight positions at a time, so all of them must hold numbers */
  for (int l = 0; l < PANEL && p.scale && j % PANEL == 0; l++)
    p.scale[l] = 0;
  if (p.panel && j % PANEL == 0)
    __builtin_memset(p.panel, 0, p.panel_bytes);
  /* of values in bytes, a strip has two words for them */
  if (is_value && p.scale && j % PANEL == 0)
    for (size_t x = 0; x < cache_value_size(c); x += STRIP)
      __builtin_memset(p.base + x / STRIP * p.step, 0, PANEL * STRIP);
  /* and so must the rest of the last strip */
  for (size_t x = (size_t)c->value_dim; is_value && x < cache_value_size(c); x++)
    __builtin_memset(p.base + (x / STRIP * p.step + x % STRIP * p.apart) * number, 0, number);
  if (p.scale)
    __builtin_memcpy(p.scale, record, sizeof *p.scale);
  if (c->type != ATTN_CACHE_F32)
    c->not_finite |= has_not_finite(c->type, record, is_value ? c->value_dim : c->dim);
  move_record(1, c, &p, (char *)record, is_value);
}

void record_fetch(const attn_cache *c, int32_t kv_head, int32_t j, int is_value, char *record)
{
  places p = places_of(c, kv_head, j, is_value);
  if (p.scale)
    __builtin_memcpy(record, p.scale, sizeof *p.scale);
  move_record(0, c, &p, record, is_value);
}

/* ---- References of keys ---- */

float *cache_reference(const attn_cache *c, int32_t kv_head, int32_t j)
{
  return cache_scales(c, kv_head) + 2 * cache_rows(c) + reference_of((size_t)j) * cache_key_size(c);
}

enum { BEFORE = PANEL - 1 }; /* keys that the median is of; the first of a panel is left out */

/* The fourth of seven numbers in their order. */
static float median(float x[BEFORE])
{
  for (int last = 1; last < BEFORE; last++)
    for (int l = last; l > 0 && x[l - 1] > x[l]; l--) {
      float larger = x[l - 1];
      x[l - 1] = x[l];
      x[l] = larger;
    }
  return x[BEFORE / 2];
}

/* Makes the median of the last seven keys before key j, a multiple of PANEL, its reference. */
static void find_median(attn_cache *c, int32_t kv_head, int32_t j)
{
  const float *old = cache_reference(c, kv_head, j - 1);
  const float *scales = cache_scales(c, kv_head) + j - BEFORE;
  const char *panel = cache_keys(c, kv_head) + (size_t)(j - PANEL) * cache_key_size(c);
  const char flip = (char)flip_of(c->dot_form);
  float *reference = cache_reference(c, kv_head, j);
  __builtin_memset(reference, 0, cache_key_size(c) * sizeof *reference);
  for (int32_t channel = 0; channel < c->dim; channel++) {
    float x[BEFORE];
    for (int l = 0; l < BEFORE; l++) {
      int8_t byte =
          (int8_t)(panel[(channel / WORD * PANEL + l + 1) * WORD + channel % WORD] ^ flip);
      float number = number_of_byte(byte, scales[l], old[channel]);
      x[l] = number == number ? number : __builtin_inff(); /* NaN has no place in an order */
    }
    reference[channel] = median(x);
  }
}

void cache_begin_reference(attn_cache *c, int32_t kv_head, int32_t j, const float *key)
{
  if (j >= GIVEN) {
    if (j == PANEL || j % SPAN == 0)
      find_median(c, kv_head, j);
    return;
  }
  /* the kernels multiply with those of later keys too, so they must hold numbers */
  for (int32_t later = j; later < GIVEN; later++) {
    float *reference = cache_reference(c, kv_head, later);
    __builtin_memset(reference, 0, cache_key_size(c) * sizeof *reference);
    __builtin_memcpy(reference, key, (size_t)c->dim * sizeof *reference);
  }
}
