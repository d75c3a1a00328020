/** Stands in the place of worker/spawn.js. */
import { spawnRole } from './spawn.js';

export const spawnHost = () => spawnRole('host');
