/**
 * The C functions of the wasm files.
 *
 * Written by scripts/generate.js from the headers in src; npm run format renews it.
 */

/** An address in wasm memory; 0 is NULL. Plain numbers are accepted, and Values are not. */
export type Pointer = number & { readonly stands?: 'for an address' };

/** A size, an index or a number. Plain numbers are accepted, and Pointers are not. */
export type Value = number & { readonly stands?: 'for itself' };

/** A size_t arrives signed: sizes of 2 GiB or more need `>>> 0`. */
export type Size = Value;

/** src/include/attn.h */
export interface AttentionExports {
  attn_params_bytes(): Size;
  attn_is_relaxed(): Value;
  attn_max_dim(): Value;
  attn_init(
    p: Pointer,
    batch: Value,
    heads: Value,
    kvHeads: Value,
    m: Value,
    n: Value,
    dim: Value,
    valueDim: Value,
  ): Value;
  attn_set_layout(p: Pointer, positionsFirst: Value): Value;
  attn_set_scale(p: Pointer, scale: Value): Value;
  attn_set_temperature(p: Pointer, temperature: Value): Value;
  attn_set_temperatures(p: Pointer, temperatures: Pointer): Value;
  attn_set_softcap(p: Pointer, softcap: Value): Value;
  attn_set_key_scale(p: Pointer, keyScale: Pointer): void;
  attn_set_precision(p: Pointer, precision: Value): Value;
  attn_set_causal(p: Pointer, causal: Value): void;
  attn_set_offset(p: Pointer, offset: Value, offsets: Pointer): Value;
  attn_set_window(p: Pointer, left: Value, right: Value): Value;
  attn_set_key_lengths(p: Pointer, lengths: Pointer): void;
  attn_set_mask(
    p: Pointer,
    kind: Value,
    mask: Pointer,
    b: Value,
    h: Value,
    rows: Value,
    columns: Value,
  ): Value;
  attn_set_alibi(p: Pointer, slopes: Pointer): void;
  attn_set_sinks(p: Pointer, sinks: Pointer): void;
  attn_want_weights(
    p: Pointer,
    weights: Pointer,
    headSlot: Pointer,
    chosenHeads: Value,
    rowSlot: Pointer,
    chosenRows: Value,
  ): void;
  attn_want_scores(p: Pointer, stage: Value, scores: Pointer): Value;
  attn_want_lse(p: Pointer, lse: Pointer): void;
  attn_want_stats(p: Pointer, stats: Pointer, plane: Size): void;
  attn_want_segments(p: Pointer, sums: Pointer, edges: Pointer, count: Value): Value;
  attn_scratch_bytes_f32(p: Pointer): Size;
  attn_scratch_bytes_f64(p: Pointer): Size;
  attn_forward_f32(
    p: Pointer,
    out: Pointer,
    q: Pointer,
    k: Pointer,
    v: Pointer,
    scratch: Pointer,
  ): Value;
  attn_forward_f64(
    p: Pointer,
    out: Pointer,
    q: Pointer,
    k: Pointer,
    v: Pointer,
    scratch: Pointer,
  ): Value;
  attn_cache_bytes(kvHeads: Value, dim: Value, valueDim: Value, capacity: Value, type: Value): Size;
  attn_cache_init(
    cache: Pointer,
    kvHeads: Value,
    dim: Value,
    valueDim: Value,
    capacity: Value,
    type: Value,
  ): Value;
  attn_cache_length(cache: Pointer): Value;
  attn_cache_append(cache: Pointer, k: Pointer, v: Pointer, t: Value, positionsFirst: Value): Value;
  attn_cache_truncate(cache: Pointer, length: Value): Value;
  attn_cache_read(cache: Pointer, k: Pointer, v: Pointer, from: Value, to: Value): Value;
  attn_cache_snapshot_bytes(cache: Pointer): Size;
  attn_cache_snapshot(cache: Pointer, snapshot: Pointer): void;
  attn_cache_restore(cache: Pointer, snapshot: Pointer, bytes: Size): Value;
  attn_cache_attend(p: Pointer, out: Pointer, q: Pointer, cache: Pointer, scratch: Pointer): Value;
  attn_work_bytes(p: Pointer): Size;
  attn_work_size(p: Pointer): Value;
  attn_work_begin(
    w: Pointer,
    p: Pointer,
    out: Pointer,
    q: Pointer,
    k: Pointer,
    v: Pointer,
    cache: Pointer,
    scratch: Pointer,
  ): Value;
  attn_work_run(w: Pointer, scratch: Pointer): void;
  attn_work_remaining(w: Pointer): Value;
  attn_work_end(w: Pointer, scratch: Pointer): void;
}

/** src/include/consequences.h */
export interface ConsequencesExports {
  attn_susceptibility_measure(report: Pointer, z: Pointer, n: Value, temperature: Value): Value;
  attn_norms_measure(
    ratios: Pointer,
    report: Pointer,
    z: Pointer,
    h: Pointer,
    exponents: Pointer,
    n: Value,
    count: Value,
    temperature: Value,
    scratch: Pointer,
  ): Value;
  attn_dispersion_measure(report: Pointer, z: Pointer, n: Value, temperature: Value): Value;
  attn_critical_measure(
    report: Pointer,
    z: Pointer,
    n: Value,
    temperature: Value,
    scratch: Pointer,
  ): Value;
  attn_gate_measure(
    weights: Pointer,
    report: Pointer,
    z: Pointer,
    n: Value,
    sink: Value,
    temperature: Value,
  ): Value;
  attn_prior_measure(
    weights: Pointer,
    prior: Pointer,
    report: Pointer,
    z: Pointer,
    bias: Pointer,
    candidate: Pointer,
    n: Value,
    temperature: Value,
  ): Value;
  attn_hopfield_descend(
    states: Pointer,
    energies: Pointer,
    report: Pointer,
    xi: Pointer,
    k: Pointer,
    n: Value,
    dim: Value,
    steps: Value,
    temperature: Value,
    scratch: Pointer,
  ): Value;
  attn_draws_experiment(
    report: Pointer,
    z: Pointer,
    n: Value,
    temperature: Value,
    epsilon: Value,
    samples: Value,
    seed: Value,
    scratch: Pointer,
  ): Value;
}

/** src/include/decoder.h */
export interface DecoderExports {
  attn_decoder_bytes(layers: Value, heads: Value): Size;
  attn_decoder_init(
    d: Pointer,
    layers: Value,
    dim: Value,
    heads: Value,
    kvHeads: Value,
    headDim: Value,
    hidden: Value,
    vocab: Value,
    eps: Value,
  ): Value;
  attn_decoder_set_embedding(d: Pointer, embedding: Pointer, scale: Value): Value;
  attn_decoder_set_output(d: Pointer, norm: Pointer, output: Pointer, softcap: Value): Value;
  attn_decoder_set_scores(d: Pointer, scale: Value, softcap: Value): Value;
  attn_decoder_set_activation(d: Pointer, activation: Value): Value;
  attn_decoder_set_attention(
    d: Pointer,
    layer: Value,
    norm: Pointer,
    q: Pointer,
    k: Pointer,
    v: Pointer,
    o: Pointer,
  ): Value;
  attn_decoder_set_feed_forward(
    d: Pointer,
    layer: Value,
    norm: Pointer,
    gate: Pointer,
    up: Pointer,
    down: Pointer,
  ): Value;
  attn_decoder_set_biases(
    d: Pointer,
    layer: Value,
    q: Pointer,
    k: Pointer,
    v: Pointer,
    o: Pointer,
  ): Value;
  attn_decoder_set_feed_forward_biases(
    d: Pointer,
    layer: Value,
    gate: Pointer,
    up: Pointer,
    down: Pointer,
  ): Value;
  attn_decoder_set_head_norms(d: Pointer, layer: Value, q: Pointer, k: Pointer): Value;
  attn_decoder_set_post_norms(
    d: Pointer,
    layer: Value,
    attention: Pointer,
    feedForward: Pointer,
  ): Value;
  attn_decoder_set_rope(
    d: Pointer,
    layer: Value,
    cos: Pointer,
    sin: Pointer,
    positions: Value,
    interleaved: Value,
  ): Value;
  attn_decoder_set_window(d: Pointer, layer: Value, left: Value): Value;
  attn_decoder_set_cache(d: Pointer, layer: Value, cache: Pointer): Value;
  attn_decoder_set_temperature(d: Pointer, layer: Value, head: Value, temperature: Value): Value;
  attn_decoder_set_segments(d: Pointer, edges: Pointer, count: Value): Value;
  attn_pass_bytes(d: Pointer, team: Pointer, t: Value, outputs: Value): Size;
  attn_pass_scratch_bytes(d: Pointer, t: Value): Size;
  attn_pass_begin(
    p: Pointer,
    d: Pointer,
    team: Pointer,
    tokens: Pointer,
    t: Value,
    outputs: Value,
  ): Value;
  attn_pass_begin_again(
    p: Pointer,
    d: Pointer,
    team: Pointer,
    token: Value,
    position: Value,
    layer: Value,
  ): Value;
  attn_pass_want_stats(p: Pointer, stats: Pointer): void;
  attn_pass_want_segments(p: Pointer, sums: Pointer): void;
  attn_pass_want_weights(
    p: Pointer,
    layer: Value,
    weights: Pointer,
    headSlot: Pointer,
    chosen: Value,
    allTokens: Value,
  ): Value;
  attn_pass_set_mask(p: Pointer, layer: Value, mask: Pointer, maskHeads: Value): Value;
  attn_pass_want_all_tokens(p: Pointer): void;
  attn_edit_bytes(): Size;
  attn_pass_add_edit(p: Pointer, edit: Pointer, layer: Value, point: Value, kind: Value): Value;
  attn_decoder_add_edit(d: Pointer, edit: Pointer, layer: Value, point: Value, kind: Value): Value;
  attn_decoder_clear_edits(d: Pointer): void;
  attn_edit_set_rows(edit: Pointer, first: Value, count: Value): void;
  attn_edit_set_columns(edit: Pointer, first: Value, count: Value): Value;
  attn_edit_set_data(edit: Pointer, data: Pointer, stride: Value): void;
  attn_edit_set_gain(edit: Pointer, gain: Value): void;
  attn_pass_run(p: Pointer, team: Pointer, steps: Value): Value;
  attn_pass_remaining(p: Pointer): Value;
  attn_pass_begin_at(
    p: Pointer,
    d: Pointer,
    team: Pointer,
    x: Pointer,
    t: Value,
    outputs: Value,
    layer: Value,
  ): Value;
  attn_pass_logits(p: Pointer): Pointer;
  attn_pass_queries(p: Pointer): Pointer;
  attn_decoder_head_parts_bytes(d: Pointer): Size;
  attn_decoder_head_parts(
    d: Pointer,
    u: Pointer,
    z: Pointer,
    parts: Pointer,
    squares: Pointer,
    memory: Pointer,
  ): void;
  attn_decoder_last_inputs_bytes(d: Pointer): Size;
  attn_decoder_last_inputs(d: Pointer, x: Pointer, inputs: Pointer, memory: Pointer): void;
}

/** src/include/gradients.h */
export interface GradientsExports {
  attn_gradient_bytes(): Size;
  attn_gradient_init(g: Pointer, p: Pointer): Value;
  attn_gradient_want_key_scale(g: Pointer, dKeyScale: Pointer): Value;
  attn_gradient_want_sinks(g: Pointer, dSinks: Pointer): Value;
  attn_gradient_want_mask(g: Pointer, dMask: Pointer): Value;
  attn_gradient_want_scalars(g: Pointer, dScale: Pointer, dTemperature: Pointer): void;
  attn_gradient_scratch_bytes_f32(g: Pointer): Size;
  attn_gradient_scratch_bytes_f64(g: Pointer): Size;
  attn_gradient_shared_bytes_f32(g: Pointer, team: Pointer): Size;
  attn_gradient_shared_bytes_f64(g: Pointer, team: Pointer): Size;
  attn_gradient_size(g: Pointer): Value;
  attn_gradient_f32(
    g: Pointer,
    team: Pointer,
    dq: Pointer,
    dk: Pointer,
    dv: Pointer,
    q: Pointer,
    k: Pointer,
    v: Pointer,
    output: Pointer,
    lse: Pointer,
    dOutput: Pointer,
    shared: Pointer,
  ): Value;
  attn_gradient_f64(
    g: Pointer,
    team: Pointer,
    dq: Pointer,
    dk: Pointer,
    dv: Pointer,
    q: Pointer,
    k: Pointer,
    v: Pointer,
    dOutput: Pointer,
    shared: Pointer,
  ): Value;
  attn_linear_scratch_bytes(): Size;
  attn_linear(
    team: Pointer,
    y: Pointer,
    start: Pointer,
    x: Pointer,
    w: Pointer,
    rows: Value,
    inputs: Value,
    outputs: Value,
  ): void;
  attn_linear_input_gradient(
    team: Pointer,
    dx: Pointer,
    start: Pointer,
    dy: Pointer,
    w: Pointer,
    rows: Value,
    inputs: Value,
    outputs: Value,
  ): void;
  attn_linear_weight_gradient(
    team: Pointer,
    dw: Pointer,
    dy: Pointer,
    x: Pointer,
    rows: Value,
    inputs: Value,
    outputs: Value,
  ): void;
  attn_rms_norm_gradient(
    team: Pointer,
    dx: Pointer,
    dg: Pointer,
    dy: Pointer,
    x: Pointer,
    g: Pointer,
    r: Pointer,
    rows: Value,
    size: Value,
    epsilon: Value,
  ): void;
  attn_activate_gradient(
    dx: Pointer,
    dup: Pointer,
    dy: Pointer,
    x: Pointer,
    up: Pointer,
    count: Size,
    kind: Value,
  ): void;
  attn_rope_gradient(
    dx: Pointer,
    m: Value,
    heads: Value,
    rowStride: Size,
    headStride: Size,
    cos: Pointer,
    sin: Pointer,
    positions: Pointer,
    rotaryDim: Value,
    interleaved: Value,
  ): void;
  attn_embed(x: Pointer, e: Pointer, tokens: Pointer, count: Value, width: Value): void;
  attn_embed_gradient(
    team: Pointer,
    de: Pointer,
    dx: Pointer,
    tokens: Pointer,
    count: Value,
    width: Value,
  ): void;
}

/** src/include/layers.h */
export interface LayersExports {
  attn_matmul(
    team: Pointer,
    y: Pointer,
    yStride: Size,
    x: Pointer,
    xStride: Size,
    m: Value,
    w: Pointer,
    bias: Pointer,
  ): void;
  attn_add(y: Pointer, a: Pointer, b: Pointer, count: Size): void;
  attn_rms_norm(
    y: Pointer,
    yStride: Size,
    x: Pointer,
    xStride: Size,
    rows: Value,
    size: Value,
    scale: Pointer,
    onePlus: Value,
    epsilon: Value,
  ): void;
  attn_layer_norm(
    y: Pointer,
    x: Pointer,
    rows: Value,
    size: Value,
    scale: Pointer,
    bias: Pointer,
    epsilon: Value,
    mean: Pointer,
    inverseDeviation: Pointer,
  ): void;
  attn_activate(y: Pointer, x: Pointer, up: Pointer, count: Size, kind: Value): void;
  attn_rope(
    x: Pointer,
    m: Value,
    heads: Value,
    rowStride: Size,
    headStride: Size,
    cos: Pointer,
    sin: Pointer,
    positions: Pointer,
    rotaryDim: Value,
    interleaved: Value,
  ): void;
  attn_rope_frequencies(f: Pointer, rotaryDim: Value, base: Value): void;
  attn_rope_linear(f: Pointer, rotaryDim: Value, factor: Value): void;
  attn_rope_ntk_base(rotaryDim: Value, base: Value, factor: Value): Value;
  attn_rope_dynamic_factor(factor: Value, length: Value, original: Value): Value;
  attn_rope_llama3(
    f: Pointer,
    rotaryDim: Value,
    factor: Value,
    low: Value,
    high: Value,
    original: Value,
  ): void;
  attn_rope_yarn(
    f: Pointer,
    rotaryDim: Value,
    base: Value,
    factor: Value,
    betaFast: Value,
    betaSlow: Value,
    original: Value,
    truncate: Value,
  ): void;
  attn_rope_yarn_attention(factor: Value, mscale: Value, mscaleAllDim: Value): Value;
  attn_rope_table(
    cos: Pointer,
    sin: Pointer,
    f: Pointer,
    rotaryDim: Value,
    from: Value,
    count: Value,
    attentionFactor: Value,
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
  ): Value;
  attn_multi_head_bytes(): Size;
  attn_multi_head_init(layer: Pointer, q: Pointer, k: Pointer, v: Pointer, o: Pointer): void;
  attn_multi_head_set_biases(layer: Pointer, q: Pointer, k: Pointer, v: Pointer, o: Pointer): void;
  attn_multi_head_set_qk_norm(
    layer: Pointer,
    q: Pointer,
    k: Pointer,
    onePlus: Value,
    epsilon: Value,
  ): void;
  attn_multi_head_set_rope(
    layer: Pointer,
    cos: Pointer,
    sin: Pointer,
    rotaryDim: Value,
    interleaved: Value,
  ): void;
  attn_multi_head_set_residual(layer: Pointer, residual: Value): void;
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
  ): Value;
  attn_latent_bytes(): Size;
  attn_latent_init(
    layer: Pointer,
    heads: Value,
    latent: Value,
    nope: Value,
    rope: Value,
    valueDim: Value,
  ): Value;
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
  attn_latent_set_norm(layer: Pointer, kvNorm: Pointer, epsilon: Value): void;
  attn_latent_set_rope(layer: Pointer, cos: Pointer, sin: Pointer, interleaved: Value): void;
  attn_latent_set_residual(layer: Pointer, residual: Value): void;
  attn_latent_scratch_bytes(layer: Pointer, team: Pointer, p: Pointer, absorbed: Value): Size;
  attn_latent_forward(
    layer: Pointer,
    team: Pointer,
    p: Pointer,
    out: Pointer,
    x: Pointer,
    positions: Pointer,
    latents: Pointer,
    absorbed: Value,
    scratch: Pointer,
  ): Value;
}

/** src/include/sensitivity.h */
export interface SensitivityExports {
  attn_lse_measure(
    gradient: Pointer,
    report: Pointer,
    z: Pointer,
    h: Pointer,
    n: Value,
    temperature: Value,
    scratch: Pointer,
  ): Value;
  attn_jacobian_apply(out: Pointer, p: Pointer, x: Pointer, n: Value, temperature: Value): Value;
  attn_jacobian_spectrum(
    eigenvalues: Pointer,
    identity: Pointer,
    p: Pointer,
    n: Value,
    temperature: Value,
    scratch: Pointer,
  ): Value;
  attn_spectrum_scratch_doubles(n: Value): Size;
  attn_jacobian_top(p: Pointer, n: Value, temperature: Value): Value;
  attn_lipschitz_measure(
    ratios: Pointer,
    cocoercivity: Pointer,
    report: Pointer,
    a: Pointer,
    b: Pointer,
    pairs: Value,
    n: Value,
    temperature: Value,
    scratch: Pointer,
  ): Value;
  attn_limits_measure(
    hard: Pointer,
    uniform: Pointer,
    weights: Pointer,
    report: Pointer,
    z: Pointer,
    n: Value,
    temperature: Value,
  ): Value;
  attn_sharing_measure(
    columns: Pointer,
    bounds: Pointer,
    report: Pointer,
    q: Pointer,
    k: Pointer,
    sharedK: Pointer,
    v: Pointer,
    sharedV: Pointer,
    m: Value,
    n: Value,
    dim: Value,
    valueDim: Value,
    temperature: Value,
    scratch: Pointer,
  ): Value;
  attn_sharing_scratch_doubles(n: Value, dim: Value, valueDim: Value): Size;
  attn_operator_norm(
    norm: Pointer,
    a: Pointer,
    rows: Value,
    columns: Value,
    scratch: Pointer,
  ): Value;
  attn_random_normal(x: Pointer, count: Value, seed: Value): void;
  attn_scale_experiment(
    report: Pointer,
    dim: Value,
    rows: Value,
    keys: Value,
    seed: Value,
    scratch: Pointer,
  ): Value;
}

/** src/include/team.h */
export interface TeamExports {
  attn_team_bytes(): Size;
  attn_team_open(team: Pointer, threads: Value, scratch: Pointer, scratchBytes: Size): void;
  attn_team_join(team: Pointer, index: Value): void;
  attn_team_close(team: Pointer): void;
  attn_team_lost(team: Pointer): Value;
}

/** src/include/theory.h */
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
    n: Value,
    dim: Value,
    valueDim: Value,
    alpha: Value,
    beta: Value,
  ): Value;
  attn_maxent_weigh(
    weights: Pointer,
    features: Pointer,
    q: Pointer,
    k: Pointer,
    multipliers: Pointer,
    n: Value,
    dim: Value,
  ): Value;
  attn_maxent_solve(
    weights: Pointer,
    report: Pointer,
    features: Pointer,
    n: Value,
    target: Value,
  ): Value;
  attn_budget_solve(weights: Pointer, report: Pointer, z: Pointer, n: Value, budget: Value): Value;
  attn_budget_frontier(
    budgets: Pointer,
    betas: Pointer,
    expected: Pointer,
    z: Pointer,
    n: Value,
    points: Value,
    scratch: Pointer,
  ): Value;
  attn_budget_spent(
    weights: Pointer,
    report: Pointer,
    z: Pointer,
    n: Value,
    temperature: Value,
  ): Value;
  attn_gaussian_f32(
    weights: Pointer,
    out: Pointer,
    q: Pointer,
    k: Pointer,
    v: Pointer,
    m: Value,
    n: Value,
    dim: Value,
    valueDim: Value,
    temperature: Value,
    restoreKeyNorm: Value,
  ): Value;
  attn_gaussian_f64(
    weights: Pointer,
    out: Pointer,
    q: Pointer,
    k: Pointer,
    v: Pointer,
    m: Value,
    n: Value,
    dim: Value,
    valueDim: Value,
    temperature: Value,
    restoreKeyNorm: Value,
  ): Value;
  attn_gaussian_sigma2(dim: Value, temperature: Value): Value;
  attn_gaussian_compare(
    report: Pointer,
    w1: Pointer,
    w2: Pointer,
    o1: Pointer,
    o2: Pointer,
    q: Pointer,
    k: Pointer,
    v: Pointer,
    m: Value,
    n: Value,
    dim: Value,
    valueDim: Value,
    temperature: Value,
    isDouble: Value,
  ): void;
  attn_gibbs_measure(
    weights: Pointer,
    report: Pointer,
    z: Pointer,
    candidate: Pointer,
    n: Value,
    temperature: Value,
  ): Value;
  attn_gibbs_merge(
    logits: Pointer,
    weights: Pointer,
    identity: Pointer,
    z: Pointer,
    keep: Pointer,
    kept: Value,
    n: Value,
    temperature: Value,
    scratch: Pointer,
  ): Value;
}

/** src/include/train.h */
export interface TrainExports {
  attn_cross_entropy(
    team: Pointer,
    dz: Pointer,
    losses: Pointer,
    z: Pointer,
    targets: Pointer,
    rows: Value,
    vocab: Value,
    weight: Value,
  ): Value;
  attn_global_norm(g: Pointer, count: Size): Value;
  attn_learning_rate(step: Value, steps: Value, warmup: Value, rate: Value, last: Value): Value;
  attn_adamw(
    team: Pointer,
    w: Pointer,
    m: Pointer,
    v: Pointer,
    g: Pointer,
    count: Size,
    number: Value,
    clip: Value,
    rate: Value,
    decay: Value,
    beta1: Value,
    beta2: Value,
    epsilon: Value,
  ): void;
  attn_trainer_bytes(): Size;
  attn_trainer_init(
    t: Pointer,
    layers: Value,
    width: Value,
    heads: Value,
    kvHeads: Value,
    headDim: Value,
    hidden: Value,
    vocab: Value,
    context: Value,
    batch: Value,
  ): Value;
  attn_trainer_set_model(
    t: Pointer,
    tied: Value,
    activation: Value,
    ropeBase: Value,
    epsilon: Value,
  ): Value;
  attn_trainer_memory_bytes(t: Pointer): Size;
  attn_trainer_place(t: Pointer, memory: Pointer): void;
  attn_trainer_parameters(t: Pointer): Pointer;
  attn_trainer_gradients(t: Pointer): Pointer;
  attn_trainer_first_moments(t: Pointer): Pointer;
  attn_trainer_second_moments(t: Pointer): Pointer;
  attn_trainer_parameter_count(t: Pointer): Size;
  attn_trainer_rows(t: Pointer, parameter: Value): Value;
  attn_trainer_columns(t: Pointer, parameter: Value): Value;
  attn_trainer_offset(t: Pointer, parameter: Value, layer: Value): Size;
  attn_trainer_randomize(t: Pointer, seed: Value, deviation: Value): void;
  attn_trainer_sequences(t: Pointer): Value;
  attn_trainer_scratch_bytes(t: Pointer): Size;
  attn_trainer_shared_bytes(t: Pointer, team: Pointer, sequences: Value): Size;
  attn_trainer_clear(t: Pointer): void;
  attn_trainer_gradient(
    t: Pointer,
    team: Pointer,
    tokens: Pointer,
    targets: Pointer,
    sequences: Value,
    weight: Value,
    shared: Pointer,
  ): Value;
  attn_trainer_loss(
    t: Pointer,
    team: Pointer,
    tokens: Pointer,
    targets: Pointer,
    sequences: Value,
    shared: Pointer,
  ): Value;
  attn_trainer_update(
    t: Pointer,
    team: Pointer,
    number: Value,
    maxNorm: Value,
    rate: Value,
    decay: Value,
    beta1: Value,
    beta2: Value,
    epsilon: Value,
  ): Value;
  attn_trainer_heads_bytes(t: Pointer): Size;
  attn_trainer_heads(
    t: Pointer,
    team: Pointer,
    scores: Pointer,
    tokens: Pointer,
    sequences: Value,
    shared: Pointer,
  ): void;
}

/** src/include/weights.h */
export interface WeightsExports {
  attn_weight_type_name(type: Value): Pointer;
  attn_weight_type_block(type: Value): Value;
  attn_weight_type_block_bytes(type: Value): Value;
  attn_weight_type_has_min(type: Value): Value;
  attn_matrix_bytes(type: Value, rows: Value, columns: Value): Size;
  attn_matrix_row_bytes(type: Value, columns: Value): Size;
  attn_matrix_init(w: Pointer, type: Value, rows: Value, columns: Value): Value;
  attn_matrix_type(w: Pointer): Value;
  attn_matrix_rows(w: Pointer): Value;
  attn_matrix_columns(w: Pointer): Value;
  attn_matrix_pack(
    w: Pointer,
    sourceType: Value,
    source: Pointer,
    firstRow: Value,
    count: Value,
  ): Value;
  attn_matrix_pack_transposed(w: Pointer, source: Pointer): Value;
  attn_matrix_row(w: Pointer, row: Value, out: Pointer): void;
  attn_multiply_prepared_bytes(type: Value, m: Value, columns: Value): Size;
  attn_multiply_kind(type: Value): Value;
  attn_multiply_prepare(
    prepared: Pointer,
    x: Pointer,
    first: Value,
    end: Value,
    columns: Value,
    type: Value,
  ): void;
  attn_multiply_prepare_part(
    prepared: Pointer,
    part: Pointer,
    x: Pointer,
    columns: Value,
    type: Value,
  ): void;
  attn_multiply_prepared_numbers(x: Pointer, prepared: Pointer, columns: Value, type: Value): void;
  attn_multiply(
    out: Pointer,
    stride: Size,
    w: Pointer,
    prepared: Pointer,
    m: Value,
    firstRow: Value,
    endRow: Value,
  ): void;
  attn_multiply_parts(
    parts: Pointer,
    all: Pointer,
    w: Pointer,
    u: Pointer,
    prepared: Pointer,
    stride: Size,
    columns: Pointer,
    count: Value,
  ): void;
}

/** All of them. A wasm file has those of its own headers. */
export interface Functions
  extends
    AttentionExports,
    ConsequencesExports,
    DecoderExports,
    GradientsExports,
    LayersExports,
    SensitivityExports,
    TeamExports,
    TheoryExports,
    TrainExports,
    WeightsExports {}
