/**
 * Statistics of several chunks, each (layers, heads, its tokens), as one.
 * @param {any[]} parts
 * @param {import('../types.d.ts').ModelConfig} config
 * @param {number} tokens
 */
export function joined(parts, { layers, heads }, tokens) {
  const last = parts[parts.length - 1];
  if (parts.length === 1 || !last) return last;
  /** @type {any} */
  const result = { ...last };
  for (const [name, array] of Object.entries(last)) {
    if (!ArrayBuffer.isView(array)) continue;
    const all = (result[name] = new /** @type {any} */ (array).constructor(
      layers * heads * tokens,
    ));
    let first = 0;
    for (const part of parts) {
      const count = part[name].length / (layers * heads);
      for (let row = 0; row < layers * heads; row++)
        all.set(part[name].subarray(row * count, (row + 1) * count), row * tokens + first);
      first += count;
    }
  }
  return result;
}

/**
 * Of statistics (layers, heads, tokens) the last token's.
 * @param {any} stats
 * @param {import('../types.d.ts').ModelConfig} config
 */
export function lastOf(stats, { layers, heads }) {
  if (!stats?.n || stats.n.length === layers * heads) return stats;
  const tokens = stats.n.length / (layers * heads);
  const last = (/** @type {any} */ all) =>
    all.filter((/** @type {number} */ _, /** @type {number} */ at) => at % tokens === tokens - 1);
  return Object.fromEntries(
    Object.entries(stats).map(([name, value]) => [
      name,
      ArrayBuffer.isView(value) ? last(value) : value,
    ]),
  );
}
