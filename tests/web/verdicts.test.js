/** The verdicts at many states, also where the reader takes an assumption away. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as oracle from '../../web/math/oracle.js';
import { STATEMENTS } from '../../src/cli/statement-list.js';
import * as roads from '../../web/math/roads.js';
import { MEANINGS, WORDS } from '../../web/page/statement.js';
import { atTheLimit } from '../../web/panels/one-look/compute.js';
import { repeats } from '../support/campaign.js';
import { becomes } from '../support/web/becomes.js';
import { startAndStop } from '../support/web/start-and-stop.js';
import { chooser } from './recompute.js';
import { BY_PANEL, DEFAULT } from './statuses.js';
import {
  drawn,
  go,
  launch,
  missing,
  opened,
  settled,
  shoot,
  statements,
  verdicts,
} from './site.js';

const STATES = repeats(40, 200);
const PANELS = [...Object.keys(BY_PANEL), 'proofs'];

describe('the verdicts', { skip: missing }, () => {
  let page;
  // a bundle would have the oracles in other lines
  opened((visited) => ({ page } = visited), launch, { panels: PANELS, modules: true });

  test('all hold at the default state', async () => {
    const found = await verdicts(page);
    assert.deepEqual(found, DEFAULT);
  });

  const HEADS = ['C2', 'C3', 'C4', 'C6', 'C7-heads', 'values'];

  test('all hold at seeded states, of 1 to 128 positions, from MHA to MQA', async () => {
    const random = chooser(2026);
    for (let state = 0; state < STATES; state++) {
      const H = random.pick([1, 2, 3, 4, 6, 8, 12, 32]);
      const G = random.pick([1, 2, 3, 4, 6, 8, 12, 32].filter((each) => H % each === 0));
      const nk = random.integer(0, 1);
      const rk = random.integer(0, 1);
      const n = random.pick([1, 2, 7, 32, 33, H < 8 ? 128 : 64]);
      const c = random.integer(0, 1);
      const w = random.pick([0, 1, 5, 256]);
      const nan = Math.min(random.pick([-1, -1, 0, 3]), n - 1);
      const positions = [...Array(n).keys()];
      const reads = (i, j) => !(c && j > i) && Math.abs(i - j) <= w;
      const lost = G === 1 && nan >= 0 && nan < n && positions.every((i) => reads(i, nan));
      // pixels are read back from the cells of the first key
      const noted = (i) => reads(i, 0) && !(G === 1 && nan >= 0 && nan < n && reads(i, nan));
      const blank = !positions.some(noted);
      const open = positions.every((i) => positions.every((j) => reads(i, j)));
      const fragment =
        '#' +
        Object.entries({
          H,
          G,
          n,
          d: random.pick([1, 2, 7, 64, 65]),
          T: random.pick([1, 1e-3, 1e3, 0, Infinity, random.factor(0.01, 100)]),
          c,
          w,
          seed: random.integer(0, 4294967295),
          src: random.pick(['patterns', 'normal']),
          x: random.pick(['linear', 'sqrt', 'log', 'uniform', 'share', 'value']),
          nan,
          kT: random.pick([1, random.factor(0.01, 100)]),
          kseed: random.integer(0, 4294967295),
          nq: random.integer(0, 1),
          nk,
          rk,
          heroT: random.factor(0.05, 20),
          heroQ: random.integer(0, 360),
        })
          .map(([name, value]) => `${name}=${value}`)
          .join('&');
      await go(page, fragment);
      for (const [name, verdict] of Object.entries(await verdicts(page))) {
        const none = name === 'C5' ? open : HEADS.includes(name) && lost;
        const off = ['C1-float64', 'C1-float32'].includes(name) && !nk && !rk;
        const unseen = name === 'seen' && blank;
        if (name === 'seen' && n > 64) continue; // cells smaller than pixels
        assert.equal(
          verdict,
          none || unseen ? 'none' : off ? 'off' : DEFAULT[name],
          `${name} at ${fragment}`,
        );
      }
    }
  });

  test('where every row is NaN, or nothing is masked, there is no ✓', async () => {
    await go(page, '#n=3&H=4&G=1&nan=0');
    const { C2, C3, C4, C5, C6 } = await statements(page);
    for (const each of [C2, C3, C4, C6])
      assert.match(each.text, /^– nothing to check .*every (row|number) is NaN/);
    assert.equal(C5.verdict, 'holds');
    await go(page, '#c=0');
    assert.match(
      (await statements(page)).C5.text,
      /^– nothing to check masked weights are exactly 0 no cell is masked/,
    );
  });

  test('an assumption taken away is “assumption off” until it is back', async () => {
    await go(page, '#');
    const C1 = async () => {
      await drawn(page);
      const { 'C1-float64': a, 'C1-float32': b, C18 } = await statements(page);
      assert.equal(C18.verdict, 'holds');
      assert.equal(a.verdict, b.verdict);
      return a;
    };
    await page.getByLabel('queries of one length').uncheck();
    assert.equal((await C1()).verdict, 'holds', 'only the keys need equal norms');
    await page.getByRole('switch', { name: 'keys of one length' }).uncheck();
    const off = await C1();
    assert.equal(off.verdict, 'off');
    assert.match(off.text, /◌ assumption off.*differ by up to (0\.\d+|1), as they should/);
    assert.ok(off.max > 1e-3);
    await shoot(page, 'assumption-off');
    await page.getByLabel('divide key length out').check();
    assert.equal((await C1()).verdict, 'holds');
    const tiles = await page.$$eval('.tile', (all) => all.map(({ dataset }) => dataset.state));
    assert.deepEqual(tiles, ['holds', 'holds', 'holds', 'holds', 'off', 'holds', 'off', 'holds']);
    await page.locator('.tile').first().click();
    await C1();
    assert.ok(await page.getByLabel('queries of one length').isChecked());
    assert.ok(
      !(await page.getByLabel('divide key length out').isChecked()),
      'a tile sets the switches',
    );
  });

  test('a caption names only parts that are there, and rounds nothing away', async () => {
    await go(page, '#n=1&H=1&G=1');
    assert.equal(await page.textContent('.machine-right .legend-extra'), '');
    const axes = await page.textContent('.pinned svg');
    assert.doesNotMatch(axes, /0\.693/, 'no scale up to log 2 where log n is 0');
    const rings = () => page.textContent('.circle figcaption');
    await go(page, '#heroT=0.22');
    assert.match(await rings(), /Dashed: σ and 2σ\./);
    await go(page, '#heroT=20');
    assert.doesNotMatch(await rings(), /Dashed/, 'both rings are outside');
    const told = await page.textContent('#one-look .hero-right .slots');
    assert.match(told, /5\.998 of 6 keys/);
    assert.doesNotMatch(told, /0\.000 nats/);
    await go(page, '#nk=0');
    assert.match(await page.textContent('#distance .map-readout'), /apart by 0\.\d+\.$/);
    await go(page, '#');
  });

  test('the oracle that is shown is the one that runs', async () => {
    await page
      .locator('#statement-C0')
      .getByRole('button', { name: 'show how it is checked' })
      .click();
    const shown = await page.locator('#oracle-C0 pre').allTextContents();
    assert.deepEqual(shown, [roads.compromise.toString(), atTheLimit.toString()]);
    for (const [name, each] of Object.entries({ ...oracle, ...roads }))
      assert.ok(each.toString().split('\n').length <= 60, `${name} fits on a screen`);
  });

  test('the line of a panel says that its checks are of its numbers', async () => {
    const line = () => page.textContent('#one-look .tick');
    await go(page, '#');
    assert.equal(await line(), '✓ these numbers pass all 4 checks');
    await go(page, '#heroT=0');
    await becomes(line, /^✓ these numbers pass 3 checks; 1 more does not apply here$/);
  });

  test('the proof sheet has all statements, and the masthead counts its verdicts', async () => {
    await go(page, '#');
    const rows = await page.$$eval('[data-proof]', (all) =>
      all.map(({ dataset }) => [Number(dataset.proof), dataset.verdict, Number(dataset.ratio)]),
    );
    assert.deepEqual(
      rows.map(([number]) => number),
      STATEMENTS.map(({ number }) => number),
    );
    for (const [number, verdict, ratio] of rows)
      assert.ok(['holds', 'slack'].includes(verdict) && ratio <= 1, `${number}: ${verdict}`);
    const all = rows.length + (await page.locator('main [data-statement]').count());
    const told = await page.textContent('#counter a');
    const words = new RegExp(`^✓ (all ${all}|\\d+) checks so far hold$`);
    assert.match(told, words);
    await page.getByRole('button', { name: 'check once, with new numbers' }).click();
    const said = `Checked with random numbers, seed 2: ✓ all ${rows.length} statements hold.`;
    await page.getByText(said).waitFor();
  });

  test('the proof sheet tells each statement in words, and explains each verdict', async () => {
    const rows = await page.$$eval('.sheet .proof-words', (all) =>
      all.map(({ textContent }) => textContent),
    );
    assert.deepEqual(
      rows,
      STATEMENTS.map(({ words }) => words.replaceAll('_', '')),
    );
    const legend = page.locator('#proofs .proof-key dl');
    assert.ok(await legend.isVisible());
    const told = await legend.evaluate((list) =>
      [...list.querySelectorAll('dt')].map((term) => [
        term.textContent,
        term.nextElementSibling.textContent,
      ]),
    );
    const lasting = Object.keys(WORDS).filter((verdict) => verdict !== 'waiting');
    const right = lasting.map((verdict) => [WORDS[verdict], MEANINGS[verdict]]);
    assert.deepEqual(told.sort(), right.sort());
  });

  const RUN = 'Checked 2 of 200 times, each time with new numbers';

  test('a run over random states stops at once, tells how far it got, begins anew', async () => {
    const panel = page.locator('#proofs-panel');
    const said = () => panel.locator('.progress').textContent();
    for (const _ of ['once', 'and again']) {
      const labels = await page.evaluate(startAndStop, {
        panel: '#proofs-panel',
        start: 'check 200 times, with new numbers',
        when: ['.progress', `^${RUN}: ✓ all \\d+ checks hold\\.$`],
      });
      assert.deepEqual(labels, ['stop', 'check 200 times, with new numbers']);
      const verdicts = 2 * STATEMENTS.length;
      const stopped = `Stopped. ${RUN}: ✓ all ${verdicts} checks hold.`;
      assert.equal(await said(), stopped);
      await settled(page);
      assert.equal(await said(), stopped, 'the state that was under way does not count');
    }
    await panel.getByRole('button', { name: 'check once, with new numbers' }).click();
    await becomes(said, /^Checked with random numbers, seed \d+: ✓ all 24 statements hold\.$/);
  });
});
