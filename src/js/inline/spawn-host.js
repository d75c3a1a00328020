/** Replaces worker/spawn.js in the single files of dist. */
import { spawnRole } from './spawn.js';

export const spawnHost = () => spawnRole('host');
