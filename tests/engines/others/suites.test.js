/**
 * In Deno and in Bun, the tests whose subject differs between engines: code for the kernels,
 * workers, memory and files.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { otherEngines } from './index.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Of threads: results, one loss of each kind, and every reason for fewer. */
const THREADS = [
  '2 threads.*relaxed',
  '(inside|asleep).* call 0 of',
  'fails to start',
  'never answers',
  'between calls',
  'one of two',
  'without isolation',
  'small calls',
  'it says',
  'errors come',
  'settles',
].join('|');

/**
 * A name, the files, a pattern of the tests in them, and how many there must be. The results of
 * caches, layers, models and the simd kernels are compared in same-bits.test.js, where programs
 * with threads end.
 */
const suites = [
  ['relaxed kernels', ['attention/attention'], '.', 4, { CLEARHEAD_VARIANT: 'relaxed' }],
  [
    'loading and sampling',
    [
      ...['engine/bad-init', 'engine/damaged', 'engine/init', 'engine/lifetimes'],
      ...['model/sampling/sample', 'model/sampling/numbers'],
    ],
    '.',
    20,
  ],
  [
    'threads and workers',
    [
      ...['engine/threads', 'engine/lost-workers', 'engine/one-thread'],
      ...['worker/worker', 'worker/loading'],
    ],
    THREADS,
    13,
  ],
  // the rest makes a worker of Node, and Bun has the web's
  ['training in workers', ['train/worker'], 'a (trainer|step) in a worker', 2],
];

describe('in other engines', { concurrency: 2 }, () => {
  for (const { name, path, missing, test: args, env } of otherEngines)
    for (const [what, files, names, minimum, variant] of suites)
      test(`${what} pass their tests in ${name}`, { skip: missing }, async (t) => {
        const failed = ({ stdout, stderr }) => assert.fail(stdout + stderr);
        const paths = files.map((file) => `tests/${file}.test.js`);
        const options = { cwd: root, env: { ...env, ...variant }, timeout: 120000 };
        const run = () => promisify(execFile)(path, args(paths, names), options);
        const { stdout, stderr } = await run().catch((error) => {
          // a segmentation fault of the engine is none of ours unless it comes back
          const crash = error.stderr.match(/^panic\(.*/m);
          if (!crash) failed(error);
          t.diagnostic(`${name} itself crashed, and runs them again: ${crash}`);
          return run().catch(failed);
        });
        const [said, passed] = (stdout + stderr).match(/(\d+) pass/);
        assert.ok(Number(passed) >= minimum, said);
        t.diagnostic(`${passed} tests`);
      });
});
