/** The look rests where nobody sees it, and comes back after another panel had the model. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { loadModel } from '../../../src/js/worker/client.js';
import { SharedModel } from '../../../web/page/model.js';
import { Sight } from '../../../web/panels/look/sight.js';
import { Writer } from '../../../web/panels/look/writing/writer.js';
import { letters } from '../../support/web/letters.js';

/** Turns of the event loop after which a phase will not come any more. */
const PATIENCE = 1e7;

describe('the look in sight', () => {
  const { IntersectionObserver } = globalThis;
  let model;
  let see;
  before(async () => {
    const { buffer } = Uint8Array.from(letters());
    model = await loadModel(buffer, { engine: { variant: 'simd' } });
    globalThis.IntersectionObserver = class {
      constructor(tell) {
        see = (isIntersecting) => tell([{ isIntersecting }]);
      }
      observe() {}
    };
  });
  after(() => {
    globalThis.IntersectionObserver = IntersectionObserver;
    model.dispose();
  });

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
          if (change === 'phase' && writer.phase === 'idle') void sight.comeBack();
        },
      },
    );
    const sight = new Sight(writer, shared);
    sight.follow({});
    see(true);
  });
  const yieldToOthers = async (count = 50) => {
    for (let i = 0; i < count; i++) await new Promise(setImmediate);
  };
  /** Until it is in a phase, or was in it since the last wait. */
  const until = async (phase) => {
    for (let i = 0; writer.phase !== phase && !phases.includes(phase, waited); i++) {
      assert.ok(i < PATIENCE, `it is ${writer.phase} and not ${phase}`);
      await new Promise(setImmediate);
    }
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
    await until('paused');
    const free = await occupy();
    await until('idle');
    await yieldToOthers();
    assert.equal(writer.phase, 'idle');
    free();
    await until('paused');
  });

  test('it comes back too where it was asked while its turn was ending', async () => {
    writer.start('once upon');
    await until('paused');
    const begun = occupy();
    // some steps of promises, and no other event
    for (let i = 0; i < 20 && !writer.signal.aborted; i++) await null;
    assert.ok(writer.signal.aborted && writer.running);
    writer.play(false);
    (await begun)();
    await until('idle');
    await until('paused');
  });

  test('out of sight it stays away until it is seen, and does not write', async () => {
    writer.start('once upon');
    await until('paused');
    writer.play(true);
    see(false);
    await until('paused');
    const { length } = writer.story.tokens;
    (await occupy())();
    await until('idle');
    await yieldToOthers();
    assert.deepEqual([writer.phase, writer.story.tokens.length], ['idle', length]);
    see(true);
    await until('over');
  });

  test('it waits for one panel after another, and not for one that rests', async () => {
    writer.start('once upon');
    await until('paused');
    const first = await occupy();
    await until('idle');
    const second = occupy();
    first();
    const free = await second;
    await yieldToOthers();
    assert.equal(writer.phase, 'idle');
    free();
    await until('paused');
    let ended;
    void shared.use((_, signal, rest) => {
      rest(true);
      return new Promise((done) => signal.addEventListener('abort', (ended = done)));
    });
    await until('idle');
    await until('paused');
    assert.ok(ended, 'the panel that rested has lost the model');
  });

  test('it does not ask again and again for a model that does not answer', async () => {
    writer.start('once upon');
    await until('paused');
    let asked = 0;
    const use = shared.use.bind(shared);
    shared.use = () => {
      asked++;
      return Promise.reject(new Error('lost'));
    };
    await use(async () => {});
    await until('idle');
    await yieldToOthers();
    assert.deepEqual([asked, writer.phase, writer.error.message], [1, 'idle', 'lost']);
  });
});
