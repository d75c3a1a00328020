/** clearhead info says what a model is, also without the packages of the registry. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { file, folder, run } from '../support/command.js';
import { asSafetensors, configs, tiny } from '../support/models/random-models.js';
import { tinyGguf, tinyJson, tokenizerMetadata } from '../support/models/tiny-models.js';

test('without the packages of the registry, files that need one name it', () => {
  const copied = join(folder, 'alone');
  const template = join(folder, 'template.gguf');
  const json = join(folder, 'json');
  for (const part of ['js', 'cli'])
    cpSync(
      fileURLToPath(new URL(`../../src/${part}`, import.meta.url)),
      join(copied, 'src', part),
      {
        recursive: true,
      },
    );
  cpSync(
    fileURLToPath(new URL('../../package.json', import.meta.url)),
    join(copied, 'package.json'),
  );
  const there = (...args) =>
    spawnSync(process.execPath, [join(copied, 'src/cli/clearhead.js'), ...args], {
      encoding: 'utf8',
    });
  writeFileSync(
    template,
    tinyGguf('llama', {
      metadata: { ...tokenizerMetadata(), 'tokenizer.chat_template': '{{ messages[0].content }}' },
    }),
  );
  const read = there('generate', '--max-tokens', '3', '--threads', '1', template, 'ab');
  const asked = there('generate', '--chat', template, 'ab');
  assert.equal(read.status, 0, read.stderr);
  assert.deepEqual([asked.status, asked.stdout], [2, '']);
  assert.match(
    asked.stderr,
    /^clearhead generate: @huggingface\/jinja cannot be imported; expected /m,
  );
  mkdirSync(json);
  const { weights, config } = tinyJson();
  writeFileSync(join(json, 'model.safetensors'), weights);
  writeFileSync(join(json, 'config.json'), JSON.stringify(config));
  writeFileSync(join(json, 'tokenizer.json'), '{}');
  assert.match(
    there('info', json).stderr,
    /^clearhead info: model of tokenizer.json is undefined but required; expected/m,
  );
});

test('info says what a model is, of a file and of a folder', () => {
  const { status, stdout } = run('info', file);
  assert.equal(status, 0);
  for (const words of [
    /architecture +llama, GGUF/,
    /layers +3, 32 channels/,
    /grouped-query: 4 heads on 2 key\/value heads, of 8 channels/,
    /weights .*F32/,
  ])
    assert.match(stdout, words);
  const { weights, config } = asSafetensors(tiny(configs.gemma3));
  writeFileSync(join(folder, 'model.safetensors'), weights);
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  const gemma = run('info', folder);
  assert.match(gemma.stdout, /architecture +gemma3 .*safetensors/, gemma.stderr);
  assert.match(gemma.stdout, /layers see the last 5 positions only/);
  assert.match(gemma.stdout, /no tokenizer/);
  assert.equal(JSON.parse(run('info', '--json', file).stdout).config.heads, 4);
});
