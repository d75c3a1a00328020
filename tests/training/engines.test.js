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
  stories: 'a49d47458debf75662450e216cd48a1ef695d623d09ee57fa20a64b9db8a2871',
  tokenizer: 'a8e8717cac666610143235673bbf5be1ba41fa8f4fdaab829279f640dcf44213',
  batches: 'e8c71ee2cf6300e3c405e93b223f4eeba85c023ddf84bd70e7fc02dadc89a1d9',
  model: '8869cdc79806eb29d0c75b1401cef66acf26a4aed2adf8d323b59028c5aa1000',
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
