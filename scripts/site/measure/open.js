/** Opens the page, and tells when it was there and when it was alive. */
import { sent } from './host.js';

/** Slow 4G, as browsers' own tools have it. */
const SLOW = { latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 };
const WINDOW = { width: 1366, height: 768 };
export const LONG_WAIT = { timeout: 300000 };

/** In the page, before all else: notes when the kernels and the look were alive. */
function watch() {
  globalThis.alive = {};
  const note = (name, there) => {
    if (there && !globalThis.alive[name]) globalThis.alive[name] = performance.now();
  };
  new MutationObserver(() => {
    note('kernels', document.documentElement.dataset.engine === 'ready');
    note('rows', document.getElementById('look-panel')?.dataset.tokens);
  }).observe(document, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['data-engine', 'data-tokens'],
  });
}

const firstPaint = (page) =>
  page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN);

/** Processor time of the page's process in milliseconds, all threads together. */
async function spent(browser) {
  const protocol = await browser.newBrowserCDPSession();
  const { processInfo } = await protocol.send('SystemInfo.getProcessInfo');
  await protocol.detach();
  const times = processInfo.filter(({ type }) => type === 'renderer').map((each) => each.cpuTime);
  return 1000 * Math.max(0, ...times);
}

/**
 * Opens the page and waits until the kernels have answered and the rows on show are the model's.
 * @param {{ slowdown?: number, slow?: boolean }} how
 */
export async function open(browser, url, { slowdown = 1, slow = false } = {}) {
  const page = await browser.newPage({ viewport: WINDOW });
  const protocol = await page.context().newCDPSession(page);
  Object.assign(sent, { page: 0, model: 0, files: 0 });
  await protocol.send('Network.enable');
  if (slow) await protocol.send('Network.emulateNetworkConditions', { offline: false, ...SLOW });
  await protocol.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  await page.addInitScript(watch);
  await page.goto(url, { waitUntil: 'commit' });
  const there = () => globalThis.alive?.kernels && globalThis.alive.rows;
  await page.waitForFunction(there, null, LONG_WAIT);
  const processor = await spent(browser);
  const alive = await page.evaluate(() => globalThis.alive);
  return { page, protocol, first: await firstPaint(page), ...alive, processor };
}

/** The first picture for a reader without JavaScript, and its bytes. */
export async function openPlain(browser, url) {
  const page = await browser.newPage({ viewport: WINDOW, javaScriptEnabled: false });
  Object.assign(sent, { page: 0, model: 0, files: 0 });
  await page.goto(url, { waitUntil: 'load' });
  const words = await page.locator('#look-panel .token').count();
  const maps = await page.locator('#look-panel .look-map').count();
  const told = { first: await firstPaint(page), words, maps, bytes: sent.page };
  await page.close();
  return told;
}

/** The panels of the page, by id. */
export const panelsOf = (page) => page.$$eval('[data-panel]', (all) => all.map(({ id }) => id));

/** Goes to a panel, as a reader does who scrolls, and waits until it is built and computed. */
export async function goTo(page, id) {
  await page.evaluate((name) => document.getElementById(name)?.scrollIntoView(), id);
  const ready = (name) =>
    document.getElementById(name)?.dataset.panel !== 'waiting' &&
    document.documentElement.dataset.lab !== 'busy';
  await page.waitForFunction(ready, id, LONG_WAIT);
}
