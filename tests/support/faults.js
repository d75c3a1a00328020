/**
 * Rules for every refused call. A typed error names the argument, its value and the expected one.
 * Nothing has changed, the next valid call has the bits it had before, and no memory is lost.
 */
import assert from 'node:assert/strict';
import { sameArray, sameBits } from './bits.js';
import { ClearheadError } from '../../src/js/index.js';
import { random } from './random.js';

const r = random(35);
const numbers = (size) => Float32Array.from({ length: size }, () => r.normal());

/** A valid call to spoil: 2 batches, 4 heads on 2, m = 3, n = 5, d = 8, dv = 6. */
export const shape = { batch: 2, heads: 4, kvHeads: 2, headDim: 8, valueDim: 6 };
export const good = {
  q: numbers(2 * 4 * 3 * 8),
  k: numbers(2 * 2 * 5 * 8),
  v: numbers(2 * 2 * 5 * 6),
};
const want = { weights: true, scores: 'masked', lse: true, stats: true };

/**
 * An engine with a tensor and a cache in use; `refuses` checks a bad call and everything that must
 * hold after it.
 */
export function bench(ch) {
  const tensor = ch.tensor([4, 9]);
  const cache = ch.kvCache({ kvHeads: 2, headDim: 8, valueDim: 6, capacity: 12 });
  tensor.data.set(numbers(36));
  cache.append(numbers(2 * 7 * 8), numbers(2 * 7 * 6));
  const options = {
    ...shape,
    causal: true,
    offset: 2,
    mask: { data: Uint8Array.from({ length: 15 }, (_, x) => x % 4), shape: [3, 5] },
    want,
  };
  const valid = () => ({
    call: ch.attention(good.q, good.k, good.v, options),
    attend: ch.attend(good.q.subarray(0, 96), cache, { heads: 4, want }),
  });
  const expected = valid();
  const stored = {
    tensor: tensor.data.slice(),
    snapshot: cache.snapshot(),
    inputs: structuredClone(good),
  };

  /** Where the next block would be taken, and how large memory is. */
  const memoryUse = () => {
    const probe = ch.tensor([1]);
    const at = probe.data.byteOffset;
    const size = probe.data.buffer.byteLength;
    probe.dispose();
    return { at, size };
  };

  function unchanged(name) {
    sameArray(tensor.data, stored.tensor, `${name}: a tensor`);
    sameArray(cache.snapshot(), stored.snapshot, `${name}: a cache`);
    sameBits({ ...good }, stored.inputs, `${name}: the inputs`);
    sameBits(valid(), expected, `${name}: the next valid call`);
  }

  /**
   * @param {string} name of the fault
   * @param {string} codes allowed codes, separated by spaces
   * @param {string} word must be in the message: the argument
   * @param {() => unknown} call
   * @param {string} [expected] how the message goes on behind "expected"
   */
  function refuses(name, codes, word, call, expected = '') {
    let error;
    try {
      call();
    } catch (caught) {
      error = caught;
    }
    assert.ok(error, `${name}: accepted`);
    assert.ok(error instanceof ClearheadError, `${name}: ${error?.stack}`);
    assert.ok(
      codes.split(' ').includes(error.code),
      `${name}: code ${error.code}, not ${codes}: ${error.message}`,
    );
    // the subject is the spoiled argument, a member of it, or an unknown option; an OOM is about no
    // argument
    const text = word.replace(/[[\]]/g, '\\$&');
    const subject = RegExp(
      `^([\\w.]+\\.)?${text}(\\[\\d+\\]|\\.\\w+)* is |^\\w+ is given "${text}"`,
    );
    const named = error.code === 'OOM' ? error.message.includes(word) : subject.test(error.message);
    assert.ok(!word || named, `${name}: the message does not name ${word}: ${error.message}`);
    assert.ok(
      error.message.includes(expected && `expected ${expected}`),
      `${name}: expected ${expected}: ${error.message}`,
    );
    if (error.code !== 'OOM')
      assert.match(
        error.message,
        / is .*expected /s,
        `${name}: the message must say what came and what was expected: ${error.message}`,
      );
    assert.ok(error.message.length < 300, `${name}: the message dumps data`);
    unchanged(name);
  }

  /** 1000 of the same error leave memory where it was. */
  function leaksNothing(name, call) {
    const before = memoryUse();
    for (let x = 0; x < 1000; x++) assert.throws(call, ClearheadError);
    assert.deepEqual(memoryUse(), before, `${name}: memory after 1000 errors`);
  }

  return { tensor, cache, refuses, unchanged, leaksNothing, memoryUse };
}

/**
 * The list, but with elements that run `then` and answer as they should the first time, and with
 * `later` from then on.
 */
export const trapped = (list, then, later) =>
  list.reduce((trap, value, at) => {
    let asked = 0;
    return Object.defineProperty(trap, at, {
      enumerable: true,
      get: () => (then(), asked++ ? later : value),
    });
  }, []);
