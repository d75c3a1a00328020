/** A model in a worker does what the model here does, and its errors are the same. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { test } from 'node:test';
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

test('it says and does what the model here does', async () => {
  const here = await loadHere(source, { engine: await init({ ...engine, layers: true }) });
  const progress = [];
  const model = await loadModel(new Blob([source]), {
    engine,
    onProgress: (x) => progress.push(x),
  });
  assert.deepEqual(progress.at(-1), { loaded: source.length, total: source.length });
  assert.deepEqual(model.config, here.config);
  assert.deepEqual({ ...model.info, loadMilliseconds: 0 }, { ...here.info, loadMilliseconds: 0 });
  assert.equal(model.engine.variant, 'simd');
  assert.deepEqual(await model.tokenizer.encode('abc'), here.tokenizer.encode('abc'));
  assert.equal(await model.tokenizer.decode([5, 6]), here.tokenizer.decode([5, 6]));
  assert.ok(model.tokenizer.ends.has(2));

  const how = { maxTokens: 12, observe: 'weights', heads: [[1, 2]], tau: 1, seed: 5 };
  const [a, b] = [await all(model.generate(prompt, how)), await all(here.generate(prompt, how))];
  assert.deepEqual(
    a.map(({ token, text, finish }) => ({ token, text, finish })),
    b.map(({ token, text, finish }) => ({ token, text, finish })),
  );
  a.forEach((next, x) => sameBits(next.heads, b[x].heads));
  assert.equal(model.cache.length, here.cache.length);
  sameArray(await model.cache.tokens(), here.cache.tokens, 'tokens');
  sameBits(await model.row(1, 2, 7), here.row(1, 2, 7));

  const snapshot = await model.cache.snapshot();
  sameBits(snapshot, here.cache.snapshot());
  await model.cache.truncate(3);
  here.cache.truncate(3);
  assert.equal(model.cache.length, 3);
  await model.setTemperature(0.5, 1);
  here.setTemperature(0.5, 1);
  assert.equal(await model.temperature(1, 3), 0.5);
  sameBits(
    await model.prefill([4, 5], { observe: 'stats' }),
    here.prefill([4, 5], { observe: 'stats' }),
  );
  sameBits(await model.step(9), here.step(9));
  await model.setTemperature(1);
  await model.cache.restore(snapshot);
  assert.equal(model.cache.length, snapshot.tokens.length);
  await model.dispose();
});

test('errors come over as they are, and the model goes on', async () => {
  const model = await loadModel(asSafetensors(tiny(configs.qwen2)), { engine });
  assert.equal(model.tokenizer, null);
  await assert.rejects(model.step(64), {
    name: 'ClearheadError',
    code: 'RANGE',
    message: /tokens\[0\] is 64/,
  });
  await assert.rejects(model.row(0, 0, 0), { code: 'RANGE' });
  await assert.rejects(all(model.generate('text')), { code: 'ARG', message: /tokenizer/ });
  await assert.rejects(all(model.generate(prompt, { maxTokens: 0 })), { code: 'RANGE' });
  for (const signal of ['no', {}, null]) {
    await assert.rejects(all(model.generate(prompt, { signal })), {
      name: 'ClearheadError',
      code: 'ARG',
      message: /^signal is .*; expected an AbortSignal/,
    });
    await assert.rejects(loadModel(source, { engine, signal }), {
      code: 'ARG',
      message: /^signal is/,
    });
  }
  await assert.rejects(model.cache.truncate(5), { code: 'RANGE' });
  await assert.rejects(
    model.prefill(() => {}),
    { code: 'ARG', message: /sent/ },
  );
  await assert.rejects(all(model.generate(Promise.resolve([1]))), {
    code: 'ARG',
    message: /^generate was given a value that cannot be sent to a worker/,
  });
  assert.equal((await model.step(3)).logits.length, 64);
  // left in the middle, it lets the next one begin
  for await (const { token } of model.generate(prompt)) if (token >= 0) break;
  assert.equal((await all(model.generate(prompt, { maxTokens: 3 }))).length, 3);
  await model.dispose();
  await assert.rejects(model.step(3), { code: 'DISPOSED' });
  await model.dispose();

  await assert.rejects(loadModel(new Uint8Array([71, 71, 85, 70, 9])), {
    name: 'ClearheadError',
    code: 'INTEGRITY',
  });
  await assert.rejects(loadModel(source, { engine: { variant: 'fast' } }), { code: 'ARG' });
  await assert.rejects(loadModel(source, { engine: await init() }), {
    code: 'ARG',
    message: /^engine is an engine; expected options of init for one in the worker/,
  });
  await assert.rejects(loadModel(source, { engine: 2 }), {
    code: 'ARG',
    message: /^engine is 2; expected options of init/,
  });
  await assert.rejects(loadModel(source, { context: 1000, engine }), { code: 'RANGE' });
  const mine = new Error('mine');
  await assert.rejects(
    loadModel(source, {
      engine,
      onProgress() {
        throw mine;
      },
    }),
    (error) => error === mine,
  );
});

test('a worker that ends settles what waits, and what comes later', async () => {
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
