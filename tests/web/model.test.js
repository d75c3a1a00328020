/**
 * A model in a browser: loaded from an address in the page and in a worker, it writes what it
 * writes in Node; and the page stays alive.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { init } from '../../src/js/index.js';
import { loadModel } from '../../src/js/model/index.js';
import { asGguf, configs, tiny } from '../support/models/random-models.js';
import { browsers, inBlank, ISOLATION, serve, STRICT } from './site.js';

const models = {
  'tiny.gguf': asGguf(tiny(configs.gemma3)),
  /** Some 20 million multiply-adds for a token: a prompt of 2000 takes a second or more. */
  'larger.gguf': asGguf(
    tiny({
      ...configs['llama, tied, grouped'],
      max_position_embeddings: 4096,
      num_hidden_layers: 6,
      hidden_size: 512,
      intermediate_size: 1536,
      num_attention_heads: 8,
      num_key_value_heads: 4,
      vocab_size: 400,
    }),
  ),
};
const prompt = Array.from({ length: 60 }, (_, x) => (x * 7 + 3) % 60);
const how = { maxTokens: 12, tau: 1, seed: 9, observe: 'stats' };

/**
 * In the page: a model from `entry`, the tokens it writes, how loading went, and the longest time
 * nothing else could happen.
 */
async function write({ entry, model: path, engine, prompt, how, abortAfter }) {
  const { loadModel } = await import(new URL(`src/js/model/${entry}.js`, location.href).href);
  const { init } = await import(new URL('src/js/index.js', location.href).href);
  const progress = [];
  const begun = performance.now();
  const model = await loadModel(path === 'tiny.gguf' ? path : new URL(path, location.href), {
    engine: entry === 'index' ? await init({ ...engine, layers: true }) : engine,
    onProgress: (x) => progress.push(x),
  });
  const loading = performance.now() - begun;
  const tokens = [];
  const entropies = [];
  let longest = 0;
  let last = performance.now();
  let on = true;
  const watch = () => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
    if (on) setTimeout(watch);
  };
  watch();
  const controller = new AbortController();
  let aborted = 0;
  let settled = Infinity;
  if (abortAfter)
    setTimeout(() => {
      aborted = performance.now();
      controller.abort();
    }, abortAfter);
  try {
    for await (const { token, heads } of model.generate(prompt, {
      ...how,
      signal: controller.signal,
    })) {
      tokens.push(token);
      entropies.push(heads?.entropy[3]);
    }
  } catch (error) {
    if (error.name !== 'AbortError') throw error;
    settled = performance.now() - aborted;
  }
  on = false;
  const { threads = 1 } = model.engine ?? {};
  await model.dispose();
  return { tokens, entropies, progress: progress.at(-1), longest, settled, loading, threads };
}

/** What Node writes. */
const written = async () => {
  const model = await loadModel(models['tiny.gguf'], {
    engine: await init({ layers: true, variant: 'simd' }),
  });
  const want = { tokens: [], entropies: [] };
  for await (const { token, heads } of model.generate(prompt, how)) {
    want.tokens.push(token);
    want.entropies.push(heads.entropy[3]);
  }
  return want;
};

for (const { name: browserName, missing, launch } of browsers)
  describe(`a model in ${browserName}`, { skip: missing }, () => {
    let browser;
    let want;
    before(async () => ([browser, want] = await Promise.all([launch(), written()])));
    after(() => browser?.close());

    const visit = async (headers, task) => {
      const site = await serve({
        headers,
        change: Object.fromEntries(
          Object.entries(models).map(([name, bytes]) => [name, () => bytes]),
        ),
      });
      try {
        const { result, problems } = await inBlank(browser, site, write, {
          engine: { variant: 'simd' },
          prompt,
          how,
          ...task,
        });
        assert.deepEqual(problems, []);
        return result;
      } finally {
        site.close();
      }
    };

    for (const [entry, where] of [
      ['index', 'in the page'],
      ['remote', 'in a worker'],
    ])
      for (const [name, headers, threads] of [
        ['plainly served', {}, 1],
        ['under a strict policy', STRICT, 1],
        ['isolated, with two threads', ISOLATION, 2],
      ])
        test(`${where}, ${name}: the text and the statistics are those of Node, bit for bit`, async () => {
          const found = await visit(headers, {
            entry,
            model: 'tiny.gguf',
            engine: { variant: 'simd', threads },
          });
          assert.deepEqual(found.tokens, want.tokens);
          assert.deepEqual(found.entropies, want.entropies);
          const { length } = models['tiny.gguf'];
          assert.deepEqual(found.progress, { loaded: length, total: length });
          if (entry === 'remote') assert.equal(found.threads, threads);
        });

    for (const [entry, where] of [
      ['index', 'in the page itself'],
      ['remote', 'in a worker'],
    ])
      test(`${where}: other things go on meanwhile, and an abort settles within 100 ms`, async (t) => {
        const found = await visit(
          {},
          {
            entry,
            model: 'larger.gguf',
            prompt: Array.from({ length: 2000 }, (_, x) => (x * 7 + 3) % 400),
            how: { maxTokens: 1000 },
            abortAfter: 150,
          },
        );
        t.diagnostic(
          `longest pause ${found.longest.toFixed(0)} ms, abort settled in ${found.settled.toFixed(0)} ms`,
        );
        assert.ok(found.settled < 100, `${found.settled} ms`);
        // a slice of 20 ms, and what the machine's other users take
        assert.ok(found.longest < 200, `nothing else could happen for ${found.longest} ms`);
      });
  });
