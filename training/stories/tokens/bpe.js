/**
 * Learns a byte-level BPE (Sennrich et al. 2016, on bytes as in GPT-2). Words are counted, then the
 * pair of neighbours that is most frequent becomes a piece, again and again. Among equals the pair
 * with the smaller ids wins, so that the result does not depend on an engine.
 */

/** How GPT-2 cuts a text into words, within which pieces are merged. */
const WORDS = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

/**
 * @typedef {{ ids: number[], count: number }} Word
 * @typedef {{ left: number, right: number, count: number }} Pair
 */

/** @param {Iterable<string>} texts @param {number} first id of a byte @returns {Word[]} */
function countedWords(texts, first) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const text of texts)
    for (const [word] of text.matchAll(WORDS)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const encoder = new TextEncoder();
  return [...counts].map(([word, count]) => ({
    ids: Array.from(encoder.encode(word), (byte) => first + byte),
    count,
  }));
}

/** The pair that occurs most often. @param {Word[]} words @returns {Pair | undefined} */
function bestPair(words) {
  /** @type {Map<number, Pair>} */
  const pairs = new Map();
  for (const { ids, count } of words)
    for (let i = 1; i < ids.length; i++) {
      const [left, right] = [ids[i - 1], ids[i]];
      const key = left * 65536 + right;
      const pair = pairs.get(key);
      if (pair) pair.count += count;
      else pairs.set(key, { left, right, count });
    }
  /** @type {Pair | undefined} */
  let best;
  for (const pair of pairs.values()) if (!best || isBetter(pair, best)) best = pair;
  return best;
}

/** @param {Pair} a @param {Pair} b */
function isBetter(a, b) {
  if (a.count !== b.count) return a.count > b.count;
  return a.left !== b.left ? a.left < b.left : a.right < b.right;
}

/** @param {number[]} ids @param {Pair} pair @param {number} id of their join */
function joined(ids, { left, right }, id) {
  /** @type {number[]} */
  const out = [];
  for (let i = 0; i < ids.length; i++)
    if (ids[i] === left && ids[i + 1] === right) {
      out.push(id);
      i++;
    } else out.push(ids[i]);
  return out;
}

/**
 * The merges, best first, each as two ids. The bytes have the ids from `first` on, and the merges
 * those behind them.
 * @param {Iterable<string>} texts
 * @param {{ count: number, first: number }} options count: of merges, fewer if the texts have fewer
 * @returns {[left: number, right: number][]}
 */
export function learnMerges(texts, { count, first }) {
  const words = countedWords(texts, first);
  /** @type {[number, number][]} */
  const merges = [];
  while (merges.length < count) {
    const pair = bestPair(words);
    if (!pair) break;
    const id = first + 256 + merges.length;
    for (const word of words)
      if (word.ids.includes(pair.left)) word.ids = joined(word.ids, pair, id);
    merges.push([pair.left, pair.right]);
  }
  return merges;
}
