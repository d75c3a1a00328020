/** The label of the bound in “Push and scale” lies across no line. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { go, launch, missing, opened } from '../site.js';

/**
 * In the page: the points of both lines that lie under the letters, in pixels of the picture. The
 * letters have 3 empty pixels above and below.
 */
function crossed() {
  const label = document.querySelector('.pushes .over-dots');
  const { x, y, width, height } = label.getBBox();
  const toLabel = label.getCTM().inverse();
  return ['.wall', '.other-bound'].flatMap((name) => {
    const line = document.querySelector(`.pushes ${name}`);
    const length = line.getTotalLength();
    return Array.from({ length: 201 }, (_, i) => line.getPointAtLength((i / 200) * length))
      .map((point) => point.matrixTransform(line.getCTM()).matrixTransform(toLabel))
      .filter((at) => at.x > x && at.x < x + width && at.y > y + 3 && at.y < y + height - 3)
      .map((at) => `${name} at ${at.x.toFixed(1)}, ${at.y.toFixed(1)}`);
  });
}

describe('the label of the bound', { skip: missing }, () => {
  for (const width of [320, 390, 1280])
    describe(`in a window of ${width}`, () => {
      let page;
      opened((visited) => ({ page } = visited), launch, {
        panels: ['push'],
        context: { viewport: { width, height: 800 } },
      });
      for (const T of [0.1, 0.15, 0.25, 1, 10])
        test(`lies across no line at T = ${T}`, async () => {
          await go(page, `#pushT=${T}`);
          assert.equal(
            await page.textContent('.pushes .over-dots'),
            `slope ${Number((1 / (2 * T)).toPrecision(3))}`,
          );
          assert.deepEqual(await page.evaluate(crossed), []);
        });
    });
});
