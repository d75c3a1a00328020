/** A browser, and a server or an open page, for all tests of a `describe`. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { launch } from '../browsers.js';
import { visit } from './pages.js';
import { serve } from './server.js';

/**
 * Inside a describe: a browser and a server for all of its tests.
 * @param {(started: { browser: object, site: object }) => any} use called before the first test
 * @param {() => Promise<any>} [start] another browser
 * @param {object} [options] of serve
 */
export function served(use, start = launch, options = {}) {
  let browser;
  let site;
  before(async () => {
    [browser, site] = await Promise.all([start(), serve(options)]);
    await use({ browser, site });
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });
}

/**
 * Inside a describe: one open page for all of its tests, in which nothing may have gone wrong by
 * the end.
 * @param {(visited: { browser: object, site: object, page: object }) => void} use called before the
 *   first test
 * @param {() => Promise<any>} [start] another browser
 * @param {{ fragment?: string, context?: object, panels?: string[], modules?: boolean }} [how]
 *   where the page opens, the options of its context such as a viewport, and options of serve
 */
export function opened(use, start = launch, { fragment, context, ...options } = {}) {
  let problems;
  served(
    async ({ browser, site }) => {
      const visited = await visit(browser, site, fragment, context);
      ({ problems } = visited);
      use({ browser, site, page: visited.page });
    },
    start,
    options,
  );
  after(() =>
    assert.deepEqual(problems, [], 'no console message, error or failed request in all of this'),
  );
}
