/** The main path of the page in WebKit: it opens, a model writes, a word shows its row. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import { bits } from './bits.js';
import { serve } from './site.js';
import { DEFAULT } from './statuses.js';
import { launch, missing } from './webkit.js';

describe('the page in WebKit', { skip: missing }, () => {
  let site;
  let page;
  before(async () => {
    [site, page] = await Promise.all([serve(), launch()]);
    await page.open(site.blank, `${site.url}?depth=doubt#look?lookPrompt=once+upon+a+time`);
  });
  after(async () => {
    await page?.close();
    await site?.close();
  });
  /** Of one token: whether it is locked, the sentence, and the weights on all of them. */
  const row = (at) => {
    const root = document.querySelector('#look-panel');
    const tokens = [...root.querySelectorAll('.token')];
    const told = {
      here: tokens[at].classList.contains('here'),
      locked: tokens[at].classList.contains('locked'),
      said: root.querySelector('.look-said').textContent,
      weights: tokens.map(({ dataset }) => Number(dataset.weight)),
    };
    return told.here && told;
  };

  test('the engine runs, and the model writes', async () => {
    assert.equal(await page.until(() => document.documentElement.dataset.engine), 'ready');
    assert.equal(await page.evaluate(() => document.querySelector('#failure').textContent), '');
    const written = await page.until(() => {
      const text = document.querySelector('#look-panel .look-text')?.textContent ?? '';
      return text.length > 30 && text;
    });
    assert.ok(written.startsWith('once upon a time'), written);
  });

  test('the kernels give the bits that they give in Node', async () => {
    const there = await page.evaluate(bits, site.url);
    assert.deepEqual(there, await bits(new URL('../../web/', import.meta.url).href));
  });

  test('a word that is pointed at shows its row, and a click locks it', async () => {
    await page.point('#look-panel [data-i="6"]');
    const pointed = await page.until(row, 6);
    assert.match(pointed.said, /^At /);
    const sum = pointed.weights.slice(0, 7).reduce((total, weight) => total + weight, 0);
    assert.ok(Math.abs(sum - 1) < 1e-4, `weights of the row add up to ${sum}`);
    assert.ok(
      pointed.weights.slice(7).every((weight) => weight === 0),
      'and none is ahead',
    );
    await page.point('#look-panel [data-i="6"]', true);
    await page.until((at) => document.querySelectorAll('.token')[at].matches('.locked'), 6);
    await page.evaluate(() => document.querySelector('#one-look').scrollIntoView());
    await page.until(() =>
      /layer \d+, head \d+ · /.test(document.querySelector('.crumb')?.textContent),
    );
  });

  test('no statement of any panel is violated', async () => {
    await page.evaluate(() => {
      dispatchEvent(new Event('beforeprint'));
      dispatchEvent(new Event('afterprint'));
    });
    await page.until(
      () =>
        document.documentElement.dataset.lab !== 'busy' &&
        !document.querySelector('[data-verdict="waiting"], [data-panel="waiting"]'),
    );
    const told = await page.evaluate(() =>
      [...document.querySelectorAll('[data-statement], [data-proof]')].map(({ dataset }) => [
        dataset.statement ?? dataset.proof,
        dataset.verdict,
      ]),
    );
    assert.ok(told.length > Object.keys(DEFAULT).length, `${told.length} statements`);
    const good = ['holds', 'slack', 'none'];
    assert.deepEqual(
      told.filter(([, verdict]) => !good.includes(verdict)),
      [],
    );
  });

  for (const width of [320, 1280])
    for (const theme of ['light', 'dark'])
      test(`at ${width} pixels, ${theme}, nothing scrolls sideways`, async () => {
        await page.widen(width);
        const paper = await page.evaluate((theme) => {
          document.querySelector(`#theme-${theme}`).click();
          return getComputedStyle(document.documentElement).backgroundColor;
        }, theme);
        assert.equal(paper, theme === 'dark' ? 'rgb(20, 22, 27)' : 'rgb(252, 251, 248)');
        const [scroll, client] = await page.evaluate(() => [
          document.documentElement.scrollWidth,
          document.documentElement.clientWidth,
        ]);
        assert.equal(scroll, client);
        await shoot(page, `webkit-${width}-${theme}`);
      });

  test('each legend stands beside its choices, and each sign of a formula is drawn', async () => {
    const { above, signs } = await page.evaluate(() => {
      const box = (element) => element.getBoundingClientRect();
      const shown = (selector) =>
        [...document.querySelectorAll(selector)].filter((each) => box(each).height);
      return {
        above: shown('.options legend')
          .filter((each) => box(each).bottom <= box(each.parentElement.querySelector('label')).top)
          .map(({ textContent }) => textContent),
        signs: shown('.formula mo')
          .filter((each) => box(each).width < 2)
          .map(({ textContent }) => textContent),
      };
    });
    assert.deepEqual([above, signs], [[], []]);
  });
});

/** Screens of the whole page, for human eyes, when CLEARHEAD_SHOTS names a folder. */
async function shoot(page, name) {
  const folder = process.env.CLEARHEAD_SHOTS;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  for (let top = 0, at = 0; top < height; top += 800, at++) {
    await page.evaluate((y) => scrollTo(0, y), top);
    await writeFile(
      join(folder, `${name}-${String(at).padStart(2, '0')}.png`),
      await page.screenshot(),
    );
  }
}
