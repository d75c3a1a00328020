/** Objects of another realm: of a frame, of jsdom or happy-dom, of a context of node:vm. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { init } from '../../src/js/index.js';
import { attentionFile } from '../../src/js/engine/files.js';

const wasm = readFileSync(attentionFile(false));
const elsewhere = (/** @type {string} */ code, given = {}) => runInNewContext(code, given);

test('wasm bytes, buffers and results of another realm are accepted', async () => {
  const buffer = elsewhere('Uint8Array.from(bytes).buffer', { bytes: [...wasm] });
  assert.ok(!(buffer instanceof ArrayBuffer));
  const ch = await init({ wasm: buffer, variant: 'simd' });
  const q = elsewhere('Float32Array.of(1)');
  assert.equal(ch.attention(q, q, q, { headDim: 1 }).output[0], 1);
});

test('a URL and a Response are known by their methods', async () => {
  class Address {
    href = String(attentionFile(false));
    searchParams = new URLSearchParams();
    toString() {
      return this.href;
    }
  }
  class Answer {
    ok = true;
    headers = new Map();
    clone = () => this;
    arrayBuffer = async () => new Uint8Array(wasm).buffer;
  }
  await init({ wasm: new Address(), variant: 'simd' });
  await init({ wasm: new Answer(), variant: 'simd' });
});

test('an unknown object is named by its class', async () => {
  class Thing {}
  const ch = await init({ variant: 'simd' });
  assert.throws(() => ch.attention(new Thing(), 0, 0, { headDim: 1 }), /q is of class Thing/);
  await assert.rejects(init({ wasm: new Map() }), /wasm is of class Map/);
});
