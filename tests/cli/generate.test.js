/** clearhead generate writes the text of the model, with its figures, as its options say. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { options } from '../../src/cli/generate.js';
import { progressBar } from '../../src/cli/model-file.js';
import { init } from '../../src/js/index.js';
import { loadModel } from '../../src/js/model/index.js';
import { file, folder, gguf, run, runHere, source } from '../support/command.js';
import { asGguf } from '../support/models/random-models.js';

const here = await loadModel(gguf, { engine: await init({ layers: true }) });
const written = async (prompt, options) => {
  let text = '';
  for await (const next of here.generate(prompt, options)) text += next.text;
  return text;
};

test('generate writes the text on standard output, and its figures on standard error', async () => {
  const { status, stdout, stderr } = run(
    'generate',
    '--max-tokens',
    '20',
    '--threads',
    '1',
    file,
    'abc def',
  );
  assert.equal(status, 0, stderr);
  assert.equal(stdout, `abc def${await written('abc def', { maxTokens: 20 })}\n`);
  assert.match(stderr, /tokens read at \d+\/s, 20 written at \d+\/s; --max-tokens 20 reached\./);
  assert.match(stderr, /of weights loaded in [\d.]+ s; (simd|relaxed) kernels, 1 thread/);
});

test('loading that takes a while is shown on a terminal, and wiped away', (t) => {
  const { stderr } = process;
  const { isTTY } = stderr;
  const shown = [];
  let now = 1000;
  t.mock.method(performance, 'now', () => now);
  t.mock.method(stderr, 'write', (text) => shown.push(text) > 0);
  try {
    const draw = (tty, { at, ...progress }, bar) => {
      stderr.isTTY = tty;
      now = at;
      bar.show(progress);
      return shown.splice(0);
    };
    const quiet = progressBar();
    assert.deepEqual(draw(false, { at: 2000, loaded: 5, total: 9 }, quiet), [], 'no terminal');
    now = 1000;
    const bar = progressBar();
    const MB = 2 ** 20;
    assert.deepEqual(
      draw(true, { at: 1100, loaded: 5, total: 9 }, bar),
      [],
      'it may be over in no time',
    );
    assert.deepEqual(draw(true, { at: 1200, loaded: 36 * MB, total: 144 * MB }, bar), [
      '\r\x1b[Kloading  [######..................] 25 %  36 MB of 144 MB',
    ]);
    assert.deepEqual(
      draw(true, { at: 1220, loaded: 37 * MB, total: 144 * MB }, bar),
      [],
      'drawing takes time as well',
    );
    assert.deepEqual(draw(true, { at: 1300, loaded: 144 * MB, total: 144 * MB }, bar), [
      '\r\x1b[Kloading  [########################] 100 %  144 MB of 144 MB',
    ]);
    assert.deepEqual(
      draw(true, { at: 1400, loaded: 1.5 * MB }, bar),
      ['\r\x1b[Kloading  1.5 MB'],
      'of a size that nobody knows',
    );
    bar.clear();
    assert.deepEqual(shown.splice(0), ['\r\x1b[K']);
  } finally {
    stderr.isTTY = isTTY;
  }
});

test('sampling options reach the sampler', async () => {
  const how = [
    '--tau',
    '0.9',
    '--top-k',
    '20',
    '--top-p',
    '0.95',
    '--min-p',
    '0.01',
    '--repetition-penalty',
    '1.2',
    '--seed',
    '7',
    '--max-tokens',
    '15',
  ];
  how.push('--attention-temperature', '0.5');
  const { stdout } = await runHere('generate', ...how, file, 'ab');
  here.setTemperature(0.5);
  const penalty = { repetitionPenalty: 1.2 };
  const options = {
    tau: 0.9,
    topK: 20,
    topP: 0.95,
    minP: 0.01,
    ...penalty,
    seed: 7,
    maxTokens: 15,
  };
  assert.equal(stdout, `ab${await written('ab', options)}\n`);
  here.setTemperature(1);
});

test('--json is one object with everything', async () => {
  const { status, stdout } = await runHere(
    'generate',
    '--json',
    '--observe',
    '--max-tokens',
    '6',
    file,
    'ab',
  );
  const report = JSON.parse(stdout);
  assert.equal(status, 0);
  assert.equal(report.text, await written('ab', { maxTokens: 6 }));
  assert.equal(report.tokens.length, 6);
  assert.equal(report.finish, 'length');
  assert.equal(report.heads.length, 12);
  for (const { effectiveKeys, entropy, kl, firstWeight, previous, own } of report.heads) {
    assert.ok(
      effectiveKeys >= 1 &&
        effectiveKeys < 12 &&
        Math.abs(Math.log(effectiveKeys) - entropy) < 1e-9 &&
        kl >= 0,
    );
    assert.ok(firstWeight >= 0 && firstWeight <= 1 && previous + own <= 1);
  }
});

test('--observe draws a board of every head', async () => {
  const { stderr } = await runHere('generate', '--observe', '--max-tokens', '6', file, 'ab');
  const lines = stderr.split('\n');
  const head = lines.findIndex((line) => /^layer +h0 +h1 +h2 +h3$/.test(line));
  assert.ok(head > 0, stderr);
  for (let layer = 0; layer < 3; layer++)
    assert.match(lines[head + 1 + layer], new RegExp(`^${layer}( +[\\d.]+[|<=]?){4}$`));
});

test('a chat template is used if asked for, and a full context is said to be full', async () => {
  const template = join(folder, 'chat.gguf');
  writeFileSync(
    template,
    asGguf(source, {
      'tokenizer.chat_template': '{% for m in messages %}{{ m.content }}{% endfor %}',
    }),
  );
  const { stdout, stderr } = await runHere(
    'generate',
    '--chat',
    '--system',
    'a',
    '--context',
    '10',
    template,
    'b',
  );
  assert.ok(!stdout.startsWith('b') || stdout.length > 2);
  assert.match(stderr, /the context of 10 positions is full/);
});

test('variables in JSON reach the template', async () => {
  const template = join(folder, 'variables.gguf');
  writeFileSync(
    template,
    asGguf(source, {
      'tokenizer.chat_template':
        '{{ raise_exception([enable_thinking, tools, add_generation_prompt, a is defined]) }}',
    }),
  );
  const variable = (text) => ['--var', text];
  const asked = async (...args) =>
    (await runHere('generate', '--chat', ...args, template, 'b')).stderr;
  assert.match(await asked(), /refuses these messages: \[Undefined, None, True, False\]/);
  assert.match(
    await asked(...['enable_thinking=false', 'tools=[{"name": "f=1"}]', 'a=1'].flatMap(variable)),
    /refuses these messages: \[False, \[\{'name': 'f=1'\}\], True, True\]/,
  );
  assert.match(await asked('--var', 'add_generation_prompt=false'), /None, False, False\]/);
  assert.match(await asked('--var', 'messages=1'), /--var is given "messages"/);
});

test('the help of generate has its options, no others, and an example', async () => {
  const { status, stdout } = await runHere('generate', '--help');
  assert.equal(status, 0);
  assert.match(stdout, /for example:\s+clearhead generate --tau 0\.8/);
  assert.deepEqual(
    [...new Set(stdout.match(/--[a-z-]+/g))].map((flag) => flag.slice(2)).sort(),
    [...Object.keys(options)].sort(),
  );
});

test('--ablate takes heads out, or multiplies their results, or gives their means', async () => {
  const text = (...flags) => runHere('generate', '--max-tokens', '12', ...flags, file, 'abc def');
  here.intervene([
    { layer: 0, head: 1, gain: 0 },
    { layer: 2, head: 0, gain: -1.5 },
    { layer: 1, head: 2, gain: 'mean' },
  ]);
  const want = await written('abc def', { maxTokens: 12 });
  here.intervene([]);
  assert.notEqual(want, await written('abc def', { maxTokens: 12 }));
  const { status, stdout, stderr } = await text(
    ...['0.1', '2.0=-1.5', '1.2=mean'].flatMap((each) => ['--ablate', each]),
  );
  assert.equal(status, 0, stderr);
  assert.equal(stdout, `abc def${want}\n`);
  for (const [flag, message] of [
    ['3', '--ablate is "3"; expected L.H, as 3.0, or L.H=GAIN, or L.H=mean'],
    ['1.2=', '--ablate is "1.2="; expected L.H, as 3.0, or L.H=GAIN, or L.H=mean'],
    ['0.9', '--ablate[0].head is 9; expected an integer from 0 to 3'],
    ['0.1=x', '--ablate is "0.1=x"; expected a number or mean behind the ='],
  ]) {
    const refused = await text('--ablate', flag);
    assert.notEqual(refused.status, 0);
    assert.ok(refused.stderr.includes(message), refused.stderr);
  }
});
