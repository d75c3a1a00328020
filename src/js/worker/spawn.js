import { located } from '../engine/files.js';
import { fromFile } from '../engine/worker-files.js';
import { nodeWorkers } from '../engine/workers.js';

/**
 * Starts a worker of host.js. In Node it gets none of the program's own flags, some of which
 * (--input-type) a worker refuses. Bundlers skip that branch, or they would copy the file as it is.
 */
export async function spawnHost() {
  const node = await nodeWorkers();
  return located(() =>
    node
      ? new node.Worker(
          new URL(/* webpackIgnore: true */ /* @vite-ignore */ './host.js', import.meta.url),
          { execArgv: [] },
        )
      : fromFile(
          new Worker(new URL('./host.js', import.meta.url), { type: 'module' }),
          'host.js',
          new Error(),
        ),
  );
}
