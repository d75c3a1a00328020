/** Stands in the place of worker/spawn-attention.js. */
import host from 'clearhead:attention-host';
import { spawnText, withKernels } from './spawn.js';

export const spawnAttentionHost = () => spawnText(withKernels(host));
