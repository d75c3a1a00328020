/**
 * Context against own text: the lookback ratio of each head (Chuang et al., arXiv 2407.07071). It
 * compares the mean weight of a token of the prompt with that of the text written so far. It is
 * from 0 to 1, and ½ where the head sees neither.
 */

/**
 * @typedef {import('../run/pass.js').Request} Request
 * @typedef {Partial<import('../api.d.ts').HeadStats>} Observations
 */

/**
 * A request that also sums the weights of both.
 * @param {Request} request
 * @param {number} context tokens of the prompt
 * @param {number} capacity
 * @returns {Request}
 */
export const withLookback = (request, context, capacity) => ({
  ...request,
  spans: [...(request.spans ?? []), [0, context], [context, capacity]],
});

/**
 * Observations of one token, with the ratios in the place of their sums.
 * @param {Observations} heads
 * @param {Request} request as it was before
 * @param {number} context
 * @param {number} own tokens of the text that were read
 * @returns {Observations}
 */
export function ratiosOf({ spans: sums, ...others }, { spans }, context, own) {
  const count = spans?.length ?? 0;
  const all = /** @type {Float32Array} */ (sums);
  const rows = all.length / (count + 2);
  const lookback = Float32Array.from({ length: rows }, (_, row) => {
    const at = row * (count + 2) + count;
    const before = all[at] / context;
    const both = before + (own ? all[at + 1] / own : 0);
    return both > 0 ? before / both : 0.5;
  });
  const kept = all.filter((_, at) => at % (count + 2) < count);
  return { ...others, lookback, ...(spans && { spans: kept }) };
}
