/** Options of a text are checked at once, and the errors name them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
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

test('options are read and refused before anything happens', async () => {
  const model = await load();
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
    assert.throws(
      () => model.generate(prompt, options),
      { name: 'ClearheadError', code },
      JSON.stringify(options),
    );
  for (const [message, f] of [
    [/^prompt\[1\] is 64; /, () => model.generate([1, 64])],
    [/^prompt is empty; expected at least one token/, () => model.generate([])],
    [/^prompt is 5; expected text or ids/, () => model.generate(5)],
    [/^prompt is undefined but required; expected text or ids/, () => model.generate()],
    [
      /^tokens is "ab"; expected an array of ids, as model.tokenizer.encode\(text\) gives them/,
      () => model.prefill('ab'),
    ],
    [/^tokens is undefined but required; expected an array of ids$/, () => model.prefill()],
    [
      /^options is given "temperature"; expected tau, /,
      () => model.generate(prompt, { temperature: 1 }),
    ],
    [
      /^the layer of heads\[1\] is 9; /,
      () =>
        model.generate(prompt, {
          observe: 'weights',
          heads: [
            [0, 0],
            [9, 0],
          ],
        }),
    ],
    [
      /^the head of heads\[0\] is 4; /,
      () => model.prefill(prompt, { observe: 'weights', heads: [[0, 4]] }),
    ],
    [
      /^heads\[0\] is 1; expected a pair/,
      () => model.generate(prompt, { observe: 'weights', heads: [1] }),
    ],
    [
      /^heads is given with observe: "stats"; expected observe: 'weights'/,
      () => model.generate(prompt, { observe: 'stats', heads: [[0, 0]] }),
    ],
    [/^heads is given with observe: undefined; /, () => model.prefill(prompt, { heads: [[0, 0]] })],
    [
      /^head is given without a layer; expected both/,
      () => model.setTemperature(0.5, undefined, 1),
    ],
  ])
    assert.throws(f, { name: 'ClearheadError', message });
  assert.equal(model.temperature(0, 1), 1);
  await assert.rejects(load({ cacheType: 'f8' }), {
    code: 'ARG',
    message: /^cacheType is "f8"; expected "f32" or "f16" or "q8"/,
  });
  assert.equal(model.cache.length, 0);
});
