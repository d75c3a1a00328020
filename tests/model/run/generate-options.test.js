/** Options of a text are checked at once, and the errors name them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { load, prompt } from '../../support/models/texts.js';

test('a signal that is none is refused, and an abort for no reason is not lost', async () => {
  for (const signal of [{}, null, 3])
    await assert.rejects(load({ signal }), {
      name: 'ClearheadError',
      code: 'ARG',
      message: /^signal is .*; expected an AbortSignal/,
    });
  const abort = new AbortController();
  abort.abort(null);
  assert.equal(
    await load({ signal: abort.signal }).then(
      () => 'loaded',
      (reason) => reason,
    ),
    null,
  );
});

describe('before anything happens', () => {
  let model;
  before(async () => (model = await load()));
  after(() => {
    assert.equal(model.cache.length, 0, 'nothing was read');
    model.dispose();
  });

  for (const [code, options] of [
    ['RANGE', { maxTokens: 0 }],
    ['ARG', { maxTokens: '5' }],
    ['RANGE', { tau: -1 }],
    ['RANGE', { topP: 0 }],
    ['RANGE', { seed: 1.5 }],
    ['ARG', { stop: '' }],
    ['ARG', { stop: [''] }],
    ['ARG', { signal: {} }],
    ['ARG', { observe: 'everything' }],
    ['ARG', { temperature: 1 }],
    ['RANGE', { observe: 'weights', heads: [[9, 0]] }],
  ])
    test(`${inspect(options)} of a text is refused`, () =>
      assert.throws(() => model.generate(prompt, options), { name: 'ClearheadError', code }));

  for (const [name, message, call] of [
    ['an id that is no token', /^prompt\[1\] is 64; /, () => model.generate([1, 64])],
    ['an empty prompt', /^prompt is empty; expected at least one token/, () => model.generate([])],
    ['a number', /^prompt is 5; expected text or ids/, () => model.generate(5)],
    [
      'no prompt',
      /^prompt is undefined but required; expected text or ids/,
      () => model.generate(),
    ],
    [
      'a text instead of ids',
      /^tokens is "ab"; expected an array of ids, as model.tokenizer.encode\(text\) gives them/,
      () => model.prefill('ab'),
    ],
    ['a stop string that is empty', /^stop is ""; /, () => model.generate(prompt, { stop: '' })],
    [
      'a stop string that is none',
      /^stop\[1\] is 1; expected a string of 1 to 256 characters$/,
      () => model.generate(prompt, { stop: ['x', 1] }),
    ],
    ['no token', /^token is undefined but required; expected a number$/, () => model.step()],
    [
      'a token that is NaN',
      /^token is NaN; expected an integer from 0 to 63$/,
      () => model.step(NaN),
    ],
    [
      'no snapshot',
      /^snapshot is undefined but required; expected an object$/,
      () => model.cache.restore(),
    ],
    [
      'no ids',
      /^tokens is undefined but required; expected an array of ids$/,
      () => model.prefill(),
    ],
    [
      'an option of attention',
      /^options is given "temperature"; expected tau, /,
      () => model.generate(prompt, { temperature: 1 }),
    ],
    [
      'a seed where no token is drawn',
      /^seed is given without tau; expected both/,
      () => model.generate(prompt, { seed: 4 }),
    ],
    [
      'a head without its layer',
      /^head is given without a layer; expected both/,
      () => model.setTemperature(0.5, undefined, 1),
    ],
  ])
    test(`${name} is refused by name`, () => {
      assert.throws(call, { name: 'ClearheadError', message });
      assert.equal(model.temperature(0, 1), 1);
    });

  for (const [message, options] of [
    [
      /^the layer of heads\[1\] is 9; /,
      {
        observe: 'weights',
        heads: [
          [0, 0],
          [9, 0],
        ],
      },
    ],
    [/^the head of heads\[0\] is 4; /, { observe: 'weights', heads: [[0, 4]] }],
    [/^heads\[0\] is 1; expected a pair/, { observe: 'weights', heads: [1] }],
    [
      /^heads is given with observe: "stats"; expected observe: 'weights'/,
      { observe: 'stats', heads: [[0, 0]] },
    ],
    [/^heads is given with observe: undefined; /, { heads: [[0, 0]] }],
  ])
    test(`${inspect(options, { depth: 3 })} is refused by name, of a text and of a prompt`, () => {
      for (const call of [model.generate, model.prefill])
        assert.throws(() => call.call(model, prompt, options), {
          name: 'ClearheadError',
          message,
        });
    });

  test('an unknown type of cache is refused by name', () =>
    assert.rejects(load({ cacheType: 'f8' }), {
      code: 'ARG',
      message: /^cacheType is "f8"; expected "f32" or "f16" or "q8"/,
    }));
});
