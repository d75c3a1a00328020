/*
 * The record 'L' of run_cases.c: one operation or layer of layers.h. Included there, behind what
 * reads the stream.
 */

/*
 * Memory for a packed matrix, 16-aligned and of exactly its size, filled from the stream; NULL
 * where the stream has none.
 */
static const attn_matrix *read_matrix(int32_t rows, int32_t columns)
{
  if (!read_int())
    return NULL;
  attn_matrix *w = (attn_matrix *)(void *)keep(attn_matrix_bytes(ATTN_F32, rows, columns));
  must(attn_matrix_init(w, ATTN_F32, rows, columns));
  const float *source = read_numbers((size_t)rows * (size_t)columns * 4);
  must(attn_matrix_pack(w, ATTN_F32, (const uint8_t *)source, 0, rows));
  return w;
}

static const float *read_vector(size_t size) { return read_int() ? read_numbers(size * 4) : NULL; }

/* A team of one thread, whose scratch is of exactly the size that p needs. */
static attn_team *open_team(const attn_params *p)
{
  attn_team *team = (attn_team *)(void *)keep(attn_team_bytes());
  size_t bytes = p ? attn_scratch_bytes_f32(p) : 0;
  attn_team_open(team, 1, keep(bytes), bytes);
  return team;
}

static void run_matmul(void)
{
  size_t m = (size_t)read_int();
  size_t rows = (size_t)read_int();
  size_t columns = (size_t)read_int();
  const float *x = read_numbers(m * columns * 4);
  const attn_matrix *w = read_matrix((int32_t)rows, (int32_t)columns);
  const float *bias = read_vector(rows);
  float *y = numbers(m * rows * 4);
  attn_matmul(open_team(NULL), y, rows, x, columns, (int32_t)m, w, bias);
  write_bytes(y, m * rows * 4);
}

static void run_norms(void)
{
  size_t rows = (size_t)read_int();
  size_t size = (size_t)read_int();
  double epsilon = read_double();
  const float *x = read_numbers(rows * size * 4);
  const float *scale = read_vector(size);
  const float *bias = read_vector(size);
  float *y = numbers(rows * size * 4);
  float *mean = numbers(rows * 4);
  float *inverse = numbers(rows * 4);
  for (int one_plus = 0; one_plus < 2; one_plus++) {
    attn_rms_norm(y, size, x, size, (int32_t)rows, (int32_t)size, scale, one_plus, epsilon);
    write_bytes(y, rows * size * 4);
  }
  attn_layer_norm(y, x, (int32_t)rows, (int32_t)size, scale, bias, epsilon, mean, inverse);
  write_bytes(y, rows * size * 4);
  write_bytes(mean, rows * 4);
  write_bytes(inverse, rows * 4);
}

static void run_activations(void)
{
  size_t count = (size_t)read_int();
  const float *x = read_numbers(count * 4);
  const float *up = read_numbers(count * 4);
  float *y = numbers(count * 4);
  for (int kind = ATTN_SILU; kind <= ATTN_GELU_TANH; kind++)
    for (int gated = 0; gated < 2; gated++) {
      attn_activate(y, x, gated ? up : NULL, count, kind);
      write_bytes(y, count * 4);
    }
}

/* A table with one of the scalings, and heads turned by it. */
static void run_rope(void)
{
  int32_t m = read_int();
  int32_t heads = read_int();
  int32_t head_dim = read_int();
  int32_t dim = read_int();
  int32_t interleaved = read_int();
  int32_t positions = read_int();
  int32_t scaling = read_int();
  size_t half = (size_t)dim / 2;
  size_t count = (size_t)positions * half;
  size_t all = (size_t)(m * heads * head_dim);
  double *f = (double *)(void *)keep(half * 8);
  double base = 10000;
  double factor = 1;
  if (scaling == 2)
    base = attn_rope_ntk_base(dim, base, 8);
  if (scaling == 3)
    base = attn_rope_ntk_base(dim, base, attn_rope_dynamic_factor(2, 9000, 4096));
  attn_rope_frequencies(f, dim, base);
  if (scaling == 1)
    attn_rope_linear(f, dim, 4);
  if (scaling == 4)
    attn_rope_llama3(f, dim, 8, 1, 4, 8192);
  if (scaling == 5) {
    attn_rope_yarn(f, dim, base, 4, 32, 1, 4096, 1);
    factor = attn_rope_yarn_attention(4, 0, 0);
  }
  float *cos = numbers(count * 4);
  float *sin = numbers(count * 4);
  float *x = read_numbers(all * 4);
  attn_rope_table(cos, sin, f, dim, 0, positions, factor);
  attn_rope(x, m, heads, (size_t)(heads * head_dim), (size_t)head_dim, cos, sin,
            read_ints((size_t)m), dim, interleaved);
  write_bytes(f, half * 8);
  write_bytes(cos, count * 4);
  write_bytes(sin, count * 4);
  write_bytes(x, all * 4);
}

/* cos and sin for `positions`, or NULL. */
static void read_table(const float *table[2], int32_t *dim, int32_t *interleaved)
{
  table[0] = table[1] = NULL;
  if (!read_int())
    return;
  *dim = read_int();
  *interleaved = read_int();
  size_t bytes = (size_t)read_int() * ((size_t)*dim / 2) * 4;
  table[0] = read_numbers(bytes);
  table[1] = read_numbers(bytes);
}

/*
 * Runs the prompt in two calls over a cache, the first `first` positions and the rest, then all of
 * it without.
 */
static void run_multi_head(void)
{
  int32_t model = read_int();
  int32_t heads = read_int();
  int32_t kv_heads = read_int();
  int32_t dim = read_int();
  int32_t value_dim = read_int();
  int32_t m = read_int();
  int32_t first = read_int();
  int32_t residual = read_int();
  int32_t rotary_dim = 0;
  int32_t interleaved = 0;
  const attn_matrix *w[4] = {read_matrix(heads * dim, model), read_matrix(kv_heads * dim, model),
                             read_matrix(kv_heads * value_dim, model),
                             read_matrix(model, heads * value_dim)};
  const float *bias[4];
  const float *norm[2];
  const float *table[2];
  for (int x = 0; x < 4; x++)
    bias[x] = read_vector((size_t)attn_matrix_rows(w[x]));
  for (int x = 0; x < 2; x++)
    norm[x] = read_vector((size_t)dim);
  read_table(table, &rotary_dim, &interleaved);
  attn_multi_head *layer = (attn_multi_head *)(void *)keep(attn_multi_head_bytes());
  attn_multi_head_init(layer, w[0], w[1], w[2], w[3]);
  attn_multi_head_set_biases(layer, bias[0], bias[1], bias[2], bias[3]);
  attn_multi_head_set_qk_norm(layer, norm[0], norm[1], 0, 1e-6);
  attn_multi_head_set_rope(layer, table[0], table[1], rotary_dim, interleaved);
  attn_multi_head_set_residual(layer, residual);
  attn_cache *cache =
      (attn_cache *)(void *)keep(attn_cache_bytes(kv_heads, dim, value_dim, m, ATTN_CACHE_F32));
  must(attn_cache_init(cache, kv_heads, dim, value_dim, m, ATTN_CACHE_F32));
  const float *x = read_numbers((size_t)(m * model) * 4);
  for (int call = 0; call < 3; call++) {
    int32_t from = call == 1 ? first : 0;
    int32_t rows = call == 0 ? first : m - from;
    size_t bytes = (size_t)(rows * model) * 4;
    attn_params *p = (attn_params *)(void *)keep(attn_params_bytes());
    must(attn_init(p, 1, heads, kv_heads, rows, from + rows, dim, value_dim));
    must(attn_set_layout(p, 1));
    attn_set_causal(p, 1);
    must(attn_set_offset(p, from, NULL));
    attn_team *team = open_team(p);
    float *out = numbers(bytes);
    float *part = numbers(bytes);
    memcpy(part, x + (size_t)(from * model), bytes);
    must(attn_multi_head_forward(layer, team, p, out, part, NULL, call < 2 ? cache : NULL,
                                 keep(attn_multi_head_scratch_bytes(layer, team, p))));
    write_bytes(out, bytes);
  }
}

/* The same for the latent layer, in both forms. */
static void run_latent(void)
{
  int32_t model = read_int();
  int32_t heads = read_int();
  int32_t latent = read_int();
  int32_t query = read_int();
  int32_t nope = read_int();
  int32_t rope = read_int();
  int32_t value_dim = read_int();
  int32_t m = read_int();
  int32_t first = read_int();
  int32_t residual = read_int();
  int32_t dim = nope + rope;
  int32_t kept = latent + rope;
  int32_t table_dim = 0;
  int32_t interleaved = 0;
  attn_latent *layer = (attn_latent *)(void *)keep(attn_latent_bytes());
  must(attn_latent_init(layer, heads, latent, nope, rope, value_dim));
  const attn_matrix *down = read_matrix(latent, model);
  const attn_matrix *key = read_matrix(rope, model);
  const attn_matrix *q = read_matrix(heads * dim, query ? query : model);
  const attn_matrix *q_down = read_matrix(query, model);
  const attn_matrix *o = read_matrix(model, heads * value_dim);
  const float *kv_b = read_numbers((size_t)(heads * (nope + value_dim) * latent) * 4);
  void *up = keep(attn_latent_up_bytes(layer));
  attn_latent_pack_up(layer, up, kv_b);
  const float *q_norm = read_vector((size_t)query);
  const float *kv_norm = read_vector((size_t)latent);
  const float *table[2];
  read_table(table, &table_dim, &interleaved);
  attn_latent_set_weights(layer, down, key, up, q, o);
  attn_latent_set_query_down(layer, q_down, q_norm);
  attn_latent_set_norm(layer, kv_norm, 1e-6);
  attn_latent_set_rope(layer, table[0], table[1], interleaved);
  attn_latent_set_residual(layer, residual);
  const float *x = read_numbers((size_t)(m * model) * 4);
  for (int absorbed = 0; absorbed < 2; absorbed++) {
    float *latents = numbers((size_t)(m * kept) * 4);
    int32_t rows = first;
    for (int32_t from = 0; from < m; from += rows, rows = m - from) {
      size_t bytes = (size_t)(rows * model) * 4;
      attn_params *p = (attn_params *)(void *)keep(attn_params_bytes());
      must(absorbed ? attn_init(p, 1, heads, 1, rows, from + rows, kept, kept)
                    : attn_init(p, 1, heads, heads, rows, from + rows, dim, value_dim));
      must(attn_set_layout(p, 1));
      must(attn_set_scale(p, 0.25));
      attn_set_causal(p, 1);
      must(attn_set_offset(p, from, NULL));
      attn_team *team = open_team(p);
      float *out = numbers(bytes);
      float *part = numbers(bytes);
      memcpy(part, x + (size_t)(from * model), bytes);
      must(attn_latent_forward(layer, team, p, out, part, NULL, latents, absorbed,
                               keep(attn_latent_scratch_bytes(layer, team, p, absorbed))));
      write_bytes(out, bytes);
    }
    write_bytes(latents, (size_t)(m * kept) * 4);
  }
}

static void run_layer(void)
{
  static void (*const run[])(void) = {run_matmul, run_norms,      run_activations,
                                      run_rope,   run_multi_head, run_latent};
  int32_t kind = read_int();
  shift = 4 * (size_t)read_int();
  if (kind < 0 || kind >= (int32_t)(sizeof run / sizeof *run))
    fail("unknown layer record");
  run[kind]();
}
