import { counted } from '../../names.js';

/**
 * The part of an object that callers see: these members and nothing else. Methods are bound
 * and count their arguments, and getters are read anew each time.
 * @template {object} T
 * @param {T} object
 * @param {readonly (string | symbol)[]} names
 * @returns {any} frozen
 */
export function publicView(object, names) {
  const members = /** @type {Record<string | symbol, unknown>} */ (object);
  const view = {};
  for (const name of names) {
    const member = members[name];
    const property =
      typeof member === 'function'
        ? { value: counted(name, member.bind(object)) }
        : Object.hasOwn(object, name)
          ? { value: member, enumerable: true }
          : { get: () => members[name], enumerable: true };
    Object.defineProperty(view, name, property);
  }
  return Object.freeze(view);
}
