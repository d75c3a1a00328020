/** clearhead generate and clearhead info, as a stranger calls them. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { options } from '../../src/cli/generate.js';
import { progressBar } from '../../src/cli/model-file.js';
import { init } from '../../src/js/index.js';
import { loadModel } from '../../src/js/model/index.js';
import {
  asGguf,
  asSafetensors,
  configs,
  tiny,
  vocabulary,
} from '../support/models/random-models.js';
import { tinyGguf, tinyJson, tokenizerMetadata } from '../support/models/tiny-models.js';

const folder = mkdtempSync(join(tmpdir(), 'clearhead-cli-'));
after(() => rmSync(folder, { recursive: true }));
const source = tiny(configs['llama, tied, grouped']);
const gguf = asGguf(source);
const file = join(folder, 'tiny.gguf');
writeFileSync(file, gguf);
const command = fileURLToPath(new URL('../../src/cli/clearhead.js', import.meta.url));
const run = (...args) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};
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
    /^clearhead info: model of tokenizer.json is undefined; expected/m,
  );
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
  const { stdout } = run('generate', ...how, '--temperature', '0.5', file, 'ab');
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
  const { status, stdout } = run(
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

test('--observe draws a board of every head', () => {
  const { stderr } = run('generate', '--observe', '--max-tokens', '6', file, 'ab');
  const lines = stderr.split('\n');
  const head = lines.findIndex((line) => /^layer +h0 +h1 +h2 +h3$/.test(line));
  assert.ok(head > 0, stderr);
  for (let layer = 0; layer < 3; layer++)
    assert.match(lines[head + 1 + layer], new RegExp(`^${layer}( +[\\d.]+[|<=]?){4}$`));
});

test('a chat template is used when asked for, and a full context is said to be full', () => {
  const template = join(folder, 'chat.gguf');
  writeFileSync(
    template,
    asGguf(source, {
      'tokenizer.chat_template': '{% for m in messages %}{{ m.content }}{% endfor %}',
    }),
  );
  const { stdout, stderr } = run(
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

test('what cannot be done is said in one line, with exit status 2', async (t) => {
  const busy = createServer(() => {});
  await once(busy.listen(0, 'localhost'), 'listening');
  t.after(() => busy.close());
  const taken = String(busy.address().port);
  const page = join(folder, 'page.gguf');
  const weightsFile = join(mkdtempSync(join(folder, 'alone-')), 'alone.safetensors');
  writeFileSync(weightsFile, asSafetensors(tiny(configs.gemma3)).weights);
  writeFileSync(page, '<!doctype html><title>Not found</title>');
  for (const [args, words] of [
    [['generat'], /there is no command "generat"; expected one of check, generate, info, serve/],
    [['generate'], /FILE and PROMPT are missing, as in/],
    [['generate', file], /PROMPT is missing; expected a text after FILE/],
    [['generate', file, 'a', 'b'], /after PROMPT/],
    [['generate', join(folder, 'none.gguf'), 'a'], /there is no such file/],
    [['generate', '--tau', 'warm', file, 'a'], /--tau is "warm"/],
    [['generate', '--max-tokens', '0', file, 'a'], /--max-tokens is 0; expected an integer from 1/],
    [['generate', '--tau', '-1', file, 'a'], /--tau is -1; expected a number from 0/],
    [['generate', '--top-p', '2', file, 'a'], /--top-p is 2; expected above 0, at most 1/],
    [['generate', '--min-p=-1', file, 'a'], /--min-p is -1/],
    [
      ['generate', '--threads', '99', file, 'a'],
      /--threads is 99; expected an integer from 1 to 16/,
    ],
    [['generate', '--repetition-window', '1.5', file, 'a'], /--repetition-window is 1.5/],
    [['generate', '--system', 'b', file, 'a'], /--system is given without --chat/],
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
    [['serve', '--port', taken], /which is taken; expected a free one, or 0 for any/],
    [
      ['info', '--yaml', file],
      /"--yaml" is no option; expected it behind --, .*or one of --json, --help/,
    ],
    [['generate', file, '-quite so'], /"-quite so" is no option; expected it behind --/],
    [['generate', file, '- so'], /"- so" is no option; expected it behind --/],
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
  ]) {
    const { status, stdout, stderr } = run(...args);
    assert.equal(status, 2, args.join(' '));
    assert.match(stderr, words);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
    assert.equal(stdout, '');
  }
});

test(
  'serve keeps no file open for a client that has gone',
  { skip: existsSync('/proc/self/fd') ? false : 'no /proc here' },
  async () => {
    const served = spawn(process.execPath, [command, 'serve', '--port', '0']);
    const open = () => readdirSync(`/proc/${served.pid}/fd`).length;
    try {
      const { port } = new URL(String((await once(served.stdout, 'data'))[0]).match(/http:\S+/)[0]);
      const before = open();
      for (let x = 0; x < 20; x++) {
        const socket = connect(Number(port), 'localhost');
        socket.on('error', () => {});
        await once(socket, 'connect');
        socket.write('GET /src/js/engine/model.relaxed.wasm HTTP/1.1\r\nhost: x\r\n\r\n');
        await once(socket, 'data');
        socket.resetAndDestroy();
      }
      for (let wait = 0; wait < 50 && open() > before + 2; wait++)
        await new Promise((done) => setTimeout(done, 20));
      assert.ok(open() <= before + 2, `${open()} files, ${before} before`);
    } finally {
      served.kill();
    }
  },
);

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

test('what the help says of generate is what there is, with an example', () => {
  const { status, stdout } = run('generate', '--help');
  assert.equal(status, 0);
  assert.match(stdout, /for example:\s+clearhead generate --tau 0\.8/);
  assert.deepEqual(
    [...new Set(stdout.match(/--[a-z-]+/g))].map((flag) => flag.slice(2)).sort(),
    [...Object.keys(options)].sort(),
  );
});

describe('what ends it early ends it quietly', () => {
  const long = join(folder, 'long.gguf');
  writeFileSync(
    long,
    asGguf(tiny({ ...configs['llama, tied, grouped'], max_position_embeddings: 65536 })),
  );
  // greedy, 'ab' comes to no end mark within thousands of tokens
  const endless = ['--context', '65536', '--max-tokens', '65000', '--threads', '1'];
  /**
   * Its output when Ctrl-C comes at that time.
   * @param {(child: any) => Promise<unknown>} when
   * @param {string[]} args
   */
  const interrupted = async (when, ...args) => {
    const child = spawn(process.execPath, [command, 'generate', ...args]);
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'])
      child[name].setEncoding('utf8').on('data', (text) => (said[name] += text));
    const closed = once(child, 'close');
    await when(child, said);
    child.kill('SIGINT');
    const [status] = await closed;
    assert.equal(status, 130, said.stderr);
    assert.doesNotMatch(
      said.stderr,
      /\n +at |Error|NaN|Infinity|-\d|\b0\/s/,
      'no stack, no nonsense',
    );
    return said;
  };
  const serving = async (answer) => {
    const server = createServer((request, response) => answer(response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return { server, address: `http://127.0.0.1:${server.address().port}/a.gguf` };
  };
  const close = (server) => {
    server.closeAllConnections();
    server.close();
  };
  const echoed = (child) => once(child.stdout, 'data');

  test('a reader that has enough', () => {
    const pipe = '"$@" | head -c 30; echo " ${PIPESTATUS[0]}"';
    const { stdout, stderr } = spawnSync(
      'bash',
      ['-c', pipe, 'bash', process.execPath, command, 'generate', ...endless, long, 'ab'],
      { encoding: 'utf8', timeout: 60000 },
    );
    assert.match(stdout, /^ab[^]* 0\n$/);
    assert.equal(stderr, '');
  });

  test('Ctrl-C while the prompt is read', async () => {
    const { stdout, stderr } = await interrupted(echoed, ...endless, long, 'ab'.repeat(15000));
    assert.equal(stdout, `${'ab'.repeat(15000)}\n`);
    assert.match(stderr, /^\n\d+ tokens? read, 0 written; interrupted\./);
  });

  test('Ctrl-C while the text is written', async () => {
    const enough = async (child, said) => {
      while (said.stdout.length < 100) await echoed(child);
    };
    const { stdout, stderr } = await interrupted(enough, ...endless, '--observe', long, 'ab');
    assert.match(stdout, /^ab[^]+\n$/);
    assert.match(stderr, /tokens read at [\d.]+\/s, \d+ written at \d+\/s; interrupted\./);
    assert.match(stderr, /layer +h0/);
  });

  for (const json of [false, true])
    test(`Ctrl-C while the model is loading${json ? ', with --json' : ''}`, async () => {
      const { server, address } = await serving(
        (response) =>
          void response.setHeader('content-length', gguf.length).write(gguf.subarray(0, 2000)),
      );
      const { stdout, stderr } = await interrupted(
        () => once(server, 'request'),
        ...(json ? ['--json'] : []),
        address,
        'ab',
      );
      close(server);
      if (json)
        assert.deepEqual(JSON.parse(stdout), {
          prompt: 'ab',
          text: '',
          tokens: [],
          finish: 'interrupted',
          interrupted: true,
        });
      else assert.deepEqual([stdout, stderr], ['', 'interrupted while the model was loading\n']);
    });

  test('Ctrl-C with --json', async () => {
    const { server, address } = await serving((response) => response.end(readFileSync(long)));
    const later = () =>
      once(server, 'request').then(() => new Promise((done) => setTimeout(done, 1000)));
    const { stdout, stderr } = await interrupted(later, ...endless, '--json', address, 'ab');
    const report = JSON.parse(stdout);
    close(server);
    assert.equal(stderr, '');
    assert.equal(report.interrupted, true);
    assert.equal(report.finish, 'interrupted');
    assert.ok(Array.isArray(report.tokens));
  });

  test('one token is one token', () => {
    const { status, stderr } = run('generate', '--max-tokens', '1', '--observe', file, 'a');
    assert.equal(status, 0);
    assert.match(stderr, /mean of 1 token\./);
    assert.match(stderr, /\/s, 1 written; --max-tokens 1 reached/);
  });
});

test('serve answers an address that is none with 400', async () => {
  const child = spawn(process.execPath, [command, 'serve', '--port', '0']);
  const [said] = await once(child.stdout.setEncoding('utf8'), 'data');
  try {
    const [at] = said.match(/http:\/\/localhost:\d+/);
    assert.deepEqual(
      await Promise.all(
        ['/%zz', '/none', '/web/'].map(async (path) => (await fetch(at + path)).status),
      ),
      [400, 404, 200],
    );
  } finally {
    child.kill();
  }
});
