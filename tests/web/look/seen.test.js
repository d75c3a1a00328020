/** The marks of the look are read back from the screen, and compared with its rows. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { becomes } from '../../support/web/becomes.js';
import { missing, served, statements } from '../site.js';
import { WRONG_LOOK } from '../wrong/look.js';
import { calm, drawn, openLook, PANEL, shown, verdictOf } from './page.js';

const SHORT = '#look?v=1&lookPrompt=once+upon+a+time';
/** More letters than a map has pixels along its side. */
const LONG = `#look?v=1&lookPrompt=${'once+upon+a+time+'.repeat(11)}`;

describe('the look that is read back', { skip: missing }, () => {
  let browser;
  let site;
  served((started) => ({ browser, site } = started), undefined, { panels: ['look'] });

  /** Brings the page into a state, and waits until the story rests. */
  async function state(page, fragment) {
    await page.evaluate((to) => void (location.hash = to), fragment);
    await drawn(page);
    await calm(page);
    await drawn(page);
  }

  test('is that of its rows in every state, and nothing is left out', async () => {
    const { page, problems } = await openLook(browser, site, SHORT);
    for (const fragment of [
      SHORT,
      `${SHORT}&lookRest=1`,
      `${SHORT}&lookT=0`,
      `${SHORT}&lookT=0&lookRest=1`,
      `${SHORT}&lookT=Infinity`,
      `${SHORT}&lookAt=0`,
      `${SHORT}&lookAt=0&lookRest=1`,
      `${SHORT}&lookAt=1&lookRest=1`,
      LONG,
      `${LONG}&lookRest=1&lookAt=90`,
    ])
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme });
        await state(page, fragment);
        await becomes(() => verdictOf(page, 'look-drawn'), 'holds');
        const { weights, board } = await shown(page);
        const side = await page.$eval(`${PANEL} .look-map canvas`, ({ width }) => width);
        const { marks } = (await statements(page))['look-drawn'];
        assert.equal(marks, weights.length + board.length * (1 + side) + 2, fragment);
        assert.equal(side < weights.length, fragment.startsWith(LONG), 'its maps are pooled');
      }
    assert.deepEqual(problems, []);
    await page.close();
  });

  for (const { name, change, at = '', red } of WRONG_LOOK)
    test(`${name} turns ${red} red and nothing else`, async () => {
      site.alter(change, ['look']);
      const { page } = await openLook(browser, site, SHORT + at);
      const verdicts = async () => {
        const found = Object.values(await statements(page));
        return found.map((each) => `${each.statement} ${each.verdict}`).sort();
      };
      const names = ['look-budget', 'look-drawn', 'look-row', 'look-surprise'];
      const expected = names.map((id) => `${id} ${red.includes(id) ? 'violated' : 'holds'}`);
      await becomes(async () => (await verdicts()).join(), expected.join());
      await page.close();
    });
});
