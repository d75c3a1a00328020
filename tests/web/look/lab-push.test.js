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

  test('makes the yellow puppet red at each strength of the slider from 0.25 to 0.75', async () => {
    const first = await story(push.value);
    assert.match(first, /ran past the window with a yellow puppet\. "Bring that back!"/);
    const expected = first.replaceAll('yellow', 'red');
    for (let step = 5; step <= 15; step++)
      assert.equal(await story(step / 20), expected, `at ${step / 20}`);
    for (const step of [4, 16]) assert.notEqual(await story(step / 20), expected);
  });
});

describe('the sentence of the push', { skip: missing }, () => {
  let page;
  opened((visited) => ({ page } = visited), undefined, { panels: ['lab'], fragment: '#lab?v=1' });

  const told = () => page.locator('#lab .look-key', { hasText: 'Push the model' }).textContent();

  test('tells of the puppet, which other changes may alter', async () => {
    await becomes(
      told,
      /From a strength of 0\.25 to 0\.75, the yellow puppet of this story becomes a red one\.$/,
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
      await becomes(told, /becomes a red one\.$/);
    }
  });
});
