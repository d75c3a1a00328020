import { now } from '../../engine/platform.js';
import { checkStatus } from '../../engine/status.js';
import { placeOf } from '../../engine/tensor.js';
import { KeptEdits } from '../inside/edits.js';
import { makeDecoder } from './make-decoder.js';
import { Pass } from './pass.js';

/**
 * The decoder of decoder.h: the weights, tables and caches of a model, and passes over tokens.
 * @typedef {import('../../engine/memory.js').Memory} Memory
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 * @typedef {import('../inside/interventions.js').Interventions} Interventions
 */

/** Tokens of a prompt that go through the layers together, at most. */
const CHUNK = 256;
/**
 * Multiply-adds of a layer for such a chunk, at most. An abort waits until a layer is finished
 * (tuning.md#chunk-cost).
 */
const CHUNK_COST = 1.25e9;

export class Decoder {
  /**
   * Milliseconds of the slowest step of the last pass, for one token and for several. Until they
   * are known, steps run one by one. A layer is a step, and the output may be a much faster one.
   */
  #pace = [Infinity, Infinity];
  /** Those of the next pass. @type {Interventions | undefined} */
  interventions;
  #edits;

  /**
   * @param {Memory} memory
   * @param {ModelConfig} config
   * @param {import('../types.d.ts').ModelTensors<number>} weights addresses; 0 where the model has
   *   no such tensor
   * @param {{ allocate(bytes: number): number }} owner of the memory
   * @param {number} context positions the rotary tables reach
   * @param {(length: number) => void} onLost makes the caches that long again
   */
  constructor(memory, config, weights, owner, context, onLost) {
    this.memory = memory;
    this.config = config;
    this.weights = weights;
    this.onLost = onLost;
    /** Multiply-adds of a layer for one token, without attention. */
    this.cost =
      config.modelDim * (2 * (config.heads + config.kvHeads) * config.headDim + 3 * config.ffnDim);
    this.at = makeDecoder(memory, config, weights, owner, context);
    this.#edits = new KeptEdits(memory, this.at);
  }

  /**
   * How many of the `remaining` tokens go through the layers together. All chunks have about the
   * same size, in whole groups of four inputs.
   * @param {number} length of the caches
   * @param {number} remaining
   */
  chunk(length, remaining) {
    const { heads, headDim } = this.config;
    const attention = 2 * heads * headDim * (length + CHUNK);
    const affordable = Math.min(CHUNK, CHUNK_COST / (this.cost + attention));
    const max = Math.max(8, 4 * Math.floor(affordable / 4));
    return 4 * Math.ceil(remaining / 4 / Math.ceil(remaining / max));
  }

  /** @param {import('../../attention/cache.js').KVCache[]} caches one for each layer */
  setCaches(caches) {
    caches.forEach((cache, layer) =>
      this.memory.c.attn_decoder_set_cache(this.at, layer, placeOf(cache, this.memory)),
    );
  }

  /**
   * Sets the interventions of the next passes. No pass may be on its way.
   * @param {Interventions} interventions
   */
  setInterventions(interventions) {
    if (interventions === this.interventions) return;
    const { heads } = this.config;
    this.#edits.set(interventions.edits());
    interventions.temperatures.forEach((t, x) =>
      checkStatus(
        this.memory.c.attn_decoder_set_temperature(this.at, Math.floor(x / heads), x % heads, t),
        'temperature',
        t,
        'a number of at least 0',
      ),
    );
    this.interventions = interventions;
  }

  dispose() {
    this.#edits.dispose();
  }

  /**
   * Reads tokens behind those in the caches. It yields after about `slice` milliseconds each time.
   * The caches must not be changed meanwhile. If it fails or is not finished, the caller truncates
   * them.
   * @template T
   * @param {ArrayLike<number>} tokens
   * @param {number} outputs
   * @param {number} length of the caches
   * @param {import('./pass.js').Request} request
   * @param {number} slice
   * @param {(pass: Pass) => T} result copied from the finished pass
   * @returns {Generator<void, T, void>}
   */
  *read(tokens, outputs, length, request, slice, result) {
    for (;;) {
      const pass = new Pass(this, tokens, outputs, length + tokens.length, request);
      try {
        if (yield* this.#run(pass, slice)) {
          this.#edits.fetch();
          return result(pass);
        }
      } finally {
        pass.end();
      }
      this.onLost(length);
    }
  }

  /**
   * @param {Pass} pass
   * @param {number} slice
   * @returns {Generator<void, boolean, void>} false: a thread was lost, and the pass with it
   */
  *#run(pass, slice) {
    const kind = pass.t === 1 ? 0 : 1;
    let slowest = 1e-6;
    while (pass.remaining) {
      const at = now();
      const before = pass.remaining;
      const affordable = slice === Infinity ? before : Math.floor(slice / this.#pace[kind]);
      const count = Math.max(1, Math.min(before, affordable));
      if (!pass.run(count)) return false;
      slowest = Math.max(slowest, (now() - at) / (before - pass.remaining));
      this.#pace[kind] = slowest;
      if (pass.remaining) yield;
    }
    return true;
  }

  /**
   * Computes a token in the caches again, up to the attention of a layer, or to its logits if that
   * is the number of layers.
   * @template T
   * @param {number} token
   * @param {{ position: number, layer: number }} at
   * @param {number} length of the caches
   * @param {import('./pass.js').Request} request
   * @param {(pass: Pass) => T} result copied from the finished pass
   */
  again(token, at, length, request, result) {
    const outputs = at.layer === this.config.layers ? 1 : 0;
    for (;;) {
      const pass = new Pass(this, [token], outputs, length, request, at);
      try {
        if (pass.run(pass.remaining)) return result(pass);
      } finally {
        pass.end();
      }
    }
  }
}
