/**
 * Every engine tells the same stories, learns the same tokenizer, cuts the same batches and trains
 * the same model.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { newerNode } from '../engines/newer-node/index.js';
import { otherEngines } from '../engines/others/index.js';
import { hashes } from '../support/training/hashes.js';
import { browsers, inBlank, serve } from '../web/site.js';

/** Changes with every word of the stories and the recipe. Then a model must be trained anew. */
const EXPECTED = {
  stories: '99c952f3d0fcb062d6242244fdc611b22dc77bb64bf6072e94bed19cf78a7296',
  tokenizer: 'd288c3147c1275b8fbb94d1d5e34d07e1f52082392985d6133af64103d33ab13',
  batches: '999cf59cd32b4e15c276b4284eff99ce7e885a559e94db8c6137674da033c694',
  model: 'f2c0ec21df357512eb7f19fb09f928fc3bbf5b6e006a1354b35631fa1e477b0b',
};
const program = fileURLToPath(new URL('../support/training/print-hashes.js', import.meta.url));

describe('stories, tokenizer, batches and model are the same', { concurrency: 2 }, () => {
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
