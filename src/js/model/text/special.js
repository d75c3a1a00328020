/**
 * Finds tokens that are written out in a text, for example <|im_end|>: the leftmost first, and of
 * those the longest. A trie makes their number irrelevant. Tokens longer than LONGEST are not
 * looked for, so that the time is proportional to the length of the text.
 */

export const LONGEST = 96;

/** @typedef {{ next: Map<number, Node>, id: number }} Node */

export class Finder {
  /** @type {Node} */
  #root = { next: new Map(), id: -1 };

  /** @param {string} text @param {number} id */
  add(text, id) {
    if (!text || text.length > LONGEST) return;
    let node = this.#root;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      let below = node.next.get(code);
      if (!below) node.next.set(code, (below = { next: new Map(), id: -1 }));
      node = below;
    }
    if (node.id < 0) node.id = id;
  }

  /**
   * The tokens in a text, by id, and the stretches between them, which are never empty.
   * @param {string} all
   * @returns {(string | number)[]}
   */
  split(all) {
    const root = this.#root.next;
    /** @type {(string | number)[]} */
    const parts = [];
    let begin = 0;
    for (let at = 0; at < all.length;) {
      let node = root.get(all.charCodeAt(at));
      let end = -1;
      let id = -1;
      for (let i = at + 1; node; node = node.next.get(all.charCodeAt(i++)))
        if (node.id >= 0) [end, id] = [i, node.id];
      if (end < 0) {
        at++;
        continue;
      }
      if (at > begin) parts.push(all.slice(begin, at));
      parts.push(id);
      begin = at = end;
    }
    if (begin < all.length) parts.push(all.slice(begin));
    return parts;
  }
}
