/**
 * Loads modules of Node. The single files of dist have inline/node.js instead, because import()
 * does not work in all of the places they run.
 */

/** A variable: bundlers for browsers look for modules whose name is written out. */
const NODE = 'node:';

/**
 * A module of Node, also in Deno and Bun. Undefined where it cannot be loaded at once.
 * @param {string} name
 * @returns {any}
 */
export const builtin = (name) => globalThis.process?.getBuiltinModule?.(name);

/**
 * A module of Node. Node 21 can only import it, which takes longer. So does a bundle that replaces
 * Node's process by another object.
 * @param {string} name
 * @returns {Promise<any>}
 */
export const nodeModule = async (name) =>
  builtin(name) ?? import(/* webpackIgnore: true */ /* @vite-ignore */ `${NODE}${name}`);
