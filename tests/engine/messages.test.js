/** Messages hold the fact that helps: the nearest name, what is required, the reasons apart. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { located } from '../../src/js/engine/files.js';
import { fromFile, refusal } from '../../src/js/engine/worker-files.js';
import { acceptsRelaxed, compile } from '../../src/js/engine/load.js';
import { init } from '../../src/js/index.js';
import { didYouMean } from '../../src/js/names.js';
import { wasmBytes } from '../support/engines.js';

const ch = await init({ layers: true, variant: 'simd' });
const theory = await ch.theory;
const four = new Float32Array(4);
const says = (code, message, f) => assert.throws(f, { name: 'ClearheadError', code, message });

describe('an unknown option', () => {
  test('that is nearly a known one is answered with that', async () => {
    for (const [given, meant] of [
      ['headdim', 'headDim'],
      ['head_dim', 'headDim'],
      ['cuasal', 'causal'],
      ['temprature', 'temperature'],
      ['key_lengths', 'keyLengths'],
    ])
      says('ARG', new RegExp(`given "${given}".*; did you mean ${meant}\\?$`), () =>
        ch.attention(four, four, four, { [given]: 4 }),
      );
    says('ARG', /did you mean approximate\?$/, () => ch.gelu(four, { aproximate: 'tanh' }));
    says('ARG', /did you mean multipliers\?$/, () =>
      theory.maximumEntropy(four, four, { multiplier: 1 }),
    );
    await assert.rejects(init({ thread: 2 }), { message: /did you mean threads\?$/ });
  });

  test('that is near none is answered with the list alone', () => {
    says('ARG', /given "dropout"; expected only batch .* want$/, () =>
      ch.attention(four, four, four, { dropout: 0 }),
    );
    for (const name of ['', 'x', 'q'.repeat(1e6)])
      assert.equal(didYouMean(name, ['headDim', 'causal']), '', name.slice(0, 9));
  });
});

test('a missing argument is said to be required', () => {
  says('ARG', /^headDim is undefined but required; /, () => ch.attention(four, four, four, {}));
  says('ARG', /^headDim is undefined but required; /, () => ch.attention(four, four, four));
  says('ARG', /^v is undefined but required; /, () => ch.attention(four, four));
  says('ARG', /^capacity is undefined but required; /, () => ch.kvCache({ headDim: 4 }));
  says('ARG', /^k is undefined but required; /, () => ch.matmul(four, four, {}));
  says('ARG', /^modelDim is undefined but required; /, () => ch.multiHead({}, {}));
  says('ARG', /^z is undefined but required; /, () => theory.gibbs());
  says('ARG', /^scale is null; expected a number$/, () =>
    ch.attention(four, four, four, { headDim: 4, scale: null }),
  );
});

test('the data of a tensor as an argument is answered with: the tensor itself', () => {
  const tensor = ch.tensor([4]);
  for (const f of [
    () => ch.attention(tensor.data, four, four, { headDim: 4 }),
    () => ch.silu(four, { out: tensor.data }),
  ])
    says('ARG', /^\w+ is a view of wasm memory; expected the tensor itself, not its \.data$/, f);
});

test('more arguments than a function has are refused', async () => {
  const cache = ch.kvCache({ headDim: 4, capacity: 4 });
  for (const [name, count, f] of [
    ['attention', 4, () => ch.attention(four, four, four, { headDim: 4 }, 0)],
    ['attend', 3, () => ch.attend(four, cache, {}, undefined)],
    ['tensor', 2, () => ch.tensor([1], 'float32', 1)],
    ['kvCache', 1, () => ch.kvCache({ headDim: 4, capacity: 4 }, 'q8')],
    ['silu', 2, () => ch.silu(four, {}, four)],
    ['linear', 2, () => ch.linear(four, { inputs: 4 }, four)],
    ['gaussianWeights', 4, () => theory.gaussianWeights(four, four, four, {}, 1)],
    ['gibbs', 2, () => theory.gibbs(four, {}, 1)],
  ])
    says('ARG', new RegExp(`^${name} is called with .*; expected at most ${count}$`), f);
  await assert.rejects(init({}, {}), { code: 'ARG', message: /^init is called with 2 arguments/ });
});

describe('info', () => {
  test('says what was asked, what there is, and each reason apart', async () => {
    const relaxed = acceptsRelaxed();
    const wasm = new WebAssembly.Module(wasmBytes('simd'));
    const engine = await init({ wasm, threads: 2 });
    const { info } = engine;
    assert.deepEqual([info.relaxed, info.threads, info.threadsAsked], [false, 1, 2]);
    assert.match(info.reasons.threads, /^one thread: .*not a compiled module/);
    assert.equal(info.reasons.relaxed, relaxed ? '' : 'the JS engine has no relaxed SIMD');
    for (const reason of Object.values(info.reasons)) assert.ok(info.why.includes(reason));
  });

  test('has no reason where nothing is missing', async () => {
    const { info } = await init({ variant: 'simd' });
    assert.deepEqual([info.relaxed, info.threadsAsked, info.why], [false, 1, '']);
    assert.deepEqual(info.reasons, { relaxed: '', threads: '' });
  });
});

describe('an address of the package', () => {
  test('that a server bundle turned into a path is named, with the setting that helps', () => {
    // Next.js has a class of its own, whose text is a path
    const relative = Object.assign(Object.create(URL.prototype), {
      toString: () => '/_next/a.wasm',
    });
    for (const path of ['/_next/a.wasm', relative])
      says(
        'ENV',
        /into the path \/_next\/a\.wasm, .*serverExternalPackages.*clearhead\/inline/,
        () => located(() => path),
      );
  });

  test('of a missing file comes with the build in a clone, else with bundlers', async () => {
    for (const [folder, remedy] of [
      ['src', 'in a clone run npm run build first'],
      ['lib', 'leave the package outside a bundle for servers .*'],
    ])
      for (const file of ['engine/attn.simd.wasm', 'theory/theory.wasm'])
        await assert.rejects(compile(new URL(`file:///none/${folder}/js/${file}`)), {
          code: 'NET',
          message: new RegExp(`^wasm was not read from file:\\S+: ENOENT[^;]+; ${remedy}$`),
        });
  });

  test('that is whole, or is a path in a page, is taken as it is', (t) => {
    const file = new URL('file:///a.wasm');
    assert.equal(
      located(() => file),
      file,
    );
    globalThis.location = new URL('http://localhost/');
    t.after(() => delete globalThis.location);
    assert.equal(
      located(() => '/a.wasm'),
      '/a.wasm',
    );
  });
});

test('a worker that Vite answers with its page is told with the setting that helps', async (t) => {
  const address = 'http://localhost:5173/node_modules/.vite/deps/thread.js';
  const asked = t.mock.method(globalThis, 'fetch', async () => new Response('<!doctype html>'));
  const here = { stack: `at http://localhost:5173/node_modules/.vite/deps/clearhead.js?v=1:2:3` };
  const message = await refusal(fromFile({}, 'thread.js', here));
  assert.deepEqual(asked.mock.calls[0].arguments, [address]);
  assert.ok(message.startsWith(`a web page from ${address} (with Vite import clearhead/inline`));
  assert.match(message, /optimizeDeps: \{ exclude: \['clearhead'\] \}/);
});
