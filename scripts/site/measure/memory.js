/** Memory of the page and its workers, and nodes of its document. */

/** The workers of a page, each with a way to ask it. */
async function workersOf(protocol) {
  /** @type {Map<string, string>} */
  const sessions = new Map();
  /** @type {Map<number, (result: unknown) => void>} */
  const asked = new Map();
  let count = 0;
  protocol.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
    if (targetInfo.type === 'worker') sessions.set(sessionId, targetInfo.url);
  });
  protocol.on('Target.detachedFromTarget', ({ sessionId }) => void sessions.delete(sessionId));
  protocol.on('Target.receivedMessageFromTarget', ({ message }) => {
    const { id, result } = JSON.parse(message);
    asked.get(id)?.(result);
    asked.delete(id);
  });
  await protocol.send('Target.setAutoAttach', {
    autoAttach: true,
    waitForDebuggerOnStart: false,
    flatten: false,
  });
  const ask = (sessionId, method) =>
    new Promise((resolve) => {
      const id = ++count;
      asked.set(id, resolve);
      const message = JSON.stringify({ id, method, params: {} });
      void protocol.send('Target.sendMessageToTarget', { sessionId, message });
    });
  return { sessions, ask };
}

/**
 * A function that collects garbage and tells in MB: the heap of the page, and heaps and buffers of
 * its workers, where the kernels have their memory. It also counts nodes of the document and
 * listeners.
 */
export async function memoryOf(protocol) {
  await protocol.send('HeapProfiler.enable');
  const { sessions, ask } = await workersOf(protocol);
  return async () => {
    await protocol.send('HeapProfiler.collectGarbage');
    const { usedSize } = await protocol.send('Runtime.getHeapUsage');
    const { nodes, jsEventListeners } = await protocol.send('Memory.getDOMCounters');
    const found = {
      heap: usedSize / 1e6,
      nodes,
      listeners: jsEventListeners,
      workers: 0,
      buffers: 0,
    };
    for (const sessionId of sessions.keys()) {
      await ask(sessionId, 'HeapProfiler.enable');
      await ask(sessionId, 'HeapProfiler.collectGarbage');
      const told = /** @type {any} */ (await ask(sessionId, 'Runtime.getHeapUsage'));
      found.workers += told.usedSize / 1e6;
      found.buffers += told.backingStorageSize / 1e6;
    }
    return found;
  };
}
