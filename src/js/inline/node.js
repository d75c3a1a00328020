/** Replaces engine/node.js in the single files of dist: it loads modules without import(). */

/** @type {typeof import('../engine/node.js').builtin} */
export const builtin = (name) => globalThis.process?.getBuiltinModule?.(name);

/** @type {typeof import('../engine/node.js').nodeModule} */
export async function nodeModule(name) {
  return builtin(name) ?? Promise.reject(new Error(`there is no node:${name} here`));
}
