/** clearhead serve refuses addresses that are none, and keeps no file open. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import process from 'node:process';
import { test } from 'node:test';
import { command } from '../support/command.js';

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
