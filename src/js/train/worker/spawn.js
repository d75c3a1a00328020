import { located } from '../../engine/files.js';
import { fromFile } from '../../engine/worker-files.js';
import { nodeWorkers } from '../../engine/workers.js';

/** Starts a worker of train-host.js; as that of worker/spawn.js. */
export async function spawnTrainerHost() {
  const node = await nodeWorkers();
  return located(() =>
    node
      ? new node.Worker(
          new URL(/* webpackIgnore: true */ /* @vite-ignore */ './train-host.js', import.meta.url),
          { execArgv: [] },
        )
      : fromFile(
          new Worker(new URL('./train-host.js', import.meta.url), { type: 'module' }),
          'train-host.js',
          new Error(),
        ),
  );
}
