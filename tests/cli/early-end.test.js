/** A text or a download that is ended early ends quietly. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { describe, test } from 'node:test';
import { command, file, folder, gguf, run } from '../support/command.js';
import { asGguf, configs, tiny } from '../support/models/random-models.js';

describe('an early end is a quiet end', () => {
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
