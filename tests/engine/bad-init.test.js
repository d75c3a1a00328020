/** Everything that can be wrong with a source or with options of init. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';
import { at, bytes, copy, refuses } from '../support/engine/loading.js';

test('options of init that are none', async () => {
  for (const variant of ['SIMD', '', 1, null, {}])
    await refuses(`variant ${variant}`, 'ARG', { variant }, 'variant');
  await refuses('an unknown option', 'ARG', { thread: 4 }, 'thread');
  for (const options of [null, 'simd', 5])
    await refuses(`options ${options}`, 'ARG', options, 'options');
  for (const wasm of [null, 5, true, {}, [0, 97, 115, 109], Symbol('wasm'), () => bytes])
    await refuses(`wasm ${String(wasm)}`, 'ARG', { wasm });
  const mine = new Error('mine');
  await assert.rejects(init({ wasm: Promise.reject(mine) }), mine);
});

test('bytes whose memory is gone are refused by name', async () => {
  for (const view of [copy(), new DataView(copy().buffer)]) {
    const { buffer } = view;
    const message = (came) => `wasm is ${came}; expected a live array`;
    structuredClone(buffer, { transfer: [buffer] });
    for (const [wasm, came] of [
      [view, `${view.constructor.name} of 0 bytes`],
      [buffer, 'of class ArrayBuffer'],
    ])
      await assert.rejects(init({ wasm }), { code: 'DETACHED', message: message(came) });
  }
});

test('empty, foreign, damaged and unreachable files are refused', async () => {
  const text = (s) => new TextEncoder().encode(s);
  for (const [what, wasm] of Object.entries({
    'no bytes': new Uint8Array(0),
    'no buffer': new ArrayBuffer(0),
    'four bytes': copy(0, 4),
    'a web page': text('<!doctype html><html>Not found</html>'),
    'a pointer file': text('version https://git-lfs.github.com/spec/v1'),
    'a zip': text('PK\x03\x04'),
    zeros: new Uint8Array(1000),
    'the magic alone': copy(0, 8),
    'another version': Uint8Array.from(copy(), (x, i) => (i === 4 ? 2 : x)),
  }))
    await refuses(what, 'FORMAT INTEGRITY', { wasm });
  // a valid module that is not ours
  await refuses('an empty module', 'FORMAT INTEGRITY', { wasm: copy(0, 8) });
  await refuses('a foreign module', 'FORMAT INTEGRITY', {
    wasm: new WebAssembly.Module(copy(0, 8)),
  });
  await assert.rejects(
    init({ wasm: new URL('../../src/js/theory/theory.wasm', import.meta.url) }),
    {
      code: 'FORMAT',
      message:
        /^wasm is another file or version; expected attn\.\*\.wasm or model\.\*\.wasm of this/,
    },
  );
  for (let length = 1; length < bytes.length; length += 997)
    await refuses(`cut to ${length}`, 'FORMAT INTEGRITY', { wasm: copy(0, length) });
  for (const path of ['/404', '/500']) {
    await refuses(path, 'NET', { wasm: at(path) });
    await refuses(`a response of ${path}`, 'NET', { wasm: fetch(at(path)) });
  }
  await refuses('a page at the address', 'FORMAT INTEGRITY', { wasm: at('/page') });
  await refuses('a connection that breaks', 'NET', { wasm: at('/cut') });
  await refuses('a port where nobody listens', 'NET', { wasm: 'http://127.0.0.1:9/x.wasm' });
  for (const wasm of [
    '',
    'not an address',
    'file:///nowhere/attn.wasm',
    new URL('file:///nowhere'),
  ])
    await refuses(`address ${wasm}`, 'NET ARG', { wasm });
  await assert.rejects(init({ wasm: 'attn.simd.wasm' }), {
    code: 'ARG',
    message: /^wasm is "attn.simd.wasm"; expected a URL \(a file: pathToFileURL/,
  });
  await refuses('a read response', 'NET', {
    wasm: fetch(at('/good.wasm')).then(async (r) => {
      await r.arrayBuffer();
      return r;
    }),
  });
});
