/**
 * The combinations that training never shows. The questions of the evaluation are about them. They
 * are one in sixteen pairs of a person, a thing or a place, and one in eight invented names.
 */
const PAIRS = 16;
const NAMES = 8;

/** FNV-1a of the character codes. @param {string} text */
function hashOf(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++)
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** @typedef {import('./entities.js').Entity} Entity */

/** Whether these two never meet in a training story. @param {Entity} a @param {Entity} b */
export const isUnseenPair = (a, b) =>
  a.kind !== b.kind &&
  a.kind !== 'word' &&
  b.kind !== 'word' &&
  hashOf([a.noun, b.noun].sort().join(' ')) % PAIRS === 0;

/** Whether an invented name is never told in training. @param {string} name */
export const isUnseenName = (name) => hashOf(name) % NAMES === 0;
