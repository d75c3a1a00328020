/**
 * Statistics of heads over several chunks of tokens.
 * @typedef {Partial<import('../api.d.ts').HeadStats>} Observations
 * @typedef {Record<string, Int32Array | Float32Array>} Arrays
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 */

/** @param {Observations} observations its arrays (layers, heads, tokens, …) */
const arraysOf = (observations) =>
  /** @type {Arrays} */ (
    Object.fromEntries(
      Object.entries(observations).filter(([, value]) => ArrayBuffer.isView(value)),
    )
  );

/**
 * Joins the statistics of consecutive chunks.
 * @param {(Observations | undefined)[]} parts
 * @param {ModelConfig} config
 * @returns {Observations | undefined}
 */
export function joined(parts, { layers, heads }) {
  const last = parts[parts.length - 1];
  if (parts.length === 1 || !last) return last;
  const chunks = parts.map((part) => arraysOf(part ?? {}));
  const rows = layers * heads;
  /** @type {Arrays} */
  const whole = {};
  for (const [name, array] of Object.entries(arraysOf(last))) {
    const length = chunks.reduce((sum, chunk) => sum + chunk[name].length, 0);
    const all = array instanceof Int32Array ? new Int32Array(length) : new Float32Array(length);
    let first = 0;
    for (const chunk of chunks) {
      const count = chunk[name].length / rows;
      for (let row = 0; row < rows; row++)
        all.set(
          chunk[name].subarray(row * count, (row + 1) * count),
          (row * length) / rows + first,
        );
      first += count;
    }
    whole[name] = all;
  }
  return { ...last, ...whole };
}

/**
 * The last token's part of statistics.
 * @param {Observations | undefined} stats
 * @param {ModelConfig} config
 * @param {number} tokens
 */
export function lastOf(stats, { layers, heads }, tokens) {
  if (!stats || tokens === 1) return stats;
  const lasts = Object.entries(arraysOf(stats)).map(([name, all]) => {
    const width = all.length / (layers * heads * tokens);
    return [name, all.filter((_, at) => Math.floor(at / width) % tokens === tokens - 1)];
  });
  return { ...stats, ...Object.fromEntries(lasts) };
}
