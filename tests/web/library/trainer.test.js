/** A trainer in a worker of a page has the bits of Node. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTrainer } from '../../../src/js/train/index.js';
import { repeated, tiny } from '../../support/train/tasks.js';
import { launch, missing } from '../browsers.js';
import { inBlank, serve } from '../site.js';

const options = { batch: 200, context: 10, seed: 5 };
const tokens = [0, 1].map((seed) => repeated(seed, options.batch, options.context, tiny.vocab, 3));

/** Two steps in the page, of which the second is ended first. */
async function inPage([config, given, batches]) {
  const { createTrainer: create } = await import(
    new URL('src/js/train/worker/client.js', location.href).href
  );
  const trainer = await create(config, given);
  const [first, second] = batches.map((list) => Int32Array.from(list));
  const parts = [];
  const { loss } = await trainer.step(first, { onProgress: (progress) => parts.push(progress) });
  const controller = new AbortController();
  trainer.pause();
  const ended = trainer.step(second, { signal: controller.signal });
  controller.abort(new Error('enough'));
  const reason = await ended.catch(({ message }) => message);
  await trainer.proceed();
  await trainer.step(second);
  const checkpoint = Array.from(await trainer.checkpoint());
  const refused = await trainer.step(first.subarray(1)).catch(({ name, code }) => [name, code]);
  await trainer.dispose();
  return { loss, parts, reason, checkpoint, refused };
}

let browser;
before(async () => {
  if (!missing) browser = await launch();
});
after(() => browser?.close());

test(
  'steps, progress, the end of a step, files and errors in Chromium',
  { skip: missing },
  async () => {
    const here = await createTrainer(tiny, options);
    const { loss } = await here.step(tokens[0]);
    await here.step(tokens[1]);
    const site = await serve();
    try {
      const lists = tokens.map((list) => Array.from(list));
      const { result, problems } = await inBlank(browser, site, inPage, [tiny, options, lists]);
      assert.deepEqual(problems, []);
      assert.equal(result.loss, loss);
      assert.ok(result.parts.length > 1);
      assert.deepEqual(result.parts.at(-1), { sequences: 200, total: 200 });
      assert.equal(result.reason, 'enough');
      assert.deepEqual(Uint8Array.from(result.checkpoint), here.checkpoint());
      assert.deepEqual(result.refused, ['ClearheadError', 'SHAPE']);
    } finally {
      site.close();
      here.dispose();
    }
  },
);
