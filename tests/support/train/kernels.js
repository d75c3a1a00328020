/** The C functions of train.h, called with arrays. */
import { memories } from '../../../src/js/engine/memory.js';
import { together } from '../../../src/js/engine/team.js';

/**
 * Calls `body` with the functions, a team of all threads of the engine, and ways to put arrays into
 * memory and to read them.
 */
export function called(ch, body) {
  const memory = memories.get(ch);
  const put = (x) => memory.put(x, x instanceof Int32Array ? 'int32' : 'float32');
  const zeros = (length, kind = 'float32') => {
    const at = memory.pushArray(kind, length);
    memory.view(kind, at, length).fill(0);
    return at;
  };
  const read = (at, length, kind = 'float32') => memory.copy(kind, at, length);
  return memory.scope(() => {
    let result;
    together(memory, memory.c.attn_linear_scratch_bytes(), 1e9, (team) => {
      result = body({ c: memory.c, team, put, zeros, read });
    });
    return result;
  });
}
