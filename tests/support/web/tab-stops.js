/** Where Tab stops on a page, and the controls that it should stop at. */

/** More presses than a page has stops. */
const PRESSES = 500;

/**
 * Presses Tab from the top of the page until it leaves the page or comes back to an element.
 * @returns {Promise<{ tag: string, name: string, kind: string, visible: boolean }[]>} the elements
 *   in order; `visible` says that the focus can be seen
 */
export async function tabStops(page) {
  await page.evaluate(() => {
    scrollTo(0, 0);
    document.body.focus();
  });
  const stops = [];
  while (stops.length < PRESSES) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(focused);
    if (!stop) break;
    stops.push(stop);
  }
  return stops;
}

/** In the page: the element with the focus, if it has it for the first time. */
function focused() {
  const element = document.activeElement;
  if (!element || element === document.body || element.dataset.visited) return null;
  element.dataset.visited = '1';
  const name =
    element.getAttribute('aria-label') || element.labels?.[0]?.textContent || element.textContent;
  const next = element.nextElementSibling && getComputedStyle(element.nextElementSibling);
  const inner = element.querySelector?.('.dot, rect');
  const visible =
    getComputedStyle(element).outlineStyle !== 'none' ||
    (next && next.outlineStyle !== 'none') ||
    (inner && getComputedStyle(inner).strokeWidth === '4px');
  return {
    tag: element.tagName,
    name: name?.trim() ?? '',
    kind: element.getAttribute('class') ?? '',
    visible: Boolean(visible),
  };
}

/** How many controls a page shows. Of a row of heads or words one counts, as it is one stop. */
export const controls = (page) =>
  page.$$eval(
    'a, button, input, summary, [tabindex="0"]',
    (all) =>
      all.filter(
        (each) =>
          each.checkVisibility() &&
          !each.closest('[hidden]') &&
          each.type !== 'radio' &&
          each.tabIndex >= 0 &&
          !each.disabled,
      ).length,
  );
