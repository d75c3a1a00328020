/** The border between JavaScript and C: the files generated from the headers, and traps. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { generate } from '../../scripts/generate.js';
import { Memory } from '../../src/js/engine/memory.js';
import { wasmBytes } from '../support/models/engines.js';

const files = await generate();

for (const [path, text] of Object.entries(files))
  test(`${path} says what the headers say`, () => {
    const committed = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    assert.ok(committed === text, 'npm run format renews it');
  });

test('every function that a model file exports has a type', () => {
  const module = new WebAssembly.Module(wasmBytes('simd'));
  for (const { name, kind } of WebAssembly.Module.exports(module))
    if (kind === 'function')
      assert.ok(files['src/js/engine/exports.d.ts'].includes(`  ${name}(`), name);
});

test('after a trap nothing is called any more, and errors name the function', () => {
  const calls = [];
  const memory = new Memory({
    memory: new WebAssembly.Memory({ initial: 1 }),
    __heap_base: new WebAssembly.Global({ value: 'i32' }, 64),
    attn_fine: () => calls.push('fine'),
    attn_trap: () => {
      throw new WebAssembly.RuntimeError('unreachable');
    },
  });
  memory.c.attn_fine();
  assert.throws(() => memory.c.attn_trap(), {
    code: 'TRAPPED',
    message: 'attn_trap failed in wasm; init a new engine',
  });
  assert.throws(() => memory.c.attn_fine(), {
    code: 'TRAPPED',
    message: 'attn_fine failed in wasm; init a new engine',
  });
  assert.deepEqual(calls, ['fine']);
});
