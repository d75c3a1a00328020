/** *reset* brings a panel back, and leaves the others as they are. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PANELS } from '../../../web/page/panels.js';
import { Store } from '../../../web/page/state.js';
import { becomes } from '../../support/web/becomes.js';
import { go, launch, missing, opened } from '../site.js';

/** Another value for each setting of these panels. */
const CHANGED = {
  'one-look': 'heroT=1&heroQ=10&heroK=10_60_110_160_210_260',
  'many-heads':
    'H=4&G=2&n=20&d=8&T=2&c=0&w=9&seed=8&src=normal&x=value&nan=3&h=1&at=2_3&rows=2_5&' +
    'bits=0123abcd',
  trust: 'trustT=2&trustV=1_1_1_1_1_1',
  commitment: 'budget=0.7',
  compromise: 'mixT=2&mix=0.2_0.2',
  distance: 'kT=1&kseed=8&nq=0&nk=0&rk=1&bare=1&e=float32&whyKey=2&whyOrder=channel',
  push: 'pushT=2',
  sharing: 'share=0.5&shareSeed=8',
  speed: 'sn=128&fusedStep=2',
  proofs: 'proofSeed=2',
  use: 'code=terminal',
};
const keysOf = (settings) => settings.split('&').map((each) => each.split('=')[0]);

test('no setting of these panels is left out', () => {
  for (const [id, settings] of Object.entries(CHANGED)) {
    const store = new Store();
    store.of(id, PANELS.find((panel) => panel.id === id).state);
    assert.deepEqual(keysOf(settings).sort(), [...store.signals.keys()].sort(), id);
  }
});

describe('reset', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), launch, { panels: Object.keys(CHANGED) });

  test('takes the settings of its panel out of the link, and no others', async () => {
    await go(page, `#${Object.values(CHANGED).join('&')}`);
    const named = () =>
      page.evaluate(() => [...new URLSearchParams(location.hash.split('?')[1]).keys()].sort());
    const rest = { ...CHANGED };
    for (const id of Object.keys(CHANGED)) {
      delete rest[id];
      await page.locator(`#${id} .tools button`, { hasText: 'reset' }).click();
      const others = Object.values(rest).flatMap(keysOf);
      await becomes(named, others.length ? [...others, 'v'].sort() : []);
    }
  });
});
