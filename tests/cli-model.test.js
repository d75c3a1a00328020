/** clearhead generate and clearhead info, as a stranger calls them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { init } from '../src/js/index.js';
import { loadModel } from '../src/js/model/index.js';
import { asGguf, asSafetensors, configs, tiny } from './random-models.js';

const folder = mkdtempSync(join(tmpdir(), 'clearhead-cli-'));
after(() => rmSync(folder, { recursive: true }));
const source = tiny(configs['llama, tied, grouped']), gguf = asGguf(source), file = join(folder, 'tiny.gguf');
writeFileSync(file, gguf);
const run = (...args) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [fileURLToPath(new URL('../src/cli/clearhead.js', import.meta.url)), ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
};
const here = await loadModel(gguf, { engine: await init({ layers: true }) });
const written = async (prompt, options) => {
  let text = '';
  for await (const next of here.generate(prompt, options)) text += next.text;
  return text;
};

test('generate writes the prompt and the text on standard output, and how it went on standard error', async () => {
  const { status, stdout, stderr } = run('generate', '--max-tokens', '20', '--threads', '1', file, 'abc def');
  assert.equal(status, 0, stderr);
  assert.equal(stdout, `abc def${await written('abc def', { maxTokens: 20 })}\n`);
  assert.match(stderr, /tokens read at \d+\/s, 20 written at \d+\/s; --max-tokens 20 reached\./);
  assert.match(stderr, /of weights loaded in [\d.]+ s; (simd|relaxed) kernels, 1 thread/);
});

test('sampling options reach the sampler', async () => {
  const how = ['--tau', '0.9', '--top-k', '20', '--top-p', '0.95', '--min-p', '0.01', '--repetition-penalty', '1.2', '--seed', '7', '--max-tokens', '15'];
  const { stdout } = run('generate', ...how, '--temperature', '0.5', file, 'ab');
  here.setTemperature(0.5);
  assert.equal(stdout, `ab${await written('ab', { tau: 0.9, topK: 20, topP: 0.95, minP: 0.01, repetitionPenalty: 1.2, seed: 7, maxTokens: 15 })}\n`);
  here.setTemperature(1);
});

test('--json is one object with everything', async () => {
  const { status, stdout } = run('generate', '--json', '--observe', '--max-tokens', '6', file, 'ab'), report = JSON.parse(stdout);
  assert.equal(status, 0);
  assert.equal(report.text, await written('ab', { maxTokens: 6 }));
  assert.equal(report.tokens.length, 6);
  assert.equal(report.finish, 'length');
  assert.equal(report.heads.length, 12);
  for (const { effectiveKeys, entropy, kl, firstWeight, previous, own } of report.heads) {
    assert.ok(effectiveKeys >= 1 && effectiveKeys < 12 && Math.abs(Math.log(effectiveKeys) - entropy) < 1e-9 && kl >= 0);
    assert.ok(firstWeight >= 0 && firstWeight <= 1 && previous + own <= 1);
  }
});

test('--observe draws a board of every head', () => {
  const { stderr } = run('generate', '--observe', '--max-tokens', '6', file, 'ab'), lines = stderr.split('\n');
  const head = lines.findIndex((line) => /^layer +h0 +h1 +h2 +h3$/.test(line));
  assert.ok(head > 0, stderr);
  for (let layer = 0; layer < 3; layer++) assert.match(lines[head + 1 + layer], new RegExp(`^${layer}( +[\\d.]+[|<=]?){4}$`));
});

test('a chat template is used when asked for, and a context that fills up is said to be full', () => {
  const template = join(folder, 'chat.gguf');
  writeFileSync(template, asGguf(source, { 'tokenizer.chat_template': '{% for m in messages %}{{ m.content }}{% endfor %}' }));
  const { stdout, stderr } = run('generate', '--chat', '--system', 'a', '--context', '10', template, 'b');
  assert.ok(!stdout.startsWith('b') || stdout.length > 2);
  assert.match(stderr, /the context of 10 positions is full/);
});

test('info says what a model is, of a file and of a folder', () => {
  const { status, stdout } = run('info', file);
  assert.equal(status, 0);
  for (const words of [/architecture +llama, GGUF/, /layers +3, 32 channels/, /grouped-query: 4 heads on 2 key\/value heads, of 8 channels/, /weights .*F32/]) assert.match(stdout, words);
  const { weights, config } = asSafetensors(tiny(configs.gemma3));
  writeFileSync(join(folder, 'model.safetensors'), weights);
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  const gemma = run('info', folder);
  assert.match(gemma.stdout, /architecture +gemma3 .*safetensors/, gemma.stderr);
  assert.match(gemma.stdout, /layers see the last 5 positions only/);
  assert.match(gemma.stdout, /no tokenizer/);
  assert.equal(JSON.parse(run('info', '--json', file).stdout).config.heads, 4);
});

test('what cannot be done is said in one line, with exit status 2', () => {
  const page = join(folder, 'page.gguf');
  writeFileSync(page, '<!doctype html><title>Not found</title>');
  for (const [args, words] of [
    [['generate'], /PROMPT is not given/],
    [['generate', file], /PROMPT is not given/],
    [['generate', file, 'a', 'b'], /after PROMPT/],
    [['generate', join(folder, 'none.gguf'), 'a'], /there is no such file/],
    [['generate', '--tau', 'warm', file, 'a'], /--tau is "warm"/],
    [['generate', '--max-tokens', '0', file, 'a'], /maxTokens is 0/],
    [['generate', '--chat', file, 'a'], /no chat template/],
    [['generate', '--quantize', 'q3', file, 'a'], /quantize is "q3"/],
    [['generate', '--cache', 'f8', file, 'a'], /"f8".*"f16"/],
    [['generate', '--context', '1000', file, 'a'], /context is 1000; expected at most 96/],
    [['generate', page, 'a'], /HTML/],
    [['info'], /FILE is not given/],
    [['info', page], /HTML/],
    [['info', '--yaml', file], /yaml/],
  ]) {
    const { status, stdout, stderr } = run(...args);
    assert.equal(status, 2, args.join(' '));
    assert.match(stderr, words);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
    assert.equal(stdout, '');
  }
});
