/* Parameters to begin with. */
#include "trainer.h"

/* SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014. */
static uint64_t next(uint64_t *state)
{
  uint64_t z = *state += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

/* 12 integers of 16 bits, from three numbers: mean 0 and variance 1, but for 2⁻³². */
static double near_normal(uint64_t *state)
{
  int64_t sum = -6 * 65535;
  for (int i = 0; i < 3; i++) {
    uint64_t x = next(state);
    for (int part = 0; part < 4; part++, x >>= 16)
      sum += (int64_t)(x & 0xFFFF);
  }
  return (double)sum / 65536;
}

static void draw(const attn_trainer *t, uint64_t *state, int32_t parameter, int32_t layer,
                 double deviation)
{
  if (attn_trainer_columns(t, parameter) == 1)
    return;
  float *w = attn_trainer_parameters(t) + attn_trainer_offset(t, parameter, layer);
  const size_t count =
      (size_t)attn_trainer_rows(t, parameter) * (size_t)attn_trainer_columns(t, parameter);
  for (size_t i = 0; i < count; i++)
    w[i] = (float)(deviation * near_normal(state));
}

void attn_trainer_randomize(attn_trainer *t, double seed, double deviation)
{
  const int32_t layers = t->layers;
  const double residual = deviation / __builtin_sqrt(2.0 * layers);
  uint64_t state = (uint64_t)seed;
  draw(t, &state, ATTN_PARAMETER_EMBEDDING, 0, deviation);
  for (int32_t layer = 0; layer < layers; layer++)
    for (int32_t parameter = ATTN_PARAMETER_NORM; parameter < ATTN_PARAMETER_END_NORM; parameter++)
      draw(t, &state, parameter, layer,
           parameter == ATTN_PARAMETER_O || parameter == ATTN_PARAMETER_DOWN ? residual
                                                                             : deviation);
  draw(t, &state, ATTN_PARAMETER_OUTPUT, 0, deviation);
}
