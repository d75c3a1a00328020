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
  stories: 'e410fb7f3c69f1353e32dfdc2bc24b76be3b92b740078a411aad07db108fb412',
  tokenizer: 'a6a5adec078626c360b914f6c9929e19fd71e6acc24bb7b9d489492ccc039bbc',
  batches: 'e300da08f5ce1e01ec922c8011b62bbc22e2b5a6beca8d49e3fff7a5d1c39873',
  model: '97153be1a3ee1c16899bcfac9acc43c8a8d3d086d2a9188b4ea37f9af73cc55c',
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
