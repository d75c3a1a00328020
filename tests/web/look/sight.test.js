/** The look rests where nobody sees it, and comes back after another panel had the model. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { loadModel } from '../../../src/js/worker/client.js';
import { SharedModel } from '../../../web/page/model.js';
import { Sight } from '../../../web/panels/look/sight.js';
import { Writer } from '../../../web/panels/look/writing/writer.js';
import { sight, until } from '../../support/web/events.js';
import { letters } from '../../support/web/letters.js';

describe('the look in sight', () => {
  const see = sight();
  let model;
  before(async () => {
    const { buffer } = Uint8Array.from(letters());
    model = await loadModel(buffer, { engine: { variant: 'simd' } });
  });
  after(() => model.dispose());

  let shared;
  let writer;
  let phases;
  let waited;
  beforeEach(() => {
    shared = new SharedModel();
    shared.loading = Promise.resolve(model);
    phases = [];
    waited = 0;
    writer = new Writer(
      shared,
      { T: 1, tau: 0, seed: 1, pace: Infinity },
      {
        capacity: 96,
        tell(change) {
          if (change === 'phase') phases.push(writer.phase);
          if (change === 'phase' && writer.phase === 'idle') void own.comeBack();
        },
      },
    );
    const own = new Sight(writer, shared);
    own.follow({});
  });
  const yieldToOthers = async (count = 50) => {
    for (let i = 0; i < count; i++) await new Promise(setImmediate);
  };
  /** Until it is in a phase, or was in it since the last wait. */
  const comesTo = async (phase) => {
    await until(
      () => writer.phase === phase || phases.includes(phase, waited),
      () => `it is ${writer.phase} and not ${phase}`,
    );
    waited = phases.includes(phase, waited) ? phases.indexOf(phase, waited) + 1 : phases.length;
  };
  /** Another panel has the model, until the returned function is called. */
  const occupy = async () => {
    let free;
    await new Promise((begun) => {
      void shared.use(() => {
        begun();
        return new Promise((done) => (free = done));
      });
    });
    return free;
  };

  test('it comes back when the other panel is ready, though nobody has moved', async () => {
    writer.start('once upon');
    await comesTo('paused');
    const free = await occupy();
    await comesTo('idle');
    await yieldToOthers();
    assert.equal(writer.phase, 'idle');
    free();
    await comesTo('paused');
  });

  test('it comes back too where it was asked while its turn was ending', async () => {
    writer.start('once upon');
    await comesTo('paused');
    const begun = occupy();
    // some steps of promises, and no other event
    for (let i = 0; i < 20 && !writer.signal.aborted; i++) await null;
    assert.ok(writer.signal.aborted && writer.running);
    writer.play(false);
    (await begun)();
    await comesTo('idle');
    await comesTo('paused');
  });

  test('out of sight it stays away until it is seen, and does not write', async () => {
    writer.start('once upon');
    await comesTo('paused');
    writer.play(true);
    see(false);
    await comesTo('paused');
    const { length } = writer.story.tokens;
    (await occupy())();
    await comesTo('idle');
    await yieldToOthers();
    assert.deepEqual([writer.phase, writer.story.tokens.length], ['idle', length]);
    see(true);
    await comesTo('over');
  });

  test('it waits for one panel after another, and not for one that rests', async () => {
    writer.start('once upon');
    await comesTo('paused');
    const first = await occupy();
    await comesTo('idle');
    const second = occupy();
    first();
    const free = await second;
    await yieldToOthers();
    assert.equal(writer.phase, 'idle');
    free();
    await comesTo('paused');
    let ended;
    void shared.use((_, signal, rest) => {
      rest(true);
      return new Promise((done) => signal.addEventListener('abort', (ended = done)));
    });
    await comesTo('idle');
    await comesTo('paused');
    assert.ok(ended, 'the panel that rested has lost the model');
  });

  test('it does not ask again and again for a model that does not answer', async () => {
    writer.start('once upon');
    await comesTo('paused');
    let asked = 0;
    const use = shared.use.bind(shared);
    shared.use = () => {
      asked++;
      return Promise.reject(new Error('lost'));
    };
    await use(async () => {});
    await comesTo('idle');
    await yieldToOthers();
    assert.deepEqual([asked, writer.phase, writer.error.message], [1, 'idle', 'lost']);
  });
});
