/**
 * The operations and layers built natively, under ASan and UBSan with every array in memory of
 * exactly its size, and under gcc: the bits of the simd module. A long run has MSan too.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sameArray } from '../support/bits.js';
import { repeats } from '../support/campaign.js';
import { answerOf, Stream } from '../support/stream.js';
import { kinds, writeCases } from '../support/layers/native-cases.js';

const path = (program) => fileURLToPath(new URL(`../../build/native/${program}`, import.meta.url));

const daily = ['native_cases_asan', 'native_cases_gcc'];

for (const program of repeats(daily, [...daily, 'native_cases_msan']))
  for (const kind of kinds)
    test(`${kind}: the bits of the simd module, natively: ${program}`, async () => {
      const stream = new Stream();
      const expected = writeCases(stream, kind, 40);
      const answer = await answerOf(path(program), stream);
      for (const { name, want } of expected)
        sameArray(answer.nextArray(want.constructor, want.length), want, name);
      assert.equal(answer.rest, 0);
    });

test('a team does every piece once, and the thread sanitizer finds no race', async (t) => {
  const { stdout, stderr } = await promisify(execFile)(path('native_team'), { timeout: 60000 });
  assert.equal(stderr, '');
  t.diagnostic(stdout.trim());
});
