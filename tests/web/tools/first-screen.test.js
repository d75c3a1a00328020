/** On a laptop a panel is seen with its title: its figures, its main control and its verdict. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { becomes } from '../../support/web/becomes.js';
import { showPanel } from '../look/page.js';
import { drawn, go, launch, missing, opened } from '../site.js';

/** The most common window of a laptop. */
const LAPTOP = { width: 1366, height: 768 };
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
