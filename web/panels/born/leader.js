/** The head that the words name while the reader has chosen none. */

/** How much higher the mean share of another head has to be before it is named instead. */
export const LEAD = 0.1;

/** Where the largest value is. @param {ArrayLike<number>} values */
export const best = (values) =>
  Array.from(values).reduce((at, value, i, all) => (value > all[at] ? i : at), 0);

/**
 * The head that looks most at the letter that followed. At first all heads are nearly alike, so it
 * is named until another one leads clearly.
 * @param {readonly Pick<import('./run.js').Point, 'step' | 'induction'>[]} points
 */
export function leaderOf(points) {
  const [{ induction }] = points;
  let leader = { at: best(induction), before: -1, since: 0 };
  for (const { step, induction: shares } of points) {
    const at = best(shares);
    if (shares[at] - shares[leader.at] >= LEAD) leader = { at, before: leader.at, since: step };
  }
  return leader;
}
