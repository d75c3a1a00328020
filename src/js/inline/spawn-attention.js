/** Stands in the place of worker/spawn-attention.js. */
import { spawnRole } from './spawn.js';

export const spawnAttentionHost = () => spawnRole('attention');
