import thread from 'clearhead:thread';
import { spawnText } from './spawn.js';

/** Stands in the place of engine/spawn-thread.js. */
export const spawnThread = () => spawnText(thread);
