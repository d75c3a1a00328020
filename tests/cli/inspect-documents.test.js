/** The commands of docs/look-inside.md print the output shown there, with the folder web/model. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runHere } from '../support/command.js';

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const text = readFileSync(at('docs/look-inside.md'), 'utf8');
const blocks = [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, kind, code]) => [
  kind,
  code,
]);
const pairs = blocks.flatMap(([kind, output], i) =>
  kind === 'text' ? [[blocks[i - 1][1].replace('npx clearhead ', ''), output]] : [],
);

/** Numbers and the text around them. A number has three digits behind the point. */
function apart(output) {
  const number = /[−+]?\d+\.\d{3}/g;
  const numbers = output.match(number)?.map((each) => Number(each.replace('−', '-'))) ?? [];
  return { numbers, around: output.replace(number, '#') };
}

/** The words of a command line. */
const wordsOf = (line) =>
  line
    .replaceAll('\\\n', ' ')
    .match(/"[^"]*"|\S+/g)
    .map((word) => word.replaceAll('"', '').replace('model.gguf', at('web/model')));

test('some output is shown', () => assert.ok(pairs.length > 0));

for (const [line, output] of pairs)
  test(`${line.trim().replace(/\s+/g, ' ')} prints as the document shows`, async () => {
    const { status, stdout, stderr } = await runHere(...wordsOf(line));
    assert.equal(status, 0, stderr);
    const [, ...sections] = stdout.split('\n\n');
    const [want, got] = [apart(output), apart(sections.join('\n\n'))];
    assert.equal(got.around, want.around);
    // engines with relaxed SIMD round otherwise, which may show in the last digit
    got.numbers.forEach((x, i) => assert.ok(Math.abs(x - want.numbers[i]) < 0.0015, `${x}`));
  });
