/** The row of the model in “sharing”: its head goes to the mean of all keys of its layer. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { becomes } from '../../support/web/becomes.js';
import { letters } from '../../support/web/letters.js';
import { attentionWeights } from '../recompute.js';
import { close, drawn, everything, launch, missing, served, verdicts } from '../site.js';
import { drawn as framed, openLook, PANEL, shown } from '../look/page.js';

const TEXT = 'abcdefghijklm';
const AT = 9;
const DEFAULT_PART = 0.25;

/** The changes of a head's queries up to one, in this test's own float64. */
async function changes({ layer, head, part, T }) {
  const model = await loadModel(letters(), {
    engine: await init({ layers: true, variant: 'simd' }),
  });
  model.setTemperature(T);
  await model.prefill(model.tokenizer.encode(TEXT).slice(0, AT + 1));
  const { heads, kvHeads, headDim } = model.config;
  const sets = Array.from(
    { length: kvHeads },
    (_, g) => model.row(layer, (g * heads) / kvHeads, AT).k,
  );
  const own = sets[Math.floor((head * kvHeads) / heads)];
  const keysAt = (share) =>
    Array.from({ length: AT + 1 }, (_, j) =>
      Array.from({ length: headDim }, (_, c) => {
        const at = j * headDim + c;
        const mean = sets.reduce((sum, set) => sum + set[at], 0) / kvHeads;
        return own[at] + share * (mean - own[at]);
      }),
    );
  const before = keysAt(0);
  const after = keysAt(part);
  return Array.from({ length: AT + 1 }, (_, i) => {
    const q = Array.from(model.row(layer, head, i).q);
    const weightsOf = (keys) => attentionWeights(q, keys.slice(0, i + 1), T).weights;
    const others = weightsOf(after);
    return Math.hypot(...weightsOf(before).map((p, j) => p - others[j]));
  });
}

describe('shared keys of a row', { skip: missing }, () => {
  let browser;
  let site;
  served((started) => ({ browser, site } = started), launch, { panels: ['look', 'sharing'] });

  const crumb = (page) => page.textContent('#sharing .crumb');
  const told = (page) => page.textContent('#sharing .sentence');
  /** The numbers that a JSON file would have. */
  async function numbers(page) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('#sharing .tools button', { hasText: 'JSON' }).click(),
    ]);
    const text = [];
    for await (const chunk of await download.createReadStream()) text.push(chunk);
    return JSON.parse(Buffer.concat(text)).shown;
  }
  async function lock(page) {
    await page.locator(`${PANEL} .token`).nth(AT).click();
    await page.mouse.move(2, 2);
    await framed(page);
    // the model is asked when a reader looks
    await page.locator('#sharing figure').first().scrollIntoViewIfNeeded();
  }

  test('its looks change as float64 says, within each bound', async () => {
    const { page } = await openLook(browser, site, `#look?lookPrompt=${TEXT}`);
    await everything(page);
    assert.match(await told(page), /^A head goes 25 % of the way .* three others/);
    await lock(page);
    await becomes(async () => /^Head \d/.test(await told(page)), true);
    await drawn(page);
    assert.match(await crumb(page), /^The row: layer/);
    const { layer, head } = await shown(page);
    assert.match(
      await told(page),
      new RegExp(`^Head ${layer}\\.${head} goes 25 % .* Of its last ${AT + 1} looks none`),
    );
    const expected = await changes({ layer, head, part: DEFAULT_PART, T: 1 });
    const { measured, bounds, ids, ...of } = await numbers(page);
    assert.deepEqual([of.layer, of.head, of.position, of.T], [layer, head, AT, 1]);
    assert.equal(ids.length, AT + 1);
    assert.equal(measured.weights2.length, AT + 1);
    measured.weights2.forEach((change, i) => close(change, expected[i], 0, `query ${i}`, 1e-12));
    assert.ok(Math.max(...expected) > 1e-3);
    for (const { values } of [bounds.sharp, bounds.note, bounds.operator])
      expected.forEach((change, i) => assert.ok(change <= values[i] + 1e-12));
    const verdict = await verdicts(page);
    for (const [name, state] of Object.entries(verdict))
      if (name.startsWith('C22')) assert.match(state, /^(slack|vacuous|holds)$/, name);
    assert.equal(verdict['C22-oracle'], 'holds');
    // the ring is around the row's own query, by its change
    const rank = expected.filter((change) => change < expected[AT]).length;
    const rings = await page.$$eval('#sharing .lost-row', (all) =>
      all.map((one) => one.cx.baseVal.value),
    );
    const dots = await page.$eval('#sharing .lost', (path) =>
      [...path.getAttribute('d').matchAll(/M([\d.]+),/g)].map(([, x]) => Number(x)),
    );
    assert.equal(rings.length, 1);
    close(rings[0], dots[rank], 0, 'the ring', 0.01);
    await page.locator('#sharing .crumb button').click();
    await becomes(async () => /^A head goes/.test(await told(page)), true);
    assert.equal(await page.locator('#sharing .lost-row').count(), 0);
    await page.close();
  });

  test('a row without a temperature that has bounds is not shown, with the reason', async () => {
    const { page } = await openLook(browser, site, `#look?lookPrompt=${TEXT}&lookT=0`);
    await everything(page);
    await lock(page);
    await becomes(
      () => crumb(page),
      'Not the row, since the bounds need a T between 0 and ∞. This is an example.',
    );
    assert.match(await told(page), /^A head goes/);
    await page.close();
  });
});
