/**
 * The cache of a model as callers see it: ModelCache in api.d.ts. While a sweep or other work has
 * it, its tokens are those of that work. Nobody else reads them then.
 */
import { CACHE } from './members.js';
import { publicView } from './public-view.js';

/** @param {import('./sequence.js').Sequence} sequence */
export function cacheView(sequence) {
  const read = (/** @type {'length' | 'tokens'} */ name) => ({
    get() {
      sequence.checkReadable();
      return sequence[name];
    },
    enumerable: true,
  });
  const members = Object.getOwnPropertyDescriptors(publicView(sequence, CACHE));
  const own = { ...members, length: read('length'), tokens: read('tokens') };
  return Object.freeze(Object.defineProperties({}, own));
}
