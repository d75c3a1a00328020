/** A locked row is sent once, however often the story is read again. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { loadModel } from '../../../src/js/worker/client.js';
import { SharedModel } from '../../../web/page/model.js';
import { Checking } from '../../../web/panels/look/checking.js';
import { Writer } from '../../../web/panels/look/writing/writer.js';
import { until } from '../../support/web/events.js';
import { letters } from '../../support/web/letters.js';

let model;
before(async () => {
  const { buffer } = Uint8Array.from(letters());
  model = await loadModel(buffer, { engine: { variant: 'simd' } });
});
after(() => model.dispose());

/** The look's checks of a word, the rows that they send, and a wait for one more comparison. */
function checked(shared, selection) {
  let checks = 0;
  const check = ({ scores }) => {
    checks++;
    return scores;
  };
  const said = { unchecked() {}, check, checkSurprise() {} };
  const sent = [];
  const writer = new Writer(
    shared,
    { T: 1, tau: 0, seed: 1, pace: Infinity },
    {
      capacity: 96,
      tell(change) {
        if (change === 'text' || change === 'rows') checking.changes++;
      },
    },
  );
  const checking = new Checking({ writer, model: shared, said, selection }, (row) =>
    sent.push(row),
  );
  async function compared() {
    const before = checks;
    await until(
      () => {
        checking.check();
        return checks > before;
      },
      () => 'the row was not compared',
    );
    await new Promise(setImmediate);
  }
  return { writer, sent, compared };
}

test('a locked row is sent again only when it has changed or was released', async () => {
  const shared = new SharedModel();
  shared.loading = Promise.resolve(model);
  const at = { value: 3 };
  const selection = { head: { layer: 1, head: 2 }, word: 3, state: { at } };
  const { writer, sent, compared } = checked(shared, selection);
  writer.start('once upon');
  await compared();
  assert.equal(sent.length, 1);
  assert.deepEqual([sent[0].layer, sent[0].head, sent[0].position], [1, 2, 3]);

  await shared.use(async () => {});
  writer.go();
  await compared();
  assert.equal(sent.length, 1, 'the story was read again');

  at.value = -1;
  await compared();
  at.value = 3;
  await compared();
  assert.equal(sent.length, 2, 'released and locked again');

  writer.set({ T: 2 });
  while (sent.length < 3) await compared();
  assert.equal(sent[2].temperature, 2);
  await shared.use(async () => {});
});
