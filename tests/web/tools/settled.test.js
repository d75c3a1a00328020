/** A file that is asked for right after a change has the numbers of the change. */
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { drawn, go, launch, missing, opened } from '../site.js';

/** In the page: a slider goes to its upper end, and a file is asked for at once. */
function moveAndSave([panel, kind]) {
  const root = document.getElementById(panel);
  const slider = root.querySelector('input[type=range]');
  slider.value = slider.max;
  slider.dispatchEvent(new Event('input'));
  const buttons = [...root.querySelectorAll('.tools button')];
  buttons.find(({ textContent }) => textContent === kind).click();
}

describe('a file that is asked for right after a change', { skip: missing }, () => {
  let page;
  const panels = ['push', 'distance', 'commitment', 'sharing'];
  opened((visited) => ({ page } = visited), launch, { panels });

  async function saved(panel, kind) {
    const download = page.waitForEvent('download');
    await page.evaluate(moveAndSave, [panel, kind]);
    return String(await buffer(await (await download).createReadStream()));
  }
  const json = async (panel) => JSON.parse(await saved(panel, 'JSON'));

  test('has its numbers', async () => {
    await go(page, '#push');
    const pushed = await json('push');
    assert.ok(pushed.settings.T > 1);
    assert.equal(pushed.shown.bound, 1 / (2 * pushed.settings.T));
    const compared = await json('distance');
    assert.equal(compared.shown.setting.T, compared.settings.T);
    const shared = await json('sharing');
    assert.equal(shared.shown.part, 1);
    const bound = Math.max(...shared.shown.bounds.sharp.values);
    assert.ok(Math.max(...shared.shown.measured.weights2) <= bound);
    assert.equal((await json('commitment')).shown.rho > 0, true);
  });

  test('has its picture', async () => {
    await go(page, '#push');
    const early = await saved('push', 'SVG');
    await drawn(page);
    assert.equal(await saved('push', 'SVG'), early);
  });
});
