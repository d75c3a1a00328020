/**
 * Finds tokens that are written out in a text, such as <|im_end|>: leftmost first, of those the
 * longest. A trie, so that their number does not matter; longer ones than LONGEST are left alone,
 * so that a text takes time in proportion to its length.
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
   * Calls `text` for each stretch between tokens, which is not empty, and `token` for each token,
   * from left to right.
   * @param {string} all
   * @param {(stretch: string) => void} text
   * @param {(id: number) => void} token
   */
  split(all, text, token) {
    const root = this.#root.next;
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
      if (at > begin) text(all.slice(begin, at));
      token(id);
      begin = at = end;
    }
    if (begin < all.length) text(all.slice(begin));
  }
}
