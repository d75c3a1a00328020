/** Every source that init accepts gives the same engine. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { ClearheadError, init } from '../../src/js/index.js';
import { sameBits } from '../support/bits.js';
import { engines, wasmBytes } from '../support/engines.js';
import {
  at,
  bytes,
  copy,
  expected,
  refuses,
  run,
  slow,
  wasmResponse,
} from '../support/engine/loading.js';

test('kernels without relaxed SIMD say that the JavaScript engine lacks it', async () => {
  const { variant, why } = (await init()).info;
  assert.equal(why, variant === 'simd' ? 'the JS engine has no relaxed SIMD' : '');
});

/**
 * Node 21 and 22.0 to 22.2 lack it, and so does what bundlers and test runners put in the place of
 * Node's process.
 */
test("kernels are read from files without Node's getBuiltinModule too", async () => {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'process');
  const stand = [{ env: {}, browser: true }, undefined];
  try {
    for (const process of stand) {
      Object.defineProperty(globalThis, 'process', { value: process, configurable: true });
      sameBits(run(await init({ variant: 'simd' })), expected, JSON.stringify(process));
      await assert.rejects(init({ wasm: new URL('./no.wasm', import.meta.url) }), {
        code: 'NET',
        message: /no\.wasm: ENOENT/,
      });
    }
  } finally {
    Object.defineProperty(globalThis, 'process', own);
  }
});

test('every kind of source gives the same engine', async () => {
  const padded = new Uint8Array(bytes.length + 6);
  padded.set(bytes, 3);
  const sources = {
    nothing: undefined,
    'a URL object': new URL('../../src/js/engine/attn.simd.wasm', import.meta.url),
    'a file address': new URL('../../src/js/engine/attn.simd.wasm', import.meta.url).href,
    'an http address': at('/good.wasm'),
    'an http URL': new URL(at('/good.wasm')),
    'a wrong media type': at('/plain'),
    'a response': await fetch(at('/good.wasm')),
    'a response that is still coming': fetch(at('/good.wasm')),
    'an ArrayBuffer': copy().buffer,
    'a Uint8Array': copy(),
    'a view inside a buffer': padded.subarray(3, 3 + bytes.length),
    'a Buffer': Buffer.from(bytes),
    'a DataView': new DataView(copy().buffer),
    'a module': await WebAssembly.compile(bytes),
    'a promise of bytes': Promise.resolve(copy()),
    'a made response': wasmResponse(bytes),
  };
  for (const [what, wasm] of Object.entries(sources)) {
    const ch = await init({ wasm, variant: 'simd' });
    sameBits(run(ch), expected, what);
    assert.deepEqual([ch.info.variant, ch.info.threads], ['simd', 1], what);
  }
});

test('kernels are compiled once, while they arrive if the server names their type', async (t) => {
  const { compileStreaming } = WebAssembly;
  const compile = t.mock.method(WebAssembly, 'compile');
  let coming;
  // the rest is sent when compiling has begun, and else never
  await new Promise((begun) => {
    t.mock.method(WebAssembly, 'compileStreaming', (source) => {
      begun();
      return compileStreaming(source);
    });
    coming = init({ wasm: at('/slow'), variant: 'simd' });
  });
  slow.shift()?.();
  sameBits(run(await coming), expected, 'in two parts');
  assert.equal(compile.mock.callCount(), 0);
  sameBits(run(await init({ wasm: at('/plain'), variant: 'simd' })), expected, 'as text');
  assert.equal(compile.mock.callCount(), 1);
});

test('a module compiled on arrival is not used if the checksum is wrong', async (t) => {
  const streaming = t.mock.method(WebAssembly, 'compileStreaming');
  await refuses('a flipped byte', 'INTEGRITY', { wasm: at('/flipped.wasm') });
  assert.ok((await streaming.mock.calls[0].result) instanceof WebAssembly.Module, 'it did compile');
  await refuses('a connection that breaks', 'NET', { wasm: at('/cut') });
  assert.equal(streaming.mock.callCount(), 2);
});

test('the variant says what runs, and auto says why it is not the faster one', async () => {
  const auto = await init();
  const simd = await init({ variant: 'simd' });
  assert.equal(simd.info.variant, 'simd');
  assert.equal(auto.info.variant, engines.at(-1).variant);
  assert.equal(
    auto.info.variant === 'relaxed' ? auto.info.why === '' : auto.info.why.length > 0,
    true,
    auto.info.why,
  );
  for (const info of [auto.info, simd.info])
    assert.throws(() => {
      info.variant = 'mine';
    }, TypeError);
  if (engines.length > 1)
    assert.equal((await init({ variant: 'relaxed' })).info.variant, 'relaxed');
  const bytesOfRelaxed = engines.length > 1 ? await init({ wasm: wasmBytes('relaxed') }) : auto;
  assert.equal(bytesOfRelaxed.info.variant, engines.at(-1).variant, 'the bytes decide');
});

test('init works several times at once, and after one that failed', async () => {
  const pending = init({ variant: 'simd' });
  assert.equal(pending.attention, undefined);
  const [a, b] = await Promise.all([pending, init({ variant: 'simd' })]);
  const t = a.tensor([9]);
  t.data.fill(7);
  b.tensor([9]).data.fill(1);
  assert.ok(
    t.data.every((x) => x === 7),
    'nothing is shared',
  );
  await assert.rejects(init({ wasm: new Uint8Array(0) }), ClearheadError);
  sameBits(run(await init({ variant: 'simd' })), expected, 'after a failure');
});

test('bytes may be of another realm, or shared', async () => {
  const bytes = wasmBytes('simd');
  const there = runInNewContext('(length) => new Uint8Array(length)')(bytes.length);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length + 8), 8);
  for (const view of [there, shared]) {
    view.set(bytes);
    const ch = await init({ wasm: view, variant: 'simd' });
    assert.equal(
      ch.attention(Float32Array.of(1), Float32Array.of(0, 1), Float32Array.of(0, 3), { headDim: 1 })
        .output.length,
      1,
    );
  }
});

test('an engine without layers says how to get them', async () => {
  const ch = await init();
  const deep = await init({ layers: true });
  const names = Object.keys(deep).filter(
    (name) =>
      typeof deep[name] === 'function' &&
      !(name in { attention: 1, attend: 1, tensor: 1, kvCache: 1, dispose: 1 }),
  );
  assert.ok(names.includes('multiHead') && names.includes('attentionGradient'), `${names}`);
  for (const name of names)
    assert.throws(() => ch[name](), { code: 'ENV', message: /init\(\{ layers: true \}\)/ }, name);
  await assert.rejects(init({ layers: true, wasm: wasmBytes('simd') }), {
    code: 'ARG',
    message: /model\.\*\.wasm/,
  });
});
