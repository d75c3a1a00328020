/** A run of training: it can be stopped anywhere, and ends in files that models are loaded from. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadModel } from '../../src/js/model/index.js';
import { createTrainer, resume } from '../../src/js/train/index.js';
import { inPhase, modelFiles, openTrainer, run, sumsOf } from '../../training/stories/run.js';
import { MARK_ID, PIECES } from '../../training/stories/tokens/tokenizer.js';

const folder = mkdtempSync(join(tmpdir(), 'clearhead-training-'));
after(() => rmSync(folder, { recursive: true }));

const SIZES = { vocab: PIECES, modelDim: 32, layers: 1, heads: 2, kvHeads: 1, ffnDim: 32 };
const OPTIONS = { seed: 3, batch: 1, context: 64 };
const minutes = 10;

test('a run that was stopped goes on to the files of one that was not', async () => {
  const whole = await createTrainer(SIZES, OPTIONS);
  await run(whole, { folder, steps: 4, minutes, report() {} });
  const expected = sumsOf(modelFiles(whole));

  const first = await createTrainer(SIZES, OPTIONS);
  const stop = new AbortController();
  const ended = run(first, { folder, steps: 4, minutes, report() {}, signal: stop.signal });
  stop.abort();
  await ended;
  assert.ok(first.steps < 4, `${first.steps} steps`);

  const again = await resume(readFileSync(join(folder, 'checkpoint.bin')));
  assert.equal(again.steps, first.steps);
  await run(again, { folder, steps: 4, minutes, report() {} });
  assert.equal(sumsOf(modelFiles(again)), expected);
  for (const trainer of [whole, first, again]) trainer.dispose();
});

test('a checkpoint goes on with its own recipe, and is refused with another one', async () => {
  const own = join(folder, 'of-a-recipe');
  const first = await openTrainer(own, 1, 'one recipe');
  await run(first, { folder: own, steps: 1, minutes, report() {} });
  const again = await openTrainer(own, 1, 'one recipe');
  assert.deepEqual(again.state(), first.state());
  await assert.rejects(openTrainer(own, 1, 'another'), { message: /another recipe; remove it/ });
  rmSync(join(own, 'recipe.sha256'));
  await assert.rejects(openTrainer(own, 1, 'one recipe'), { message: /another recipe; remove it/ });
  for (const trainer of [first, again]) trainer.dispose();
});

test('an event that comes between two steps stops a run', async () => {
  const trainer = await createTrainer(SIZES, OPTIONS);
  const stop = new AbortController();
  setImmediate(() => stop.abort());
  await run(trainer, { folder, steps: 50, minutes, report() {}, signal: stop.signal });
  assert.ok(trainer.steps < 50, `${trainer.steps} steps`);
  trainer.dispose();
});

test('a next phase goes on with other sizes and rates from the weights of the last', async () => {
  const first = await createTrainer(SIZES, OPTIONS);
  await run(first, { folder, steps: 1, minutes, report() {} });
  const state = first.state();
  const optimizer = { learningRate: 0.5, warmup: 1, steps: 4 };
  const second = await inPhase(first, { batch: 2, context: 128, optimizer }, 1);
  assert.deepEqual(second.state(), state);
  await run(second, { folder, steps: 2, minutes, stream: { questions: 8 }, report() {} });
  assert.deepEqual([second.steps, second.batch, second.context], [2, 2, 128]);
  assert.equal(second.optimizer.learningRate, 0.5);
  const third = await inPhase(second, OPTIONS, 1);
  assert.equal(third.optimizer.learningRate, 0.5);
  third.dispose();
});

test('a run that is stopped in a later phase goes on at its rate', async () => {
  const optimizer = { learningRate: 0.5, warmup: 1, steps: 4 };
  const phase = { ...OPTIONS, optimizer };
  const begun = async () => inPhase(await createTrainer(SIZES, OPTIONS), phase, 1);
  const whole = await begun();
  await run(whole, { folder, steps: 2, minutes, report() {} });
  const stopped = await begun();
  await run(stopped, { folder, steps: 1, minutes, report() {} });
  stopped.dispose();
  const again = await inPhase(await resume(readFileSync(join(folder, 'checkpoint.bin'))), phase, 1);
  await run(again, { folder, steps: 2, minutes, report() {} });
  assert.deepEqual(again.state(), whole.state());
  for (const trainer of [whole, again]) trainer.dispose();
});

test('a run tells the mean loss since its last line', async () => {
  const trainer = await createTrainer(SIZES, OPTIONS);
  const lines = [];
  await run(trainer, { folder, steps: 3, minutes, report: (line) => lines.push(line) });
  trainer.dispose();
  assert.equal(lines.length, 1);
  assert.equal(lines[0].step, 3);
  // the first parameters know nothing: a loss near that of equal chances
  assert.ok(Math.abs(lines[0].loss - Math.log(PIECES)) < 0.2, `${lines[0].loss}`);
});

test('both kinds of files name the same sizes, pieces and marks', async () => {
  const trainer = await createTrainer(SIZES, OPTIONS);
  const files = modelFiles(trainer);
  trainer.dispose();
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  const text = (name) => new TextDecoder().decode(files[name]);
  const models = await Promise.all([
    loadModel({
      weights: files['model.safetensors'],
      config: JSON.parse(text('config.json')),
      tokenizer: JSON.parse(text('tokenizer.json')),
      tokenizerConfig: JSON.parse(text('tokenizer_config.json')),
    }),
    loadModel(files['stories-Q8_0.gguf']),
  ]);
  const [json, gguf] = models.map(({ config, tokenizer }) => ({
    sizes: [config.vocab, config.modelDim, config.layers, config.heads, config.kvHeads],
    ids: [...tokenizer.encode('Mia has the red cup.')],
    bos: tokenizer.bos,
    ends: [...tokenizer.ends],
  }));
  assert.deepEqual(gguf, json);
  assert.deepEqual(json.sizes, [PIECES, 32, 1, 2, 1]);
  assert.deepEqual([json.bos, json.ends], [MARK_ID, [MARK_ID]]);
  for (const model of models) model.dispose();
});
