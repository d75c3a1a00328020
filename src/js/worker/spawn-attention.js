import { located } from '../engine/files.js';
import { fromFile } from '../engine/worker-files.js';
import { nodeWorkers } from '../engine/workers.js';

/** Starts a worker of attention-host.js; as that of spawn.js. */
export async function spawnAttentionHost() {
  const node = await nodeWorkers();
  return located(() =>
    node
      ? new node.Worker(
          new URL(
            /* webpackIgnore: true */ /* @vite-ignore */ './attention-host.js',
            import.meta.url,
          ),
          { execArgv: [] },
        )
      : fromFile(
          new Worker(new URL('./attention-host.js', import.meta.url), { type: 'module' }),
          'attention-host.js',
          new Error(),
        ),
  );
}
