/** clearhead inspect shows the heads that are planted in a model, and their part in its answer. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadModel } from '../../src/js/model/index.js';
import { init } from '../../src/js/index.js';
import { randomRepeats } from '../../src/js/model/inspect/repeats.js';
import { folder, runHere } from '../support/command.js';
import { LOGIT, VOCAB, planted, scoresOf } from '../support/models/planted.js';
import { asGguf } from '../support/models/random-models.js';

const gguf = asGguf(planted());
const file = join(folder, 'planted.gguf');
writeFileSync(file, gguf);
const { tokenizer } = await loadModel(gguf, { engine: await init({ layers: true }) });
const near = (got, want, size, what) =>
  assert.ok(Math.abs(got - want) <= size, `${what}: ${got}, not ${want}`);

const PROMPT = 'abcdefgb';
const inspected = async (...flags) => {
  const how = ['inspect', '--threads', '1', ...flags, file, PROMPT];
  const { status, stdout, stderr } = await runHere(...how);
  assert.equal(status, 0, stderr);
  return stdout;
};
const report = JSON.parse(await inspected('--json', '--ablate', '1.0'));

test('the scores of planted heads are those of their rows on random repeats', () => {
  const first = tokenizer.addsBos ? [tokenizer.bos] : [];
  const without = new Set([tokenizer.bos, ...tokenizer.ends]);
  const drawn = randomRepeats({ count: 8, period: 32, seed: 0, vocab: VOCAB, without });
  const want = scoresOf(
    drawn.map((ids) => [...first, ...ids]),
    first.length,
  );
  for (const [x, scores] of want.entries())
    for (const [name, value] of Object.entries(scores))
      near(report.heads[x].scores[name], value, 5e-5, `${name} of head ${x}`);
  const labels = report.heads.map((head) => head.labels);
  assert.ok(labels[1].includes('previous token'), `${labels[1]}`);
  assert.ok(labels[2].includes('induction'), `${labels[2]}`);
  assert.deepEqual(labels[3], []);
});

test('the answer is the token behind the same one, as the sum of one head', () => {
  const [next] = report.next;
  assert.equal(next.text, 'c');
  near(next.probability, 1 / (1 + (VOCAB - 1) * Math.exp(-LOGIT)), 1e-5, 'its probability');
  const { logit, heads, embedding, feedForward, rest } = report.ledger;
  near(logit, LOGIT, 1e-3, 'its logit');
  [0, 0, LOGIT, 0].forEach((part, x) => near(heads.flat()[x], part, 1e-3, `part of head ${x}`));
  for (const part of [embedding, ...feedForward, rest]) near(part, 0, 1e-3, 'another part');
});

test('without the head that answers, all tokens are alike', () => {
  near(report.ablation.before, 0, 1e-5, 'log-probability with it');
  near(report.ablation.after, -Math.log(VOCAB), 1e-5, 'log-probability without it');
});

test('stars stand at the planted scores', async () => {
  const lines = (await inspected()).split('\n');
  const names = lines
    .find((line) => line.includes('induction'))
    .trim()
    .split(/ +/);
  const cell = (head, score) =>
    lines.find((line) => line.startsWith(`${head} `)).split(/ +/)[1 + names.indexOf(score)];
  assert.equal(cell('0.1', 'previous'), '1.00*');
  assert.equal(cell('1.0', 'copying'), '1.00*');
  assert.match(cell('1.0', 'induction'), /^0\.[4-9]\d\*$/);
  assert.match(cell('1.1', 'induction'), /^0\.0\d$/);
});
