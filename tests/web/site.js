/**
 * The page as a reader meets it, and the browsers to look at it.
 *
 * To start a browser, to open a page and to build all panels takes long. So `npm test` starts each
 * browser once. The tests of a file share one page, and it has only the panels that they look at:
 *
 *   describe('the maps', { skip: missing }, () => {
 *     let page;
 *     opened((visited) => ({ page } = visited), launch, { panels: ['many-heads'] });
 *
 *     test('...', async () => {
 *       await go(page, '#x=log'); // every other setting is as in the beginning
 *
 * `serve({ panels })` and `visit` are for tests that need a page of their own: another screen or
 * kind of reader. `reopen` loads the page anew in the same tab, also from another server. The page
 * is served in few files, and with `modules: true` as it lies in the repository. Wait for a
 * condition, and never for a length of time: `drawn`, `settled`, or `becomes` of tests/support/web.
 */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';

export { browsers, launch, missing } from './browsers.js';
export { opened, served } from './start/fixtures.js';
export {
  drawn,
  everything,
  go,
  inBlank,
  reopen,
  settled,
  UNFINISHED,
  visit,
} from './start/pages.js';
export { ISOLATION, serve, STRICT } from './start/server.js';
export { statements, verdicts } from './statuses.js';

/** Kept for human eyes when CLEARHEAD_SHOTS names a folder. */
export async function shoot(page, name) {
  if (!process.env.CLEARHEAD_SHOTS) return;
  await mkdir(process.env.CLEARHEAD_SHOTS, { recursive: true });
  await page.screenshot({ path: join(process.env.CLEARHEAD_SHOTS, `${name}.png`), fullPage: true });
}

/** |actual − expected| ≤ relative·|expected| + absolute. */
export function close(actual, expected, relative, what, absolute = 0) {
  const ok =
    Object.is(actual, expected) ||
    Math.abs(actual - expected) <= relative * Math.abs(expected) + absolute;
  assert.ok(ok, `${what}: ${actual} instead of ${expected}`);
}
