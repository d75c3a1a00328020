/** The modules of Node. inline/node.js stands in the place of this where import() is not had. */
/** Not named literally, or bundlers for browsers would look for the modules. */
const NODE = 'node:';

/**
 * A module of Node, in Deno and Bun too, where it can be had at once.
 * @param {string} name
 * @returns {any}
 */
export const builtin = (name) => globalThis.process?.getBuiltinModule?.(name);

/**
 * A module of Node. Node 21 has it only by import, which takes longer. So have bundles where
 * another object stands for Node's process.
 * @param {string} name
 * @returns {Promise<any>}
 */
export const nodeModule = async (name) =>
  builtin(name) ?? import(/* webpackIgnore: true */ /* @vite-ignore */ `${NODE}${name}`);
