/** Merging gives the pieces of a slow search for the best pair. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gpt2, skip } from '../../support/models/real-vocabularies.js';
import { ggufTokenizer } from '../../support/models/tokenizers.js';
import { random } from '../../support/random.js';

describe('merging', () => {
  /** The best pair is looked for again and again. */
  function slowly(symbols, costOf) {
    for (;;) {
      let best = Infinity;
      let at = -1;
      for (let i = 0; i + 1 < symbols.length; i++) {
        const cost = costOf(symbols[i] + symbols[i + 1]);
        if (cost < best) [best, at] = [cost, i];
      }
      if (at < 0) return symbols;
      symbols.splice(at, 2, symbols[at] + symbols[at + 1]);
    }
  }

  test('of SentencePiece is that of slow merging, ties from the left', () => {
    const r = random(7);
    const letters = ['a', 'b', 'c', '\u2581'];
    for (let round = 0; round < 60; round++) {
      const words = new Set(letters);
      while (words.size < 40)
        words.add(Array.from({ length: r.integer(2, 5) }, () => r.pick(letters)).join(''));
      const bytes = Array.from(
        { length: 256 },
        (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
      );
      const tokens = ['<unk>', ...bytes, ...words];
      const scores = Float32Array.from(tokens, () => -r.integer(0, 9));
      const tokenizer = ggufTokenizer(
        new Map(
          Object.entries({
            'tokenizer.ggml.model': 'llama',
            'tokenizer.ggml.tokens': tokens,
            'tokenizer.ggml.scores': scores,
            'tokenizer.ggml.token_type': Int32Array.from(tokens, (token, id) =>
              id === 0 ? 2 : id <= 256 ? 6 : 1,
            ),
          }),
        ),
      );
      for (let i = 0; i < 40; i++) {
        const text = Array.from({ length: r.integer(1, 30) }, () =>
          r.pick(['a', 'b', 'c', ' ', 'é', '🙂']),
        ).join('');
        const merged = slowly([...` ${text}`.replaceAll(' ', '\u2581')], (word) =>
          words.has(word) ? -scores[tokens.indexOf(word)] : NaN,
        );
        const want = merged.flatMap((word) =>
          words.has(word)
            ? [tokens.indexOf(word)]
            : [...new TextEncoder().encode(word)].map((byte) => byte + 1),
        );
        assert.deepEqual(tokenizer.encode(text), want, JSON.stringify(text));
        assert.equal(tokenizer.decode(want), text);
      }
    }
  });

  test('of bytes is that of a slow merge', { skip }, () => {
    const merges = gpt2.file.metadata.get('tokenizer.ggml.merges');
    const ranks = new Map(merges.map((merge, rank) => [merge.replace(' ', ''), rank]));
    const ids = new Map(
      gpt2.file.metadata.get('tokenizer.ggml.tokens').map((token, id) => [token, id]),
    );
    const pairs = new Set(merges);
    for (const word of [
      'antidisestablishmentarianism',
      'aaaaaaaaaaaaaaaaaaaaaaa',
      'abababababbbbab',
      'thethethethe',
      'xqzjkwvxqzjk',
    ]) {
      const symbols = [...word];
      for (;;) {
        let best = Infinity;
        let at = -1;
        for (let i = 0; i + 1 < symbols.length; i++) {
          const rank = pairs.has(`${symbols[i]} ${symbols[i + 1]}`)
            ? ranks.get(symbols[i] + symbols[i + 1])
            : Infinity;
          if (rank < best) [best, at] = [rank, i];
        }
        if (at < 0) break;
        symbols.splice(at, 2, symbols[at] + symbols[at + 1]);
      }
      assert.deepEqual(
        gpt2.tokenizer.encode(word),
        symbols.map((symbol) => ids.get(symbol)),
        word,
      );
    }
  });
});
