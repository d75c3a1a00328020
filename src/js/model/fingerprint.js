/** Matrices that every layer has. */
const MATRICES = /** @type {const} */ (['q', 'k', 'v', 'attnOut', 'gate', 'up', 'down']);

/**
 * Tells apart models whose caches have one shape: a checksum (FNV-1a, by words) of the configuration and the middle row of each
 * matrix, as the numbers it stands for. All of the weights would take as long as reading a token.
 * @param {import('../memory.js').Memory} memory @param {import('./types.d.ts').ModelConfig} config
 * @param {import('./types.d.ts').ModelTensors<number>} weights addresses
 */
export function fingerprint(memory, config, weights) {
  let sum = 0x811c9dc5;
  const add = (/** @type {number} */ word) => void (sum = Math.imul(sum ^ word, 0x01000193));
  for (const character of JSON.stringify(config)) add(character.charCodeAt(0));
  for (const at of [weights.embedding, ...weights.layers.flatMap((layer) => MATRICES.map((name) => layer[name]))])
    memory.scope(() => {
      const columns = memory.call('matrix_columns', at), row = memory.room('float32', columns);
      memory.call('matrix_row', at, memory.call('matrix_rows', at) >> 1, row);
      memory.view('int32', row, columns).forEach(add);
    });
  return sum >>> 0;
}
