/** Large JSON is parsed in steps. The values and the refusals are those of JSON.parse. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runAtOnce } from '../../../src/js/engine/yield.js';
import { parseInSteps } from '../../../src/js/model/files/json-steps.js';
import { openModel } from '../../../src/js/model/files/open.js';
import { openTokenizer } from '../../../src/js/model/text/tokenizer.js';
import { random } from '../../support/random.js';
import { tinyJson } from '../../support/models/tiny-models.js';

const r = random(31);
const text = () => r.pick(['', 'a', '"', '\\', '\\"', '{[,:]}', '\n', '__proto__', 'é\u2028']);
const value = (depth) => {
  const kind = r.integer(0, depth ? 7 : 4);
  if (kind < 5) return [null, true, r.integer(-9, 9), r.normal(), text()][kind];
  const count = r.integer(0, 6);
  return kind === 5
    ? Array.from({ length: count }, () => value(depth - 1))
    : Object.fromEntries(
        Array.from({ length: count }, () => [text() + r.integer(0, 99), value(depth - 1)]),
      );
};

describe('JSON in steps', () => {
  test('gives the values of JSON.parse, however small the steps', () => {
    for (let round = 0; round < 400; round++) {
      const given = [value(4), value(4)];
      for (const json of [JSON.stringify(given), JSON.stringify(given, null, 3)])
        for (const step of [1, 7, 40, 1000])
          assert.deepEqual(runAtOnce(parseInSteps(json, step)), JSON.parse(json), json);
    }
  });

  test('refuses every text that JSON.parse refuses', () => {
    const whole = JSON.stringify({ a: [1, 'b', { c: [] }], 'd"': -1.5e3, e: { f: null } });
    let refused = 0;
    for (let at = 0; at < whole.length; at++)
      for (const put of ['', ',', ']', '}', '"', ':', ' x'])
        for (const json of [
          whole.slice(0, at) + put + whole.slice(at + 1),
          whole.slice(0, at) + put,
        ])
          try {
            JSON.parse(json);
          } catch {
            refused++;
            for (const step of [1, 9])
              assert.throws(() => runAtOnce(parseInSteps(json, step)), SyntaxError, json);
          }
    assert.ok(refused > 400);
    for (const json of ['[1,]', '[,1]', '{"a":1,}', '[1}', '{"a":1]', '[1] 2', '[1 2]'])
      assert.throws(() => runAtOnce(parseInSteps(json, 1)), SyntaxError, json);
  });

  test('arrays nested without end are refused', () => {
    const json = '['.repeat(1e5) + ']'.repeat(1e5);
    assert.throws(() => runAtOnce(parseInSteps(json, 100)), /nested more than 16 deep/);
  });

  test('an object of many names is a map', () => {
    const given = Object.fromEntries(Array.from({ length: 5000 }, (_, id) => [`t${id}`, id]));
    const found = runAtOnce(parseInSteps(JSON.stringify({ given }), 1000));
    assert.deepEqual(found, { given: new Map(Object.entries(given)) });
  });
});

test('a large tokenizer.json leaves the thread to others while it is opened', async (t) => {
  const vocab = { a: 0, b: 1, ab: 2 };
  for (let id = 3; id < 4e4; id++) vocab[`word ${id}`] = id;
  const tokenizer = {
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: null,
    post_processor: null,
    decoder: { type: 'ByteLevel' },
    model: { type: 'BPE', vocab, merges: Array.from({ length: 4e4 }, () => ['a', 'b']) },
  };
  // every look at the clock finds the time of a slice gone
  let now = 0;
  t.mock.method(performance, 'now', () => (now += 1e6));
  let ran = 0;
  let timer;
  const tick = () => {
    ran++;
    timer = setImmediate(tick);
  };
  tick();
  try {
    const file = await openModel({
      ...tinyJson('llama'),
      tokenizer: new Blob([JSON.stringify(tokenizer)]),
    });
    const parsed = ran;
    assert.ok(parsed > 20, `${parsed} times while it is parsed`);
    const { encode } = await openTokenizer({ ...file, tensors: [] });
    assert.ok(ran - parsed > 20, `${ran - parsed} times while it is made`);
    assert.deepEqual(encode('abb'), [2, 1]);
  } finally {
    clearImmediate(timer);
  }
});
