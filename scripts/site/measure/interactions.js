/** Drags and presses everything on the page, panel by panel, with the mouse. */
import { LONG_WAIT, panelsOf } from './open.js';
import { GRIPS, KEYS, number } from './tasks.js';

const STEPS = 8;
/** Milliseconds after which a click on something that is covered or gone is given up. */
const PATIENCE = 5000;

/** Goes to a panel, and waits until it is built. Some are busy for long, as a reader wants it. */
async function goTo(page, id) {
  await page.evaluate((name) => document.getElementById(name)?.scrollIntoView(), id);
  const built = (name) => document.getElementById(name)?.dataset.panel !== 'waiting';
  await page.waitForFunction(built, id, LONG_WAIT);
}

/** Things that a panel has now, as selectors. */
async function thingsOf(page, id) {
  const found = [];
  for (const [name, what] of Object.entries({ grip: GRIPS, key: KEYS })) {
    const count = await page.evaluate(number, { id, what, name });
    for (let at = 0; at < count; at++) found.push({ name, at: `[data-${name}="${id} ${at}"]` });
  }
  return found;
}

/** Drags something to and fro. */
async function drag(page, thing) {
  await thing.scrollIntoViewIfNeeded({ timeout: PATIENCE });
  const { x, y, width, height } = await thing.boundingBox();
  const far = Math.max(0.3 * width, 30);
  const [left, top] = [x + width / 2, y + height / 2];
  await page.mouse.move(left, top);
  await page.mouse.down();
  for (let step = 1; step <= STEPS; step++)
    await page.mouse.move(left + far * Math.sin(step), top + step);
  await page.mouse.up();
}

/** One of them. Tells whether the page had it, and could be reached. */
async function touch(page, { name, at }) {
  // a panel may have copied it since
  const thing = page.locator(at).first();
  if (!(await thing.isVisible())) return false;
  try {
    await (name === 'grip' ? drag(page, thing) : thing.click({ timeout: PATIENCE }));
    return true;
  } catch {
    return false;
  }
}

/** All panels as they were at first. */
async function reset(page, ids) {
  for (const id of ids) {
    await goTo(page, id);
    await page.locator(`#${id} .tools button`, { hasText: 'reset' }).click(LONG_WAIT);
  }
  const calm = () => {
    const { lab, drawing } = document.documentElement.dataset;
    return lab !== 'busy' && drawing === undefined;
  };
  await page.waitForFunction(calm, null, LONG_WAIT);
  await page.waitForTimeout(PATIENCE);
}

/**
 * Interacts so often, and then sets all panels back.
 * @param {number} count
 * @returns {Promise<number>} how many were given up, because something covered the thing
 */
export async function interact(page, count) {
  const ids = await panelsOf(page);
  let done = 0;
  let missed = 0;
  while (done < count) {
    const before = done;
    for (const id of ids) {
      await goTo(page, id);
      for (const thing of await thingsOf(page, id)) {
        if (done >= count) break;
        if (await touch(page, thing)) done++;
        else missed++;
      }
    }
    if (done === before) throw new Error('nothing on the page could be dragged or pressed');
  }
  await reset(page, ids);
  return missed;
}
