/** Pages: opened, waited for, and brought into a state. */

/** The page of a browser in which `inBlank` evaluates: to make one takes as long as many loads. */
const blanks = new WeakMap();

/**
 * Evaluates something in a blank page, which is loaded anew. Returns also the problems that a
 * reader would have. A page in which it fails is not used again.
 */
export async function inBlank(browser, { blank }, f, argument) {
  const page = blanks.get(browser) ?? (await browser.newPage());
  blanks.delete(browser);
  const problems = [];
  const forget = watch(page, problems);
  try {
    await page.goto(blank);
    const result = await page.evaluate(f, argument);
    blanks.set(browser, page);
    return { result, problems };
  } finally {
    forget();
    if (!blanks.has(browser)) await page.close();
  }
}

/** Firefox says so of a formula whose end has not arrived yet; page.test.js counts the parts. */
export const UNFINISHED = /^Invalid markup: Incorrect number of children for <m\w+\/> tag\./;

/** Collects what the page says that it should not have to say, until the result is called. */
function watch(page, problems) {
  const onConsole = (message) =>
    ['error', 'warning'].includes(message.type()) && problems.push(`console: ${message.text()}`);
  const onError = ({ stack }) => {
    if (!UNFINISHED.test(stack)) problems.push(`page: ${stack}`);
  };
  page.on('console', onConsole);
  page.on('pageerror', onError);
  return () => {
    page.off('console', onConsole);
    page.off('pageerror', onError);
  };
}

/**
 * Opens the page and waits until every verdict is there. `problems` collects whatever a reader
 * should never have. Motion is reduced unless a test asks for it, so that nothing moves by itself.
 */
export async function visit(browser, { origin, url }, fragment = '', context = {}) {
  const page = await browser.newPage({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    ...context,
  });
  const problems = [];
  watch(page, problems);
  page.on('requestfailed', (request) => problems.push(`failed: ${request.url()}`));
  page.on(
    'request',
    (request) =>
      /^(data|blob):/.test(request.url()) ||
      request.url().startsWith(origin) ||
      problems.push(`elsewhere: ${request.url()}`),
  );
  page.on(
    'response',
    (response) =>
      response.status() >= 400 && problems.push(`${response.status()}: ${response.url()}`),
  );
  await page.goto(`${url}?depth=doubt${fragment}`);
  await everything(page);
  return { page, problems };
}

/** Loads the page anew, in the same tab. Its settings in the browser's storage stay. */
export async function reopen(page, { url }, fragment = '') {
  // a change of the fragment alone would load nothing
  await page.goto('about:blank');
  await page.goto(`${url}?depth=doubt${fragment}`);
  await everything(page);
}

/** Builds the panels that are far away as well, as the page does for a printer. */
export async function everything(page) {
  await page.waitForFunction(() => document.documentElement.dataset.engine, null, {
    timeout: 60000,
  });
  await page.evaluate(() => {
    dispatchEvent(new Event('beforeprint'));
    dispatchEvent(new Event('afterprint'));
  });
  await settled(page);
}

/** Engine there or failed, and no picture, panel, verdict or answer of the lab outstanding. */
export async function settled(page) {
  await page.waitForFunction(
    () => {
      const { engine } = document.documentElement.dataset;
      return (
        engine === 'failed' ||
        (engine === 'ready' &&
          document.documentElement.dataset.lab !== 'busy' &&
          !('drawing' in document.documentElement.dataset) &&
          !document.querySelector('[data-verdict="waiting"], [data-panel="waiting"]'))
      );
    },
    null,
    { timeout: 60000 },
  );
}

/** Puts a state into the fragment of an open page, and waits until it is drawn. */
export async function go(page, fragment) {
  await page.evaluate((to) => {
    location.hash = to;
    // also where the address has not caught up with the reader yet
    dispatchEvent(new PopStateEvent('popstate'));
  }, fragment);
  await drawn(page);
}

/** A change is drawn in the next frame; two more are there for changes that this one requests. */
export async function drawn(page) {
  await page.evaluate(
    () =>
      new Promise((done) =>
        setTimeout(
          () =>
            requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))),
          30,
        ),
      ),
  );
  await settled(page);
}
