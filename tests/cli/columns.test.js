/** Tables of clearhead inspect keep their columns with text that terminals show wide, or not. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { padded, shortened, widthOf } from '../../src/cli/columns.js';
import { folder, runHere } from '../support/command.js';
import { asGguf, vocabulary } from '../support/models/random-models.js';
import { VOCAB, planted } from '../support/models/planted.js';

const WIDTHS = {
  abc: 3,
  漢字: 4,
  カー: 4,
  ｶﾞ: 2,
  Ａ: 2,
  한글: 4,
  '\u1112\u1161\u11ab': 2,
  'e\u0301': 1,
  '\u0301': 0,
  '\u200b': 0,
  กำ: 2,
  नी: 2,
  '👩‍👩‍👧': 2,
  '🇩🇪': 2,
  '❤️': 2,
  '⌚': 2,
  '。': 2,
  '…': 1,
};
for (const [text, width] of Object.entries(WIDTHS))
  test(`${JSON.stringify(text)} has ${width} columns`, () => assert.equal(widthOf(text), width));

test('a text is cut off and filled up by columns', () => {
  assert.equal(shortened('漢字漢字', 8), '漢字漢字');
  assert.equal(shortened('漢字漢字漢', 8), '漢字漢…');
  assert.equal(shortened('👩‍👩‍👧👩‍👩‍👧', 3), '👩‍👩‍👧…');
  assert.equal(padded('漢', 4), '漢  ');
  assert.equal(padded('漢字漢', 4), '漢字漢');
});

/** Columns of a line of this test, whose only wide characters are these. */
const columns = (line) => [...line].reduce((sum, c) => sum + (/[漢字語👍]/u.test(c) ? 2 : 1), 0);

for (const answer of ['字', '👍'])
  test(`tables with ${answer} keep their columns, and to 80`, async () => {
    const words = vocabulary(VOCAB);
    for (const [x, token] of ['漢', answer, '語'].entries())
      words['tokenizer.ggml.tokens'][10 + x] = token;
    const file = join(folder, 'wide.gguf');
    writeFileSync(file, asGguf(planted(), words));
    const flags = ['--threads', '1'];
    // the model goes on with the token behind the same one
    const prompt = `語漢${answer}${'語'.repeat(40)}漢`;
    const inspect = async (...more) => {
      const how = ['inspect', ...flags, ...more, file, prompt];
      const { status, stdout, stderr } = await runHere(...how);
      assert.equal(status, 0, stderr);
      return stdout.split('\n');
    };
    const lines = await inspect();
    for (const line of [...lines, ...(await inspect('--ablate', '1.0'))])
      assert.ok(columns(line) <= 80, `${columns(line)}: ${line}`);
    const lens = lines.filter((line) => /^\d+ +\d\.\d{3} "/.test(line));
    assert.ok(lens[1].startsWith(`1     1.000 "${answer}"`), lens[1]);
    for (const line of lens) {
      const cells = [...line.matchAll(/\d\.\d{3} "/g)];
      const starts = cells.map(({ index }) => columns(line.slice(0, index)));
      assert.deepEqual(starts, [6, 29, 52], line);
    }
    assert.equal(lens.length, 2);
  });
