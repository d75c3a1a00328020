/** clearhead serve refuses strangers and addresses that are none, and keeps no file open. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import process from 'node:process';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { command } from '../support/command.js';
import { files, imports } from '../support/package/repository.js';

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
        socket.write('GET /src/js/engine/model.relaxed.wasm HTTP/1.1\r\nhost: localhost\r\n\r\n');
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

test('serve has every module that the page imports', async () => {
  const all = [...new Set(files('web', /\.js$/).flatMap((file) => imports(file)))];
  assert.ok(all.length > 50, `${all.length} imports`);
  const child = spawn(process.execPath, [command, 'serve', '--port', '0']);
  const [said] = await once(child.stdout.setEncoding('utf8'), 'data');
  try {
    const [at] = said.match(/http:\/\/localhost:\d+/);
    const answers = await Promise.all(
      all.map(async (path) => [path, (await fetch(`${at}/${path}`)).ok]),
    );
    assert.deepEqual(
      answers.filter(([, ok]) => !ok).map(([path]) => path),
      [],
    );
  } finally {
    child.kill();
  }
});

/** Status, headers and length of the body of an answer. */
function ask(port, options) {
  return new Promise((resolve, reject) => {
    request({ port, host: 'localhost', path: '/web/', ...options }, async (response) => {
      let length = 0;
      for await (const chunk of response) length += chunk.length;
      resolve({ status: response.statusCode, headers: response.headers, length });
    })
      .on('error', reject)
      .end();
  });
}

test('serve answers names of this machine alone, and GET and HEAD alone', async () => {
  const child = spawn(process.execPath, [command, 'serve', '--port', '0']);
  const [said] = await once(child.stdout.setEncoding('utf8'), 'data');
  try {
    const [, port] = said.match(/http:\/\/localhost:(\d+)/);
    const status = async (options) => (await ask(port, options)).status;
    for (const host of [
      'localhost',
      `localhost:${port}`,
      '127.0.0.1:80',
      '[::1]:8080',
      'LOCALHOST',
    ])
      assert.equal(await status({ headers: { host } }), 200, host);
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      'localhost.evil.example',
      'evil.example#localhost',
      '192.168.0.2:8080',
    ])
      assert.equal(await status({ headers: { host } }), 403, host);

    const whole = await ask(port, {});
    const head = await ask(port, { method: 'HEAD' });
    assert.deepEqual([head.status, head.length], [200, 0]);
    assert.equal(head.headers['content-length'], String(whole.length));
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      const { status: refused, headers } = await ask(port, { method });
      assert.deepEqual([refused, headers.allow], [405, 'GET, HEAD'], method);
    }
  } finally {
    child.kill();
  }
});

test('serve compresses as the reader accepts, and the bytes are the same', async () => {
  const child = spawn(process.execPath, [command, 'serve', '--port', '0']);
  const [said] = await once(child.stdout.setEncoding('utf8'), 'data');
  try {
    const [, port] = said.match(/http:\/\/localhost:(\d+)/);
    const bytes = (accept, path) =>
      new Promise((resolve, reject) => {
        const headers = accept ? { 'accept-encoding': accept } : {};
        request({ port, host: 'localhost', path, headers }, async (response) => {
          const parts = [];
          for await (const part of response) parts.push(part);
          resolve([response.headers['content-encoding'], Buffer.concat(parts)]);
        })
          .on('error', reject)
          .end();
      });
    const path = '/src/js/theory/theory.wasm';
    const plain = await readFile(new URL(`../..${path}`, import.meta.url));
    assert.deepEqual(await bytes('', path), [undefined, plain]);
    const [br, small] = await bytes('gzip, deflate, br', path);
    assert.equal(br, 'br');
    assert.ok(small.length < plain.length / 2, `${small.length} of ${plain.length} bytes`);
    assert.deepEqual(brotliDecompressSync(small), plain);
    const [gzip, zipped] = await bytes('gzip', path);
    assert.equal(gzip, 'gzip');
    assert.deepEqual(gunzipSync(zipped), plain);
    assert.equal((await bytes('br', '/web/fonts/inter.woff2'))[0], undefined);
  } finally {
    child.kill();
  }
});
