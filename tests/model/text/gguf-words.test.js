/** Texts are cut into words as the regular expressions of the published tokenizers say. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runAtOnce } from '../../../src/js/engine/yield.js';
import { NAMES, WAYS, scan, words } from '../../../src/js/model/text/pretokenize.js';
import { randomTexts, texts } from '../../support/models/real-vocabularies.js';

describe('words', () => {
  const short = "'s|'t|'re|'ve|'m|'ll|'d";
  const anyCase = "'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]";
  const S = '\\p{White_Space}';
  const notS = '\\P{White_Space}';
  const gpt2Words = `${short}| ?\\p{L}+| ?\\p{N}+| ?[^${S}\\p{L}\\p{N}]+|${S}+(?!${notS})|${S}+`;
  const gpt4Words = (digits) =>
    `${anyCase}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,${digits}}| ` +
    `?[^${S}\\p{L}\\p{N}]+[\\r\\n]*|${S}*[\\r\\n]+|${S}+(?!${notS})|${S}+`;
  /**
   * The definition of each way: expressions, each applied to the pieces the one before gave,
   * what lies between matches being pieces too.
   */
  const definitions = {
    'gpt-2': [gpt2Words],
    'llama-bpe': [gpt4Words(3)],
    qwen2: [gpt4Words(1)],
    dbrx: [gpt4Words(3)],
    smollm: ['\\p{N}', gpt2Words],
    default: ['[\\p{P}$+<=>^~|]+', gpt2Words, '\\p{N}+', '[0-9][0-9][0-9]'],
  };
  const pieces = (text, expressions) =>
    expressions.reduce(
      (parts, expression) =>
        parts.flatMap((part) => {
          const found = [];
          let end = 0;
          for (const { 0: match, index } of part.matchAll(new RegExp(expression, 'gu'))) {
            found.push(part.slice(end, index), match);
            end = index + match.length;
          }
          return [...found, part.slice(end)].filter(Boolean);
        }),
      [text],
    );

  for (const [way, expressions] of Object.entries(definitions))
    test(`${way}: as its regular expressions cut`, () => {
      for (const text of [...texts, ...randomTexts(5, 20000)]) {
        const got = [...words(runAtOnce(scan(text)), WAYS[way])];
        assert.deepEqual(got, pieces(text, expressions), JSON.stringify(text));
      }
    });

  test('every name leads to a way', () => {
    for (const way of Object.values(NAMES)) assert.ok(WAYS[way]);
  });
});
