/** A published model that shares its keys as the machine does, and one that goes further. */
import { html } from '../../plot/dom.js';
import { whole } from '../../plot/format.js';
import { cacheBytes, MODELS, unsharedBytes } from '../sharing/caches.js';
import { megabytes } from '../sharing/caches-table.js';
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

/** Of a text. In GPT-2 none is longer. */
const TOKENS = 1024;

/** @param {Model} model */
function bytes(model) {
  const kept = TOKENS * cacheBytes(model);
  return html('strong', { 'data-value': kept }, megabytes(kept));
}

/**
 * The sentence under the heads: the cache of a text, from MHA to MLA.
 * @param {number} H @param {number} G
 */
export function cacheSentence(H, G) {
  const like = likeOf(H, G);
  const further = MODELS.find(({ latent }) => latent);
  const all = (/** @type {Model} */ model) => megabytes(TOKENS * unsharedBytes(model));
  return [
    `A text has ${whole(TOKENS)} words and pieces of words. `,
    ...(like
      ? [
          `${like.name} ${G === H ? 'does not share either' : 'shares as here'}. It keeps `,
          bytes(like),
          G === H ? '. ' : ` instead of ${all(like)}. `,
        ]
      : [`No model of the table below shares as here. `]),
    ...(further
      ? [
          `${further.name} goes further, and each layer keeps one short list of numbers `,
          'for each of them: ',
          bytes(further),
          ` instead of ${all(further)}. `,
        ]
      : []),
    html('a', { href: '#sharing' }, 'More models'),
  ];
}
