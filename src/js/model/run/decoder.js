import { F32 } from '../../engine/memory.js';
import { checkStatus } from '../../engine/status.js';
import { Pass } from './pass.js';

/**
 * The decoder of decoder.h: a model's weights, tables and caches put together, and passes over
 * tokens.
 * @typedef {import('../../engine/memory.js').Memory} Memory
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 */

/**
 * Tokens that go through the layers together in a prompt, and what a layer may cost then in
 * multiply-adds: so long an abort may have to wait. 256 of SmolLM2-135M's behind as many are
 * 1.06e9, which take 30 ms with `simd` on one thread of a Zen 5.
 */
const CHUNK = 256;
const CHUNK_COST = 1.25e9;

export class Decoder {
  /**
   * Milliseconds a layer took last, for one token and for several. Until it is known, they go one
   * by one.
   */
  #pace = [Infinity, Infinity];
  /** What the heads have now. @type {Float64Array | undefined} */
  #temperatures;

  /**
   * @param {Memory} memory
   * @param {ModelConfig} config
   * @param {import('../types.d.ts').ModelTensors<number>} weights addresses; 0 for what the model
   *   lacks
   * @param {{ take(bytes: number): number }} owner of the memory
   * @param {number} context positions the rotary tables reach
   * @param {(length: number) => void} onLost makes the caches that long again
   */
  constructor(memory, config, weights, owner, context, onLost) {
    this.memory = memory;
    this.config = config;
    this.onLost = onLost;
    /** Multiply-adds of a layer for one token, without attention. */
    this.cost =
      config.modelDim * (2 * (config.heads + config.kvHeads) * config.headDim + 3 * config.ffnDim);
    const {
      layers,
      modelDim,
      heads,
      kvHeads,
      headDim,
      ffnDim,
      vocab,
      normEps,
      slidingWindow,
      localLayers,
    } = config;
    this.at = owner.take(memory.c.attn_decoder_bytes(layers, heads));
    const c = memory.c;
    const sizes = `${layers} layers, ${heads}/${kvHeads} heads of ${headDim}`;
    const check = (/** @type {number} */ status) =>
      checkStatus(
        status,
        'the model',
        `of ${sizes}, ${modelDim} and ${ffnDim} channels`,
        'sizes that fit',
      );
    check(
      c.attn_decoder_init(
        this.at,
        layers,
        modelDim,
        heads,
        kvHeads,
        headDim,
        ffnDim,
        vocab,
        normEps,
      ),
    );
    check(c.attn_decoder_set_embedding(this.at, weights.embedding, config.embeddingScale));
    check(
      c.attn_decoder_set_output(
        this.at,
        weights.outputNorm,
        weights.output || weights.embedding,
        config.finalSoftcap,
      ),
    );
    check(c.attn_decoder_set_scores(this.at, config.attnScale, config.attnSoftcap));
    check(c.attn_decoder_set_activation(this.at, { silu: 0, gelu_tanh: 2 }[config.activation]));
    const interleaved = config.ropeLayout === 'interleaved' ? 1 : 0;
    const whole = ropeTable(
      memory,
      owner,
      headDim,
      context,
      config.ropeTheta,
      config.ropeScaling,
      weights.ropeFactors,
    );
    const local = localLayers.some(Boolean)
      ? ropeTable(memory, owner, headDim, context, config.ropeLocalTheta, { type: 'none' }, 0)
      : whole;
    weights.layers.forEach((w, layer) => {
      const isLocal = localLayers[layer];
      const rope = isLocal ? local : whole;
      check(c.attn_decoder_set_attention(this.at, layer, w.attnNorm, w.q, w.k, w.v, w.attnOut));
      check(c.attn_decoder_set_feed_forward(this.at, layer, w.ffnNorm, w.gate, w.up, w.down));
      check(c.attn_decoder_set_biases(this.at, layer, w.qBias ?? 0, w.kBias ?? 0, w.vBias ?? 0));
      check(c.attn_decoder_set_head_norms(this.at, layer, w.qNorm ?? 0, w.kNorm ?? 0));
      check(c.attn_decoder_set_post_norms(this.at, layer, w.attnPostNorm ?? 0, w.ffnPostNorm ?? 0));
      check(c.attn_decoder_set_rope(this.at, layer, rope.cos, rope.sin, context, interleaved));
      check(
        c.attn_decoder_set_window(
          this.at,
          layer,
          isLocal && slidingWindow ? slidingWindow - 1 : -1,
        ),
      );
    });
  }

  /**
   * How many of `left` tokens are to go together behind so many: about as many each time, and whole
   * groups of four inputs.
   * @param {number} length
   * @param {number} left
   */
  chunk(length, left) {
    const { heads, headDim } = this.config;
    const attention = 2 * heads * headDim * (length + CHUNK);
    const most = Math.max(
      8,
      4 * Math.floor(Math.min(CHUNK, CHUNK_COST / (this.cost + attention)) / 4),
    );
    return 4 * Math.ceil(left / 4 / Math.ceil(left / most));
  }

  /** @param {import('../../attention/cache.js').KVCache[]} caches one for each layer */
  setCaches(caches) {
    caches.forEach((cache, layer) =>
      this.memory.c.attn_decoder_set_cache(this.at, layer, cache.place(this.memory)),
    );
  }

  /**
   * Those of the next pass; not to be called while one is on its way.
   * @param {Float64Array} table (layers, heads)
   */
  setTemperatures(table) {
    if (table === this.#temperatures) return;
    const { heads } = this.config;
    table.forEach((t, x) =>
      checkStatus(
        this.memory.c.attn_decoder_set_temperature(this.at, Math.floor(x / heads), x % heads, t),
        'temperature',
        t,
        'a number ≥ 0',
      ),
    );
    this.#temperatures = table;
  }

  /**
   * Reads tokens behind what the caches have, stopping after about `slice` milliseconds each time
   * for whoever else there is; meanwhile the caches must not be changed. If it is left, or fails,
   * they are to be truncated.
   * @template T
   * @param {ArrayLike<number>} tokens
   * @param {number} outputs
   * @param {number} length of the caches
   * @param {import('./pass.js').Wish} wish
   * @param {number} slice
   * @param {(pass: Pass) => T} take what is wanted of it in the end
   * @returns {Generator<void, T, void>}
   */
  *read(tokens, outputs, length, wish, slice, take) {
    for (;;) {
      const pass = new Pass(this, tokens, outputs, length + tokens.length, wish);
      try {
        if (yield* this.#run(pass, slice)) return take(pass);
      } finally {
        pass.end();
      }
      this.onLost(length);
    }
  }

  /**
   * @param {Pass} pass
   * @param {number} slice
   * @returns {Generator<void, boolean, void>} whether it is whole
   */
  *#run(pass, slice) {
    const kind = pass.t === 1 ? 0 : 1;
    const { layers } = this.config;
    while (pass.left) {
      const at = performance.now();
      const before = pass.left;
      const count =
        slice === Infinity
          ? layers
          : Math.max(1, Math.min(layers, Math.floor(slice / this.#pace[kind])));
      if (!pass.run(count)) return false;
      this.#pace[kind] = Math.max(1e-6, (performance.now() - at) / (before - pass.left));
      if (pass.left) yield;
    }
    return true;
  }

  /**
   * Looks again at a token the caches hold.
   * @template T
   * @param {number} token
   * @param {number} position
   * @param {number} layer
   * @param {number} head
   * @param {number} length of the caches
   * @param {(pass: Pass) => T} take
   */
  again(token, position, layer, head, length, take) {
    for (;;) {
      const pass = new Pass(
        this,
        [token],
        0,
        length,
        { stats: false, heads: [[layer, head]] },
        { position, layer },
      );
      try {
        if (pass.run(layer + 1)) return take(pass);
      } finally {
        pass.end();
      }
    }
  }
}

/**
 * Bytes of the rotary tables for so many positions.
 * @param {ModelConfig} config
 * @param {number} positions
 */
export const tableBytes = ({ headDim, localLayers }, positions) =>
  (localLayers.some(Boolean) ? 2 : 1) * positions * headDim * 4;

/**
 * cos and sin of every position, in wasm memory.
 * @param {Memory} memory
 * @param {{ take(bytes: number): number }} owner
 * @param {number} size of a head
 * @param {number} positions
 * @param {number} base
 * @param {import('../types.d.ts').RopeScaling} scaling
 * @param {number | null} factors address
 */
function ropeTable(memory, owner, size, positions, base, scaling, factors) {
  const pairs = size / 2;
  const cos = owner.take(positions * pairs * 4);
  const sin = owner.take(positions * pairs * 4);
  memory.scope(() => {
    const f = memory.pushArray('float64', pairs);
    memory.c.attn_rope_frequencies(f, size, base);
    if (scaling.type === 'linear') memory.c.attn_rope_linear(f, size, scaling.factor);
    if (scaling.type === 'llama3')
      memory.c.attn_rope_llama3(
        f,
        size,
        scaling.factor,
        scaling.lowFreqFactor,
        scaling.highFreqFactor,
        scaling.originalContext,
      );
    if (scaling.type === 'yarn')
      memory.c.attn_rope_yarn(
        f,
        size,
        base,
        scaling.factor,
        scaling.betaFast,
        scaling.betaSlow,
        scaling.originalContext,
        +scaling.truncate,
      );
    if (scaling.type === 'factors' && factors) {
      const by = memory.view(F32, factors, pairs);
      const frequencies = memory.view('float64', f, pairs);
      frequencies.forEach(
        (/** @type {number} */ x, /** @type {number} */ pair) => (frequencies[pair] = x / by[pair]),
      );
    }
    memory.c.attn_rope_table(
      cos,
      sin,
      f,
      size,
      0,
      positions,
      scaling.type === 'yarn' ? yarnFactor(memory, scaling) : 1,
    );
  });
  return { cos, sin };
}

/**
 * What cos and sin are multiplied by.
 * @param {Memory} memory
 * @param {Extract<import('../types.d.ts').RopeScaling, { type: 'yarn' }>} scaling
 * @returns {number}
 */
const yarnFactor = (
  memory,
  { factor, mscale = 0, mscaleAllDim = 0, attentionFactor, attentionScale = 1 },
) =>
  attentionScale *
  (attentionFactor ?? memory.c.attn_rope_yarn_attention(factor, mscale, mscaleAllDim));
