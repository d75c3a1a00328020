/** A worker's file that does not arrive, in browsers: the error names the address. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { browsers, inBlank, ISOLATION, serve } from '../site.js';

const PAGE = () => '<!doctype html><title>not the file</title>';
const ENTRIES = { threads: 'index.js', attention: 'worker/client.js', models: 'worker/client.js' };

/** The message where workers are wanted of the package in `folder`. */
const said = async ([use, folder, entry]) => {
  const { init, loadModel } = await import(new URL(`${folder}/${entry}`, location.href).href);
  if (use === 'threads') return (await init({ threads: 2 })).info.reasons.threads;
  const wanted = use === 'attention' ? init() : loadModel(new Uint8Array(8));
  return wanted.then(
    () => 'it worked',
    ({ name, code, message }) => `${name} ${code} ${message}`,
  );
};

for (const { name, missing, launch } of browsers)
  describe(`a worker's file in ${name}`, { skip: missing }, () => {
    let browser;
    before(async () => (browser = await launch()));
    after(() => browser?.close());

    /** @param {string} use @param {object} options of the site @param {string} [folder] */
    async function ask(use, options, folder = 'src/js') {
      const site = await serve({ headers: ISOLATION, ...options });
      try {
        return (await inBlank(browser, site, said, [use, folder, ENTRIES[use]])).result;
      } finally {
        site.close();
      }
    }

    for (const [use, file] of [
      ['threads', 'engine/thread.js'],
      ['attention', 'worker/attention-host.js'],
      ['models', 'worker/host.js'],
    ]) {
      const path = `src/js/${file}`;
      const page = { change: { [path]: PAGE }, types: { [path]: 'text/html' } };

      test(`that is a web page is named: ${use}`, async () => {
        const message = await ask(use, page);
        assert.match(message, /a web page from http\S+ came/);
        assert.ok(message.includes(`/${path} came`), message);
        assert.doesNotMatch(message, /Vite/);
      });

      test(`that is missing is named with its status: ${use}`, async () => {
        const message = await ask(use, { status: (asked) => (asked === path ? 404 : 200) });
        assert.ok(message.includes(`/${path} was answered with status 404`), message);
      });
    }
  });
