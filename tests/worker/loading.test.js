/** Loading in a worker: downloads and kernels, given in any way, and aborted. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadModel } from '../../src/js/worker/client.js';
import { ticksAfterAbort } from '../support/clock.js';
import { all, engine, prompt, source } from '../support/models/in-worker.js';

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
});

/** Weights that go on and on, and a promise that they are cancelled, if not too late. */
function endlessResponse() {
  const limit = 5000;
  let pulls = 0;
  let cancel;
  let fail;
  const cancelled = new Promise((done, reject) => ((cancel = done), (fail = reject)));
  const pull = async (controller) => {
    if (++pulls > limit) fail(new Error(`${limit} pulls, and they go on`));
    controller.enqueue(new Uint8Array(9));
    await new Promise((done) => setTimeout(done, 2));
  };
  const endless = new Response(new ReadableStream({ pull, cancel }, { highWaterMark: 0 }));
  return { endless, cancelled };
}

test('an error in one part ends the reading of the others, and the next load works', async () => {
  const { endless, cancelled } = endlessResponse();
  await assert.rejects(
    loadModel({ weights: endless, config: new Response('', { status: 404 }) }, { engine }),
    { code: 'NET', message: /^config could not be fetched: status 404/ },
  );
  await cancelled;
  const model = await loadModel({ weights: new Response(source) }, { engine });
  assert.equal((await model.prefill(prompt)).logits.length, model.config.vocab);
  await model.dispose();
});

test('kernels that never arrive can be aborted, which cancels the download too', async () => {
  const abort = new AbortController();
  const reason = new Error('enough');
  let cancel;
  const cancelled = new Promise((done) => (cancel = done));
  const weights = new Response(new ReadableStream({ cancel }, { highWaterMark: 0 }));
  setTimeout(() => abort.abort(reason), 30);
  await assert.rejects(
    loadModel(weights, {
      engine: { ...engine, wasm: new Promise(() => {}) },
      signal: abort.signal,
    }),
    reason,
  );
  await cancelled;
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

test('the text of a chat template is no address, in a page neither', async (t) => {
  t.after(() => delete globalThis.document);
  globalThis.document = { baseURI: 'http://localhost/page/' };
  const model = await loadModel({ weights: source, chatTemplate: '{{ 1 + 1 }}' }, { engine });
  assert.ok(model.hasTemplate);
  await model.dispose();
});
