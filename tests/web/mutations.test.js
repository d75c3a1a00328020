/**
 * The page can fail: engines that are wrong in one way each, and the statements that must say so,
 * those and no others.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { launch, missing, serve, shoot, statements, verdicts, visit } from './site.js';
import { MUTATIONS } from './wrong/builds.js';
import { DEFAULT } from './statuses.js';

/** The panels with these statements, and no other, as the page is loaded often. */
const HEADS = ['one-look', 'many-heads'];
const ROADS = ['trust', 'commitment', 'compromise', 'distance', 'push', 'sharing'];
const PANELS = [...HEADS, ...ROADS];
const only = (panels) => ({
  'web/page/panels.js': (text) =>
    text
      .split('\n')
      .filter((line) => !/^ {2}\{ id: /.test(line) || panels.some((id) => line.includes(`'${id}'`)))
      .join('\n'),
});
const { K1, ...STATEMENTS } = DEFAULT;

describe('an engine that is wrong', { skip: missing }, () => {
  let browser;
  before(async () => {
    browser = await launch();
  });
  after(() => browser?.close());

  for (const { name, change, red, at = '', other = {} } of MUTATIONS) {
    test(`${name} turns ${red.join(', ')} red and nothing else`, async () => {
      // the panel that times is slow, and no other statement depends on it
      const timed = red.includes('K1');
      const panels = timed ? [...PANELS, 'speed'] : PANELS;
      const site = await serve({ change: { ...only(panels), ...change } });
      const { page } = await visit(browser, site, at);
      const violated = Object.fromEntries(red.map((id) => [id, 'violated']));
      const expected = { ...STATEMENTS, ...(timed && { K1 }), ...other, ...violated };
      assert.deepEqual(await verdicts(page), expected);
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
