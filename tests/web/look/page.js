/** The look as tests see it: how it is waited for, and its state in numbers. */
import { UNFINISHED } from '../site.js';

export const PANEL = '#look-panel';

/** Until the model has read everything and waits. */
export const calm = (page) =>
  page.waitForFunction(
    (panel) => ['paused', 'over'].includes(document.querySelector(panel).dataset.phase),
    PANEL,
    { timeout: 60000 },
  );

/** Until everything that was asked for is drawn, and the row on show is compared. */
export const drawn = (page) =>
  page.evaluate(async (panel) => {
    const frame = () => new Promise(requestAnimationFrame);
    await frame();
    do await frame();
    while (
      'drawing' in document.documentElement.dataset ||
      document.querySelector(`${panel} [data-verdict="waiting"]`)
    );
  }, PANEL);

/** The state of the panel in numbers. */
export const shown = (page) =>
  page.evaluate((panel) => {
    const root = document.querySelector(panel);
    const text = root.querySelector('.look-text');
    const [layer, head] = root
      .querySelector('.look-map.chosen')
      .getAttribute('aria-label')
      .match(/\d+/g)
      .map(Number);
    return {
      text: text.textContent,
      at: Number(text.getAttribute('aria-valuenow')),
      said: root.querySelector('.look-said').textContent,
      weights: [...root.querySelectorAll('.token')].map(({ dataset }) => Number(dataset.weight)),
      surprise: [...root.querySelectorAll('.look-surprise [data-value]')].map(({ dataset }) =>
        Number(dataset.value),
      ),
      largest: Number(root.querySelector('.look-said [data-value]')?.dataset.value),
      board: [...root.querySelectorAll('.look-cell')].map(({ dataset }) => Number(dataset.value)),
      layer,
      head,
    };
  }, PANEL);

/**
 * Opens the page where the look is, without the panels that are far away. Nothing writes by itself.
 * `problems` collects the errors of the page.
 */
export async function openLook(browser, site, fragment = '', context = {}) {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    ...context,
  });
  const problems = [];
  page.on('pageerror', ({ stack }) => {
    if (!UNFINISHED.test(stack)) problems.push(stack);
  });
  await loadLook(page, site, fragment);
  return { page, problems };
}

/** Loads the page with the look into a tab. */
export async function loadLook(page, { url }, fragment) {
  // a change of the fragment alone would load nothing
  await page.goto('about:blank');
  await page.goto(`${url}?depth=doubt${fragment}`);
  await calm(page);
  await drawn(page);
}

/** An empty tab for `showPanel`. */
export async function tallTab(browser) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
  page.setDefaultTimeout(120000);
  return page;
}

/** Loads a page with one panel into a tab, and waits until it is ready. */
export async function showPanel(page, site, id) {
  // a change of the fragment alone would load nothing
  await page.goto('about:blank');
  await page.goto(`${site.url}?embed=${id}`);
  await page.locator(`#${id}[data-panel="ready"]`).waitFor();
}

/** A page with one panel, which is ready. */
export async function singlePanel(browser, site, id) {
  const page = await tallTab(browser);
  await showPanel(page, site, id);
  return page;
}

/** The lab, as soon as it has told its story. */
export async function labPanel(browser, site) {
  const page = await singlePanel(browser, site, 'lab');
  await page.locator('#lab-panel[data-told="true"]').waitFor();
  return page;
}

export const verdictOf = (page, name) =>
  page.locator(`[data-statement="${name}"]`).getAttribute('data-verdict');

/** Until a statement holds and the numbers that it is about are drawn, which is a frame later. */
export async function holds(page, name) {
  const statement = page.locator(`[data-statement="${name}"][data-verdict="holds"]`);
  await statement.waitFor({ state: 'attached' });
  await page.waitForFunction(() => !('drawing' in document.documentElement.dataset));
}

/** Gives files to an input, each with a name and its text or bytes. */
export const giveFiles = (input, files) =>
  input.setInputFiles(
    files.map(([name, content]) => ({
      name,
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(content),
    })),
  );
