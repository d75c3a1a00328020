/** Two stories side by side: the words of one that the other has not. */

/** @typedef {import('../look/writing/story.js').Token} Token */

/** Tokens as whole words and single marks: letters go on with the letters before them. */
export function wholeWords(/** @type {readonly Token[]} */ story) {
  /** @type {string[]} */
  const words = [];
  for (const { text } of story)
    if (/^\p{L}/u.test(text) && /\p{L}$/u.test(words.at(-1) ?? '')) words[words.length - 1] += text;
    else words.push(text);
  return words;
}

/**
 * Whether each token of a story belongs to a word that is new.
 * @param {readonly Token[]} story @param {readonly Token[]} other
 */
export function newTokens(story, other) {
  const words = wholeWords(story);
  const marked = isNew(words, wholeWords(other));
  let at = -1;
  let remaining = 0;
  return story.map(({ text }) => {
    while (remaining <= 0 && at + 1 < words.length) remaining += words[++at].length;
    remaining -= text.length;
    return marked[at];
  });
}

/**
 * Whether each word of a story is new: outside a longest common subsequence with the other story.
 * @param {readonly string[]} story @param {readonly string[]} other
 */
export function isNew(story, other) {
  const [n, m] = [story.length, other.length];
  // common[i][j]: how many words story.slice(i) and other.slice(j) share in one order
  const common = Array.from({ length: n + 1 }, () => new Uint16Array(m + 1));
  for (let i = n - 1; i >= 0; i--)
    for (let j = m - 1; j >= 0; j--)
      common[i][j] =
        story[i] === other[j]
          ? common[i + 1][j + 1] + 1
          : Math.max(common[i + 1][j], common[i][j + 1]);
  let j = 0;
  return story.map((word, i) => {
    while (j < m && word !== other[j] && common[i][j + 1] === common[i][j]) j++;
    const shared = j < m && word === other[j];
    if (shared) j++;
    return !shared;
  });
}
