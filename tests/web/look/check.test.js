/** The checks of the look, given numbers that are wrong. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { checkBits, checkRow } from '../../../web/panels/look/check.js';
import { tellFirst } from '../../../web/panels/look/first.js';
import { bitsOf } from '../../../web/panels/look/writing/bits.js';
import { becomes } from '../../support/web/becomes.js';
import { letters } from '../../support/web/letters.js';
import { launch, missing, served } from '../site.js';
import { PANEL, verdictOf } from './page.js';

test('a wrong row, a wrong ρ and another temperature are seen', async () => {
  const engine = await init({ layers: true, variant: 'simd' });
  const model = await loadModel(letters(), { engine });
  for (const T of [0, 0.3, 1, 5, Infinity]) {
    model.cache.clear();
    model.setTemperature(T);
    const { story } = tellFirst(model, { prompt: 'once', tokens: 20 });
    const { attnScale: scale, attnSoftcap: cap } = model.config;
    const last = { layer: 3, head: 6 };
    const i = story.rows - 1;
    const rho = story.rho[(3 * 8 + 6) * story.capacity + i];
    const right = { ...model.row(3, 6, i), weights: story.row(last, i), rho, scale, cap, T };
    const verdicts = (row) => {
      const { weights, rho: budget } = checkRow({ ...right, ...row });
      return [weights.ratio <= 1, budget.measured <= budget.allowed];
    };
    assert.deepEqual(verdicts({}), [true, true], `T = ${T}`);
    assert.equal(verdicts({ weights: story.row({ layer: 3, head: 5 }, i) })[0], T === Infinity);
    assert.equal(verdicts({ rho: 1.01 * rho + 0.001 })[1], false);
    if (T > 0 && T < Infinity) assert.equal(verdicts({ T: 1.001 * T })[0], false);
  }
});

test('a surprise of another token, or of other logits, is seen', () => {
  const z = Float32Array.of(0.25, -1, 2.5, 0);
  const sum = z.reduce((total, x) => total + Math.exp(x), 0);
  const right = -Math.log2(Math.exp(z[1]) / sum);
  assert.ok(Math.abs(bitsOf(z, 1) - right) < 1e-14);
  const verdict = (bits, id = 1, logits = z) => {
    const { measured, allowed } = checkBits(bits, logits, id);
    return measured <= allowed;
  };
  assert.deepEqual(
    [verdict(right), verdict(right, 0), verdict(right + 1e-9), verdict(right * Math.LN2)],
    [true, false, false, false],
  );
  assert.equal(
    verdict(
      right,
      1,
      z.map((x) => x / 2),
    ),
    false,
    'another sampling temperature',
  );
});

describe('the verdicts of the look', { skip: missing }, () => {
  let page;
  served(
    async ({ browser, site }) => {
      page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      await page.goto(`${site.url}?depth=doubt#look?lookPrompt=once+upon+a+time`);
    },
    launch,
    { panels: ['look'] },
  );

  /** Waits for a phase of the look. */
  const reaches = (phase) =>
    page.locator(`${PANEL}[data-phase="${phase}"]`).waitFor({ timeout: 60000 });
  const press = () => page.locator(`${PANEL} button.primary`).click();
  const verdicts = () =>
    Promise.all(['look-row', 'look-budget', 'look-surprise'].map((id) => verdictOf(page, id)));
  const all = (verdict) => Array(3).fill(verdict);

  test('hold where a row rests, and nothing is compared while the model writes', async () => {
    await reaches('writing');
    assert.deepEqual(await verdicts(), all('none'), 'before the first rest');
    assert.equal(await page.textContent('#counter'), 'statements to check');
    await press();
    await becomes(verdicts, all('holds'));
    await press();
    await reaches('writing');
    assert.deepEqual(await verdicts(), all('none'), 'after a rest');
    await press();
    await becomes(verdicts, all('holds'));
  });

  test('are of the word that is pointed at, and of none at the first word', async () => {
    await page.locator(`${PANEL} .look-text`).focus();
    await page.keyboard.press('Home');
    await becomes(verdicts, all('none'));
    await page.keyboard.press('ArrowRight');
    await becomes(verdicts, all('holds'));
  });
});
