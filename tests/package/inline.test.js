/** The single files of dist, which have the kernels and workers inside. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { transform } from 'esbuild';
import { unpack } from '../../src/js/inline/lzma.js';
import { STREAMS, walk } from '../../src/js/inline/streams.js';
import { init } from '../../src/js/index.js';
import { loadModel } from '../../src/js/model/index.js';
import { sameBits } from '../support/bits.js';
import { tinyGguf } from '../support/models/tiny-models.js';
import { brotli, KB, withinBudget } from '../support/package/budget.js';
import { readWithoutCharset } from '../support/package/bundle.js';
import { bytes, read, root } from '../support/package/repository.js';
import { inBlank, ISOLATION, launch, missing, serve, STRICT } from '../web/site.js';

const load = (name) => import(`${root}dist/${name}.js`);
const NAMES = ['clearhead', 'clearhead-model'];
const FILES = NAMES.flatMap((name) => [`dist/${name}.js`, `dist/${name}.min.js`]);
const SCRIPTS = NAMES.map((name) => `dist/${name}.min.js`);
const row = Float32Array.from({ length: 64 }, (_, i) => Math.sin(i * i));
const attentionOf = (engine) => engine.attention(row, row, row, { headDim: 8, causal: true });

describe('each script of dist', () => {
  test('imports nothing, now or later, and asks for no address of its own', () => {
    for (const file of SCRIPTS)
      assert.deepEqual(
        read(file).match(/\bimport\s*\(|\bimport\s*["'{*]|import\.meta/g),
        null,
        file,
      );
  });

  for (const name of NAMES)
    test(`has all of the code, and is the one import of ${name}.js`, () => {
      const code = read(`dist/${name}.js`);
      assert.deepEqual(code.match(/import.*/g), [`import './${name}.min.js';`]);
      assert.ok(code.length < KB, `${code.length} bytes`);
    });

  test('is ASCII, whichever charset a page has', () => {
    for (const file of FILES)
      assert.ok(
        bytes(file).every((byte) => byte < 0x80),
        file,
      );
  });

  // other ways to pack it: tuning.md#inline-size
  test('of attention is at most 60 KB after brotli', (t) => {
    withinBudget(t, SCRIPTS[0], brotli(bytes(SCRIPTS[0])), 60 * KB);
  });
});

describe('attention in one file', async () => {
  const inline = await load('clearhead');

  for (const variant of ['simd', 'auto'])
    test(`gives the bits of the package (${variant})`, async () => {
      const [ours, theirs] = [await inline.init({ variant }), await init({ variant })];
      assert.equal(ours.info.variant, theirs.info.variant);
      sameBits(attentionOf(ours).output, attentionOf(theirs).output);
    });

  test('has its threads and its statements', async () => {
    const engine = await inline.init({ threads: 2 });
    assert.equal(engine.info.threads, 2, engine.info.why);
    const { rho } = (await engine.theory).rhoEffective(Float64Array.of(1, 1));
    assert.ok(Math.abs(rho) < 1e-12);
    engine.dispose();
  });

  test('refuses layers by the name of the file that has them', () =>
    assert.rejects(inline.init({ layers: true }), {
      code: 'ENV',
      message: /clearhead\/inline\/model/,
    }));

  test('runs without a charset, where there is nothing but WebAssembly', async () => {
    const context = createContext({ WebAssembly });
    runInContext(readWithoutCharset(bytes('dist/clearhead.min.js')), context);
    const engine = await runInContext('clearhead.init()', context);
    sameBits(attentionOf(engine).output, attentionOf(await init()).output);
    const { rho } = (await engine.theory).rhoEffective(Float64Array.of(1, 1));
    assert.ok(Math.abs(rho) < 1e-12);
  });
});

test('a page from the disk is told how it can read a model', async () => {
  const context = createContext({ WebAssembly, URL });
  runInContext(readWithoutCharset(bytes('dist/clearhead-model.min.js')), context);
  await assert.rejects(runInContext("clearhead.loadModel('file:///m.gguf')", context), {
    code: 'NET',
    message: /^file:\/\/\/m\.gguf lies on this machine, .*; expected a File that the user chose/,
  });
});

describe('models in one file', async () => {
  const inline = await load('clearhead-model');
  const file = tinyGguf();
  const textOf = async (model) => {
    let all = '';
    for await (const { text } of model.generate('ab ba', { maxTokens: 8, tau: 0 })) all += text;
    return all;
  };
  const expected = await textOf(await loadModel(file));

  test('write the text of the package, here and in a worker with threads', async () => {
    assert.equal(await textOf(await inline.loadModel(file)), expected);
    const model = await inline.worker.loadModel(file, { engine: { threads: 2 } });
    assert.equal(model.engine.threads, 2);
    assert.equal(await textOf(model), expected);
    await model.dispose();
  });

  test('have a worker for attention, which gives the same bits', async () => {
    const engine = await inline.worker.init({ variant: 'simd', threads: 2 });
    assert.equal(engine.info.threads, 2, engine.info.why);
    const expected = attentionOf(await init({ variant: 'simd' }));
    sameBits((await attentionOf(engine)).output, expected.output);
    await engine.dispose();
  });

  test('need nothing from outside when a bundler lowers them for old browsers', async () => {
    const { code } = await transform(read('dist/clearhead-model.min.js'), {
      minify: true,
      supported: { destructuring: true },
      target: ['es2020', 'chrome87', 'edge88', 'firefox78', 'safari14'], // of Vite 6
    });
    assert.match(code, /^globalThis\.clearhead=\(?function [\w$]+\(\)\{"use strict";/);
    assert.match(code, /\}\)?\(\)\)?;\s*$/, 'it is one function');
  });

  test('bring the layers', async () => {
    const engine = await inline.init({ layers: true });
    assert.equal(typeof engine.multiHead, 'function');
  });
});

describe('in a page whose policy', { skip: missing }, () => {
  const policy = STRICT['content-security-policy'];
  let browser;
  before(async () => (browser = await launch()));
  after(() => browser?.close());
  /** Evaluates a function of one file in a page with this policy. */
  const inPage = async (policy, f, argument) => {
    const site = await serve({ headers: { ...ISOLATION, 'content-security-policy': policy } });
    try {
      return (await inBlank(browser, site, f, argument)).result;
    } finally {
      await site.close();
    }
  };
  /** Attention with two threads, and which workers the policy refuses. */
  const attend = async (row) => {
    const refused = [];
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
      refused.push(`${effectiveDirective} ${blockedURI}`),
    );
    const { init } = await import(new URL('dist/clearhead.js', location.href).href);
    const q = Float32Array.from(row);
    const ch = await init({ variant: 'simd', threads: 2 });
    const { output } = ch.attention(q, q, q, { headDim: 8, causal: true });
    const empty = new Worker('data:text/javascript,postMessage(0)');
    await new Promise((done) => (empty.onmessage = empty.onerror = done));
    return { ...ch.info, output: [...output], refused };
  };
  const remote = async (name) => {
    const { worker } = await import(new URL('dist/clearhead-model.js', location.href).href);
    const asked = name === 'init' ? worker.init() : worker.loadModel(new Uint8Array(8));
    return asked.then(String, ({ code, message }) => `${code}: ${message}`);
  };

  test('allows workers of a blob, there are two threads', async () => {
    const allowing = policy.replace('worker-src', 'worker-src blob:');
    const { threads, why, refused } = await inPage(allowing, attend, row);
    assert.deepEqual([threads, why, refused], [2, '', ['worker-src data']]);
  });

  test('refuses workers of blobs and data, one thread says so and has the bits', async () => {
    const { threads, threadsAsked, reasons, refused, output } = await inPage(policy, attend, row);
    assert.deepEqual(refused, ['worker-src blob', 'worker-src data']);
    assert.deepEqual([threads, threadsAsked], [1, 2]);
    assert.match(reasons.threads, /^one thread: no worker started: .*content security policy/);
    sameBits(Float32Array.from(output), attentionOf(await init({ variant: 'simd' })).output);
  });

  test('refuses workers of blobs, attention and models in a worker say so', async () => {
    for (const name of ['init', 'loadModel'])
      assert.match(await inPage(policy, remote, name), /^ENV: .*content security policy/, name);
  });
});

test('the page of docs/bundlers.md runs from the disk', { skip: missing }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'clearhead-page-'));
  const [, html] = read('docs/bundlers.md').match(/```html\n([\s\S]*?)```/);
  writeFileSync(join(folder, 'index.html'), html);
  copyFileSync(join(root, 'dist/clearhead.min.js'), join(folder, 'clearhead.min.js'));
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const said = page.waitForEvent('console', { timeout: 120000 });
    await page.goto(pathToFileURL(join(folder, 'index.html')).href);
    assert.match((await said).text(), /^(simd|relaxed)$/);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
});

test('a wasm file is split into streams, which give it back byte by byte', () => {
  for (const path of ['engine/model.relaxed.wasm', 'theory/theory.wasm']) {
    const file = bytes(`src/js/${path}`);
    const streams = Array.from({ length: STREAMS }, () => []);
    let at = 0;
    walk(file.length, (stream) => {
      streams[stream].push(file[at]);
      return file[at++];
    });
    const joined = [];
    const places = new Uint32Array(STREAMS);
    walk(file.length, (stream) => {
      const byte = streams[stream][places[stream]++];
      joined.push(byte);
      return byte;
    });
    assert.equal(Buffer.compare(Buffer.from(joined), file), 0, path);
    assert.ok(streams.every(({ length }) => length > 0));
  }
});

test('LZMA is unpacked, from the first byte to any other', () => {
  const text = `abcabcabcabcabcabd\0\xff${'a'.repeat(36)}b`;
  // by xz --format=lzma --lzma1=lc=0,lp=0,pb=0, without its header
  const packed = Uint8Array.from(
    '0 48 153 171 221 90 33 122 130 236 123 199 30 203 145 163 255 255 237 84 128 0'.split(' '),
  );
  for (let length = 0; length <= text.length; length++)
    assert.equal(String.fromCharCode(...unpack(packed, length)), text.slice(0, length));
});
