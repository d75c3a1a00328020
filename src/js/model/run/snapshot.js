import { array, int32s, integer, number, read, sized } from '../../check.js';
import { describe, refuse } from '../../errors.js';
import { checksum } from '../inside/checksum.js';

/**
 * Snapshots of a model's cache: made, checked and put back.
 * @typedef {import('../../attention/cache.js').KVCache} KVCache
 * @typedef {import('../api.d.ts').CacheSnapshot} CacheSnapshot
 * @typedef {Pick<CacheSnapshot, 'model' | 'tokens' | 'temperatures' | 'interventions' | 'alike'>}
 *   Notes
 */

/** @param {Notes} notes @param {KVCache[]} caches @returns {CacheSnapshot} */
export function makeSnapshot(notes, caches) {
  const layers = caches.map((cache) => cache.snapshot());
  return { ...notes, layers, checksum: checksumOf(notes, layers) };
}

/** @param {unknown} given @returns {CacheSnapshot} whose values are not checked */
export function readSnapshot(given) {
  if (given === undefined) refuse('ARG', 'snapshot', 'undefined', 'an object');
  return read('snapshot', /** @type {CacheSnapshot} */ (given), [
    'model',
    'tokens',
    'layers',
    'temperatures',
    'interventions',
    'alike',
    'checksum',
  ]);
}

/**
 * Refuses a snapshot of something else. Its copy is as it was checked, whatever happens to the
 * arrays.
 * @param {CacheSnapshot} snapshot
 * @param {{ vocab: number, heads: number, layers: number, model: () => number }} expected heads: of
 *   all layers; model: its fingerprint
 * @returns {CacheSnapshot}
 */
export function checkSnapshot(snapshot, expected) {
  const { model, layers, alike, interventions = 0 } = snapshot;
  const tokens = int32s('snapshot.tokens', snapshot.tokens);
  tokens.forEach((id, at) => integer(`snapshot.tokens[${at}]`, id, 0, expected.vocab - 1));
  const temperatures = new Float64Array(
    array('snapshot.temperatures', snapshot.temperatures, 'Float64Array'),
  );
  sized('snapshot.temperatures', temperatures, expected.heads, 'layers*heads');
  for (const [at, t] of temperatures.entries())
    if (!(t >= 0)) refuse('RANGE', `snapshot.temperatures[${at}]`, t, 'a number of at least 0');
  integer('snapshot.interventions', interventions, 0, Number.MAX_SAFE_INTEGER);
  integer('snapshot.alike', alike, 0);
  if (!Array.isArray(layers) || layers.length !== expected.layers)
    refuse('SHAPE', 'snapshot.layers', describe(layers), `${expected.layers} of them`);
  if (number('snapshot.model', model) !== expected.model())
    refuse('FORMAT', 'snapshot', 'of another model', 'one of this model');
  return { ...snapshot, tokens, temperatures, interventions };
}

/**
 * Puts the layers of a snapshot back, which may fail after some of them.
 * @param {CacheSnapshot} snapshot
 * @param {KVCache[]} caches
 */
export function restoreCaches({ checksum: sum, layers, ...notes }, caches) {
  const { length } = notes.tokens;
  layers.forEach((layer, x) => caches[x].restore(layer));
  for (const cache of caches)
    if (cache.length !== length)
      refuse(
        'SHAPE',
        'snapshot',
        `of ${cache.length} positions and ${length} tokens`,
        'equally many of both',
      );
  if (sum !== checksumOf(notes, layers))
    refuse('INTEGRITY', 'snapshot', 'damaged (its checksum)', 'one as it was taken');
}

/**
 * A checksum of the notes and of the layers' own checksums, their last bytes. It tells whether they
 * belong together, in this order.
 * @param {Omit<Notes, 'model'>} notes
 * @param {Uint8Array[]} layers
 */
const checksumOf = ({ tokens, temperatures, interventions, alike }, layers) =>
  checksum([
    alike,
    ...(interventions ? [interventions % 2 ** 32, Math.floor(interventions / 2 ** 32)] : []),
    ...tokens,
    ...new Int32Array(temperatures.slice().buffer),
    ...layers.flatMap((layer) => [...layer.subarray(-8)]),
  ]);
