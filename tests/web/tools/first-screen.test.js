/** A panel is seen with its title. On a laptop that is all of it, on a phone the first figure. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { becomes } from '../../support/web/becomes.js';
import { showPanel } from '../look/page.js';
import { drawn, go, launch, missing, opened } from '../site.js';

/** The most common window of a laptop. */
const LAPTOP = { width: 1366, height: 768 };
const PHONE = { width: 390, height: 844 };
const SLIDER = 'input[type=range]';
/** The figures of each panel, and its main control. */
const PARTS = {
  'one-look': [SLIDER],
  'cold-hot': [SLIDER, '.cold-bar'],
  'many-heads': [SLIDER, '.head'],
  trust: [SLIDER, '.witnesses svg'],
  commitment: [SLIDER, '.frontier svg'],
  compromise: [SLIDER, '.triangle-frame'],
  distance: [SLIDER, '.bell svg'],
  push: [SLIDER, '.pushes svg', '.fans svg'],
  sharing: [SLIDER, '.losses svg'],
  born: ['button.primary', '.look-wall', '.born-curve svg'],
  lab: ['.lab-head', '.lab-heads', '.lab-story'],
  speed: ['.controls button', 'table.speed'],
};

/** In the page: those parts of a section at the top that are cut, or that are not there. */
function outside([id, [control, ...figures]]) {
  const section = document.getElementById(id);
  section.scrollIntoView();
  const seen = (part) =>
    [...section.querySelectorAll(part)].filter((each) => each.checkVisibility());
  // some panels have more controls, for more figures below
  const parts = { [control]: seen(control).slice(0, 1) };
  for (const part of ['h2', '.tick', ...figures]) parts[part] = seen(part);
  return Object.entries(parts).flatMap(([part, all]) =>
    all.length
      ? all
          .map((each) => each.getBoundingClientRect())
          .filter(({ top, bottom }) => top < 0 || bottom > innerHeight)
          .map(({ top, bottom }) => `${part} from ${Math.round(top)} to ${Math.round(bottom)}`)
      : `${part} is missing`,
  );
}

describe('a window of 1366 by 768 pixels', { skip: missing }, () => {
  let page;
  let site;
  opened((visited) => ({ page, site } = visited), launch, { context: { viewport: LAPTOP } });

  for (const [id, parts] of Object.entries(PARTS))
    test(`${id}: title, verdict, control and figures are in one screen`, async () => {
      await page.locator('#depth-look').check();
      await go(page, `#${id}`);
      await becomes(() => page.evaluate(outside, [id, parts]), [], id);
    });

  test('words beside a figure keep their order, and nothing lies on the figure', async () => {
    const places = () =>
      page.$$eval('.beside', (all) =>
        all.map((section) => {
          const boxOf = (part) => section.querySelector(part).getBoundingClientRect();
          const words = ['h2', '.words > p:not(.kicker)', '.predict', '.tick', '.sentence'];
          const figure = boxOf('figure');
          const covers = ({ left, right, top, bottom }) =>
            left < figure.right &&
            right > figure.left &&
            top < figure.bottom &&
            bottom > figure.top;
          const others = [...words, '.controls', '.tools'];
          return {
            tops: words.map((part) => boxOf(part).top),
            covering: others.filter((part) => covers(boxOf(part))),
          };
        }),
      );
    for (const width of [1366, 1060, 390]) {
      await page.setViewportSize({ ...LAPTOP, width });
      await drawn(page);
      const found = await places();
      assert.equal(found.length, 3);
      for (const { tops, covering } of found) {
        assert.deepEqual(
          tops,
          [...tops].sort((a, b) => a - b),
        );
        assert.deepEqual(covering, [], `${width} pixels`);
      }
    }
  });

  test('an embedded panel has its figure beside its sentence, at one height', async () => {
    await page.setViewportSize(LAPTOP);
    await showPanel(page, site, 'trust');
    const [figure, words] = await page.$$eval('.figure-and-words > *', (all) =>
      all.map((each) => each.getBoundingClientRect()).map(({ top, left }) => ({ top, left })),
    );
    assert.equal(figure.top, words.top);
    assert.ok(figure.left < words.left);
  });
});

/** In the page: where the parts of a section are that a phone has in another order. */
function placesOf(id) {
  const section = document.getElementById(id);
  section.scrollIntoView();
  const boxOf = (part) => section.querySelector(part).getBoundingClientRect();
  const [first, ...others] = [
    ...section.querySelectorAll('.words > :is(p, aside, .formula):not(.kicker, .tick, .crumb)'),
  ]
    .filter((words) => words.checkVisibility())
    .map((words) => words.getBoundingClientRect());
  const ticks = [...section.querySelectorAll('.words > .tick')].filter((each) =>
    each.checkVisibility(),
  );
  return {
    title: boxOf('h2').bottom,
    first: { top: first.top, bottom: first.bottom },
    before: [boxOf('.predict'), ...ticks.map((each) => each.getBoundingClientRect())].flatMap(
      ({ top, bottom }) => [top, bottom],
    ),
    panel: { top: boxOf('.panel').top, bottom: boxOf('.panel').bottom },
    others: others.map(({ top }) => top),
  };
}

const rises = (numbers, about) =>
  assert.deepEqual(
    numbers,
    [...numbers].sort((a, b) => a - b),
    about,
  );

describe('a window of 390 by 844 pixels', { skip: missing }, () => {
  let browser;
  let page;
  let site;
  opened((visited) => ({ browser, page, site } = visited), launch, {
    context: { viewport: PHONE },
  });

  /** The tops of some parts, each of them there once. */
  const topsOf = async (...parts) => {
    const boxes = await Promise.all(parts.map((part) => page.locator(part).boundingBox()));
    return boxes.map(({ y }) => y);
  };

  for (const id of Object.keys(PARTS))
    for (const depth of ['look', 'understand'])
      test(`${id}: its figure is behind one paragraph, for readers who ${depth}`, async () => {
        await page.locator(`#depth-${depth}`).check();
        await go(page, `#${id}`);
        await page.locator(`#${id}[data-panel=ready]`).waitFor();
        const { title, first, before, panel, others } = await page.evaluate(placesOf, id);
        rises([title, first.top, first.bottom, ...before, panel.top]);
        assert.ok(panel.top < 0.75 * PHONE.height, `the figure begins at ${panel.top}`);
        assert.ok(others.length > 0);
        assert.ok(Math.min(...others) >= panel.bottom, `${others} are behind ${panel.bottom}`);
      });

  test('look: its sentence is above its words, and its board above its maps', async () => {
    await page.locator('#depth-look').check();
    const parts = ['hand', 'said', 'text', 'bar', 'board', 'names', 'wall', 'form'];
    rises(await topsOf(...parts.map((part) => `#look-panel .look-${part}`)));
    rises(await topsOf('.lead', '#look-panel', '#look .tools', '.look-reads', '#look .predict'));
  });

  test('look: its buttons stay under the finger, while words are written above them', async () => {
    const prompt = 'Ben and Ella had a cat called Pickle, and she took things. '.repeat(3).trim();
    await go(page, `#look?v=1&lookPrompt=${encodeURIComponent(prompt)}`);
    await page.getByRole('switch', { name: 'as fast as it can' }).check();
    await page.locator('#look-panel[data-phase=paused]').waitFor();
    const write = page.locator('#look-panel .look-buttons button').first();
    await write.evaluate((button) => button.scrollIntoView({ block: 'end' }));
    const [before] = await topsOf('#look-panel .look-text');
    await write.click();
    const tops = await write.evaluate(async (button) => {
      const { dataset } = document.getElementById('look-panel');
      const found = [];
      while (dataset.phase !== 'over') {
        await new Promise(requestAnimationFrame);
        found.push(button.getBoundingClientRect().top);
      }
      return found;
    });
    // a browser rounds the place of the window to whole pixels, once a line
    const [lowest, highest] = [Math.max(...tops), Math.min(...tops)];
    assert.ok(lowest - highest <= 2, `the button is at ${highest} to ${lowest}`);
    const [now] = await topsOf('#look-panel .look-text');
    assert.ok(now < before - 25, `the words begin at ${now}, and began at ${before}`);
    await go(page, '#look');
  });

  test('born: its sentence is behind its letters, and its curves are above its maps', async () => {
    const parts = ['.look-text', '.look-said', '.born-curve >> nth=0', '.look-wall', '.born-map'];
    rises(await topsOf(...parts.map((part) => `#born-panel ${part}`)));
  });

  test('look: its sentence stays in the window while a square is pressed', async () => {
    await go(page, '#look');
    await page.locator('#look-panel .look-map').last().click();
    const [said, map] = await topsOf('#look-panel .look-said', '#look-panel .look-map.chosen');
    assert.ok(said >= 0 && said < map, `the sentence is at ${said}, the square at ${map}`);
  });

  for (const width of [390, 320])
    test(`look: no word moves while a finger reads them, ${width} pixels wide`, async () => {
      await page.setViewportSize({ ...PHONE, width });
      await go(page, '#look?v=1&lookPrompt=The+surprised+grandmother+ran+to+the+greenhouse');
      await page.locator('#look-panel[data-phase=paused] .token[data-i="9"]').waitFor();
      const tops = new Set();
      for (const token of await page.locator('#look-panel .token[data-i]').all()) {
        await token.hover();
        await drawn(page);
        const [panel, text] = await topsOf('#look-panel', '#look-panel .look-text');
        tops.add(text - panel);
      }
      assert.equal(tops.size, 1, `the words are at ${[...tops]}`);
    });

  test('a panel in a frame has its figure before all words', async () => {
    await showPanel(page, site, 'cold-hot');
    const { title, first, panel } = await page.evaluate(placesOf, 'cold-hot');
    rises([title, panel.top, panel.bottom, first.top]);
  });

  test('the look in a frame has the order that it has in the page', async () => {
    await showPanel(page, site, 'look');
    await page.locator('#look-panel .tick').waitFor();
    rises(
      await topsOf('#look-title', '.look-said', '.look-text', '.look-bar', '#look-panel .tick'),
    );
  });

  test('without JavaScript words have their order, as no figure is there', async () => {
    const plain = await browser.newPage({ viewport: PHONE, javaScriptEnabled: false });
    await plain.goto(site.url);
    const tops = await plain.$$eval(
      '#one-look :is(.words > p:not([data-depth]), .predict, .plain)',
      (all) => all.map((each) => each.getBoundingClientRect().top),
    );
    assert.ok(tops.length > 5);
    rises(tops);
    await plain.close();
  });
});
