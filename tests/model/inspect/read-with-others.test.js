/** The lens and the ledger are of positions that were read with the interventions of now. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { sameArray } from '../../support/bits.js';
import { tokensOf } from '../../support/models/differences.js';
import { engines } from '../../support/models/engines.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';

const source = tiny(configs['llama, tied, grouped']);
const ids = tokensOf(71, 6, 64);
const ABLATED = [{ layer: 0, head: 1, gain: 0 }];

for (const { variant, ch: engine } of engines)
  describe(`${variant} kernels`, () => {
    const load = () => loadModel(asSafetensors(source), { engine });

    /** Whether lens and ledger of a position are those of `logits`, or refused. */
    async function looks(model, position, logits) {
      const { vocab } = model.config;
      sameArray((await model.lens(position)).logits.slice(-vocab), logits, `lens at ${position}`);
      const { identity } = await model.ledger(position, 7);
      assert.deepEqual([identity.left, identity.holds], [logits[7], true]);
    }
    async function refuses(model, position) {
      const refused = {
        code: 'ARG',
        message:
          `position is ${position}, which was read with other interventions; ` +
          'expected it read again with those of now: clear the cache first',
      };
      await assert.rejects(model.lens(position), refused);
      await assert.rejects(model.ledger(position, 7), refused);
      await assert.rejects(model.ledger(position, [7, 8], { sources: true }), refused);
    }

    test('after another list a position is refused until it is read again', async () => {
      const model = await load();
      const plain = model.prefill(ids).logits;
      for (const change of [ABLATED, [{ layer: 2, temperature: 2 }]]) {
        model.intervene(change);
        await refuses(model, 5);
        await refuses(model, 0);
        // the same list in other words
        model.intervene([{ layer: 1, gain: 1 }]);
        await looks(model, 5, plain);
        model.intervene(change);
        model.cache.clear();
        await looks(model, 5, model.prefill(ids).logits);
        model.intervene([]);
        await refuses(model, 5);
        model.cache.clear();
        model.prefill(ids);
      }
      model.setTemperature(0.5, 1, 0);
      await refuses(model, 3);
      model.dispose();
    });

    test('a change in a text leaves each position to its own list', async () => {
      const model = await load();
      const plain = model.prefill(ids).logits;
      model.intervene(ABLATED);
      const changed = model.step(9).logits;
      await looks(model, 6, changed);
      await refuses(model, 5);
      model.intervene([]);
      await looks(model, 5, plain);
      await refuses(model, 6);
      const after = model.step(3).logits;
      await looks(model, 7, after);
      model.cache.truncate(6);
      await looks(model, 5, plain);
      // behind the cut the list is that of now again
      await looks(model, 6, model.step(9).logits);
      model.dispose();
    });

    test('means that the list asks for are those that the position was read with', async () => {
      const model = await load();
      model.intervene([{ layer: 1, head: 0, gain: 'mean' }]);
      await looks(model, 5, model.prefill(ids).logits);
      model.dispose();
    });

    test('a snapshot knows the list of its beginning alone', async () => {
      const [model, other] = [await load(), await load()];
      model.intervene(ABLATED);
      const begun = model.prefill(ids).logits;
      model.intervene([]);
      model.step(4);
      other.cache.restore(model.cache.snapshot());
      for (const list of [[], ABLATED]) {
        other.intervene(list);
        await refuses(other, 6);
      }
      await looks(other, 5, begun);
      other.cache.restore({ ...other.cache.snapshot() });
      await looks(other, 5, begun);
      // a sweep borrows the cache and puts it back
      await other.sweep(ids);
      await looks(other, 5, begun);
      await refuses(other, 6);
      other.cache.clear();
      other.cache.restore(other.cache.snapshot());
      assert.equal(other.cache.length, 0);
      await looks(other, 5, other.prefill(ids).logits);
      for (const each of [model, other]) each.dispose();
    });
  });
