/**
 * The page can fail: engines that are wrong in one way each, and the statements that must say so,
 * those and no others.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { launch, missing, serve, shoot, statements, verdicts, visit } from './site.js';
import { MUTATIONS } from './wrong/builds.js';
import { DEFAULT } from './statuses.js';

describe('an engine that is wrong', { skip: missing }, () => {
  let browser;
  before(async () => {
    browser = await launch();
  });
  after(() => browser?.close());

  for (const { name, change, red, at = '', other = {} } of MUTATIONS) {
    test(`${name} turns ${red.join(', ')} red and nothing else`, async () => {
      const site = await serve({ change });
      const { page } = await visit(browser, site, at);
      const violated = Object.fromEntries(red.map((id) => [id, 'violated']));
      assert.deepEqual(await verdicts(page), { ...DEFAULT, ...other, ...violated });
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
      await page.close();
      await site.close();
    });
  }

  test('every statement has a mutation that reddens it', () => {
    assert.deepEqual(
      [...new Set(MUTATIONS.flatMap(({ red }) => red))].sort(),
      Object.keys(DEFAULT).sort(),
    );
  });
});
