/** Replaces engine/spawn-thread.js in the single files of dist. */
import thread from 'clearhead:thread';
import { spawnText } from './spawn.js';

export const spawnThread = () => spawnText(thread);
