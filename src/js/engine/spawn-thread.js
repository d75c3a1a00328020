/** Starts a worker of thread.js. The single files of dist have inline/spawn-thread.js instead. */
import { located } from './files.js';
import { fromFile } from './worker-files.js';
import { nodeWorkers } from './workers.js';

/** A worker that runs thread.js. */
export async function spawnThread() {
  const node = await nodeWorkers();
  // in Node without the program's own flags, some of which (--input-type) a worker refuses
  return located(() =>
    node
      ? new node.Worker(new URL('./thread.js', import.meta.url), { execArgv: [] })
      : fromFile(
          new Worker(new URL('./thread.js', import.meta.url), { type: 'module' }),
          'thread.js',
          new Error(),
        ),
  );
}
