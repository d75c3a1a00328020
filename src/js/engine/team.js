/** Calls that a team of threads shares. */

/**
 * Runs `body` with a team (team.h), of all threads where the work is worth it. Each has `bytes` of
 * scratch. False if a thread was lost: then all must be done again. To be called in a scope.
 * @param {import('./memory.js').Memory} memory
 * @param {number} bytes
 * @param {number} size multiply-adds
 * @param {(team: number) => void} body
 */
export function together(memory, bytes, size, body) {
  if (memory.pool?.worth(0, size)) return memory.pool.together(bytes, body);
  const team = memory.push(memory.c.attn_team_bytes());
  const scratch = memory.push(bytes);
  memory.c.attn_team_open(team, 1, scratch, bytes);
  body(team);
  return true;
}
