/** A worker of thread.js in a browser, before its first message. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';

test('signals until its first message, so that its parent in Firefox goes on', async () => {
  const timers = new Set();
  mock.method(globalThis, 'setInterval', (_, milliseconds) => {
    timers.add(milliseconds);
    return milliseconds;
  });
  mock.method(globalThis, 'clearInterval', (timer) => timers.delete(timer));
  // it begins to work, and is not followed any further
  const begun = mock.method(WebAssembly, 'instantiate', () => new Promise(() => {}));
  globalThis.postMessage = () => {};
  try {
    await import('../../src/js/engine/thread.js');
    assert.equal(timers.size, 1);
    assert.ok([...timers][0] <= 50, 'a parent that waits goes on soon');
    globalThis.onmessage({ data: {} });
    assert.equal(timers.size, 0);
    assert.equal(begun.mock.callCount(), 1);
  } finally {
    delete globalThis.postMessage;
    delete globalThis.onmessage;
    mock.restoreAll();
  }
});
