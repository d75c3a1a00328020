/** The code of a look: with the text, wherever the text alone gives the tokens that were read. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Spelled } from '../../../web/panels/look/spelled.js';
import { becomes } from '../../support/web/becomes.js';
import { launch, missing, opened } from '../site.js';

/** A tokenizer of two pieces, “ab” and “a”, and the rest as letters. */
const encode = async (text) => (text.match(/ab|./g) ?? []).map((piece) => piece.length);
const model = { load: async () => ({ tokenizer: { encode } }) };
const ab = [{ id: 2, text: 'ab' }];
const pieces = [
  { id: 1, text: 'a' },
  { id: 1, text: 'b' },
];

describe('the text in the place of tokens', () => {
  const heard = [];
  before(() => {
    globalThis.document = new EventTarget();
    for (const type of ['code', 'panel']) document.addEventListener(type, () => heard.push(type));
  });
  after(() => delete globalThis.document);

  test('is used once the tokenizer has given the same tokens, which is told', async () => {
    const spelled = new Spelled(model);
    const asked = spelled.read(ab);
    assert.equal(spelled.text(ab), undefined, 'nothing is known yet');
    await asked;
    assert.equal(spelled.text(ab), 'ab');
    assert.deepEqual(heard, ['code'], 'no panel was built');
  });

  test('is not used for other tokens, or where a word was written in other pieces', async () => {
    const spelled = new Spelled(model);
    await spelled.read(ab);
    assert.equal(spelled.text([...ab, ...ab]), undefined);
    await spelled.read(pieces);
    assert.equal(spelled.text(pieces), undefined);
    assert.equal(spelled.text(ab), undefined);
  });
});

describe('“use it”', { skip: missing }, () => {
  let page;
  // the random model of the tests knows these letters
  const fragment = '#look?lookPrompt=and she took';
  opened((visited) => ({ page } = visited), launch, { panels: ['look', 'use'], fragment });

  test('begins with the package, and with code that reads the text of the look', async () => {
    const code = () => page.textContent('#use-panel code');
    await becomes(code, /^\/\/ npm install [^\n]*\nimport \{ loadModel \}/);
    await becomes(code, /\nconst text = "and she took[^\n]*\nconst ids = [^\n]*encode\(text\);\n/);
    assert.doesNotMatch(await code(), /\d, \d+, \d/);
  });
});
