/**
 * How far a gradient of attention may be from the oracle, with ε = 2^-23 for float32 and 2^-52 for
 * float64. The oracle adds up the error of every term, in units of ε:
 *
 *     weight      relative own + log(n + 1) + steep·A
 *     its dS      the same of p·(Σ_c|do_c v_c| + its mean)
 *     softcap     its slope 1 − t² is wrong by 4 + 2·steep·a/softcap, a the size of the raw score
 *
 * A is max_j a_j/T as for the output (limits.js). log(n + 1) is for lse, which is rounded once.
 * Weights below `tiny` of the largest may be 0, and `floor` is for roundings among subnormals.
 */
export const rules = {
  float32: { epsilon: 2 ** -23, floor: 2 ** -145, own: 4, steep: 4, tiny: 2 ** -126 },
  float64: { epsilon: 2 ** -52, floor: 2 ** -1070, own: 4, steep: 4, tiny: 2 ** -1022 },
};

/** The worst of all numbers of a result: { ratio, name, at, got, want }. */
export function worstOf(got, oracle, rule) {
  const worst = { ratio: 0, name: '', at: 0, got: 0, want: 0 };
  for (const [name, { value, limit }] of Object.entries(oracle)) {
    if (got[name] === undefined) continue;
    const numbers = typeof got[name] === 'number' ? [got[name]] : got[name];
    if (numbers.length !== value.length) return { ...worst, ratio: Infinity, name };
    value.forEach((want, at) => {
      const error = Math.abs(numbers[at] - want);
      const ratio = Number.isNaN(want) && Number.isNaN(numbers[at]) ? 0 : ratioOf(error, limit[at]);
      if (ratio > worst.ratio) Object.assign(worst, { ratio, name, at, got: numbers[at], want });
    });
  }
  return worst;

  function ratioOf(error, limit) {
    const ratio = error / (rule.epsilon * limit + rule.floor);
    return Number.isNaN(ratio) ? Infinity : ratio;
  }
}
