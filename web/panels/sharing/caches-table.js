/** The caches of published models as bars: their bytes, in front of the bytes without sharing. */
import { numbersRow, numbersTable } from '../../page/layout.js';
import { html } from '../../plot/dom.js';
import { short, whole } from '../../plot/format.js';
import { cacheBytes, configOf, kindOf, MODELS, unsharedBytes } from './caches.js';

const KILO = 1024;

/** @param {number} units */
const figures = (units) => (units < 100 ? short(units) : whole(Math.round(units)));

/** @param {number} bytes */
export const kilobytes = (bytes) => `${figures(bytes / KILO)} KB`;

/** @param {number} bytes */
export const megabytes = (bytes) => `${figures(bytes / KILO ** 2)} MB`;

/** Bars of more bytes are cut off. */
const LONGEST = 600 * KILO;

export function cachesTable() {
  const largest = Math.max(...MODELS.map((model) => Math.min(unsharedBytes(model), LONGEST)));
  const rows = MODELS.map((model) => {
    const own = cacheBytes(model);
    const all = unsharedBytes(model);
    const bar = html('span', { class: 'cache-bar' });
    const ghost = html('span', { class: all > LONGEST ? 'cache-ghost cut' : 'cache-ghost' }, bar);
    ghost.style.width = `${Math.min(100, (100 * all) / largest)}%`;
    bar.style.width = `${(100 * own) / Math.min(all, largest)}%`;
    const saved = all / own;
    return numbersRow(
      html('a', { href: configOf(model) }, model.name),
      html('td', { class: 'kind' }, kindOf(model)),
      html('td', { 'data-value': own, 'data-model': model.name }, kilobytes(own)),
      html('td', {}, saved > 1.01 ? `1/${short(saved, 2)}` : '1'),
      html('td', { class: 'cache-cell' }, ghost),
    );
  });
  return numbersTable(
    {
      name: 'caches',
      caption:
        'The cache of one token, a word or a piece of one, in 16-bit numbers. A whole bar is the ' +
        'cache without sharing, and its coloured part is the cache as it is. A bar with a gap ' +
        'near its end goes on beyond 600 KB. Each name links to the model’s configuration. ' +
        'Attention is multi-head (MHA), grouped-query (GQA), multi-query (MQA) or multi-head ' +
        'latent (MLA).',
      columns: ['model', 'heads', 'cache of a token', 'part that is left', ''],
    },
    ...rows,
  ).element;
}
