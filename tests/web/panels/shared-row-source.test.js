/** When “sharing” asks the model for the layer of a row, and its words meanwhile. */
import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { SharedModel } from '../../../web/page/model.js';
import { RowBus } from '../../../web/page/row.js';
import { Source } from '../../../web/panels/sharing/source.js';
import { sight, until } from '../../support/web/events.js';
import { letters } from '../../support/web/letters.js';
import { rowOf } from '../../support/web/model-row.js';

let model;
before(async () => (model = await loadModel(letters(), { engine: await init({ layers: true }) })));

const WAITING = /^Not the row, since its keys are on their way\. This is an example\.$/;

const rowAt = (length) => rowOf(model, { layer: 2, head: 5, length, T: 2 });

/** The model of the page, which is here already. */
class Here extends SharedModel {
  loadOwn() {
    this.show(undefined, 'stories');
    return Promise.resolve(model);
  }
}

describe('the source of the looks', () => {
  sight();
  let shared;
  let bus;
  let source;
  /** Until it has a layer, or a reason that is not about waiting. */
  const settled = () => until(() => source.layer || !WAITING.test(source.unfit.value));
  beforeEach(() => {
    shared = new Here();
    bus = new RowBus();
    source = new Source(bus, shared);
    source.on(() => source.drawn(source.layer));
    source.follow({});
  });

  test('is the example until a row comes, and after it has gone', async () => {
    assert.equal(source.layer, undefined);
    assert.equal(source.unfit.value, '');
    bus.set(await rowAt(6));
    assert.match(source.unfit.value, WAITING);
    await settled();
    assert.equal(source.layer.row.position, 5);
    assert.equal(source.unfit.value, '');
    bus.set(undefined);
    assert.equal(source.layer, undefined);
  });

  test('waits for a figure before it says that the row is on show', async () => {
    source.listeners.clear();
    bus.set(await rowAt(6));
    await settled();
    assert.match(source.unfit.value, WAITING);
    source.drawn(undefined);
    assert.match(source.unfit.value, WAITING);
    source.drawn(source.layer);
    assert.equal(source.unfit.value, '');
  });

  test('keeps the row before until the next one is drawn, and says so', async () => {
    bus.set(await rowAt(6));
    await settled();
    const before = source.layer;
    let answer;
    const use = shared.use.bind(shared);
    shared.use = async (run) => {
      await new Promise((resolve) => (answer = resolve));
      return use(run);
    };
    const next = await rowAt(9);
    bus.set(next);
    const waiting = 'Not the row, since its keys are on their way. This is the row before.';
    assert.equal(source.unfit.value, waiting);
    source.drawn(before); // another setting of the panel
    assert.deepEqual([source.layer, source.unfit.value], [before, waiting]);
    source.lost(before);
    assert.equal(source.unfit.value, waiting);
    answer();
    await until(() => source.layer !== before);
    assert.deepEqual([source.layer.row.position, source.unfit.value], [8, '']);
    source.lost(source.layer);
    assert.match(source.unfit.value, /since its bounds did not come/);
  });

  test('asks again when the panel that took the model has done its work', async () => {
    let free;
    let begun;
    const once = new Promise((resolve) => (begun = resolve));
    const use = shared.use.bind(shared);
    shared.use = (run) => {
      shared.use = use;
      const asked = use(async (remote, signal) => {
        void use(() => new Promise((resolve) => (free = resolve)));
        begun();
        while (!signal.aborted) await new Promise(setImmediate);
        return run(remote, signal);
      });
      return asked;
    };
    bus.set(await rowAt(6));
    await once;
    await until(() => /another panel has the model/.test(source.unfit.value) && free);
    assert.equal(source.layer, undefined);
    free();
    await until(() => source.layer);
    assert.equal(source.layer.row.position, 5);
  });

  test('says that the model failed, and asks again when it is there', async () => {
    const row = await rowAt(6);
    shared.use = () => Promise.reject(new Error('out of memory'));
    bus.set(row);
    await settled();
    assert.match(source.unfit.value, /since the model did not answer: out of memory\. This is an/);
    delete shared.use;
    shared.show(undefined, 'stories');
    await settled();
    assert.equal(source.layer.row.position, 5);
  });

  test('leaves a layer of a model that was replaced', async () => {
    bus.set(await rowAt(6));
    await settled();
    assert.ok(source.layer);
    shared.show(new Blob(), 'mine.gguf');
    assert.equal(source.layer, undefined);
    assert.match(source.unfit.value, /since it is of another model\. This is an example\.$/);
  });

  test('shows no row without a temperature that has bounds', async () => {
    for (const temperature of [0, Infinity]) {
      bus.set({ ...(await rowAt(6)), temperature });
      assert.equal(source.layer, undefined);
      assert.match(source.unfit.value, /between 0 and ∞/);
    }
  });
});
