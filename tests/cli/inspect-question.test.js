/** clearhead inspect answers for a token, a pair, a position, sources and a sweep over heads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';
import { loadModel } from '../../src/js/model/index.js';
import { file, gguf, runHere } from '../support/command.js';

const PROMPT = 'abc def abc';
const model = await loadModel(gguf, { engine: await init({ layers: true, threads: 1 }) });
const { heads: width, layers } = model.config;
const ids = model.tokenizer.encode(PROMPT);
const [A, B] = ['a', 'b'].map((text) => model.tokenizer.encode(text, { continued: true }));

const inspect = (...args) => runHere('inspect', '--threads', '1', ...args, file, PROMPT);

/** The output of the command, whose lines keep to 80 columns. */
async function inspected(...args) {
  const { status, stdout, stderr } = await inspect(...args);
  assert.equal(status, 0, stderr);
  if (!args.includes('--json'))
    for (const line of stdout.split('\n')) assert.ok([...line].length <= 80, line);
  return stdout;
}
const report = async (...args) => JSON.parse(await inspected('--json', ...args));

test('the letters of this test are one token each', () => {
  assert.deepEqual([A.length, B.length], [1, 1]);
});

test('the ledger is of the token, or of its lead over another', async () => {
  model.prefill(ids);
  for (const [args, of] of [
    [['--token', 'a'], A[0]],
    [
      ['--token', 'a', '--against', 'b'],
      [A[0], B[0]],
    ],
  ]) {
    const { ledger } = await report(...args);
    const want = await model.ledger(ids.length - 1, of);
    assert.equal(ledger.token, A[0]);
    assert.equal(ledger.logit, want.identity.left);
    assert.deepEqual(ledger.heads.flat(), [...want.heads]);
  }
  assert.match(await inspected('--token', 'a'), /^Ledger of "a": its logit /m);
  assert.match(
    await inspected('--token', 'a', '--against', 'b'),
    /^Ledger of "a" against "b": its lead /m,
  );
});

test('at a position it is as behind a prompt that ends there', async () => {
  const { position, next, lens, ledger, tokens } = await report('--position', '3', '--token', 'a');
  model.cache.clear();
  const { logits } = model.prefill(ids.slice(0, 4));
  assert.equal(position, 3);
  assert.equal(tokens.length, ids.length);
  assert.equal(next[0].token, logits.indexOf(Math.max(...logits)));
  assert.deepEqual(lens.at(-1), next);
  assert.equal(ledger.logit, logits[A[0]]);
  const text = await inspected('--position', '3');
  assert.match(text, /^goes on behind ".*", token 3, with "/m);
  assert.match(text, /^Logit lens of token 3: /m);
});

test('sources divide the part of each head, and come with their tokens', async () => {
  model.cache.clear();
  model.prefill(ids);
  const { ledger } = await report('--sources', '--token', 'a');
  const want = await model.ledger(ids.length - 1, A[0], { sources: true });
  assert.deepEqual(ledger.sources.flat(2), [...want.sources]);
  const text = await inspected('--sources', '--token', 'a', '--top', '3');
  const [, table] = text.split('Sources of the largest heads: part, position and token\n');
  const rows = table.trimEnd().split('\n');
  assert.equal(rows.length, 3);
  const size = (row) => Math.abs(Number(row.match(/[+−]\S+/)[0].replace('−', '-')));
  const largest = [...want.heads].map(Math.abs).sort((a, b) => b - a);
  rows.forEach((row, at) => {
    assert.ok(Math.abs(size(row) - largest[at]) < 5e-4, row);
    assert.match(row, /^ {2}\d\.\d( +[+−]\d+\.\d{3})( +[+−]\d+\.\d{3} \d+:"[^"]*"?){3}/);
  });
});

test('a sweep has the change by each head, and lists the largest', async () => {
  for (const [args, options] of [
    [[], {}],
    [['--token', 'a'], { token: A[0] }],
    [['--token', 'a', '--against', 'b'], { metric: 'difference', token: A[0], against: B[0] }],
  ]) {
    const { sweep } = await report('--sweep', ...args);
    const want = await model.sweep(ids, options);
    assert.deepEqual(sweep.changes.flat(), [...want.changes]);
    assert.equal(sweep.base, want.base);
    assert.deepEqual(
      sweep.answers.flat().map(({ token }) => token),
      [...want.answers],
    );
  }
  const text = await inspected('--sweep', '--top', '2');
  assert.match(text, /^Without each head alone: the log-probability −\d\.\d{3} of /m);
  const [, table] = text.split(/^Without each head alone: .*\n/m);
  const [first, second, rest, ...none] = table.trimEnd().split('\n');
  assert.equal(none.length, 0);
  for (const row of [first, second]) assert.match(row, /^ {2}\d\.\d +[+−]?\d+\.\d{3}/);
  assert.match(rest, new RegExp(`^  the other ${layers * width - 2} heads by at most \\d`));
});

test('a sweep tells an answer that differs from that of the whole model', async () => {
  const { next, sweep } = await report('--sweep', '--token', 'a');
  assert.notEqual(next[0].token, A[0]);
  const text = await inspected('--sweep', '--token', 'a', '--top', '99');
  const [, table] = text.split(/^Without each .*\n/m);
  const rows = table.trimEnd().split('\n');
  assert.equal(rows.length, layers * width);
  for (const row of rows) {
    const [layer, head] = row.trim().split(/[. ]/);
    const isOther = sweep.answers[layer][head].token !== next[0].token;
    assert.equal(row.includes('goes on with'), isOther, row);
  }
});

test('with changes no table is computed but for JSON, and a token can be named', async () => {
  const { ablation, heads, ledger, token } = await report('--ablate', '2.1', '--token', 'a');
  assert.equal(token.token, A[0]);
  assert.equal(heads.length, layers * width);
  assert.equal(ledger.token, A[0]);
  const text = await inspected('--ablate', '2.1', '--token', 'a');
  assert.match(text, /the log-probability of "a" changes by /);
  assert.ok(!/Scores of heads|Ledger/.test(text));
  assert.ok(Math.abs(ablation.after - ablation.before) > 0);
});

test('changes tell the logit or lead, and the ledger’s part of heads that are out', async () => {
  const out = [
    { layer: 2, head: 1, gain: 0 },
    { layer: 0, head: 3, gain: 0 },
  ];
  const flags = ['--ablate', '2.1', '--ablate', '0.3', '--ablate', '2.1', '--token', 'a'];
  const [before, after] = [[], out].map((interventions) => {
    model.intervene(interventions);
    model.cache.clear();
    return model.prefill(ids).logits.slice();
  });
  model.intervene([]);
  for (const [args, of] of [
    [[], (logits) => logits[A[0]]],
    [['--against', 'b'], (logits) => logits[A[0]] - logits[B[0]]],
  ]) {
    const { ablation, ledger } = await report(...flags, ...args);
    assert.ok(Math.abs(ablation.logit.before - of(before)) <= 1e-6);
    assert.ok(Math.abs(ablation.logit.after - of(after)) <= 1e-6);
    assert.equal(ablation.part, ledger.heads[0][3] + ledger.heads[2][1]);
  }
  const text = await inspected(...flags, '--against', 'b');
  assert.match(text, /^ {2}its lead over "b" −?\d\.\d{3} changes by [+−]\d\.\d{3}$/m);
  assert.match(text, /^ {2}the part of these heads in the ledger is [+−]\d\.\d{3}$/m);
  for (const changed of ['2.1=mean', '2.1=0.5'])
    assert.ok(!(await inspected('--ablate', '0.3', '--ablate', changed)).includes('in the ledger'));
});

test('heads that are out and heads that are changed are told apart', async () => {
  const text = await inspected('--ablate', '2.1', '--ablate', '1.0=mean', '--ablate', '0.3=0.5');
  assert.match(text, /^Without head 2\.1, and with heads 1\.0 at its mean, 0\.3 times 0\.5$/m);
});

for (const [what, args, words] of [
  [
    'a text of several tokens',
    ['--token', 'a b c'],
    /--token is "a b c", \d tokens \(.*\); expected one/,
  ],
  [
    'a text of several tokens behind a space',
    ['--token', ' a b'],
    /--token is " a b", \d tokens \(.*\); expected one\n/,
  ],
  ['no text', ['--against', ''], /--against is "", 0 tokens; expected one/],
  [
    'a lead over itself',
    ['--token', 'a', '--against', 'a'],
    /--against is "a", the token of the ledger itself; expected another token/,
  ],
  [
    'a position beyond',
    ['--position', '99'],
    /--position is 99; expected 0 to \d+, the tokens of PROMPT/,
  ],
  [
    'a position in words',
    ['--position', 'last'],
    /--position is "last"; expected a whole number from 0 on/,
  ],
  ['no lines', ['--top', '0'], /--top is "0"; expected a whole number from 1 on/],
  [
    'a sweep with changes',
    ['--sweep', '--ablate', '1.0'],
    /--sweep is given with --intervene or --ablate/,
  ],
])
  test(`${what} is refused`, async () => {
    const { status, stdout, stderr } = await inspect(...args);
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, new RegExp(`^clearhead inspect: ${words.source}`));
  });
