/** Hostile texts need time in proportion to their length. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { worked } from '../../support/clock.js';
import { gpt2, open, skip } from '../../support/models/real-vocabularies.js';
import { tokenizerMetadata } from '../../support/models/tiny-models.js';
import { ggufTokenizer } from '../../support/models/tokenizers.js';
import { refuses } from '../../support/streams.js';

describe('hostile texts', () => {
  const hostile = [
    'a',
    ' ',
    '\n',
    '🙂',
    'aaaaaaaa ',
    '!',
    ' \n',
    "'",
    '1',
    '_',
    'é',
    'ab',
    '<|endof',
    '<s',
    '\u0301\u0316',
    '\ud800',
    '\t ',
  ];
  const measure = async (t, tokenizer, pieces, options) => {
    let worst = 0;
    for (const [at, piece] of pieces.entries()) {
      const text = piece.repeat(Math.floor(2 ** (at < 5 ? 20 : 17) / Buffer.byteLength(piece)));
      const before = worked();
      const ids = tokenizer.encode(text, options);
      const took = worked() - before;
      assert.equal(tokenizer.decode(ids).length, text.length);
      worst = Math.max(worst, took);
      // merging by scanning would need hours, or minutes
      assert.ok(took < text.length / 50 + 500, `${JSON.stringify(piece)} took ${took} ms`);
    }
    t.diagnostic(`at most ${worst.toFixed(0)} ms`);
  };
  test('1 MB of anything, or 128 KB, byte-level', { skip }, (t) =>
    measure(t, gpt2.tokenizer, hostile, { special: true }),
  );
  test('1 MB of anything, or 128 KB, SentencePiece', { skip }, async (t) =>
    measure(t, (await open('stories260K/gguf/stories260K-f32.gguf')).tokenizer, hostile),
  );
  test('1 MB of anything, or 128 KB, tokenizer.json', { skip }, async (t) =>
    measure(t, (await open('stories260K/hf/model.safetensors')).tokenizer, hostile.slice(0, 5)),
  );

  test('values that are no text, and ids that are none, are refused', async () => {
    const tokenizer = ggufTokenizer(new Map(Object.entries(tokenizerMetadata())));
    for (const text of [null, undefined, 3, ['a'], {}])
      await refuses(() => tokenizer.encode(text), 'ARG', /text is/);
    for (const id of [-1, 14, 1.5, NaN, 2 ** 31, '1'])
      await refuses(() => tokenizer.decode([id]), id === '1' ? 'ARG' : 'RANGE', /id is/);
    for (const [ids, came] of [
      [undefined, 'undefined but required'],
      [null, 'null'],
      [5, '5'],
      [{}, 'of type object'],
      [{ length: -1 }, 'of type object'],
      ['5', '"5"'],
    ])
      assert.throws(() => tokenizer.decode(ids), {
        name: 'ClearheadError',
        code: 'ARG',
        message: `ids is ${came}; expected an array of ids`,
      });
    const gone = Int32Array.of(1, 2);
    structuredClone(gone, { transfer: [gone.buffer] });
    assert.throws(() => tokenizer.decode(gone), {
      code: 'DETACHED',
      message: 'ids is Int32Array of 0 bytes; expected a live array',
    });
    assert.equal(tokenizer.decode(new Int32Array()), '');
    await refuses(() => tokenizer.encode('a', { specials: true }), 'ARG', /given "specials"/);
  });
});
