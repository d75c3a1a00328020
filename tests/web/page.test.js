/**
 * The page as a guest: the files it loads, its messages when one is missing, and its memory.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import {
  browsers,
  go,
  launch,
  missing,
  serve,
  settled,
  shoot,
  statements,
  verdicts,
  visit,
} from './site.js';
import { attentionWeights } from './recompute.js';

for (const { name, missing, launch } of browsers)
  test(
    `the page opens in ${name} without any trouble, and all its statements hold`,
    { skip: missing },
    async () => {
      const [browser, site] = await Promise.all([launch(), serve()]);
      try {
        const { page, problems } = await visit(browser, site);
        assert.deepEqual(problems, []);
        assert.equal(await page.evaluate(() => document.documentElement.dataset.engine), 'ready');
        assert.match(
          await page.textContent('#badge'),
          /computed here.*(relaxed SIMD|SIMD) kernels, one thread/,
        );
        assert.ok(site.requests.every((path) => path.startsWith('/some/where/deep/')));
        assert.deepEqual([...new Set(Object.values(await verdicts(page)))], ['holds']);
      } finally {
        await browser.close();
        await site.close();
      }
    },
  );

describe('the page, from a plain static server in a sub-path', { skip: missing }, () => {
  let browser;
  let site;
  before(async () => {
    browser = await launch();
    site = await serve();
  });
  after(async () => {
    await browser?.close();
    await site?.close();
  });

  test('works when the server does not know what a .wasm file is', async () => {
    const ignorant = await serve({ types: { '.wasm': 'application/octet-stream' } });
    const { page } = await visit(browser, ignorant);
    assert.equal((await verdicts(page)).C0, 'holds');
    await page.close();
    await ignorant.close();
  });

  test('allows itself no inline script, no inline style and no stranger', async () => {
    const html = readFileSync(new URL('../../web/index.html', import.meta.url), 'utf8');
    assert.match(
      html.replace(/\s+/g, ' '),
      /'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:; style-src 'self'/,
    );
    assert.doesNotMatch(html, /\sstyle=|<style|\son\w+=|<script>/);
    for (const [, url] of html.matchAll(/(?:src|href)="(https?:[^"]+)"/g))
      assert.match(url, /^https:\/\/arxiv\.org\/abs\//, 'only citations leave the page');
  });

  for (const [what, status, expected] of [
    [
      'the kernels are not there',
      (path) => (path.endsWith('.wasm') ? 404 : 200),
      /The kernels did not run.*ClearheadError NET: .*404/,
    ],
    [
      'the binding is not there',
      (path) => (path === 'src/js/index.js' ? 404 : 200),
      /The kernels did not run.*TypeError: .*index\.js/,
    ],
  ]) {
    test(`says why when ${what}, and keeps its words`, async () => {
      const broken = await serve({ status });
      const { page } = await visit(browser, broken);
      assert.match(await page.textContent('#failure'), expected);
      assert.ok(await page.isVisible('#failure'));
      assert.equal(await page.textContent('#badge'), 'no kernels');
      assert.match(await page.textContent('#machine'), /Every square is one head/);
      await shoot(page, `failure-${what.replaceAll(' ', '-')}`);
      await page.close();
      await broken.close();
    });
  }

  test('without JavaScript tells the first figure in words, with true numbers', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false });
    await page.goto(site.url);
    const text = await page.innerText('body');
    const on = (degrees) => [
      Math.cos((degrees * Math.PI) / 180),
      Math.sin((degrees * Math.PI) / 180),
    ];
    const { weights, kl } = attentionWeights(on(38), [12, 58, 100, 165, 235, 310].map(on), 0.22);
    for (const weight of weights) assert.ok(text.includes(weight.toFixed(4)), weight.toFixed(4));
    assert.ok(text.includes(`${kl.toFixed(3)} nats`));
    assert.doesNotMatch(text, /loading|Theme|click/);
    for (const figure of ['#hero', '#machine-panel', '#kernel-panel'])
      assert.equal((await page.locator(figure).boundingBox()).height, 0);
    await page.close();
  });

  test('opened as a file says that it needs a server, and which', async () => {
    const page = await browser.newPage();
    const refused = [];
    page.on(
      'console',
      (message) => /Content Security Policy/.test(message.text()) && refused.push(message.text()),
    );
    await page.goto(new URL('../../web/index.html', import.meta.url).href);
    assert.match(await page.innerText('#failure'), /opened as a file.*needs a server.*npm start/);
    await page.waitForFunction(() => !document.querySelector('#badge').checkVisibility());
    assert.doesNotMatch(await page.innerText('body'), /loading|Theme|click/);
    assert.deepEqual(refused, []);
    await shoot(page, 'file');
    await page.close();
  });

  test('a link is the whole state, and only differences are written', async () => {
    const { page } = await visit(browser, site);
    assert.equal(await page.evaluate(() => location.hash), '');
    await page.getByLabel('Temperature T, as a number').nth(1).fill('0.5');
    await page.keyboard.press('Enter');
    await page.getByLabel('causal').uncheck();
    await page.getByLabel('× uniform').check();
    await page.getByLabel('restore key norm').check();
    await page.waitForTimeout(800);
    await settled(page);
    const hash = await page.evaluate(() => location.hash);
    assert.deepEqual(
      new Set(hash.slice(2).split('&')),
      new Set(['T=0.5', 'c=0', 'x=uniform', 'rk=1']),
    );
    const told = await statements(page);
    const again = await visit(browser, site, hash);
    assert.deepEqual(await statements(again.page), told);
    await again.page.close();
    await go(page, '#T=1');
    await page.goBack();
    await page.waitForTimeout(100);
    await settled(page);
    assert.deepEqual(await statements(page), told, 'Back returns to the state before');
    await page.close();
  });

  test('what a link asks beyond the limits is clamped, and said', async () => {
    const { page, problems } = await visit(
      browser,
      site,
      '#H=7&G=3&n=9999&T=cold&heroT=-1&foo=1&at=1',
    );
    const notice = await page.textContent('#notice');
    for (const said of [
      'n = 9999',
      'T = cold',
      'heroT = -1',
      '“foo”',
      'at = 1',
      'do not divide 7 query heads',
    ])
      assert.ok(notice.includes(said), said);
    assert.match(
      await page.textContent('.figure-note'),
      /7 query heads, one dictionary, shared by all\. 256 positions/,
    );
    assert.deepEqual(problems, []);
    await page.getByRole('button', { name: 'understood' }).click();
    assert.equal(await page.textContent('#notice'), '');
    for (const [link, said, title] of [
      ['#?h=77', 'h = 77 is not a whole number from 0 to 7, so it is 7.', 'Head 7,'],
      ['#?h=20', 'h = 20 is not a whole number from 0 to 7, so it is 7.', 'Head 7,'],
      [
        '#?H=32&h=20&at=40_3',
        'at = 40_3 is not 2 numbers from 0 to 31, joined by _, so it is 31_3.',
        'Head 20,',
      ],
    ]) {
      await go(page, link);
      assert.equal(
        await page.textContent('#notice p'),
        `Not all of the link could be used: ${said}`,
      );
      assert.ok((await page.textContent('.readout h4')).startsWith(title), link);
    }
    await page.evaluate(() => (document.querySelector('#machine-panel details').open = true));
    await page.getByLabel('query heads H').fill('16');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash.includes('H=16&h=15&'));
    await go(page, await page.evaluate(() => location.hash));
    assert.equal(await page.textContent('#notice'), '', 'a link that the page wrote can be used');
    await go(page, '#machine?foo=1&G=3');
    await page.evaluate(() => document.querySelector('#machine').scrollIntoView());
    assert.ok((await page.locator('#notice').boundingBox()).y < 900, 'where the reader is');
    assert.match(
      await page.textContent('#notice'),
      /^Not all of the link could be used: there is no setting “foo”; 3 key/,
    );
    await page.close();
  });

  test('numbers beyond the limits are clamped, and the page says so', async () => {
    const { page } = await visit(browser, site);
    await page.getByText('sizes, window, data').click();
    for (const [field, typed, used, said] of [
      [
        page.getByLabel('Temperature T, as a number').first(),
        '0',
        '0.05',
        'Temperature T: 0 is not a number from 0.05 to 20; 0.05 is used.',
      ],
      [
        page.getByLabel('query heads H'),
        '1000',
        '32',
        'query heads H: 1000 is not a whole number from 1 to 32; 32 is used.',
      ],
      [
        page.getByLabel('head size d'),
        '6.4',
        '6',
        'head size d: 6.4 is not a whole number from 1 to 256; 6 is used.',
      ],
      [
        page.getByLabel('positions n'),
        '',
        '32',
        'positions n: what was typed is not a whole number from 1 to 256; 32 is used.',
      ],
      [
        page.getByLabel('seed').first(),
        '-5',
        '0',
        'seed: -5 is not a whole number from 0 to 4294967295; 0 is used.',
      ],
    ]) {
      await field.fill(typed);
      await field.press('Enter');
      assert.equal(await field.inputValue(), used);
      assert.equal(await page.textContent('#notice p'), said);
    }
    const seed = page.getByLabel('seed').first();
    await seed.fill('4294967295');
    await seed.press('Enter');
    assert.equal(await page.textContent('#notice'), '', 'nothing remains to be said');
    assert.ok(await seed.evaluate((field) => field.scrollWidth <= field.clientWidth));
    await page.close();
  });

  test('an angle beyond a full turn is turned, typed or in a link, without a message', async () => {
    const { page } = await visit(browser, site, '#heroQ=400&heroK=-30_0_100_165_360_721');
    await page.getByText('the numbers, and angles to type').click();
    const angles = () =>
      page.$$eval('.hero-below input', (all) => all.map(({ value }) => Number(value)));
    assert.deepEqual(await angles(), [40, 330, 0, 100, 165, 360, 1]);
    for (const [typed, used] of [
      ['400', 40],
      ['-30', 330],
      ['360', 360],
    ]) {
      await page.getByLabel('key 1, degrees').fill(typed);
      await page.keyboard.press('Enter');
      assert.deepEqual(await angles(), [40, used, 0, 100, 165, 360, 1]);
    }
    assert.equal(await page.textContent('#notice'), '');
    await page.close();
  });

  test('a link to a section keeps the state and goes there', async () => {
    const { page } = await visit(browser, site, '#H=4');
    await page.getByRole('link', { name: '2 Distance' }).click();
    assert.equal(await page.evaluate(() => location.hash), '#distance?H=4');
    const there = await visit(browser, site, '#distance?H=4');
    assert.ok(
      Math.abs(
        await there.page.$eval('#distance', (section) => section.getBoundingClientRect().top),
      ) < 40,
    );
    await there.page.close();
    await page.close();
  });

  test('the theme is remembered, and repaints the maps', async () => {
    const { page } = await visit(browser, site, '', { colorScheme: 'light' });
    const paper = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const pixel = () =>
      page.$eval('.circle canvas', (canvas) => [
        ...canvas.getContext('2d').getImageData(2, 430, 1, 1).data,
      ]);
    assert.equal(await paper(), 'rgb(252, 251, 248)');
    const [light] = await pixel();
    await page.getByLabel('dark').check();
    assert.equal(await paper(), 'rgb(20, 22, 27)');
    assert.ok(light > 200 && (await pixel())[0] < 60, 'zero is the paper in either theme');
    await page.reload();
    await settled(page);
    assert.equal(await paper(), 'rgb(20, 22, 27)');
    await page.getByLabel('auto').check();
    assert.equal(await paper(), 'rgb(252, 251, 248)');
    await page.close();
  });

  test('moves once, stops at the first touch, and rests where less motion is wanted', async () => {
    const field = (page) => page.getByLabel('Temperature T, as a number').first().inputValue();
    const moving = await visit(browser, site, '', { reducedMotion: 'no-preference' });
    const seen = new Set();
    await moving.page.evaluate(() => {
      globalThis.written = 0;
      history.replaceState = () => void globalThis.written++;
    });
    for (let i = 0; i < 30 && seen.size < 3; i++) {
      seen.add(await field(moving.page));
      await moving.page.waitForTimeout(150);
    }
    assert.ok(seen.size >= 3, `T moved: ${[...seen]}`);
    const apart = await moving.page.evaluate(async () => {
      const found = [];
      const begun = performance.now();
      while (performance.now() - begun < 500) {
        await new Promise(requestAnimationFrame);
        const control = Number(
          document.querySelector('#hero .slider input[type="number"]').value,
        ).toPrecision(3);
        const said = document
          .querySelector('#hero .slider input[type="range"]')
          .getAttribute('aria-valuetext')
          .match(/T ([\d.]+);/)[1];
        const drawn = document
          .querySelector('#hero figcaption')
          .textContent.match(/at\sT\s=\s([\d.]+)\.\s/)[1];
        found.push([control, said, drawn].map(Number));
      }
      return found.filter(([control, said, drawn]) => control !== drawn || said !== drawn);
    });
    assert.deepEqual(apart, [], 'control, its words and caption are of one frame');
    await moving.page.getByLabel('Temperature T, as a number').first().focus();
    await moving.page.waitForTimeout(100);
    assert.equal(await field(moving.page), '0.22');
    await moving.page.waitForTimeout(700);
    assert.equal(await field(moving.page), '0.22');
    assert.equal(
      await moving.page.evaluate(() => globalThis.written),
      0,
      'no word of it in the address',
    );
    await moving.page.close();
    const still = await visit(browser, site);
    await still.page.waitForTimeout(1500);
    assert.equal(await field(still.page), '0.22');
    await still.page.close();
  });
});
