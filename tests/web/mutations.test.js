/**
 * The page can fail: engines that are wrong in one way each, and the statements that must say so,
 * those and no others. A long run looks at all panels, with one fault at a time, and has several
 * faults that the same check notices. Otherwise the page has only the panels with these statements.
 * Faults of different panels are then served together. A long run shows that none reddens others.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { LONG } from '../support/campaign.js';
import { launch, missing, reopen, served, shoot, statements, verdicts, visit } from './site.js';
import { MUTATIONS as EVERY } from './wrong/builds.js';
import { together } from './wrong/changes.js';
import { GUARDS } from './wrong/guards.js';
import { WRONG_LOOK } from './wrong/look.js';
import { ALL, BY_PANEL } from './statuses.js';

const MUTATIONS = EVERY.filter(({ again }) => LONG || !again);

/** The panels with these statements. The one that times is slow, and no other depends on it. */
const panelsOf = (ids) =>
  Object.keys(BY_PANEL).filter(
    (panel) => (LONG && panel !== 'speed') || ids.some((id) => id in BY_PANEL[panel]),
  );

/** Mutations that are served together: no panel has statements of two of them. */
const groups = [];
for (const mutation of MUTATIONS) {
  const panels = panelsOf(mutation.red);
  const group =
    !LONG && groups.find((others) => !panels.some((panel) => others.panels.includes(panel)));
  if (group) {
    group.mutations.push(mutation);
    group.panels.push(...panels);
  } else groups.push({ mutations: [mutation], panels });
}

describe('an engine that is wrong', { skip: missing }, () => {
  let site;
  let page;
  served(async ({ browser, site: plain }) => {
    site = plain;
    site.alter({}, []);
    ({ page } = await visit(browser, site));
  }, launch);

  for (const { mutations, panels } of groups) {
    const names = mutations.map(({ name }) => name).join('; ');
    const red = mutations.flatMap((mutation) => mutation.red);
    const other = Object.assign({}, ...mutations.map((mutation) => mutation.other));
    const states = mutations.flatMap(({ at = [] }) => at);
    test(`with ${names}, ${red.join(', ')} turn red and nothing else`, async () => {
      site.alter(together(mutations.map(({ change }) => change)), panels);
      await reopen(page, site, states.length ? `#?${states.join('&')}` : '');
      const plain = Object.assign({}, ...panels.map((panel) => BY_PANEL[panel]));
      const violated = Object.fromEntries(red.map((id) => [id, 'violated']));
      assert.deepEqual(await verdicts(page), { ...plain, ...other, ...violated });
      for (const id of red) {
        assert.match((await statements(page))[id].text, /^✗ violated/);
        assert.ok(
          await page
            .locator(`#statement-${id}`)
            .getByRole('button', { name: 'copy a report' })
            .isVisible(),
        );
      }
      if (red.includes('C1-float64')) await shoot(page, 'violated');
    });
  }
});

test('every statement has a mutation that reddens it, or a test in which a fault does', () => {
  const red = [...MUTATIONS, ...WRONG_LOOK].flatMap((each) => each.red);
  assert.deepEqual([...new Set([...red, ...Object.keys(GUARDS)])].sort(), ALL);
  for (const [id, [file, name]] of Object.entries(GUARDS)) {
    assert.ok(!red.includes(id), `${id} has a wrong build, too`);
    const tests = readFileSync(new URL(file, import.meta.url), 'utf8');
    assert.match(tests, new RegExp(`test\\(\\s*['\`]${name}`), `${file} guards ${id}`);
  }
});
