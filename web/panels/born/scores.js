/** The scores of heads, from their rows alone: plain sums that share no code with the trainer. */

/**
 * @typedef {object} Rows
 * @property {Float32Array} weights triangles (sequences, layers·heads, length·(length + 1)/2)
 * @property {Float32Array} budgets ρ of each row (sequences, layers·heads, length)
 */

/** The weight of the token before: the mean over the rows of one sequence from the second on. */
export function previousToken(
  /** @type {(i: number) => ArrayLike<number>} */ row,
  /** @type {ArrayLike<number>} */ tokens,
) {
  let sum = 0;
  for (let i = 1; i < tokens.length; i++) sum += row(i)[i - 1];
  return { sum, count: tokens.length - 1 };
}

/**
 * The weight of the tokens that followed an earlier occurrence of the query's token, over the rows
 * whose token occurred before.
 */
export function induction(
  /** @type {(i: number) => ArrayLike<number>} */ row,
  /** @type {ArrayLike<number>} */ tokens,
) {
  let sum = 0;
  let count = 0;
  for (let i = 1; i < tokens.length; i++) {
    let weight = 0;
    let seen = false;
    for (let j = 0; j < i; j++)
      if (tokens[j] === tokens[i]) {
        seen = true;
        weight += row(i)[j + 1];
      }
    sum += weight;
    count += Number(seen);
  }
  return { sum, count };
}

/**
 * Both scores of each head, over all sequences.
 * @param {Float32Array} weights (sequences, heads, length·(length + 1)/2)
 * @param {Int32Array} tokens (sequences, length)
 * @param {number} heads of all layers
 * @param {number} length
 */
export function scoresOf(weights, tokens, heads, length) {
  const triangle = (length * (length + 1)) / 2;
  const sequences = tokens.length / length;
  /** @param {typeof induction} score */
  const mean = (score) =>
    Array.from({ length: heads }, (_, h) => {
      let sum = 0;
      let count = 0;
      for (let s = 0; s < sequences; s++) {
        const from = (s * heads + h) * triangle;
        const row = (/** @type {number} */ i) =>
          weights.subarray(from + (i * (i + 1)) / 2, from + (i * (i + 1)) / 2 + i + 1);
        const found = score(row, tokens.subarray(s * length, (s + 1) * length));
        sum += found.sum;
        count += found.count;
      }
      return sum / count;
    });
  return { previousToken: mean(previousToken), induction: mean(induction) };
}
