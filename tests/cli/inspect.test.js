/** clearhead inspect tells what the library tells, in tables of 80 columns or as JSON. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';
import { loadModel } from '../../src/js/model/index.js';
import { file, gguf, run, runHere } from '../support/command.js';

const PROMPT = 'abc def abc';
const model = await loadModel(gguf, { engine: await init({ layers: true }) });
const { config } = model;
const ids = model.tokenizer.encode(PROMPT);

/** The logits behind the prompt, with some changes. */
function logitsOf(interventions) {
  model.intervene(interventions);
  model.cache.clear();
  const { logits } = model.prefill(ids);
  model.intervene([]);
  return Float64Array.from(logits);
}

/** Probabilities of logits. */
function softmax(logits) {
  const max = Math.max(...logits);
  const p = logits.map((x) => Math.exp(x - max));
  const sum = p.reduce((a, b) => a + b);
  return p.map((x) => x / sum);
}

/** The likeliest tokens of a report are these, and so are their probabilities. */
function assertLikeliest(next, p) {
  const order = [...p.keys()].sort((a, b) => p[b] - p[a] || a - b).slice(0, next.length);
  assert.deepEqual(
    next.map(({ token }) => token),
    order,
  );
  for (const { token, text, probability } of next) {
    assert.ok(Math.abs(probability - p[token]) <= 1e-6, `${probability}, not ${p[token]}`);
    assert.equal(text, model.tokenizer.decode([token], { special: true, continued: true }));
  }
}

const inspected = async (...args) => {
  const how = ['inspect', '--threads', '1', ...args, file, PROMPT];
  const { status, stdout, stderr } = await runHere(...how);
  assert.equal(status, 0, stderr);
  return stdout;
};
const report = JSON.parse(
  await inspected('--json', '--ablate', '2.1', '--ablate', '0.3=0.5', '--ablate', '1.0=mean'),
);

test('the next tokens and those of the last layer are those of the model', () => {
  assert.deepEqual(
    report.tokens.map(({ token }) => token),
    ids,
  );
  assertLikeliest(report.next, softmax(logitsOf([])));
  assert.equal(report.lens.length, config.layers);
  assert.deepEqual(report.lens.at(-1), report.next);
});

test('all heads come with the scores of the library', async () => {
  const { heads } = await model.heads.scores();
  assert.equal(heads.length, config.layers * config.heads);
  assert.deepEqual(report.heads, JSON.parse(JSON.stringify(heads)));
});

test('the parts of the ledger sum up to the logit of the likeliest token', () => {
  const { token, logit, embedding, heads, feedForward, biases, ...of } = report.ledger;
  assert.equal(token, report.next[0].token);
  assert.ok(Math.abs(logit - logitsOf([])[token]) <= 1e-6);
  assert.deepEqual([heads.length, heads[0].length], [config.layers, config.heads]);
  const parts = [embedding, ...heads.flat(), ...feedForward, ...biases, of.rounding, of.rest];
  const sum = parts.reduce((a, b) => a + b);
  assert.ok(Math.abs(sum - logit) <= 1e-9 * Math.max(...parts.map(Math.abs)), `${sum}`);
  assert.ok(of.identity.holds);
});

test('heads have their gains, and the rest of the report is without them', () => {
  const { heads, next, before, after } = report.ablation;
  assert.deepEqual(heads, [
    { layer: 2, head: 1, gain: 0 },
    { layer: 0, head: 3, gain: 0.5 },
    { layer: 1, head: 0, gain: 'mean' },
  ]);
  const [as, changed] = [[], heads].map(logitsOf).map(softmax);
  assertLikeliest(next, changed);
  const [{ token }] = report.next;
  assert.ok(Math.abs(before - Math.log(as[token])) <= 1e-6);
  assert.ok(Math.abs(after - Math.log(changed[token])) <= 1e-6);
  assert.notEqual(after, before);
});

test('the help keeps to 80 columns', () => {
  const { stdout } = run('help');
  for (const line of stdout.split('\n')) assert.ok([...line].length <= 80, line);
});

test('a head at its mean is told as such', async () => {
  assert.match(await inspected('--ablate', '2.1=mean'), /^With head 2\.1 at its mean$/m);
});

test('the tables keep to 80 columns and have a row for each head and layer', async () => {
  const lines = (await inspected()).split('\n');
  for (const line of lines) assert.ok([...line].length <= 80, line);
  const rows = (pattern) => lines.filter((line) => pattern.test(line)).length;
  assert.equal(rows(/^\d+\.\d+( +(−?\d+\.\d\d|-)\*?){4,}$/), config.layers * config.heads);
  assert.equal(rows(/^\d+ +\d\.\d{3} "/), config.layers);
  assert.equal(rows(/^Ledger of ".*its logit/), 1);
  assert.equal(rows(/rounding allows .*: it holds$/), 1);
});

test('with changes the comparison comes alone, in 80 columns', async () => {
  const text = await inspected('--ablate', '2.1');
  const answer = String.raw`"[^\n]{0,79}\n`;
  assert.match(
    text,
    new RegExp(
      String.raw`^"abc def abc", \d+ tokens\ngoes on with ${answer}\nWithout head 2\.1\n` +
        String.raw`  before +${answer}  after +${answer}  the log-probability of ${answer}` +
        String.raw`  its logit −?\d+\.\d{3} changes by [+−]\d+\.\d{3}\n` +
        String.raw`  the part of this head in the ledger is [+−]\d+\.\d{3}\n$`,
    ),
  );
});

test('a star stands at the scores that reach their threshold', async () => {
  const lines = (await inspected()).split('\n');
  for (const { layer, head, labels } of report.heads) {
    const row = lines.find((line) => line.startsWith(`${layer}.${head} `));
    assert.equal(row.split('*').length - 1, labels.length, row);
  }
});

for (const [what, args, words] of [
  ['a layer that is not there', ['--ablate', '9.0', file, 'ab'], /--ablate\[0\]\.layer is 9; exp/],
  [
    'a head without its layer',
    ['--ablate', '3', file, 'ab'],
    /--ablate is "3"; expected L\.H, as 3\.0/,
  ],
  ['no threads', ['--threads', '0', file, 'ab'], /--threads is "0"; expected 1 to 16/],
  ['no prompt', [file], /PROMPT is missing; expected a text after FILE/],
  ['two prompts', [file, 'a', 'b'], /after PROMPT there is "b"; expected one text, in quotes/],
])
  test(`${what} is refused`, async () => {
    const { status, stdout, stderr } = await runHere('inspect', ...args);
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, new RegExp(`^clearhead inspect: ${words.source}`));
  });
