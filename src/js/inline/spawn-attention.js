/** Replaces worker/spawn-attention.js in the single files of dist. */
import { spawnRole } from './spawn.js';

export const spawnAttentionHost = () => spawnRole('attention');
