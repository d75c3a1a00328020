/** --intervene makes the changes of a file as model.intervene does, and refuses them in a line. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { init } from '../../src/js/index.js';
import { loadModel } from '../../src/js/model/index.js';
import { file, folder, gguf, run, runHere } from '../support/command.js';
import { asGguf, configs, tiny } from '../support/models/random-models.js';

const PROMPT = 'abc def abc';
const model = await loadModel(gguf, { engine: await init({ layers: true }) });
const { modelDim, context } = model.config;
const list = join(folder, 'changes.json');

/** The command with a file, of JSON or another text. */
async function given(command, changes, ...flags) {
  writeFileSync(list, typeof changes === 'string' ? changes : JSON.stringify(changes));
  const threads = ['--threads', '1', '--intervene', list];
  return runHere(command, ...threads, ...flags, file, PROMPT);
}

/** The ids that the library writes with these interventions. */
async function written(interventions) {
  model.intervene(interventions);
  const ids = [];
  for await (const { token } of model.generate(PROMPT, { maxTokens: 12 })) ids.push(token);
  model.intervene([]);
  return ids;
}

/** The ids that the command writes with the changes of a file. */
async function told(changes, ...flags) {
  const { status, stdout, stderr } = await given(
    'generate',
    changes,
    ...['--json', '--max-tokens', '12'],
    ...flags,
  );
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout).tokens;
}

const plain = await written([]);
const STEERING = Array.from({ length: modelDim }, (_, c) => Math.sin(3 * c));
for (const [what, changes] of [
  ['a knock-out', [{ layer: 0, head: 1, knockOut: { keys: [0, 1, 2, 3] } }]],
  ['a pattern', [{ layer: 1, pattern: 'previous' }]],
  ['rows', [{ layer: 1, pattern: [[1], [0.5, 0.5], [0.2, 0, 0.8]], positions: [0, 1, 2] }]],
  [
    'a temperature of a head',
    [
      { layer: 0, head: 2, temperature: 9 },
      { layer: 1, temperature: 5 },
    ],
  ],
  ['steering', [{ layer: 1, add: STEERING, at: 'resid_mid', gain: 2 }]],
])
  test(`${what} from a file writes the tokens that the library writes`, async () => {
    const want = await written(changes);
    if (what !== 'rows') assert.notDeepEqual(want, plain);
    assert.deepEqual(await told(changes), want);
  });

test('a patch takes its numbers from a trace in the file, or from a text', async () => {
  const record = { record: ['resid_pre'], layers: [1] };
  const trace = await model.trace('xyz xyz xyz', record);
  const patch = (from) => [{ layer: 1, patch: 'resid_pre', from }];
  const want = await written(patch(trace));
  assert.notDeepEqual(want, plain);
  assert.deepEqual(await told(patch('xyz xyz xyz')), want);
  const asJson = JSON.stringify(patch(trace), (_, x) => (ArrayBuffer.isView(x) ? [...x] : x));
  assert.deepEqual(await told(asJson), want);
});

test('a patch from a text of another length than the prompt needs positions', async () => {
  for (const from of ['xyz', `${PROMPT} xyz`]) {
    const patch = { layer: 1, patch: 'resid_pre', from };
    const { status, stdout, stderr } = await given('inspect', [patch]);
    assert.deepEqual([status, stdout], [2, '']);
    const [other, own] = [from, PROMPT].map((text) => model.tokenizer.encode(text).length);
    const reason = `a text of ${other} tokens for a prompt of ${own}; expected ${own}, or`;
    assert.ok(stderr.includes(`interventions[0].from: ${reason} positions to patch`), stderr);
    assert.equal((await given('inspect', [{ ...patch, positions: [1] }])).status, 0);
  }
});

test('an empty list is told as one', async () => {
  assert.match((await given('inspect', [])).stdout, /^Without a change: the list in .* is empty$/m);
});

test('the list in docs/interventions.md changes the text of a model', () => {
  const docs = readFileSync(new URL('../../docs/interventions.md', import.meta.url), 'utf8');
  const [, text] = /```json\n([^]*?)```/.exec(docs) ?? [];
  const seven = join(folder, 'seven.gguf');
  writeFileSync(seven, asGguf(tiny(configs.gemma3)));
  writeFileSync(list, text);
  const texts = [[], ['--intervene', list]].map((flags) => {
    const { status, stdout, stderr } = run(
      'generate',
      '--max-tokens',
      '9',
      ...flags,
      seven,
      PROMPT,
    );
    assert.equal(status, 0, stderr);
    return stdout;
  });
  assert.notEqual(texts[1], texts[0]);
});

test('--ablate comes behind the file, and errors tell them apart', async () => {
  const changes = [{ layer: 2, gain: 0.5 }];
  const want = await written([...changes, { layer: 0, head: 1, gain: 0 }]);
  assert.deepEqual(await told(changes, '--ablate', '0.1'), want);
  const { status, stderr } = await given('generate', changes, '--ablate', '0.1', '--ablate', '0.9');
  assert.equal(status, 2);
  assert.match(stderr, /^clearhead generate: --ablate\[1\]\.head is 9; expected an integer/);
});

test('inspect compares the answer with the changes of a file', async () => {
  const changes = [
    { layer: 1, pattern: 'first' },
    { layer: 0, add: STEERING, positions: [2] },
  ];
  const { stdout } = await given('inspect', changes, '--json', '--ablate', '2.1');
  const { ablation, next } = JSON.parse(stdout);
  assert.deepEqual([ablation.file, ablation.interventions], [list, changes]);
  const ids = model.tokenizer.encode(PROMPT);
  const logits = [[], [...changes, { layer: 2, head: 1, gain: 0 }]].map((interventions) => {
    model.intervene(interventions);
    model.cache.clear();
    return [...model.prefill(ids).logits];
  });
  model.intervene([]);
  const [{ token }] = next;
  const log = (z) => z[token] - Math.log(z.reduce((sum, x) => sum + Math.exp(x), 0));
  assert.ok(Math.abs(ablation.before - log(logits[0])) < 1e-5);
  assert.ok(Math.abs(ablation.after - log(logits[1])) < 1e-5);
  assert.notEqual(ablation.after, ablation.before);
  const text = (await given('inspect', changes, '--ablate', '2.1')).stdout;
  assert.match(text, /^With 2 changes of .*changes\.json, and without head 2\.1$/m);
});

const good = { layer: 0, gain: 1 };
/** The file, and the beginning of the error behind its name. */
const WRONG = [
  ['[{', 'which is no JSON: '],
  ['[\n{"layer": 0,\n"gain": NaN}\n]', 'which is no JSON: '],
  [{ layer: 0, gain: 0 }, 'whose JSON is no list; expected interventions in [ ]'],
  [[good, good, { layer: 0, head: 7, gain: 0 }], 'interventions[2].head is 7; expected an integer'],
  [[good, null], 'interventions[1] is null; expected an object'],
  [[{ layer: 0, gian: 0 }], 'interventions[0] is given "gian"; expected only gain'],
  [[{ layer: 0, gain: 1e39 }], 'interventions[0].gain is 1e+39; expected a finite number'],
  ['[{"layer": 0, "add": [1e999]}]', 'interventions[0].add[0] is Infinity; expected a finite'],
  [[{ layer: 0, gain: 1e38 }], 'interventions[0] is of numbers up to 1.00e+38, and logits overf'],
  [[{ layer: 0, patch: 'q', from: 'a' }], 'interventions[0].patch is "q"; expected "resid_pre"'],
  [[{ layer: 9, patch: 'z', from: 'a' }], 'interventions[0].layer is 9; expected an integer'],
  [
    [good, { layer: 0, patch: 'z', from: 'a'.repeat(3 * context) }],
    'interventions[1].from: the prompt has ',
  ],
];
for (const [at, [changes, message]] of WRONG.entries())
  test(`wrong changes are refused in one line: ${at}, ${message}`, async () => {
    for (const command of at % 4 ? ['generate'] : ['inspect', 'generate']) {
      const { status, stdout, stderr } = await given(command, changes);
      const parse = /^wh(ich|ose) /.test(message);
      const named = parse ? `--intervene is "${list}", ` : `--intervene ${list}: `;
      assert.ok(stderr.startsWith(`clearhead ${command}: ${named}${message}`), stderr);
      assert.match(stderr, /^.+\n$/);
      assert.equal(status, 2);
      if (!message.includes('overf')) assert.equal(stdout, '');
    }
  });

test('an unknown key comes with the key that is meant', async () => {
  const { stderr } = await given('generate', [{ layer: 0, gain: 0, postions: [1] }]);
  assert.match(stderr, /interventions\[0\] is given "postions".*; did you mean positions\?\n$/);
});

test('a file that is missing, or a folder, is refused by name', () => {
  for (const [path, reason] of [
    [join(folder, 'none.json'), 'there is no such file'],
    [folder, 'EISDIR to read it'],
  ]) {
    const { status, stderr } = run('generate', '--intervene', path, file, PROMPT);
    assert.deepEqual(
      [status, stderr],
      [2, `clearhead generate: --intervene is "${path}"; ${reason}\n`],
    );
  }
});
