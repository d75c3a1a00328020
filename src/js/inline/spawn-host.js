/** Stands in the place of worker/spawn.js. */
import host from 'clearhead:host';
import { spawnText, withKernels } from './spawn.js';

export const spawnHost = () => spawnText(withKernels(host));
