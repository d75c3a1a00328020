/** The push that the lab begins with: it brings the thing that it names, in the page’s model. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { Store } from '../../../web/page/state.js';
import { change, NONE, tell } from '../../../web/panels/lab/compute.js';
import { difference } from '../../../web/panels/lab/push.js';
import { LENGTH } from '../../../web/panels/lab/session.js';
import { state } from '../../../web/panels/lab/state.js';
import { becomes } from '../../support/web/becomes.js';
import { MODEL_FILE } from '../../support/web/letters.js';
import { go, missing, opened } from '../site.js';

describe('the first push', () => {
  let model;
  let add;
  const { prompt, from, towards, pushLayer, push } = state(new Store());
  before(async () => {
    const file = await readFile(new URL(`../../../web/${MODEL_FILE}`, import.meta.url));
    model = await loadModel(new Uint8Array(file), { engine: await init({ layers: true }) });
    await change(model, NONE);
    add = await difference(model, towards.value, from.value, pushLayer.value);
  });

  const story = async (gain) => {
    await change(model, gain ? { ...NONE, push: { layer: pushLayer.value, add, gain } } : NONE);
    const ids = model.tokenizer.encode(prompt.value).map((id) => ({ id, text: '' }));
    const told = await tell(model, new AbortController().signal, ids, LENGTH);
    return told.map(({ text }) => text).join('');
  };

  test('makes the blue kite yellow at each strength of the slider from 0.25 to 0.45', async () => {
    const first = await story(push.value);
    assert.match(first, /ran past the window with a blue kite\. "Bring that back!"/);
    const begins = first.slice(0, first.indexOf('Pickle ran faster.'));
    assert.ok(begins.length > 80, first);
    for (let step = 1; step <= 9; step++) {
      const told = await story(step / 20);
      const expected = step < 5 ? begins : begins.replace('blue', 'yellow');
      assert.equal(told.slice(0, expected.length), expected, `at ${step / 20}`);
      if (step >= 5) assert.ok(!told.includes('blue'), `at ${step / 20}: ${told}`);
    }
  });
});

describe('the sentence of the push', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), undefined, { panels: ['lab'], fragment: '#lab?v=1' });

  const told = () => page.locator('#lab .look-key', { hasText: 'Push the model' }).textContent();

  test('tells of the kite, which other changes may alter', async () => {
    await becomes(
      told,
      /From a strength of 0\.25 to 0\.45, the blue kite of this story becomes a yellow one\.$/,
    );
    for (const change of [
      'labShuffle=1',
      'labHeads=2.5',
      'labHidden=2',
      'labHeads=2.5&labHow=blind',
    ]) {
      await go(page, `#lab?v=1&${change}`);
      await becomes(told, /A strong push can break its words\.$/);
      await go(page, '#lab?v=1');
      await becomes(told, /becomes a yellow one\.$/);
    }
  });
});
