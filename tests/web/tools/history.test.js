/** Back and Forward lead to the settings, the place and the focus that a reader left. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { becomes } from '../../support/web/becomes.js';
import { browsers, drawn, everything, go, opened } from '../site.js';

const PANELS = ['many-heads', 'trust', 'distance', 'sharing'];

/** Places before and after are rounded to whole pixels, each by its browser. */
const PIXELS = 2;

for (const { name, missing, launch } of browsers)
  describe(`the history of the page in ${name}`, { skip: missing }, () => {
    let page;
    opened((visited) => ({ page } = visited), launch, { panels: PANELS });

    const hash = () => page.evaluate(() => location.hash);
    const steps = () => page.evaluate(() => history.length);
    const focused = () => page.evaluate(() => document.activeElement.textContent);
    /** The section is where it was. */
    const isAt = async (id, before) => {
      const now = await topOf(id);
      assert.ok(Math.abs(now - before) <= PIXELS, `${id} is at ${now} instead of ${before}`);
    };
    const topOf = (id) =>
      page.evaluate((id) => document.getElementById(id).getBoundingClientRect().top, id);
    /** Turns a wheel. Firefox can take back a script's scrolling. Returns the section's place. */
    const scroll = async (id, pixels) => {
      await drawn(page);
      const before = await topOf(id);
      await page.mouse.wheel(0, pixels);
      await becomes(async () => Math.abs((await topOf(id)) - before + pixels) <= PIXELS, true);
      return topOf(id);
    };
    /** A link of the masthead, which is out of sight. */
    const follow = (label) =>
      page
        .getByRole('link', { name: label, exact: true })
        .first()
        .evaluate((link) => link.click());
    const back = async (to) => {
      await page.goBack();
      await becomes(hash, to);
      await drawn(page);
    };
    const forward = async (to) => {
      await page.goForward();
      await becomes(hash, to);
      await drawn(page);
    };

    test('a link of a panel is a step, Back returns to it, and Forward goes on', async () => {
      await go(page, '#many-heads?v=1&H=4');
      const link = page.getByRole('link', { name: 'More models', exact: true });
      await link.evaluate((each) => each.scrollIntoView({ block: 'center' }));
      const [before, count] = [await topOf('many-heads'), await steps()];
      assert.ok(before < -100, `the reader is ${-before} pixels further`);
      await link.click();
      assert.equal(await steps(), count + 1);
      assert.equal(await hash(), '#sharing?v=1&H=4');
      const heading = await page.textContent('#sharing h2');
      assert.equal(await focused(), heading);
      const there = await scroll('sharing', 250);

      await back('#many-heads?v=1&H=4');
      await isAt('many-heads', before);
      assert.equal(await focused(), 'More models');

      await forward('#sharing?v=1&H=4');
      await isAt('sharing', there);
      assert.equal(await focused(), heading);
      assert.equal(await steps(), count + 1);
    });

    test('a wheel moves the page while it is brought back', async () => {
      await go(page, '#many-heads?v=1&H=4');
      await follow('More models');
      await back('#many-heads?v=1&H=4');
      await page.goForward();
      await becomes(hash, '#sharing?v=1&H=4');
      const there = await scroll('sharing', 150);
      for (let i = 0; i < 3; i++) await drawn(page);
      await isAt('sharing', there);
    });

    test('a link with settings is a step, and Back is right if figures above grow', async () => {
      await go(page, '#distance?v=1&H=32');
      const height = () => page.locator('#many-heads').evaluate((each) => each.offsetHeight);
      const [before, tall] = [await scroll('distance', 200), await height()];
      await follow('Long and short keys');
      await becomes(hash, '#distance?v=1&tour=4&nk=0');
      await drawn(page);
      assert.ok((await height()) < tall - 100, 'eight heads take less space');
      const line = page.locator('#distance .tour-stop');
      assert.equal(await line.count(), 1);
      const { y } = await line.boundingBox();
      assert.ok(Math.abs(y) < 40, `the stop is at ${y}`);

      await back('#distance?v=1&H=32');
      assert.equal(await page.locator('.tour-stop').count(), 0);
      assert.equal(await page.getByLabel('query heads H').inputValue(), '32');
      assert.equal(await height(), tall);
      await isAt('distance', before);
    });

    test('a slider that is dragged and a field that is changed make no step', async () => {
      await go(page, '#trust');
      const count = await steps();
      const range = page.locator('#trust .slider input[type=range]');
      await range.scrollIntoViewIfNeeded();
      const { x, y, width, height } = await range.boundingBox();
      await page.mouse.move(x + width / 2, y + height / 2);
      await page.mouse.down();
      for (const part of [0.6, 0.7, 0.8]) await page.mouse.move(x + part * width, y + height / 2);
      await page.mouse.up();
      await becomes(hash, /^#trust\?v=1&trustT=/);
      await drawn(page);
      const field = page.locator('#trust .slider input[type=number]');
      // in Firefox, Playwright types behind the number that is there
      await field.evaluate((field) => {
        field.value = '2';
        field.dispatchEvent(new Event('change'));
      });
      await becomes(hash, '#trust?v=1&trustT=2');
      await page.getByLabel('no looking ahead').uncheck();
      await becomes(hash, '#many-heads?v=1&c=0&trustT=2');
      assert.equal(await steps(), count);
    });

    for (const [what, before, button, after] of [
      ['reset', '#distance?v=1&kseed=9&rk=1', '#distance .tools button:text("reset")', '#distance'],
      [
        'an end of a slider',
        '#many-heads?v=1&H=4',
        '#many-heads button[aria-label="T = infinity, exactly"]',
        '#many-heads?v=1&H=4&T=Infinity',
      ],
      [
        'a tile',
        '#distance?v=1&kseed=9',
        '#distance .tile >> nth=-1',
        '#distance?v=1&kseed=9&nq=0&nk=0&rk=1',
      ],
    ])
      test(`a press of ${what} is one step, which Back undoes`, async () => {
        await go(page, before);
        const count = await steps();
        await page.locator(button).click();
        await becomes(hash, after);
        await page.locator(button).click();
        await drawn(page);
        assert.equal(await steps(), count + 1);
        await back(before);
        await forward(after);
      });

    test('a change just before Back is there after Forward', async () => {
      await go(page, '#many-heads');
      await follow('Why softmax');
      const field = page.locator('#trust .slider input[type=number]');
      await field.evaluate((field) => {
        field.value = '3';
        field.dispatchEvent(new Event('change'));
        history.back();
      });
      await becomes(hash, '#many-heads');
      await drawn(page);
      assert.equal(await field.inputValue(), '0.22');
      await forward('#trust?v=1&trustT=3');
      assert.equal(await field.inputValue(), '3');
    });

    test('the depth stays as a reader chose it, and the address says so', async () => {
      const search = () => page.evaluate(() => location.search);
      await go(page, '#many-heads');
      await follow('Why softmax');
      await page.locator('#depth-understand').check();
      await back('#many-heads');
      assert.equal(await search(), '?depth=understand');
      assert.ok(await page.locator('#depth-understand').isChecked());
      await page.locator('#depth-doubt').check();
      await forward('#trust');
      assert.equal(await search(), '?depth=doubt');
    });

    test('a page that was loaded anew knows its steps', async () => {
      await go(page, '#many-heads?v=1&H=4');
      await page.reload();
      await everything(page);
      const before = await scroll('many-heads', 300);
      await follow('Why softmax');
      await back('#many-heads?v=1&H=4');
      await isAt('many-heads', before);
    });

    test('a link that is opened in another tab leaves the page as it is', async () => {
      await go(page, '#many-heads?v=1&H=4');
      const count = await steps();
      const [other] = await Promise.all([
        page.context().waitForEvent('page'),
        page
          .getByRole('link', { name: 'More models', exact: true })
          .click({ modifiers: ['Control'] }),
      ]);
      await other.waitForURL(/#sharing$/);
      await other.close();
      assert.equal(await hash(), '#many-heads?v=1&H=4');
      assert.equal(await steps(), count);
    });
  });
