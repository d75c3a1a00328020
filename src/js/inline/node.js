/** Stands in the place of engine/node.js where there is no import(). */

/** @param {string} name @returns {any} */
export const builtin = (name) => globalThis.process?.getBuiltinModule?.(name);

/** @param {string} name @returns {Promise<any>} */
export async function nodeModule(name) {
  return builtin(name) ?? Promise.reject(new Error(`there is no node:${name} here`));
}
