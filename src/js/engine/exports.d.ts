/**
 * The C functions of the wasm files.
 *
 * Written by scripts/generate.js from the headers in src/c; npm run format renews it.
 */

/** An address in wasm memory; 0 is NULL. */
export type Pointer = number;

/** A size_t arrives signed: sizes of 2 GiB or more need `>>> 0`. */
export type Size = number;

/** src/c/include/attn.h */
export interface AttentionExports {
  attn_params_bytes(): Size;
  attn_is_relaxed(): number;
  attn_max_dim(): number;
  attn_init(
    p: Pointer,
    batch: number,
    heads: number,
    kvHeads: number,
    m: number,
    n: number,
    dim: number,
    valueDim: number,
  ): number;
  attn_set_layout(p: Pointer, positionsFirst: number): number;
  attn_set_scale(p: Pointer, scale: number): number;
  attn_set_temperature(p: Pointer, temperature: number): number;
  attn_set_temperatures(p: Pointer, temperatures: Pointer): number;
  attn_set_softcap(p: Pointer, softcap: number): number;
  attn_set_key_scale(p: Pointer, keyScale: Pointer): void;
  attn_set_precision(p: Pointer, precision: number): number;
  attn_set_causal(p: Pointer, causal: number): void;
  attn_set_offset(p: Pointer, offset: number, offsets: Pointer): number;
  attn_set_window(p: Pointer, left: number, right: number): number;
  attn_set_key_lengths(p: Pointer, lengths: Pointer): void;
  attn_set_mask(
    p: Pointer,
    kind: number,
    mask: Pointer,
    b: number,
    h: number,
    rows: number,
    columns: number,
  ): number;
  attn_set_alibi(p: Pointer, slopes: Pointer): void;
  attn_set_sinks(p: Pointer, sinks: Pointer): void;
  attn_want_weights(
    p: Pointer,
    weights: Pointer,
    headSlot: Pointer,
    chosenHeads: number,
    rowSlot: Pointer,
    chosenRows: number,
  ): void;
  attn_want_scores(p: Pointer, stage: number, scores: Pointer): number;
  attn_want_lse(p: Pointer, lse: Pointer): void;
  attn_want_stats(
    p: Pointer,
    attended: Pointer,
    entropy: Pointer,
    kl: Pointer,
    expectedScore: Pointer,
    maxWeight: Pointer,
    argmax: Pointer,
  ): void;
  attn_scratch_bytes_f32(p: Pointer): Size;
  attn_scratch_bytes_f64(p: Pointer): Size;
  attn_forward_f32(
    p: Pointer,
    out: Pointer,
    q: Pointer,
    k: Pointer,
    v: Pointer,
    scratch: Pointer,
  ): number;
  attn_forward_f64(
    p: Pointer,
    out: Pointer,
    q: Pointer,
    k: Pointer,
    v: Pointer,
    scratch: Pointer,
  ): number;
  attn_cache_bytes(
    kvHeads: number,
    dim: number,
    valueDim: number,
    capacity: number,
    type: number,
  ): Size;
  attn_cache_init(
    cache: Pointer,
    kvHeads: number,
    dim: number,
    valueDim: number,
    capacity: number,
    type: number,
  ): number;
  attn_cache_length(cache: Pointer): number;
  attn_cache_append(
    cache: Pointer,
    k: Pointer,
    v: Pointer,
    t: number,
    positionsFirst: number,
  ): number;
  attn_cache_truncate(cache: Pointer, length: number): number;
  attn_cache_read(cache: Pointer, k: Pointer, v: Pointer, from: number, to: number): number;
  attn_cache_snapshot_bytes(cache: Pointer): Size;
  attn_cache_snapshot(cache: Pointer, snapshot: Pointer): void;
  attn_cache_restore(cache: Pointer, snapshot: Pointer, bytes: Size): number;
  attn_cache_attend(p: Pointer, out: Pointer, q: Pointer, cache: Pointer, scratch: Pointer): number;
  attn_work_bytes(p: Pointer): Size;
  attn_work_size(p: Pointer): number;
  attn_work_begin(
    w: Pointer,
    p: Pointer,
    out: Pointer,
    q: Pointer,
    k: Pointer,
    v: Pointer,
    cache: Pointer,
    scratch: Pointer,
  ): number;
  attn_work_run(w: Pointer, scratch: Pointer): void;
  attn_work_remaining(w: Pointer): number;
  attn_work_end(w: Pointer, scratch: Pointer): void;
}

/** src/c/include/decoder.h */
export interface DecoderExports {
  attn_decoder_bytes(layers: number, heads: number): Size;
  attn_decoder_init(
    d: Pointer,
    layers: number,
    dim: number,
    heads: number,
    kvHeads: number,
    headDim: number,
    hidden: number,
    vocab: number,
    eps: number,
  ): number;
  attn_decoder_set_embedding(d: Pointer, embedding: Pointer, scale: number): number;
  attn_decoder_set_output(d: Pointer, norm: Pointer, output: Pointer, softcap: number): number;
  attn_decoder_set_scores(d: Pointer, scale: number, softcap: number): number;
  attn_decoder_set_activation(d: Pointer, activation: number): number;
  attn_decoder_set_attention(
    d: Pointer,
    layer: number,
    norm: Pointer,
    q: Pointer,
    k: Pointer,
    v: Pointer,
    o: Pointer,
  ): number;
  attn_decoder_set_feed_forward(
    d: Pointer,
    layer: number,
    norm: Pointer,
    gate: Pointer,
    up: Pointer,
    down: Pointer,
  ): number;
  attn_decoder_set_biases(
    d: Pointer,
    layer: number,
    q: Pointer,
    k: Pointer,
    v: Pointer,
    o: Pointer,
  ): number;
  attn_decoder_set_feed_forward_biases(
    d: Pointer,
    layer: number,
    gate: Pointer,
    up: Pointer,
    down: Pointer,
  ): number;
  attn_decoder_set_head_norms(d: Pointer, layer: number, q: Pointer, k: Pointer): number;
  attn_decoder_set_post_norms(
    d: Pointer,
    layer: number,
    attention: Pointer,
    feedForward: Pointer,
  ): number;
  attn_decoder_set_rope(
    d: Pointer,
    layer: number,
    cos: Pointer,
    sin: Pointer,
    positions: number,
    interleaved: number,
  ): number;
  attn_decoder_set_window(d: Pointer, layer: number, left: number): number;
  attn_decoder_set_cache(d: Pointer, layer: number, cache: Pointer): number;
  attn_decoder_set_temperature(
    d: Pointer,
    layer: number,
    head: number,
    temperature: number,
  ): number;
  attn_pass_bytes(d: Pointer, team: Pointer, t: number, outputs: number): Size;
  attn_pass_scratch_bytes(d: Pointer, t: number): Size;
  attn_pass_begin(
    p: Pointer,
    d: Pointer,
    team: Pointer,
    tokens: Pointer,
    t: number,
    outputs: number,
  ): number;
  attn_pass_begin_again(
    p: Pointer,
    d: Pointer,
    team: Pointer,
    token: number,
    position: number,
    layer: number,
  ): number;
  attn_pass_want_stats(
    p: Pointer,
    attended: Pointer,
    entropy: Pointer,
    kl: Pointer,
    expectedScore: Pointer,
    maxWeight: Pointer,
    argmax: Pointer,
    firstWeight: Pointer,
  ): void;
  attn_pass_want_weights(
    p: Pointer,
    layer: number,
    weights: Pointer,
    headSlot: Pointer,
    chosen: number,
  ): number;
  attn_pass_run(p: Pointer, team: Pointer, steps: number): number;
  attn_pass_remaining(p: Pointer): number;
  attn_pass_logits(p: Pointer): Pointer;
  attn_pass_queries(p: Pointer): Pointer;
}

/** src/c/include/layers.h */
export interface LayersExports {
  attn_matmul(
    team: Pointer,
    y: Pointer,
    yStride: Size,
    x: Pointer,
    xStride: Size,
    m: number,
    w: Pointer,
    bias: Pointer,
  ): void;
  attn_add(y: Pointer, a: Pointer, b: Pointer, count: Size): void;
  attn_rms_norm(
    y: Pointer,
    yStride: Size,
    x: Pointer,
    xStride: Size,
    rows: number,
    size: number,
    scale: Pointer,
    onePlus: number,
    epsilon: number,
  ): void;
  attn_layer_norm(
    y: Pointer,
    x: Pointer,
    rows: number,
    size: number,
    scale: Pointer,
    bias: Pointer,
    epsilon: number,
    mean: Pointer,
    inverseDeviation: Pointer,
  ): void;
  attn_activate(y: Pointer, x: Pointer, up: Pointer, count: Size, kind: number): void;
  attn_rope(
    x: Pointer,
    m: number,
    heads: number,
    rowStride: Size,
    headStride: Size,
    cos: Pointer,
    sin: Pointer,
    positions: Pointer,
    rotaryDim: number,
    interleaved: number,
  ): void;
  attn_rope_frequencies(f: Pointer, rotaryDim: number, base: number): void;
  attn_rope_linear(f: Pointer, rotaryDim: number, factor: number): void;
  attn_rope_ntk_base(rotaryDim: number, base: number, factor: number): number;
  attn_rope_dynamic_factor(factor: number, length: number, original: number): number;
  attn_rope_llama3(
    f: Pointer,
    rotaryDim: number,
    factor: number,
    low: number,
    high: number,
    original: number,
  ): void;
  attn_rope_yarn(
    f: Pointer,
    rotaryDim: number,
    base: number,
    factor: number,
    betaFast: number,
    betaSlow: number,
    original: number,
    truncate: number,
  ): void;
  attn_rope_yarn_attention(factor: number, mscale: number, mscaleAllDim: number): number;
  attn_rope_table(
    cos: Pointer,
    sin: Pointer,
    f: Pointer,
    rotaryDim: number,
    from: number,
    count: number,
    attentionFactor: number,
  ): void;
  attn_team_attend_bytes(team: Pointer, p: Pointer): Size;
  attn_team_attend(
    team: Pointer,
    p: Pointer,
    out: Pointer,
    q: Pointer,
    k: Pointer,
    v: Pointer,
    cache: Pointer,
    shared: Pointer,
  ): number;
  attn_multi_head_bytes(): Size;
  attn_multi_head_init(layer: Pointer, q: Pointer, k: Pointer, v: Pointer, o: Pointer): void;
  attn_multi_head_set_biases(layer: Pointer, q: Pointer, k: Pointer, v: Pointer, o: Pointer): void;
  attn_multi_head_set_qk_norm(
    layer: Pointer,
    q: Pointer,
    k: Pointer,
    onePlus: number,
    epsilon: number,
  ): void;
  attn_multi_head_set_rope(
    layer: Pointer,
    cos: Pointer,
    sin: Pointer,
    rotaryDim: number,
    interleaved: number,
  ): void;
  attn_multi_head_set_residual(layer: Pointer, residual: number): void;
  attn_multi_head_scratch_bytes(layer: Pointer, team: Pointer, p: Pointer): Size;
  attn_multi_head_forward(
    layer: Pointer,
    team: Pointer,
    p: Pointer,
    out: Pointer,
    x: Pointer,
    positions: Pointer,
    cache: Pointer,
    scratch: Pointer,
  ): number;
  attn_latent_bytes(): Size;
  attn_latent_init(
    layer: Pointer,
    heads: number,
    latent: number,
    nope: number,
    rope: number,
    valueDim: number,
  ): number;
  attn_latent_up_bytes(layer: Pointer): Size;
  attn_latent_pack_up(layer: Pointer, up: Pointer, kvB: Pointer): void;
  attn_latent_set_weights(
    layer: Pointer,
    down: Pointer,
    key: Pointer,
    up: Pointer,
    q: Pointer,
    o: Pointer,
  ): void;
  attn_latent_set_query_down(layer: Pointer, qDown: Pointer, qNorm: Pointer): void;
  attn_latent_set_norm(layer: Pointer, kvNorm: Pointer, epsilon: number): void;
  attn_latent_set_rope(layer: Pointer, cos: Pointer, sin: Pointer, interleaved: number): void;
  attn_latent_set_residual(layer: Pointer, residual: number): void;
  attn_latent_scratch_bytes(layer: Pointer, team: Pointer, p: Pointer, absorbed: number): Size;
  attn_latent_forward(
    layer: Pointer,
    team: Pointer,
    p: Pointer,
    out: Pointer,
    x: Pointer,
    positions: Pointer,
    latents: Pointer,
    absorbed: number,
    scratch: Pointer,
  ): number;
}

/** src/c/include/team.h */
export interface TeamExports {
  attn_team_bytes(): Size;
  attn_team_open(team: Pointer, threads: number, scratch: Pointer, scratchBytes: Size): void;
  attn_team_join(team: Pointer, index: number): void;
  attn_team_close(team: Pointer): void;
  attn_team_lost(team: Pointer): number;
}

/** src/c/include/theory.h */
export interface TheoryExports {
  attn_likelihood(
    weights: Pointer,
    logPrecisions: Pointer,
    precisions: Pointer,
    estimate: Pointer,
    gradient: Pointer,
    step: Pointer,
    report: Pointer,
    q: Pointer,
    k: Pointer,
    v: Pointer,
    at: Pointer,
    n: number,
    dim: number,
    valueDim: number,
    alpha: number,
    beta: number,
  ): number;
  attn_maxent_weigh(
    weights: Pointer,
    features: Pointer,
    q: Pointer,
    k: Pointer,
    multipliers: Pointer,
    n: number,
    dim: number,
  ): number;
  attn_maxent_solve(
    weights: Pointer,
    report: Pointer,
    features: Pointer,
    n: number,
    target: number,
  ): number;
  attn_budget_solve(
    weights: Pointer,
    report: Pointer,
    z: Pointer,
    n: number,
    budget: number,
  ): number;
  attn_budget_frontier(
    budgets: Pointer,
    betas: Pointer,
    expected: Pointer,
    z: Pointer,
    n: number,
    points: number,
    scratch: Pointer,
  ): number;
  attn_budget_spent(
    weights: Pointer,
    report: Pointer,
    z: Pointer,
    n: number,
    temperature: number,
  ): number;
  attn_gaussian_f32(
    weights: Pointer,
    out: Pointer,
    q: Pointer,
    k: Pointer,
    v: Pointer,
    m: number,
    n: number,
    dim: number,
    valueDim: number,
    temperature: number,
    restoreKeyNorm: number,
  ): number;
  attn_gaussian_f64(
    weights: Pointer,
    out: Pointer,
    q: Pointer,
    k: Pointer,
    v: Pointer,
    m: number,
    n: number,
    dim: number,
    valueDim: number,
    temperature: number,
    restoreKeyNorm: number,
  ): number;
  attn_gaussian_sigma2(dim: number, temperature: number): number;
  attn_gaussian_compare(
    report: Pointer,
    w1: Pointer,
    w2: Pointer,
    o1: Pointer,
    o2: Pointer,
    q: Pointer,
    k: Pointer,
    v: Pointer,
    m: number,
    n: number,
    dim: number,
    valueDim: number,
    temperature: number,
    isDouble: number,
  ): void;
  attn_gibbs_measure(
    weights: Pointer,
    report: Pointer,
    z: Pointer,
    candidate: Pointer,
    n: number,
    temperature: number,
  ): number;
  attn_gibbs_merge(
    logits: Pointer,
    weights: Pointer,
    identity: Pointer,
    z: Pointer,
    keep: Pointer,
    kept: number,
    n: number,
    temperature: number,
    scratch: Pointer,
  ): number;
  attn_lse_measure(
    gradient: Pointer,
    report: Pointer,
    z: Pointer,
    h: Pointer,
    n: number,
    temperature: number,
    scratch: Pointer,
  ): number;
  attn_jacobian_apply(out: Pointer, p: Pointer, x: Pointer, n: number, temperature: number): number;
  attn_jacobian_spectrum(
    eigenvalues: Pointer,
    identity: Pointer,
    p: Pointer,
    n: number,
    temperature: number,
    scratch: Pointer,
  ): number;
  attn_spectrum_scratch_doubles(n: number): Size;
  attn_jacobian_top(p: Pointer, n: number, temperature: number): number;
  attn_lipschitz_measure(
    ratios: Pointer,
    cocoercivity: Pointer,
    report: Pointer,
    a: Pointer,
    b: Pointer,
    pairs: number,
    n: number,
    temperature: number,
    scratch: Pointer,
  ): number;
  attn_limits_measure(
    hard: Pointer,
    uniform: Pointer,
    weights: Pointer,
    report: Pointer,
    z: Pointer,
    n: number,
    temperature: number,
  ): number;
  attn_sharing_measure(
    columns: Pointer,
    bounds: Pointer,
    report: Pointer,
    q: Pointer,
    k: Pointer,
    sharedK: Pointer,
    v: Pointer,
    sharedV: Pointer,
    m: number,
    n: number,
    dim: number,
    valueDim: number,
    temperature: number,
    scratch: Pointer,
  ): number;
  attn_sharing_scratch_doubles(n: number, dim: number, valueDim: number): Size;
  attn_operator_norm(
    norm: Pointer,
    a: Pointer,
    rows: number,
    columns: number,
    scratch: Pointer,
  ): number;
  attn_random_normal(x: Pointer, count: number, seed: number): void;
  attn_scale_experiment(
    report: Pointer,
    dim: number,
    rows: number,
    keys: number,
    seed: number,
    scratch: Pointer,
  ): number;
}

/** src/c/include/weights.h */
export interface WeightsExports {
  attn_weight_type_name(type: number): Pointer;
  attn_weight_type_block(type: number): number;
  attn_weight_type_block_bytes(type: number): number;
  attn_matrix_bytes(type: number, rows: number, columns: number): Size;
  attn_matrix_row_bytes(type: number, columns: number): Size;
  attn_matrix_init(w: Pointer, type: number, rows: number, columns: number): number;
  attn_matrix_type(w: Pointer): number;
  attn_matrix_rows(w: Pointer): number;
  attn_matrix_columns(w: Pointer): number;
  attn_matrix_pack(
    w: Pointer,
    sourceType: number,
    source: Pointer,
    firstRow: number,
    count: number,
  ): number;
  attn_matrix_pack_transposed(w: Pointer, source: Pointer): number;
  attn_matrix_row(w: Pointer, row: number, out: Pointer): void;
  attn_multiply_prepared_bytes(type: number, m: number, columns: number): Size;
  attn_multiply_kind(type: number): number;
  attn_multiply_prepare(
    prepared: Pointer,
    x: Pointer,
    first: number,
    end: number,
    columns: number,
    type: number,
  ): void;
  attn_multiply(
    out: Pointer,
    stride: Size,
    w: Pointer,
    prepared: Pointer,
    m: number,
    firstRow: number,
    endRow: number,
  ): void;
}

/** All of them. A wasm file has those of its own headers. */
export interface Functions
  extends
    AttentionExports,
    DecoderExports,
    LayersExports,
    TeamExports,
    TheoryExports,
    WeightsExports {}
