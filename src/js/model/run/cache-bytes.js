import { TYPES } from '../../attention/cache.js';

/**
 * @typedef {import('../../engine/memory.js').Memory} Memory
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 * @typedef {import('../api.d.ts').LoadOptions['cacheType']} CacheType
 */

/**
 * Bytes of the caches of all layers; Infinity where they would be too large.
 * @param {Memory} memory
 * @param {ModelConfig} config
 * @param {number} capacity positions
 * @param {CacheType} type
 */
export const cacheBytes = (memory, { layers, kvHeads, headDim }, capacity, type = 'f32') =>
  layers *
  (memory.c.attn_cache_bytes(kvHeads, headDim, headDim, capacity, TYPES.indexOf(type)) >>> 0 ||
    Infinity);
