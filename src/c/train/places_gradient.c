/* Tokens and positions: embeddings and their gradient, and the gradient of rotary positions. */
#include "gradients.h"
#include "base/simd.h"

void attn_rope_gradient(float *dx, int32_t m, int32_t heads, size_t row_stride, size_t head_stride,
                        const float *cos, const float *sin, const int32_t *positions,
                        int32_t rotary_dim, int32_t interleaved)
{
  const int32_t half = rotary_dim / 2;
  const int32_t step = interleaved ? 2 : 1;
  const int32_t apart = interleaved ? 1 : half;
  for (int32_t i = 0; i < m; i++) {
    const size_t at = (size_t)(positions ? positions[i] : i) * (size_t)half;
    const float *c = cos + at;
    const float *s = sin + at;
    for (int32_t h = 0; h < heads; h++) {
      float *head = dx + (size_t)i * row_stride + (size_t)h * head_stride;
      for (int32_t p = 0; p < half; p++) {
        float *a = head + step * p;
        float *b = a + apart;
        float da = *a;
        float db = *b;
        *a = da * c[p] + db * s[p];
        *b = db * c[p] - da * s[p];
      }
    }
  }
}

void attn_embed(float *x, const float *e, const int32_t *tokens, int32_t count, int32_t width)
{
  for (int32_t i = 0; i < count; i++)
    __builtin_memcpy(x + (size_t)i * (size_t)width, e + (size_t)tokens[i] * (size_t)width,
                     (size_t)width * sizeof *x);
}

/* Channels of a piece. Threads share the channels, because two tokens may be the same. */
enum { PIECE_CHANNELS = 16 };

typedef struct {
  float *de;
  const float *dx;
  const int32_t *tokens;
  int32_t count;
  int32_t width;
} embed_task;

static void embed_piece(void *task, int32_t index, void *scratch)
{
  const embed_task *e = task;
  const size_t first = (size_t)index * PIECE_CHANNELS;
  const size_t width = (size_t)e->width;
  const size_t n = width - first < PIECE_CHANNELS ? width - first : PIECE_CHANNELS;
  (void)scratch;
  for (int32_t i = 0; i < e->count; i++) {
    float *to = e->de + (size_t)e->tokens[i] * width + first;
    attn_add(to, to, e->dx + (size_t)i * width + first, n);
  }
}

void attn_embed_gradient(attn_team *team, float *de, const float *dx, const int32_t *tokens,
                         int32_t count, int32_t width)
{
  embed_task task = {de, dx, tokens, count, width};
  attn_team_run(team, embed_piece, &task, (width + PIECE_CHANNELS - 1) / PIECE_CHANNELS,
                (double)count * width);
}
