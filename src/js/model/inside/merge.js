/**
 * Entries that do the same in neighbouring heads of a layer, as one. A list that names every head
 * then needs one mask and one edit for a layer, as one that names the layer alone.
 *
 * @typedef {import('./entries.js').Entry} Entry
 * @typedef {import('./entries.js').Gain | import('./entries.js').KnockOut |
 *   import('./entries.js').Shape} Alike
 */

const KINDS = ['gain', 'knockOut', 'shape'];

/** @param {Entry} entry @returns {entry is Alike} */
const isAlike = (entry) => KINDS.includes(entry.kind);

/** All of an entry but its heads. @param {Alike} entry */
const contentOf = (entry) => JSON.stringify({ ...entry, heads: undefined });

/**
 * The same entries in their order, fewer where possible.
 * @param {readonly Entry[]} entries
 */
export function merge(entries) {
  /** @type {Entry[]} */
  const all = [];
  for (const entry of entries) {
    const last = all.at(-1);
    const together = last && isAlike(entry) && union(last, entry);
    if (together) all.pop();
    all.push(together || entry);
  }
  return all;
}

/** @param {Entry} a @param {Alike} b @returns {Alike | undefined} */
function union(a, b) {
  if (!isAlike(a) || a.heads[0] + a.heads[1] !== b.heads[0]) return undefined;
  return contentOf(a) === contentOf(b)
    ? { ...a, heads: [a.heads[0], a.heads[1] + b.heads[1]] }
    : undefined;
}
