/** Where a head mostly looks, in a sentence. */

/** @typedef {import('../../plot/heatmap.js').MapData} MapData */

/**
 * The key that a query reads most, and how many it may read. No key is best where two tie, or where
 * the row is not finite.
 * @param {MapData} data @param {number} i
 */
function choiceOf({ cols, weights, masked, of }, i) {
  const p = (of ?? { weights }).weights;
  let keys = 0;
  let largest = -Infinity;
  let best = -1;
  for (let j = 0; j < cols; j++) {
    if (masked(i, j)) continue;
    keys++;
    const weight = p[i * cols + j];
    if (weight === largest || Number.isNaN(weight)) best = -1;
    if (!(weight > largest)) continue;
    largest = weight;
    best = j;
  }
  return { keys, best };
}

/**
 * The place that at least half of the queries with a choice read most: a number of places back, or
 * the first key. The number of them is told.
 * @param {MapData} data @param {string} name of the head
 */
export function habitOf(data, name) {
  /** @type {Map<number, number>} */
  const votes = new Map();
  let queries = 0;
  let first = 0;
  for (let i = 0; i < data.rows; i++) {
    const { keys, best } = choiceOf(data, i);
    if (keys < 2) continue;
    queries++;
    if (best < 0) continue;
    votes.set(i - best, (votes.get(i - best) ?? 0) + 1);
    if (best === 0) first++;
  }
  if (!queries) return `${name} has no choice: each query may read one key.`;
  const [back, agreeing] = [...votes].reduce((a, b) => (b[1] > a[1] ? b : a), [0, 0]);
  if (2 * Math.max(agreeing, first) < queries) return `${name} looks at no place in particular.`;
  const place = first > agreeing ? 'at the first key' : placesBack(back);
  const count = Math.max(agreeing, first);
  const of = `${queries} queries that may read several keys`;
  return `${name} looks mostly ${place}: ${count} of ${of}.`;
}

/** @param {number} back negative: ahead */
function placesBack(back) {
  if (!back) return 'at its own place';
  const places = Math.abs(back) === 1 ? 'one place' : `${Math.abs(back)} places`;
  return `${places} ${back > 0 ? 'back' : 'ahead'}`;
}
