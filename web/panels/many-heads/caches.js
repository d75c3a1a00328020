/** A published model that shares its keys as the machine does, and one that goes further. */
import { html } from '../../plot/dom.js';
import { cacheBytes, MODELS, unsharedBytes } from '../sharing/caches.js';
import { kilobytes } from '../sharing/caches-table.js';
import { nameOf } from './fitting.js';

/** @typedef {import('../sharing/caches.js').Model} Model */

/** @param {number} H @param {number} G */
export const likeOf = (H, G) =>
  MODELS.find(
    ({ heads, kvHeads, latent }) =>
      !latent &&
      nameOf(heads, kvHeads) === nameOf(H, G) &&
      (G === 1 || H === G || heads / kvHeads === H / G),
  );

/** @param {Model} model */
const bytes = (model) =>
  html('strong', { 'data-value': cacheBytes(model) }, kilobytes(cacheBytes(model)));

/**
 * The sentence under the heads: the cache of one token, from MHA to MLA.
 * @param {number} H @param {number} G
 */
export function cacheSentence(H, G) {
  const like = likeOf(H, G);
  const further = MODELS.find(({ latent }) => latent);
  const all = (/** @type {Model} */ model) => kilobytes(unsharedBytes(model));
  return [
    ...(like
      ? [
          `${like.name} ${G === H ? 'does not share either' : 'shares as here'}. It keeps `,
          bytes(like),
          ' for each word or piece of one',
          G === H ? '. ' : ` instead of ${all(like)}. `,
        ]
      : [`No model of the table below shares as here. `]),
    ...(further
      ? [
          `${further.name} goes further and keeps one short list of numbers: `,
          bytes(further),
          ` instead of ${all(further)}. `,
        ]
      : []),
    html('a', { href: '#sharing' }, 'More models'),
  ];
}
