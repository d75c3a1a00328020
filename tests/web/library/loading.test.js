/**
 * The kernels' file in browsers: compiled while it arrives, and also where a server does not say
 * what it is.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { browsers, inBlank, serve } from '../site.js';

/** Counts how the module was compiled while an engine was made, and whether the engine works. */
const watch = async () => {
  const seen = { streamed: 0, failed: 0, compiled: 0 };
  const { compile, compileStreaming } = WebAssembly;
  WebAssembly.compileStreaming = async (...how) => {
    try {
      const module = await compileStreaming(...how);
      seen.streamed++;
      return module;
    } catch (error) {
      seen.failed++;
      throw error;
    }
  };
  WebAssembly.compile = (...how) => (seen.compiled++, compile(...how));
  const { init } = await import(new URL('web/bundled/library.js', location.href).href);
  const ch = await init();
  const x = new Float32Array(8).fill(1);
  return { ...seen, sum: ch.attention(x, x, x, { headDim: 4 }).output.reduce((a, b) => a + b) };
};

for (const { name, missing, launch } of browsers)
  describe(`loading in ${name}`, { skip: missing }, () => {
    let browser;
    before(async () => (browser = await launch()));
    after(() => browser?.close());
    for (const [what, types, want] of [
      [
        'the file is compiled while it arrives, once',
        {},
        { streamed: 1, failed: 0, compiled: 0, sum: 8 },
      ],
      [
        'without its type it is compiled when it is there',
        { '.wasm': 'application/octet-stream' },
        { streamed: 0, failed: 1, compiled: 1, sum: 8 },
      ],
    ])
      test(what, async () => {
        const site = await serve({ types });
        try {
          const { result } = await inBlank(browser, site, watch);
          assert.deepEqual(result, want);
          assert.equal(site.requests.filter((path) => path.endsWith('.wasm')).length, 1);
        } finally {
          site.close();
        }
      });
  });
