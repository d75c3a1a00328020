/**
 * `clearhead/worker`: the same model in a worker, with the same bits; aborts, errors and lost
 * workers settle what waits for them.
 */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';
import { loadModel as loadHere } from '../../src/js/model/index.js';
import { loadModel } from '../../src/js/worker/client.js';
import { sameArray, sameBits } from '../support/bits.js';
import { asGguf, asSafetensors, configs, tiny } from '../support/models/random-models.js';
import { ticksAfterAbort } from '../support/clock.js';

const source = asGguf(tiny(configs['llama, tied, grouped']));
const prompt = [1, 5, 9, 30];
const engine = { variant: 'simd' };
const all = async (iterator) => {
  const list = [];
  for await (const next of iterator) list.push(next);
  return list;
};

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

test('a wrong Response is refused, and one that stalls can be aborted', async () => {
  const partly = (more) =>
    new Response(
      new ReadableStream({
        start: (controller) => (controller.enqueue(source.slice(0, 500)), more?.(controller)),
      }),
    );
  const used = new Response(source);
  await used.arrayBuffer();
  for (const [response, code, message] of [
    [used, 'ARG', /a Response that has been read/],
    [new Response('nothing', { status: 404 }), 'NET', /status 404/],
    [
      partly((controller) => controller.error(new TypeError('terminated'))),
      'NET',
      /stopped after \d+ bytes: terminated/,
    ],
    [new Response('<html>', { headers: { 'content-type': 'text/html' } }), 'FORMAT', /a web page/],
  ])
    await assert.rejects(loadModel(response, { engine }), {
      name: 'ClearheadError',
      code,
      message,
    });
  const abort = new AbortController();
  const reason = new Error('enough');
  const loading = assert.rejects(loadModel(partly(), { engine, signal: abort.signal }), reason);
  const ticks = await ticksAfterAbort(abort, loading, { reason, delay: 50 });
  assert.ok(ticks <= 20, `${ticks} ticks of a timer`);
  // an error in one part ends the reading of the others
  let pulls = 0;
  const endless = new Response(
    new ReadableStream(
      {
        pull: (controller) => (
          pulls++,
          controller.enqueue(new Uint8Array(9)),
          new Promise((done) => setTimeout(done, 2))
        ),
      },
      { highWaterMark: 0 },
    ),
  );
  await assert.rejects(
    loadModel({ weights: endless, config: new Response('', { status: 404 }) }, { engine }),
    { code: 'NET', message: /^config could not be fetched: status 404/ },
  );
  const before = pulls;
  await new Promise((done) => setTimeout(done, 100));
  assert.ok(pulls <= before + 1, `${pulls - before} pulls after the failure`);
  const model = await loadModel({ weights: new Response(source) }, { engine });
  assert.equal((await model.prefill(prompt)).logits.length, model.config.vocab);
  await model.dispose();
});

test('a text that is ended before it begins leaves the one before it to end in peace', async () => {
  const large = asGguf(
    tiny({
      ...configs['llama, tied, grouped'],
      hidden_size: 256,
      intermediate_size: 512,
      num_hidden_layers: 12,
      max_position_embeddings: 1024,
    }),
  );
  const model = await loadModel(large, { engine });
  const long = Array.from({ length: 400 }, (_, x) => 3 + (x % 50));
  for (let round = 0; round < 3; round++) {
    const [first, second] = [new AbortController(), new AbortController()];
    const a = model.generate(long, { signal: first.signal }).next();
    await new Promise((done) => setTimeout(done, 30));
    first.abort(new Error('first'));
    const b = model.generate(long, { signal: second.signal }).next();
    second.abort(new Error('second'));
    await assert.rejects(a, /first/);
    await assert.rejects(b, /second/);
    assert.equal((await model.prefill(prompt)).logits.length, model.config.vocab);
    await model.cache.clear();
  }
  await model.dispose();
});

test('kernels that never arrive can be aborted, and the download beside them is left', async () => {
  const abort = new AbortController();
  const reason = new Error('enough');
  let left = 0;
  const weights = new Response(
    new ReadableStream({ cancel: () => void left++ }, { highWaterMark: 0 }),
  );
  setTimeout(() => abort.abort(reason), 30);
  await assert.rejects(
    loadModel(weights, {
      engine: { ...engine, wasm: new Promise(() => {}) },
      signal: abort.signal,
    }),
    reason,
  );
  await new Promise((done) => setTimeout(done, 20));
  assert.equal(left, 1);
});

test('kernels may be given as to init, and options are read as there', async () => {
  const file = new URL('../../src/js/engine/model.simd.wasm', import.meta.url);
  const bytes = readFileSync(file);
  const type = { headers: { 'content-type': 'application/wasm' } };
  for (const wasm of [
    file,
    file.href,
    bytes,
    new Response(bytes, type),
    Promise.resolve(bytes),
    await WebAssembly.compile(bytes),
  ]) {
    const model = await loadModel(source, { engine: { ...engine, wasm } });
    assert.equal((await model.prefill(prompt)).logits.length, model.config.vocab);
    for (const options of [5, null, 'a'])
      await assert.rejects(model.generate(prompt, options).next(), {
        name: 'ClearheadError',
        code: 'ARG',
        message: /^options is /,
      });
    await model.dispose();
  }
  await assert.rejects(
    loadModel(source, { engine: { ...engine, wasm: new Response('', { status: 404 }) } }),
    { code: 'NET', message: /^wasm could not be fetched: status 404/ },
  );
});

test('the worker is a token ahead, of which nothing is left where a text is ended', async () => {
  const large = asGguf(
    tiny({
      ...configs['llama, tied, grouped'],
      hidden_size: 256,
      intermediate_size: 512,
      num_hidden_layers: 12,
      max_position_embeddings: 1024,
    }),
  );
  const here = await loadHere(large, { engine: await init({ ...engine, layers: true }) });
  const model = await loadModel(large, { engine });
  for (const count of [1, 2, 5])
    for (const wait of [0, 60]) {
      const seen = [];
      for (const of of [here, model]) {
        const rows = [];
        const tokens = [];
        for await (const { token } of of.generate(prompt, { maxTokens: 9, tau: 1, seed: 3 })) {
          tokens.push(token);
          // the one ahead is in the making, or is made
          if (of === model) await new Promise((done) => setTimeout(done, wait));
          rows.push(await of.row(2, 1, 3));
          if (tokens.length === count) break;
        }
        seen.push({ tokens, rows, kept: of === model ? await of.cache.tokens() : of.cache.tokens });
      }
      sameBits(seen[1], seen[0], `${count} tokens`);
      assert.equal(model.cache.length, here.cache.length);
    }
  // a row that is asked for in the middle of a token is had behind it
  const text = model.generate(
    Array.from({ length: 700 }, (_, x) => x % 60),
    { maxTokens: 1 },
  );
  const first = text.next();
  await new Promise((done) => setTimeout(done, 40));
  assert.equal((await model.row(2, 1, 600)).weights.length, 601);
  assert.equal((await first).done, false);
  await text.return();
  await model.dispose();
});

test('an abort at any time leaves of the text what was taken', async () => {
  const large = asGguf(
    tiny({
      ...configs['llama, tied, grouped'],
      hidden_size: 256,
      intermediate_size: 512,
      num_hidden_layers: 12,
      max_position_embeddings: 1024,
    }),
  );
  const model = await loadModel(large, { engine });
  let early = 0;
  for (let turn = 0; turn < 100; turn++) {
    const controller = new AbortController();
    const taken = [];
    // a text rests every 20 ms, and may be told of an abort between a token and its answer
    setTimeout(() => controller.abort(), 15 + 0.7 * turn);
    try {
      for await (const { token } of model.generate(prompt, {
        maxTokens: 90,
        tau: 1,
        seed: turn,
        signal: controller.signal,
      }))
        taken.push(token);
    } catch (error) {
      assert.equal(error.name, 'AbortError');
      early += Number(taken.length > 0);
    }
    const kept = await model.cache.tokens();
    if (taken.length)
      sameArray(
        kept,
        Int32Array.of(...prompt, ...taken.slice(0, -1)),
        `after ${taken.length} tokens`,
      );
    await model.cache.clear();
  }
  assert.ok(early > 10, `${early} were ended in the middle`);
  // a token that came before the abort, and was not yet asked for, does not come after it
  const controller = new AbortController();
  const text = model.generate(prompt, { maxTokens: 9, signal: controller.signal });
  await text.next();
  await new Promise((done) => setTimeout(done, 40));
  controller.abort();
  // nor does it stand in the way of another, which it leaves alone in turn
  const here = await loadHere(large, { engine: await init({ ...engine, layers: true }) });
  const want = await all(here.generate(prompt, { maxTokens: 5 }));
  const other = model.generate(prompt, { maxTokens: 5 });
  const first = await other.next();
  await assert.rejects(text.next(), { name: 'AbortError' });
  assert.deepEqual([first.value, ...(await all(other))], want);
  assert.equal(model.cache.length, prompt.length + 4);
  // a text that has ended does not either, though nobody asked for more
  const ended = model.generate(prompt, { maxTokens: 1 });
  assert.equal((await ended.next()).value.finish, 'length');
  assert.equal((await model.step(1)).logits.length, model.config.vocab);
  await ended.return();
  assert.equal(model.cache.length, prompt.length + 1);
  // a text that is over in the worker, which is a token ahead, is not over for its reader
  for (const { signal } of [{}, new AbortController()]) {
    await model.cache.clear();
    const two = model.generate(prompt, { maxTokens: 2, signal });
    await two.next();
    await new Promise((done) => setTimeout(done, 40));
    for (const busy of [
      () => model.prefill([5, 6]),
      () => model.cache.clear(),
      () => model.generate(prompt).next(),
    ])
      await assert.rejects(busy, { code: 'BUSY' });
    assert.equal((await two.next()).value.finish, 'length');
    await model.prefill([5, 6]);
    if (signal) assert.equal(getEventListeners(signal, 'abort').length, 0);
    assert.deepEqual(await two.next(), { done: true, value: undefined });
    assert.equal(model.cache.length, prompt.length + 3);
  }
  await model.dispose();
});

test('between two tokens the worker does not wait to be asked', async () => {
  const { Worker } = await import('node:worker_threads');
  const { emit, postMessage } = Worker.prototype;
  const asked = new Set();
  const outstanding = [];
  Worker.prototype.postMessage = function (message, ...rest) {
    if (message.f === 'next') asked.add(message.id);
    return postMessage.call(this, message, ...rest);
  };
  Worker.prototype.emit = function (event, message) {
    if (event === 'message' && asked.has(message.id)) {
      outstanding.push(asked.size);
      asked.delete(message.id);
    }
    return emit.call(this, event, message);
  };
  try {
    const model = await loadModel(source, { engine });
    const tokens = await all(model.generate(prompt, { maxTokens: 9 }));
    await model.dispose();
    // the first may be long in coming
    assert.deepEqual(outstanding.slice(0, tokens.length), [1, ...tokens.slice(1).map(() => 2)]);
  } finally {
    Worker.prototype.postMessage = postMessage;
    delete Worker.prototype.emit; // inherited
  }
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

test('an abort settles at once, of loading and of a text', async () => {
  const reason = new Error('enough');
  const controller = new AbortController();
  await assert.rejects(
    loadModel(source, {
      engine,
      signal: controller.signal,
      onProgress: () => controller.abort(reason),
    }),
    reason,
  );
  await assert.rejects(loadModel(source, { engine, signal: controller.signal }), reason);

  const model = await loadModel(source, { engine });
  const second = new AbortController();
  let received = 0;
  await assert.rejects(async () => {
    for await (const { token } of model.generate(prompt, { maxTokens: 60, signal: second.signal }))
      if (token >= 0 && ++received === 1) second.abort(reason);
  }, reason);
  assert.equal(received, 1);
  assert.equal((await all(model.generate(prompt, { maxTokens: 3 }))).length, 3);
  await model.dispose();
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

test('a program with a model in a worker ends when it has nothing left to do', () => {
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
