/**
 * The promise of the same bits: one program (tests/engines/everywhere.js) on a newer Node, in Deno,
 * in Bun and in browsers gives what it gives here.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { everywhere } from '../everywhere.js';
import { newerNode } from '../newer-node/index.js';
import { browsers, inBlank, ISOLATION, serve } from '../../web/site.js';
import { otherEngines } from './index.js';

const program = fileURLToPath(new URL('everywhere.js', import.meta.url));
/** That these are two threads with the results of one, where there is relaxed SIMD as well. */
function same({ usual, threads, why, results }, want) {
  assert.equal(usual, 'relaxed');
  assert.deepEqual(threads, [2, 2], why.join(' '));
  assert.deepEqual(results, want);
}

describe('two threads there, and one here', { concurrency: 2 }, () => {
  let want;
  before(async () => ({ results: want } = await everywhere(1)));

  const nodes = [
    {
      name: 'a newer Node',
      path: newerNode,
      missing: !newerNode && 'the registry has none',
      run: [],
    },
  ];
  for (const { name, path, missing, run, env } of [...nodes, ...otherEngines])
    test(`${name} computes and writes the same, and ends`, { skip: missing }, async () => {
      const { stdout } = await promisify(execFile)(path, [...run, program], {
        env,
        timeout: 120000,
      });
      same(JSON.parse(stdout), want);
    });

  for (const { name, missing, launch } of browsers)
    test(`${name} computes and writes the same`, { skip: missing }, async () => {
      const [browser, site] = await Promise.all([launch(), serve({ headers: ISOLATION })]);
      try {
        const { result, problems } = await inBlank(browser, site, async () => {
          const { everywhere } = await import(
            new URL('tests/engines/everywhere.js', location.href).href
          );
          return everywhere(2);
        });
        assert.deepEqual(problems, []);
        same(result, want);
      } finally {
        await browser.close();
        await site.close();
      }
    });
});
