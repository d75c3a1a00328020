/**
 * What others hold of an object: these names, and nothing that only its own room may touch. Methods
 * are bound, what changes is read anew.
 * @param {any} of
 * @param {(string | symbol)[]} names
 * @returns {any} frozen
 */
export function face(of, names) {
  const shown = {};
  for (const name of names) {
    const x = of[name];
    const is =
      typeof x === 'function'
        ? { value: x.bind(of) }
        : Object.hasOwn(of, name)
          ? { value: x, enumerable: true }
          : { get: () => of[name], enumerable: true };
    Object.defineProperty(shown, name, is);
  }
  return Object.freeze(shown);
}
