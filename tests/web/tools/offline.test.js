/** The page when the network goes away, and when it is back. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { becomes } from '../../support/web/becomes.js';
import { MODEL_FILE } from '../../support/web/letters.js';
import { calm, drawn, openLook, PANEL, shown, singlePanel, verdictOf } from '../look/page.js';
import { browsers, serve } from '../site.js';

for (const { name, missing, launch } of browsers)
  describe(`without the network, in ${name}`, { skip: missing }, () => {
    let browser;
    let site;
    let frames;
    let page;
    let lost = (path) => path.endsWith('/lens.js');
    before(async () => {
      const status = (path) => (lost(path) ? 0 : 200);
      const panels = ['look', 'distance', 'proofs'];
      [browser, site, frames] = await Promise.all([
        launch(),
        serve({ panels, status, modules: true }),
        serve({ panels: ['cold-hot', 'lab'], status }),
      ]);
      ({ page } = await openLook(browser, site, '#look?lookPrompt=once+upon+a+time'));
    });
    after(async () => {
      await browser?.close();
      await site?.close();
      await frames?.close();
    });
    const look = async (act) => {
      await act();
      await drawn(page);
      await calm(page);
      await drawn(page);
      return shown(page);
    };

    test('a row is checked without the part that did not come', async () => {
      assert.equal(await verdictOf(page, 'look-row'), 'holds');
      assert.equal(await verdictOf(page, 'look-surprise'), 'none');
    });

    test('the model writes on, and looks at another temperature', async () => {
      lost = () => true;
      const press = (label) =>
        look(() => page.locator(`${PANEL} button`, { hasText: label }).first().click());
      const before = await shown(page);
      const more = await press('One step more');
      assert.ok(more.text.startsWith(before.text) && more.text.length > before.text.length);
      const heat = page.locator(`${PANEL} .look-bar input[type=range] >> nth=0`);
      const hot = await look(() => heat.fill('100'));
      assert.deepEqual([...new Set(hot.weights)], [Math.fround(1 / hot.weights.length)]);
    });

    for (const [what, id, isLost] of [
      ['whose kernels do not come', 'distance', (path) => path.endsWith('.wasm')],
      ['that was never near', 'proofs', () => true],
    ])
      test(`a panel ${what} says so, and comes when the network is back`, async () => {
        lost = isLost;
        const section = page.locator(`#${id}`);
        await section.scrollIntoViewIfNeeded();
        await page.locator(`#${id}[data-panel="failed"]`).waitFor({ timeout: 60000 });
        const said = await section.locator('.failure').textContent();
        assert.match(said, /^This panel did not load\. .*needs the network/);
        lost = () => false;
        await section.getByRole('button', { name: 'try again' }).click();
        await page.locator(`#${id}[data-panel="ready"]`).waitFor({ timeout: 60000 });
        const states = () =>
          section
            .locator('[data-verdict]')
            .evaluateAll((all) => [...new Set(all.map(({ dataset }) => dataset.verdict))].sort());
        await becomes(async () => (await states()).includes('waiting'), false);
        for (const state of await states()) assert.match(state, /^(holds|slack)$/);
      });

    for (const id of ['cold-hot', 'lab'])
      test(`a frame of ${id} asks for the model again whenever a reader presses`, async () => {
        lost = (path) => path.endsWith(MODEL_FILE);
        const frame = await singlePanel(browser, frames, id);
        const again = frame.locator(`#${id}`).getByRole('button', { name: 'try again' });
        const said = () => frame.locator(`#${id} .look-state`).textContent();
        await again.click();
        await becomes(said, /^.+try again$/);
        await frame.locator(`#${id} .tools button`, { hasText: 'reset' }).click();
        await becomes(said, /^.+try again$/);
        lost = () => false;
        await again.click();
        await frame.locator(`#${id}-panel[data-told="true"]`).waitFor();
        assert.equal(await again.isVisible(), false);
        assert.equal(await said(), 'try again', 'no reason is left');
        await frame.close();
      });
  });
