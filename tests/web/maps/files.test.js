/** The files of many heads have the numbers of the settings, even right after a change. */
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { load } from '../../../web/page/engine.js';
import { weightsOf } from '../../../web/panels/many-heads/saved.js';
import { heads } from '../../../web/panels/many-heads/worker.js';
import { go, launch, missing, opened, settled } from '../site.js';

const SETTING = {
  ...{ H: 16, G: 4, n: 64, d: 64, seed: 7, kind: 'patterns', poison: -1 },
  mask: { causal: true, reach: 256 },
};

describe('a file that is asked for while new numbers are on their way', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), launch, { panels: ['many-heads'] });

  /**
   * The bytes of a file. Just before, the temperature becomes each T. The numbers of one arrive
   * when the next one is chosen, but no frame has asked for its numbers.
   */
  async function saved(kind, ...all) {
    const download = page.waitForEvent('download');
    await page.evaluate(
      async ([name, all]) => {
        const panel = document.getElementById('many-heads');
        const field = panel.querySelector('[aria-label="Temperature T, as a number"]');
        const frame = window.requestAnimationFrame;
        const frames = [];
        for (const T of all) {
          if (T !== all[0]) {
            await new Promise(frame);
            window.requestAnimationFrame = (draw) => frames.push(draw);
          }
          field.value = T;
          field.dispatchEvent(new Event('change'));
          if (T !== all[0])
            while (document.documentElement.dataset.lab === 'busy')
              await new Promise((resume) => setTimeout(resume));
        }
        window.requestAnimationFrame = frame;
        frames.forEach(frame);
        const buttons = [...panel.querySelectorAll('.tools button')];
        buttons.find(({ textContent }) => textContent === name).click();
      },
      [kind.toUpperCase(), all.map(String)],
    );
    return buffer(await (await download).createReadStream());
  }

  test('has the numbers of the new settings', async () => {
    await go(page, '#many-heads?v=1&H=16&n=64');
    const engine = await load();
    const expected = (T) => heads(engine, { ...SETTING, T });
    assert.equal(String(await saved('csv', 3)), weightsOf(expected(3)));
    const { settings, shown } = JSON.parse(String(await saved('json', 2)));
    assert.deepEqual([settings.T, shown.checksum], [2, expected(2).checksum]);
    assert.equal(String(await saved('csv', 4, 5)), weightsOf(expected(5)));
    const early = await saved('png', 0.1);
    await settled(page);
    assert.ok(early.equals(await saved('png', 0.1)), 'the map of the new settings');
    assert.ok(!early.equals(await saved('png', 2)), 'which is not that of the old');
  });

  test('has the picture of a colour that was chosen just before', async () => {
    const before = await saved('png');
    const download = page.waitForEvent('download');
    await page.evaluate(() => {
      const panel = document.getElementById('many-heads');
      panel.querySelector('.machine-right .options input:not(:checked)').click();
      const buttons = [...panel.querySelectorAll('.tools button')];
      buttons.find(({ textContent }) => textContent === 'PNG').click();
    });
    const early = await buffer(await (await download).createReadStream());
    await settled(page);
    assert.ok(early.equals(await saved('png')), 'the map in the new colour');
    assert.ok(!early.equals(before), 'which is not that in the old');
  });
});
