/**
 * Long tasks while something is dragged, and while the model writes. A task has a time by the
 * clock, and one of the processor, which a busy machine leaves as it is.
 */

import { goTo } from './open.js';

const LONG = 50;
const MOVES = 60;
const FRAME = 16;
/** Milliseconds that something pressed may work. */
const WORK = 3000;
const TASK = /RunTask$/;
const PAGE = 'CrRendererMain';
const WORKER = 'DedicatedWorker thread';

/** Runs `act`, and tells of the tasks meanwhile. @param {() => Promise<void>} act */
async function traced(browser, page, act) {
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
  await act();
  await page.waitForTimeout(300);
  const { traceEvents } = JSON.parse(String(await browser.stopTracing()));
  const threads = new Map(
    traceEvents
      .filter(({ name }) => name === 'thread_name')
      .map(({ pid, tid, args }) => [`${pid} ${tid}`, args.name]),
  );
  const of = (thread) =>
    traceEvents.filter(
      ({ ph, name, pid, tid }) =>
        ph === 'X' && TASK.test(name) && threads.get(`${pid} ${tid}`) === thread,
    );
  const tasks = of(PAGE).map(({ dur, tdur = dur }) => [dur / 1000, tdur / 1000]);
  const sum = (thread) => of(thread).reduce((all, { dur, tdur = dur }) => all + tdur / 1000, 0);
  return {
    clock: Math.max(0, ...tasks.map(([clock]) => clock)),
    processor: Math.max(0, ...tasks.map(([, processor]) => processor)),
    over: tasks.filter(([, processor]) => processor > LONG).length,
    page: sum(PAGE),
    workers: sum(WORKER),
  };
}

/** Sliders and handles, which are dragged. */
export const GRIPS = ':is(input[type="range"], .handle)';
/** Switches, choices and buttons, which are pressed. */
export const KEYS =
  ':is(input[type="checkbox"], input[type="radio"], button, ' +
  '.look-map, .token, .map-cursor, summary)';

/**
 * In the page: numbers what matches in a panel, the sliders and switches each, of other things one
 * of a kind. Returns how many.
 */
export function number({ id, what, name }) {
  const kinds = new Map();
  // numbers from before, some of them on copies
  for (const each of document.querySelectorAll(`[data-${name}]`))
    each.removeAttribute(`data-${name}`);
  for (const each of document.querySelectorAll(`#${id}-panel ${what}`))
    if (each.checkVisibility()) {
      const kind = each.id || (each.getAttribute('class') ?? each.textContent);
      const plain = each.matches('button.quiet') ? each.textContent : kind;
      if (!kinds.has(plain)) kinds.set(plain, each);
    }
  [...kinds.values()].forEach((each, at) => each.setAttribute(`data-${name}`, `${id} ${at}`));
  return kinds.size;
}

/** In the page: a short name of something that is dragged or pressed. */
const nameOf = (element) =>
  (element.getAttribute('aria-label') || element.labels?.[0]?.textContent || element.textContent)
    .trim()
    .slice(0, 40);

/** Does something with each of them. Tells of all tasks together, and where the longest was. */
async function each(page, id, what, name, act) {
  const count = await page.evaluate(number, { id, what, name });
  const all = { count, clock: 0, processor: 0, over: 0, worst: '' };
  for (let at = 0; at < count; at++) {
    const one = page.locator(`[data-${name}="${id} ${at}"]`);
    const title = await one.evaluate(nameOf);
    const found = await act(one);
    if (found.processor > all.processor) all.worst = title;
    all.clock = Math.max(all.clock, found.clock);
    all.processor = Math.max(all.processor, found.processor);
    all.over += found.over;
  }
  return all;
}

/** Drags each slider of a panel and each kind of handle to and fro. */
export const drag = (browser, page, id) =>
  each(page, id, GRIPS, 'grip', (grip) => dragOne(browser, page, grip));

/** Presses each switch and each kind of button of a panel. */
export const press = (browser, page, id) =>
  each(page, id, KEYS, 'key', (key) => pressOne(browser, page, key));

/** Goes to a panel, and waits until it is built. */
export const build = (browser, page, id) => traced(browser, page, () => goTo(page, id));

/** Presses one of them, where it is still there, and lets it work for a while. */
async function pressOne(browser, page, key) {
  const calm = { clock: 0, processor: 0, over: 0 };
  if (!(await key.isVisible())) return calm;
  return traced(browser, page, async () => {
    await key.evaluate((element) => {
      element.scrollIntoView({ block: 'center' });
      const box = element.getBoundingClientRect();
      const place = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
      for (const kind of ['pointermove', 'pointerdown', 'pointerup'])
        element.dispatchEvent(new PointerEvent(kind, { bubbles: true, ...place }));
      element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, ...place }));
    });
    await page.waitForTimeout(WORK);
  });
}

/** Drags one of them. */
async function dragOne(browser, page, grip) {
  await grip.scrollIntoViewIfNeeded();
  await page.waitForTimeout(500);
  const box = await grip.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const far = Math.max(0.4 * box.width, 40);
  return traced(browser, page, async () => {
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let step = 0; step < MOVES; step++) {
      await page.mouse.move(x + far * Math.sin(step / 6), y);
      await page.waitForTimeout(FRAME);
    }
    await page.mouse.up();
  });
}

/** In the page: counts the tokens of all stories from now on. */
function countTokens() {
  const panel = document.getElementById('look-panel');
  let before = Number(panel.dataset.tokens);
  globalThis.written = 0;
  new MutationObserver(() => {
    const now = Number(panel.dataset.tokens);
    // a story that began again was written from its prompt on
    globalThis.written += now < before ? now : now - before;
    before = now;
  }).observe(panel, { attributeFilter: ['data-tokens'] });
}

/**
 * Lets the model write as fast as it can for a while. Tells the page's own measure, and how many
 * tokens the page and its worker write in a second of processor time.
 */
export async function write(browser, page, milliseconds) {
  await page.evaluate(() => document.getElementById('look')?.scrollIntoView());
  const fast = page.getByText('as fast as it can');
  await fast.click({ timeout: 300000 });
  const rates = [];
  await page.evaluate(countTokens);
  const found = await traced(browser, page, async () => {
    const until = Date.now() + milliseconds;
    while (Date.now() < until) {
      await goOn(page);
      await page.waitForTimeout(250);
      const said = await page.locator('.look-status').textContent();
      const rate = Number(/now: (\d+) words/.exec(said ?? '')?.[1]);
      if (rate) rates.push(rate);
    }
  });
  const written = await page.evaluate(() => globalThis.written);
  await fast.click();
  rates.sort((a, b) => a - b);
  return {
    ...found,
    median: rates[rates.length >> 1],
    best: rates.at(-1),
    ofPage: (1000 * written) / found.page,
    ofWorker: (1000 * written) / found.workers,
  };
}

/** A story that is over begins again. */
export const goOn = (page) =>
  page.evaluate(() => {
    const button = document.querySelector('.look-buttons .primary');
    if (button?.textContent?.startsWith('▶')) button.click();
  });
