/** The statements load when they are first wanted, and attention works without them. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { sameBits } from '../support/bits.js';
import { init } from '../../src/js/index.js';
import { t, z } from '../support/theory/calls.js';

test('a tensor is read before memory grows for the results', async () => {
  const fresh = await init({ variant: 'simd' });
  const tensor = fresh.tensor([300000], 'float64');
  tensor.data.set(t.normal(300000));
  sameBits((await fresh.theory).limits(tensor), t.limits(tensor.data.slice()));
});

/** A copy of the library without one of its files, or with another in its place. */
async function copyWith(file, change) {
  const folder = mkdtempSync(join(tmpdir(), 'clearhead-without-'));
  cpSync(new URL('../../src/js', import.meta.url), folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const path = join(folder, 'theory', file);
  if (change) writeFileSync(path, change(readFileSync(path)));
  else rmSync(path);
  const { init } = await import(pathToFileURL(join(folder, 'index.js')).href);
  return {
    init,
    mend: () => cpSync(fileOf(file), path),
    end: () => rmSync(folder, { recursive: true }),
  };
}
const fileOf = (name) => new URL(`../../src/js/theory/${name}`, import.meta.url);

for (const [what, code, file, change] of [
  ['code', 'NET', 'index.js'],
  ['kernels', 'NET', 'theory.wasm'],
  ['kernels cut off', 'INTEGRITY', 'theory.wasm', (bytes) => bytes.subarray(0, 1000)],
  ['kernels in place of which a page came', 'FORMAT', 'theory.wasm', () => '<html>'],
])
  test(`without the statements' ${what} attention works, and they name it`, async () => {
    const copy = await copyWith(file, change);
    try {
      for (const threads of [1, 2]) {
        const engine = await copy.init({ threads });
        await assert.rejects(
          engine.theory,
          (error) => error.code === code && error.message.includes(file),
        );
        engine.dispose();
      }
    } finally {
      copy.end();
    }
  });

test('statements that did not load are asked for again', async () => {
  const copy = await copyWith('theory.wasm');
  try {
    const engine = await copy.init();
    await assert.rejects(engine.theory, { code: 'NET' });
    copy.mend();
    const theory = await engine.theory;
    assert.equal(engine.theory, engine.theory);
    assert.equal(theory.klBudget(z, 0).beta, 0);
  } finally {
    copy.end();
  }
});

/** @template {ArrayBufferView} V @param {V} view */
const detached = (view) => {
  structuredClone(view, { transfer: [view.buffer] });
  return view;
};

test('theoryWasm takes what wasm takes, and refuses the kernels of attention', async () => {
  const bytes = readFileSync(fileOf('theory.wasm'));
  for (const theoryWasm of [
    bytes,
    Promise.resolve(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)),
    fileOf('theory.wasm'),
    new WebAssembly.Module(bytes),
  ])
    assert.equal((await (await init({ theoryWasm })).theory).klBudget(z, 0).beta, 0);
  for (const [theoryWasm, code] of [
    [5, 'ARG'],
    [null, 'ARG'],
    [new URL('../../src/js/engine/attn.simd.wasm', import.meta.url), 'FORMAT'],
    [bytes.subarray(8), 'FORMAT'],
    [detached(Uint8Array.from(bytes)), 'DETACHED'],
    [detached(Uint8Array.from(bytes)).buffer, 'DETACHED'],
    [fileOf('nowhere.wasm'), 'NET'],
  ])
    await assert.rejects((await init({ theoryWasm })).theory, (error) => {
      assert.equal(error.code, code);
      assert.match(error.message, /theory\.?wasm/i);
      return true;
    });
});
