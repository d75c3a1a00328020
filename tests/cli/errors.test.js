/** The command reports an error in one line, and no text reaches the terminal as commands. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { command, file, folder, run, runHere, source } from '../support/command.js';
import {
  asGguf,
  asSafetensors,
  configs,
  tiny,
  vocabulary,
} from '../support/models/random-models.js';

const page = join(folder, 'page.gguf');
writeFileSync(page, '<!doctype html><title>Not found</title>');
const weightsFile = join(mkdtempSync(join(folder, 'alone-')), 'alone.safetensors');
writeFileSync(weightsFile, asSafetensors(tiny(configs.gemma3)).weights);

/** Arguments that cannot be obeyed, and the words of the line that says so. */
const impossible = [
  [
    ['generat'],
    /"generat"; expected one of check, generate, info, inspect, serve.*; did you mean generate\?$/m,
  ],
  [['server'], /there is no command "server"; .*; did you mean serve\?$/m],
  [['train'], /there is no command "train"; expected one of .* do\)$/m],
  [['help', 'explain'], /there is no command "explain"; expected one of check, generate/],
  [['help', 'chek'], /there is no command "chek"; .*; did you mean check\?$/m],
  [['generate'], /FILE and PROMPT are missing, as in/],
  [['generate', file], /PROMPT is missing; expected a text after FILE/],
  [['generate', file, 'a', 'b'], /after PROMPT/],
  [['generate', join(folder, 'none.gguf'), 'a'], /there is no such file/],
  [['generate', '--tau', 'warm', file, 'a'], /--tau is "warm"/],
  [['generate', '--max-tokens', '0', file, 'a'], /--max-tokens is 0; expected an integer from 1/],
  [['generate', '--tau', '-1', file, 'a'], /--tau is -1; expected a number from 0/],
  [['generate', '--top-p', '2', file, 'a'], /--top-p is 2; expected above 0, at most 1/],
  [['generate', '--min-p=-1', file, 'a'], /--min-p is -1/],
  [['generate', '--threads', '99', file, 'a'], /--threads is 99; expected an integer from 1 to 16/],
  [['generate', '--repetition-window', '1.5', file, 'a'], /--repetition-window is 1.5/],
  [['generate', '--system', 'b', file, 'a'], /--system is given without --chat/],
  [['generate', '--var', 'a=1', file, 'a'], /--var is given without --chat/],
  [['generate', '--seed', '3', file, 'a'], /--seed is given without --tau; expected both/],
  [['generate', '--chat', '--var', 'a', file, 'a'], /--var is "a"; expected NAME=VALUE/],
  [['generate', '--chat', '--var', 'a=b', file, 'a'], /--var a is "b"; expected JSON/],
  [['generate', '--chat', '--var', 'a=', file, 'a'], /--var a is empty; expected JSON/],
  [
    ['generate', '--stop', '--json', file, 'a'],
    /--stop is followed by --json; expected a value \(--stop=--json if/,
  ],
  [['generate', file, 'a', '--seed'], /--seed is without a value/],
  [['generate', '--json=yes', file, 'a'], /--json is given "yes"; expected it without a value/],
  [['generate', '--chat', file, 'a'], /--chat is given, but the model has no chat template/],
  [['generate', '--quantize', 'q3', file, 'a'], /--quantize is "q3"; expected "none" or "q8"/],
  [['generate', '--cache', 'f8', file, 'a'], /--cache is "f8"; .*"f16"/],
  [['generate', '--context', '1000', file, 'a'], /--context is 1000; expected at most 96/],
  [['generate', page, 'a'], /HTML/],
  [['info'], /FILE is not given/],
  [['info', page], /HTML/],
  [['info', 'http://'], /FILE is "http:\/\/"; expected an address or a path/],
  [['info', file, 'b'], /after FILE there is "b"; expected one file/],
  [['serve', '--port', 'x'], /--port is "x"; expected a whole number up to 65535/],
  [
    ['info', '--yaml', file],
    /"--yaml" is not an option; expected one of --json, --help\. A word .* goes behind --/,
  ],
  [
    ['generate', '--max-token=5', file, 'a'],
    /"--max-token=5" is .*; did you mean --max-tokens\? A word .* goes behind --$/m,
  ],
  [['generate', '--max_tokens', '5', file, 'a'], /; did you mean --max-tokens\?/],
  [['generate', '-tau', '1', file, 'a'], /"-tau" is not an option; .*; did you mean --tau\?/],
  [['generate', '--temp', '1', file, 'a'], /"--temp" is not an option; .*; did you mean --tau\?/],
  [
    ['generate', '--temperature=0.8', file, 'a'],
    /; did you mean --tau \(of sampling\) or --attention-temperature\?/,
  ],
  [['info', '--jsno', file], /"--jsno" is not an option; .*; did you mean --json\?/],
  [['check', '--varaint', 'simd'], /; did you mean --variant\?$/m],
  [['generate', file, '-quite so'], /"-quite so" is not an option; .* goes behind --/],
  [['generate', file, '- so'], /"- so" is not an option; .* goes behind --/],
  [['check', '--variant', 'fast'], /--variant is "fast"; expected simd or relaxed/],
  [
    ['check', '--wasm', 'none.wasm'],
    /--wasm is "none.wasm"; expected a file that can be read \(ENOENT\)/,
  ],
  [['check', 'me'], /"me" is not understood; expected options alone/],
  [
    ['info', weightsFile],
    /source is safetensors alone \(.*config.json .*expected config.json beside it/,
  ],
];

/** The command says one line like these words, writes nothing and ends with status 2. */
async function fails(args, words, how = runHere) {
  const { status, stdout, stderr } = await how(...args);
  assert.equal(status, 2, args.join(' '));
  assert.match(stderr, words);
  assert.equal(stderr.trim().split('\n').length, 1, stderr);
  assert.equal(stdout, '');
}

for (const [args, words] of impossible)
  test(`“${args.join(' ').replace(folder, '')}” is refused in one line, with exit status 2`, () =>
    fails(args, words));

test('a program of its own says the same, whatever is wrong', async () => {
  const others = impossible.filter((_, at) => at % 12 === 0);
  for (const [args, words] of others) await fails(args, words, run);
});

test('a port that is taken is refused in one line, with exit status 2', async (t) => {
  const busy = createServer(() => {});
  await once(busy.listen(0, 'localhost'), 'listening');
  t.after(() => busy.close());
  const port = String(busy.address().port);
  await fails(['serve', '--port', port], /which is taken; expected a free one, or 0 for any/);
});

test('control characters of a file or a prompt never reach the terminal', () => {
  const evil = '\x1b[2J\x9b2J\r';
  const named = join(folder, 'named.gguf');
  const written = join(folder, 'written.gguf');
  const { 'tokenizer.ggml.tokens': tokens } = vocabulary(64);
  writeFileSync(
    named,
    asGguf({
      ...source,
      tensors: { ...source.tensors, [`${evil}weight`]: { shape: [1], data: new Float32Array(1) } },
    }),
  );
  writeFileSync(
    written,
    asGguf(source, {
      'tokenizer.ggml.tokens': tokens.map((token, id) => (id > 2 ? `${token}${evil}\n\t` : token)),
    }),
  );
  for (const [args, where, status] of [
    [['info', named], 'stderr', 2],
    [['generate', named, 'a'], 'stderr', 2],
    [['generate', '--max-tokens', '5', written, 'a'], 'stdout', 0],
    [['generate', '--max-tokens', '1', file, `a${evil}`], 'stdout', 0],
  ]) {
    const result = run(...args);
    assert.equal(result.status, status, result.stderr);
    assert.doesNotMatch(result.stdout + result.stderr, /[^\P{Cc}\n\t]/u);
    assert.ok(result[where].includes('\\x1b[2J\\x9b2J\\x0d'), result[where]);
  }
});

test(
  'output that cannot be written is said in one line, with exit status 2',
  { skip: existsSync('/dev/full') ? false : 'no /dev/full here' },
  () => {
    for (const args of [
      ['info', file],
      ['generate', '--max-tokens', '3', file, 'a'],
    ]) {
      const { status, stderr } = spawnSync(
        'sh',
        ['-c', '"$@" > /dev/full', 'sh', process.execPath, command, ...args],
        { encoding: 'utf8' },
      );
      assert.equal(status, 2);
      assert.match(stderr, /^clearhead: ENOSPC.*\n$/m);
      assert.doesNotMatch(stderr, /^ +at /m);
    }
  },
);
