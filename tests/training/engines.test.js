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
  stories: '946715695f1d8a59e9d710b910dd7f619ecd8a28999f22783e36953074abda57',
  tokenizer: '8acbea36d16a37a3658b1e1fb3d4ca3582c44a6d9222a10ef6e22ff64b330187',
  batches: '8dda9312a02b04bd01bdd1b1c2446ec2a331ea07221c2d51da4519ac6e9d3777',
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
