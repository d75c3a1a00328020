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
 * its workers, where the kernels have their memory. It also counts the nodes of the document.
 */
export async function memoryOf(protocol) {
  await protocol.send('HeapProfiler.enable');
  const { sessions, ask } = await workersOf(protocol);
  return async () => {
    await protocol.send('HeapProfiler.collectGarbage');
    const { usedSize } = await protocol.send('Runtime.getHeapUsage');
    const { nodes } = await protocol.send('Memory.getDOMCounters');
    const found = { heap: usedSize / 1e6, nodes, workers: 0, buffers: 0 };
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

/** Sets the temperature of the first look again and again. */
export async function change(page, times) {
  await page.evaluate(async (count) => {
    const slider = document.querySelector('#one-look-panel input[type="range"]');
    for (let at = 0; at < count; at++) {
      slider.value = String(Number(slider.min) + (at % 50) * 0.04);
      slider.dispatchEvent(new Event('input', { bubbles: true }));
      await new Promise(requestAnimationFrame);
    }
  }, times);
}
