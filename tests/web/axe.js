/** The findings of axe in the whole page, with every panel built and everything opened. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Each as its impact, its rule and the elements. */
export async function findings(page) {
  // these three begin when somebody looks
  for (const [panel, there] of [
    ['cold-hot', '.cold-bar'],
    ['born', '#born-panel[data-step="0"]'],
    ['lab', '#lab-panel[data-told="true"]'],
  ]) {
    await page.locator(`#${panel}`).scrollIntoViewIfNeeded();
    await page.locator(there).first().waitFor();
  }
  // while numbers are on their way the old ones are grey: they are not to be read
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
  await page.evaluate(() => {
    for (const each of document.querySelectorAll('details')) each.open = true;
  });
  await page.evaluate(source);
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, {
      resultTypes: ['violations'],
      // the sheets of other sites, of which the page has none
      preload: false,
    });
    return violations.map(
      ({ impact, id, nodes }) => `${impact} ${id}: ${nodes.map(({ html }) => html).join(' ')}`,
    );
  });
}
