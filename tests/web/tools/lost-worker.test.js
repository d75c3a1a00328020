/** The worker of the kernels is lost while panels wait for its numbers. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { becomes } from '../../support/web/becomes.js';
import { calm, PANEL } from '../look/page.js';
import { drawn, go, launch, missing, served, statements, verdicts, visit } from '../site.js';
import { BY_PANEL } from '../statuses.js';

/** Another setting for each panel that asks the worker at each change. */
const SETTINGS = {
  'many-heads': 'n=20',
  distance: 'kT=1',
  push: 'pushT=2',
  sharing: 'share=0.5',
  speed: 'sn=128',
  proofs: 'proofSeed=2',
};
/** Statements of these panels that need no other numbers then. */
const STAY = ['why-sum', 'why-split', 'C25', 'C23', 'K2-float64', 'K2-float32', 'K3'];
/** The panel that asks when a reader has sent a row. */
const OF_ROW = 'commitment';

/** In the page: from now on the worker is lost at each request that `globalThis.losing` names. */
function losable() {
  const send = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...more) {
    const { losing } = globalThis;
    // the model has a worker of its own, whose messages name no panel
    if (!message.panel || !(losing === 'all' || losing === message.op))
      return send.call(this, message, ...more);
    setTimeout(() => this.dispatchEvent(new ErrorEvent('error', { message: 'it was lost' })));
  };
}

describe('panels whose worker is lost', { skip: missing }, () => {
  let page;
  const panels = ['look', ...Object.keys(SETTINGS), OF_ROW];
  served(
    async ({ browser, site }) => {
      ({ page } = await visit(browser, site));
      await page.evaluate(losable);
    },
    launch,
    { panels },
  );
  const lose = (op) => page.evaluate((op) => void (globalThis.losing = op), op);

  /** These statements check nothing, and say why. */
  async function givenUp(ids) {
    const all = await statements(page);
    for (const id of ids) {
      assert.equal(all[id].verdict, 'none', id);
      assert.match(all[id].text, /it did not end: it was lost/);
    }
    assert.match(await page.textContent('#notice p'), /New ones did not come: it was lost\.$/);
  }
  const idsOf = (panel) => Object.keys(BY_PANEL[panel] ?? {});
  const asked = Object.keys(SETTINGS)
    .flatMap(idsOf)
    .filter((id) => !STAY.includes(id));
  const as = (ids, verdict) => Object.fromEntries(ids.map((id) => [id, verdict]));

  test('say so at once, and go on with the next one', async () => {
    const whole = await verdicts(page);
    await lose('all');
    await go(page, `#${Object.values(SETTINGS).join('&')}`);
    await givenUp(asked);
    assert.deepEqual(await verdicts(page), { ...whole, ...as(asked, 'none') });
    const proofs = () => page.textContent('#proofs .progress');
    assert.equal(await proofs(), 'Another run was begun, but it did not end: it was lost.');
    const speed = page.locator('#speed-panel .speed-said');
    assert.equal(await speed.textContent(), 'Nothing is timed: it did not end: it was lost.');
    await lose('');
    await go(page, '#');
    assert.deepEqual(await verdicts(page), whole);
    await becomes(proofs, 'Checked with random numbers, seed 1: ✓ all 24 statements hold.');
  });

  test('say so when the check alone was lost', async () => {
    const whole = await verdicts(page);
    await lose('check');
    await go(page, '#n=20');
    await givenUp(idsOf('many-heads'));
    await lose('');
    await go(page, '#');
    assert.deepEqual(await verdicts(page), whole);
  });

  test('say so of a row that was sent, and take the next row', async () => {
    await calm(page);
    const send = async (at) => {
      await page.locator(`${PANEL} .token`).nth(at).click();
      await drawn(page);
    };
    const crowd = () => page.getAttribute('[data-statement="C13"]', 'data-verdict');
    await lose('compete');
    await send(8);
    await becomes(crowd, 'none');
    await givenUp(idsOf(OF_ROW));
    await lose('');
    await send(9);
    await becomes(crowd, 'holds');
  });
});
