/** Every engine tells the same stories, learns the same tokenizer and cuts the same batches. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { newerNode } from '../engines/newer-node/index.js';
import { otherEngines } from '../engines/others/index.js';
import { hashes } from '../support/training/hashes.js';
import { browsers, inBlank, serve } from '../web/site.js';

/** Changes with every word of the stories, and then a model must be trained anew. */
const EXPECTED = {
  stories: '160575def5241976e34278b8f5cee917e5053afc89141c8d3d5f4a288c6f16e7',
  tokenizer: 'b947817d7ee61762a6d0e04d44e400e0c68d16ae4191a6ab998412071a114d3e',
  batches: '2cb8d118eacea622c37e112873b9e8d3cdfefffd4d692c1e8c59031eedf0208d',
};
const program = fileURLToPath(new URL('../support/training/print-hashes.js', import.meta.url));

describe('stories, tokenizer and batches are the same', { concurrency: 2 }, () => {
  test('here', async () => assert.deepEqual(await hashes(), EXPECTED));

  const missing = !newerNode && 'the registry has none';
  const nodes = [{ name: 'a newer Node', path: newerNode, missing, run: [], env: undefined }];
  for (const { name, path, missing, run, env } of [...nodes, ...otherEngines])
    test(`in ${name}`, { skip: missing }, async () => {
      const { stdout } = await promisify(execFile)(path, [...run, program], { env });
      assert.deepEqual(JSON.parse(stdout), EXPECTED);
    });

  for (const { name, missing, launch } of browsers)
    test(`in ${name}`, { skip: missing }, async () => {
      const [browser, site] = await Promise.all([launch(), serve()]);
      try {
        const { result, problems } = await inBlank(browser, site, async () => {
          const program = new URL('tests/support/training/hashes.js', location.href).href;
          return (await import(program)).hashes();
        });
        assert.deepEqual(problems, []);
        assert.deepEqual(result, EXPECTED);
      } finally {
        await browser.close();
        await site.close();
      }
    });
});
