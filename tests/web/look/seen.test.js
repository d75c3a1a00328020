/** The marks of the look are read back from the screen, and compared with its rows. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { table } from '../../../web/plot/colour.js';
import { LONG } from '../../support/campaign.js';
import { becomes } from '../../support/web/becomes.js';
import { missing, served, statements } from '../site.js';
import { together } from '../wrong/changes.js';
import { WRONG_LOOK } from '../wrong/look.js';
import { calm, drawn, loadLook, openLook, PANEL, shown, verdictOf } from './page.js';

const SHORT = '#look?v=1&lookPrompt=once+upon+a+time';
/** More letters than a map has pixels along its side. */
const POOLED = `#look?v=1&lookPrompt=${'once+upon+a+time+'.repeat(11)}`;

/**
 * Faults that are served together: no two redden the same statement, or are seen in other states.
 * In a long run each is served by itself.
 */
const groups = [];
for (const fault of WRONG_LOOK) {
  const fits = (other) => other.at === fault.at && !other.red.some((id) => fault.red.includes(id));
  const group = LONG ? undefined : groups.find((others) => others.every(fits));
  if (group) group.push(fault);
  else groups.push([fault]);
}

describe('the look that is read back', { skip: missing }, () => {
  let site;
  let page;
  let problems;
  served(
    async (started) => {
      ({ site } = started);
      ({ page, problems } = await openLook(started.browser, site, SHORT));
    },
    undefined,
    { panels: ['look'] },
  );

  /** Brings the page into a state, and waits until the story rests. */
  async function state(fragment) {
    await page.evaluate((to) => void (location.hash = to), fragment);
    await drawn(page);
    await calm(page);
    await drawn(page);
  }

  test('is right where a frame has time for the words, and not for the maps', async () => {
    await state(SHORT);
    await page.evaluate(async () => {
      const real = performance.now;
      let now = real.call(performance);
      performance.now = () => (now += 6);
      for (const i of [3, 6]) {
        const { left, top } = document
          .querySelector(`.token[data-i="${i}"]`)
          .getBoundingClientRect();
        const at = { clientX: left + 4, clientY: top + 4 };
        const element = document.elementFromPoint(left + 4, top + 4);
        element.dispatchEvent(new PointerEvent('pointermove', { ...at, bubbles: true }));
        await new Promise(requestAnimationFrame);
      }
      while ('drawing' in document.documentElement.dataset)
        await new Promise(requestAnimationFrame);
      performance.now = real;
    });
    await becomes(() => verdictOf(page, 'look-drawn'), 'holds');
    assert.equal((await shown(page)).at, 6);
  });

  test('is that of its rows in every state, and nothing is left out', async () => {
    for (const fragment of [
      SHORT,
      `${SHORT}&lookRest=1`,
      `${SHORT}&lookT=0`,
      `${SHORT}&lookT=0&lookRest=1`,
      `${SHORT}&lookT=Infinity`,
      `${SHORT}&lookAt=0`,
      `${SHORT}&lookAt=0&lookRest=1`,
      `${SHORT}&lookAt=1&lookRest=1`,
      POOLED,
      `${POOLED}&lookRest=1&lookAt=90`,
    ])
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme });
        await state(fragment);
        await becomes(() => verdictOf(page, 'look-drawn'), 'holds');
        const { weights, board } = await shown(page);
        const side = await page.$eval(`${PANEL} .look-wall`, ({ dataset }) => +dataset.pixels);
        const { marks } = (await statements(page))['look-drawn'];
        assert.equal(marks, weights.length + board.length * (1 + side) + 2, fragment);
        assert.equal(side < weights.length, fragment.startsWith(POOLED), 'its maps are pooled');
      }
    assert.deepEqual(problems, []);
  });

  test('the board has a key of its colours, in both themes', async () => {
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await drawn(page);
      const scale = page.locator('.look-scale');
      assert.equal(await scale.textContent(), 'all words alikeone word');
      const found = await scale
        .locator('rect')
        .evaluateAll((all) => all.map((each) => getComputedStyle(each).fill));
      const dark = colorScheme === 'dark';
      assert.deepEqual(
        found.map((colour) => colour.match(/\d+/g).map(Number)),
        [0, 1, 2, 3, 4, 5, 6].map((level) => {
          const at = 3 * Math.round((255 * level) / 6);
          return Array.from(table('weights', dark).subarray(at, at + 3));
        }),
      );
    }
  });

  for (const faults of groups) {
    const red = faults.flatMap((fault) => fault.red);
    const names = faults.map(({ name }) => name).join('; ');
    test(`${names} turns ${red} red and nothing else`, async () => {
      site.alter(together(faults.map(({ change }) => change)), ['look']);
      await loadLook(page, site, SHORT + (faults[0].at ?? ''));
      const verdicts = async () => {
        const found = Object.values(await statements(page));
        return found.map((each) => `${each.statement} ${each.verdict}`).sort();
      };
      const names = ['look-budget', 'look-drawn', 'look-row', 'look-surprise'];
      const expected = names.map((id) => `${id} ${red.includes(id) ? 'violated' : 'holds'}`);
      await becomes(async () => (await verdicts()).join(), expected.join());
    });
  }
});
