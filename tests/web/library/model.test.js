/**
 * A model in a browser, in the page and in a worker. It writes the same as in Node, and the page
 * stays alive.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { asGguf, configs, tiny } from '../../support/models/random-models.js';
import { browsers, inBlank, ISOLATION, serve, STRICT } from '../site.js';

const models = {
  /** Of as many layers as the larger one, on a clock of its own. */
  'deep.gguf': asGguf(
    tiny({
      ...configs['llama, tied, grouped'],
      max_position_embeddings: 4096,
      num_hidden_layers: 6,
      vocab_size: 400,
    }),
  ),
  'tiny.gguf': asGguf(tiny(configs.gemma3)),
  /** Some 5 million multiply-adds for a token: a prompt of 2000 takes many slices of 20 ms. */
  'larger.gguf': asGguf(
    tiny({
      ...configs['llama, tied, grouped'],
      max_position_embeddings: 4096,
      num_hidden_layers: 6,
      hidden_size: 256,
      intermediate_size: 768,
      num_attention_heads: 8,
      num_key_value_heads: 4,
      vocab_size: 400,
    }),
  ),
};
const prompt = Array.from({ length: 60 }, (_, x) => (x * 7 + 3) % 60);
const long = Array.from({ length: 2000 }, (_, x) => (x * 7 + 3) % 400);
/** Three passes of 6 layers each, as no pass has more than 256 tokens. */
const passes = long.slice(0, 600);
const SAME = 'the text and the statistics are those of Node, bit for bit';
/** The modules in the page as they lie in the repository, and in one file, which arrives sooner. */
const PAGE = {
  inWorker: false,
  plain: ['src/js/index.js', 'src/js/model/index.js'],
  bundled: ['web/bundled/library.js'],
};
const WORKER = {
  inWorker: true,
  plain: ['src/js/worker/client.js'],
  bundled: ['web/bundled/client.js'],
};
const how = { maxTokens: 12, tau: 1, seed: 9, observe: 'stats' };

/**
 * In the page: the tokens that a model writes, whose library is in these modules, and how loading
 * went. A timer ticks meanwhile. At tick `abortAt` the text is aborted; `settled` counts the ticks
 * until it ends.
 */
async function write({ modules, inWorker, model: path, engine, prompt, how, abortAt }) {
  const load = (each) => import(new URL(each, location.href).href);
  const { init, loadModel } = Object.assign({}, ...(await Promise.all(modules.map(load))));
  const progress = [];
  const model = await loadModel(path === 'tiny.gguf' ? path : new URL(path, location.href), {
    engine: inWorker ? engine : await init({ ...engine, layers: true }),
    onProgress: (x) => progress.push(x),
  });
  const tokens = [];
  const entropies = [];
  const controller = new AbortController();
  let ticks = 0;
  let settled;
  let over = false;
  const tick = () => {
    if (over) return;
    ticks++;
    if (ticks === abortAt) controller.abort();
    setTimeout(tick);
  };
  setTimeout(tick);
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
    settled = ticks - abortAt;
  }
  over = true;
  const { threads = 1 } = model.engine ?? {};
  await model.dispose();
  return { tokens, entropies, progress: progress.at(-1), settled, threads };
}

/**
 * In the page, on a clock that only the models move: each has another number of milliseconds that a
 * layer of a pass takes. Returns of each the milliseconds of each task of the page in which it
 * computed, and the tokens of its longest pass.
 */
async function millisecondsBetweenYields({ prompt, layers }) {
  const library = new URL('web/bundled/library.js', location.href).href;
  const { init, loadModel, Pass } = await import(library);
  const engine = await init({ variant: 'simd', layers: true });
  let time = 0;
  let layer;
  let spent;
  let tokens;
  performance.now = () => time;
  const { run } = Pass.prototype;
  Pass.prototype.run = function (layers) {
    const before = this.remaining;
    const whole = run.call(this, layers);
    const elapsed = (before - this.remaining) * layer;
    time += elapsed;
    spent[spent.length - 1] += elapsed;
    tokens = Math.max(tokens, this.t);
    return whole;
  };
  // another task of the page, which has a turn whenever the model lets it
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    spent.push(0);
    port2.postMessage(0);
  };
  spent = [0];
  port2.postMessage(0);
  const models = [];
  for (layer of layers) {
    const model = await loadModel(new URL('deep.gguf', location.href), { engine });
    spent = [0];
    tokens = 0;
    let count = 0;
    for await (const { token } of model.generate(prompt, { maxTokens: 3 }))
      count += Number(token >= 0);
    models.push({ count, tokens, spent: spent.filter((milliseconds) => milliseconds > 0) });
  }
  port1.close();
  return models;
}

/** The text that Node writes. */
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

    const visit = async (headers, task, f = write) => {
      const site = await serve({
        headers,
        change: Object.fromEntries(
          Object.entries(models).map(([name, bytes]) => [name, () => bytes]),
        ),
      });
      try {
        const { result, problems } = await inBlank(browser, site, f, {
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

    for (const [where, place] of [
      ['in the page', PAGE],
      ['in a worker', WORKER],
    ])
      for (const [name, headers, threads, modules] of [
        ['plainly served', {}, 1, place.plain],
        ['under a strict policy', STRICT, 1, place.bundled],
        ['isolated, with two threads', ISOLATION, 2, place.bundled],
      ])
        test(`${where}, ${name}: ${SAME}`, async () => {
          const found = await visit(headers, {
            modules,
            inWorker: place.inWorker,
            model: 'tiny.gguf',
            engine: { variant: 'simd', threads },
          });
          assert.deepEqual(found.tokens, want.tokens);
          assert.deepEqual(found.entropies, want.entropies);
          const { length } = models['tiny.gguf'];
          assert.deepEqual(found.progress, { loaded: length, total: length });
          if (place.inWorker) assert.equal(found.threads, threads);
        });

    for (const [where, place] of [
      ['in the page', PAGE],
      ['in a worker', WORKER],
    ])
      test(`${where}: a long prompt lets others run, and an abort ends it at once`, async () => {
        const found = await visit(
          {},
          {
            modules: place.bundled,
            inWorker: place.inWorker,
            model: 'larger.gguf',
            prompt: long,
            how: { maxTokens: 1000 },
            abortAt: 5,
          },
        );
        assert.deepEqual(found.tokens, []);
        // the slice that was being computed, and the message after it
        assert.ok(found.settled <= 3, `${found.settled} ticks of a timer`);
      });

    test('layers of 3 and 8 ms hold the page for 40 ms at most, and of 30 ms for one', async () => {
      // slices of 20 ms: the last one begins before the first is over. Without them each of these
      // prompts would hold the page for longer than its limit
      const limits = { 3: 40, 8: 40, 30: 30 };
      const layers = Object.keys(limits).map(Number);
      const found = await visit({}, { prompt: passes, layers }, millisecondsBetweenYields);
      for (const [at, { count, tokens, spent }] of found.entries()) {
        const layer = layers[at];
        assert.equal(count, 3);
        // a layer of a pass takes longer with more tokens
        assert.ok(tokens <= 256, `${tokens} tokens at once`);
        assert.ok(Math.max(...spent) <= limits[layer], `turns of ${spent} ms`);
        const total = spent.reduce((sum, each) => sum + each, 0);
        // those of the prompt, and two for tokens
        assert.ok(total >= 6 * (3 + 2) * layer, `${total} ms of all layers`);
      }
    });
  });
