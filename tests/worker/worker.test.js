/** A model in a worker does what the model here does, and its errors are the same. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { init } from '../../src/js/index.js';
import { loadModel as loadHere } from '../../src/js/model/index.js';
import { loadModel } from '../../src/js/worker/client.js';
import { sameArray, sameBits } from '../support/bits.js';
import { all, engine, prompt, source } from '../support/models/in-worker.js';
import { asGguf, asSafetensors, configs, tiny } from '../support/models/random-models.js';

test('options of the chat template reach it, also lists of parts', async () => {
  const told =
    '{{ raise_exception([enable_thinking, tools, add_generation_prompt, messages[0].content]) }}';
  const model = await loadModel(
    asGguf(tiny(configs['llama, tied, grouped']), {
      'tokenizer.chat_template': told,
    }),
    { engine },
  );
  const ask = (options, content = 'a') => all(model.chat([{ role: 'user', content }], options));
  await assert.rejects(ask(), { code: 'ARG', message: /: \[Undefined, None, True, 'a'\]$/ });
  const variables = { enable_thinking: false, tools: [{ name: 'f' }] };
  await assert.rejects(
    ask({ variables, addGenerationPrompt: false }, [{ type: 'text', text: 'b' }]),
    { message: /: \[False, \[\{'name': 'f'\}\], False, \[\{'type': 'text', 'text': 'b'\}\]\]$/ },
  );
  await assert.rejects(ask({ variables: { f() {} } }), {
    code: 'ARG',
    message: /chat was given a value that cannot be sent to a worker/,
  });
  await model.dispose();
});

describe('a model in a worker is the model here', () => {
  const progress = [];
  let here;
  let model;
  before(async () => {
    here = await loadHere(source, { engine: await init({ ...engine, layers: true }) });
    model = await loadModel(new Blob([source]), {
      engine,
      onProgress: (x) => progress.push(x),
    });
  });
  after(() => model.dispose());

  test('loading tells how much of the file has come', () =>
    assert.deepEqual(progress.at(-1), { loaded: source.length, total: source.length }));

  test('it says the same of itself', () => {
    assert.deepEqual(model.config, here.config);
    assert.deepEqual({ ...model.info, loadMilliseconds: 0 }, { ...here.info, loadMilliseconds: 0 });
    assert.equal(model.engine.variant, 'simd');
  });

  test('its tokenizer is the same', async () => {
    assert.deepEqual(await model.tokenizer.encode('abc'), here.tokenizer.encode('abc'));
    assert.equal(await model.tokenizer.decode([5, 6]), here.tokenizer.decode([5, 6]));
    assert.ok(model.tokenizer.ends.has(2));
    await assert.rejects(model.tokenizer.decode(5), {
      code: 'ARG',
      message: 'ids is 5; expected an array of ids',
    });
  });

  test('it writes the same text and sees the same weights, bit for bit', async () => {
    const how = { maxTokens: 12, observe: 'weights', heads: [[1, 2]], tau: 1, seed: 5 };
    const got = await all(model.generate(prompt, how));
    const want = await all(here.generate(prompt, how));
    const words = ({ token, text, finish }) => ({ token, text, finish });
    assert.deepEqual(got.map(words), want.map(words));
    got.forEach((next, x) => sameBits(next.heads, want[x].heads));
    assert.equal(model.cache.length, here.cache.length);
    sameArray(await model.cache.tokens(), here.cache.tokens, 'tokens');
    sameBits(await model.row(1, 2, 7), here.row(1, 2, 7));
  });

  test('its cache is cut and goes on with another temperature the same', async () => {
    await all(model.generate(prompt, { maxTokens: 3 }));
    await all(here.generate(prompt, { maxTokens: 3 }));
    const snapshot = await model.cache.snapshot();
    sameBits(snapshot, here.cache.snapshot());
    for (const each of [model, here]) {
      await each.cache.truncate(3);
      await each.setTemperature(0.5, 1);
    }
    assert.equal(model.cache.length, 3);
    assert.equal(await model.temperature(1, 3), 0.5);
    const want = here.prefill([4, 5], { observe: 'stats' });
    sameBits(await model.prefill([4, 5], { observe: 'stats' }), want);
    sameBits(await model.step(9), here.step(9));
    await model.setTemperature(1);
    await model.cache.restore(snapshot);
    assert.equal(model.cache.length, snapshot.tokens.length);
  });
});

describe('errors of a model in a worker are those of the model here, and it goes on', () => {
  let model;
  before(async () => (model = await loadModel(asSafetensors(tiny(configs.qwen2)), { engine })));
  after(() => model.dispose());

  for (const [name, call, expected] of [
    ['a token that is none', () => model.step(64), { code: 'RANGE', message: /^token is 64/ }],
    ['a row that is not there', () => model.row(0, 0, 0), { code: 'RANGE' }],
    [
      'a text without a tokenizer',
      () => all(model.generate('text')),
      { code: 'ARG', message: /tokenizer/ },
    ],
    ['no tokens', () => all(model.generate(prompt, { maxTokens: 0 })), { code: 'RANGE' }],
    ['a cut beyond the cache', () => model.cache.truncate(5), { code: 'RANGE' }],
    ['a function', () => model.prefill(() => {}), { code: 'ARG', message: /sent/ }],
    [
      'a promise',
      () => all(model.generate(Promise.resolve([1]))),
      { code: 'ARG', message: /^generate was given a value that cannot be sent to a worker/ },
    ],
    ...['no', {}, null].map((signal) => [
      `${inspect(signal)} as a signal`,
      () => all(model.generate(prompt, { signal })),
      { code: 'ARG', message: /^signal is .*; expected an AbortSignal/ },
    ]),
  ])
    test(`of ${name}`, async () => {
      await assert.rejects(call, { name: 'ClearheadError', ...expected });
      assert.equal((await model.step(3)).logits.length, 64);
      await model.cache.clear();
    });

  test('without a tokenizer it has none', () => assert.equal(model.tokenizer, null));

  test('a text that its reader leaves in the middle lets the next one begin', async () => {
    for await (const { token } of model.generate(prompt)) if (token >= 0) break;
    assert.equal((await all(model.generate(prompt, { maxTokens: 3 }))).length, 3);
  });
});

test('a model in a worker may be disposed of twice, and refuses calls after that', async () => {
  const model = await loadModel(source, { engine });
  await model.dispose();
  await assert.rejects(model.step(3), { code: 'DISPOSED' });
  await model.dispose();
});

describe('loading in a worker refuses', () => {
  const ENGINE = /^engine is an engine; expected options of init for one in the worker/;
  for (const [name, options, expected] of [
    ['an unknown variant', { engine: { variant: 'fast' } }, { code: 'ARG' }],
    [
      'a number as engine',
      { engine: 2 },
      { code: 'ARG', message: /^engine is 2; expected options of init/ },
    ],
    [
      'a maker of threads',
      { engine: { threads: 2, worker: () => {} } },
      { code: 'ARG', message: /^engine\.worker is of type function; expected none/ },
    ],
    ['too long a context', { context: 1000, engine }, { code: 'RANGE' }],
    ...['no', {}, null].map((signal) => [
      `${inspect(signal)} as a signal`,
      { engine, signal },
      { code: 'ARG', message: /^signal is/ },
    ]),
  ])
    test(name, () =>
      assert.rejects(loadModel(source, options), { name: 'ClearheadError', ...expected }),
    );

  test('an engine', async () =>
    assert.rejects(loadModel(source, { engine: await init() }), { code: 'ARG', message: ENGINE }));

  test('a file that is cut off', () =>
    assert.rejects(loadModel(new Uint8Array([71, 71, 85, 70, 9])), {
      name: 'ClearheadError',
      code: 'INTEGRITY',
    }));

  test('with the error of onProgress itself', () => {
    const mine = new Error('mine');
    const onProgress = () => {
      throw mine;
    };
    return assert.rejects(loadModel(source, { engine, onProgress }), (error) => error === mine);
  });
});

test('a worker that ends settles the calls that wait and those that come later', async () => {
  const model = await loadModel(source, { engine });
  const text = model.generate(prompt, { maxTokens: 60 });
  await text.next();
  const waiting = text.next();
  await model.dispose();
  await assert.rejects(waiting, { code: 'DISPOSED' });
  await assert.rejects(model.step(1), { code: 'DISPOSED' });
});

test('a program with a model in a worker ends when nothing remains to be done', () => {
  const url = (path) => JSON.stringify(new URL(path, import.meta.url).href);
  const code = `import { loadModel } from ${url('../../src/js/worker/client.js')};
    import { asGguf, configs, tiny } from ${url('../support/models/random-models.js')};
    const model = await loadModel(asGguf(tiny(configs.qwen2)));
    console.log((await model.step(3)).logits.length);`;
  assert.equal(
    execFileSync(process.execPath, ['--input-type=module', '-e', code], {
      encoding: 'utf8',
      timeout: 20000,
    }),
    '64\n',
  );
});
