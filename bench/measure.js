/**
 * Taking turns: in each round everybody is timed once, and the next round begins with the next one, so that whatever else the
 * machine does falls on all. A share of a limit is taken within a round, and the median of those shares is what counts. (The best
 * round against the limit's best is given beside it: on a machine in use it tells more of the kernel and less of the hour.)
 */
import { bytes, flops, speed } from './cases.js';
import { reason } from './side.js';
import { spread } from './spread.js';

/**
 * @param {any[]} sides @param {import('./cases.js').Case} c
 * @param {{ rounds: number, slice: number, budget: number, warm: number, pause?: number }} how seconds: slice of one turn, budget
 *   of all turns of one contender, warm before the first, pause after each (threads spin for a while when their work is done)
 * @returns {Promise<any[]>} rows: { name, engine, role, why } or { …, error, seconds: by round, null where the budget was used up }
 */
export async function measureCase(sides, c, { rounds, slice, budget, warm, pause = 0 }) {
  const rows = [],
    turns = [];
  try {
    for (const side of sides) {
      const lost = (error) => [{ name: 'all', engine: side.engine, why: reason(error) }];
      for (const { at, first, ...row } of await side.prepare(c.id, warm).catch(lost)) {
        rows.push(row);
        if (row.why) continue;
        row.seconds = [];
        // Whoever takes longer than all rounds may take is judged by the call that was checked.
        if (first > budget) row.seconds.push(first);
        else turns.push({ row, side, at, left: budget });
      }
    }
    for (let round = 0; round < rounds; round++)
      for (let turn = 0; turn < turns.length; turn++) {
        await take(turns[(turn + round) % turns.length], slice);
        if (pause) await new Promise((done) => setTimeout(done, 1000 * pause));
      }
  } finally {
    for (const side of sides) await side.release();
  }
  return rows.map((row) => summary(c, row, rows));
}

async function take(turn, slice) {
  const { row, side, at } = turn;
  if (turn.left <= 0 || row.why) return row.seconds?.push(null);
  try {
    const seconds = await side.sample(at, slice);
    turn.left -= Math.max(seconds, slice);
    row.seconds.push(seconds);
  } catch (error) {
    row.why = `failed when repeated: ${reason(error)}`;
    delete row.seconds;
  }
}

/** Adds speeds and shares of the limit. */
function summary(c, row, rows) {
  if (row.why) return row;
  const speeds = row.seconds.map((seconds) => seconds && speedOf(c, row, seconds));
  const limits = speeds.map((_, round) => limitOf(c, row, rows, round));
  const within = speeds.map((x, round) => x && x / limits[round]).filter(Boolean);
  return {
    ...row,
    speed: spread(speeds.filter(Boolean)),
    milliseconds: spread(
      row.seconds.filter(Boolean).map((x) => 1000 * x),
      false,
    ),
    ...(row.role !== 'limit' && within.length && { share: { ...spread(within), ofBest: Math.max(...speeds) / Math.max(...limits) } }),
  };
}

const speedOf = (c, row, seconds) => (row.role === 'limit' ? row.amount / seconds / 1e9 : speed(c, seconds));

/**
 * What the machine allows this row in this round: multiply-adds, as its build does them; in decoding also the reading of K and V,
 * which are used by several heads, so that either may be what ends first.
 */
function limitOf(c, { name, engine }, rows, round) {
  const find = (limit) => rows.find((row) => row.engine === engine && row.name === limit && row.seconds);
  const madd = (/ simd\b/.test(name) && find('multiply, then add')) || find('fused multiply-add') || find('multiply, then add');
  const of = (row) => speedOf(c, row, row.seconds[round] ?? row.seconds.at(-1));
  if (!madd || /threads|float64/.test(name)) return NaN; // the loops run on one thread, in float32
  const read = find('read as many bytes');
  return c.m === 1 && read ? Math.min(of(read), (of(madd) * bytes(c)) / flops(c)) : of(madd);
}

/** Shares of another limit than the row's own, in the rounds both have. */
export const shares = (c, row, limit) =>
  row.seconds
    .map((seconds, round) => seconds && speedOf(c, row, seconds) / speedOf(c, limit, limit.seconds[round] ?? limit.seconds.at(-1)))
    .filter(Boolean);

/** Rows a and b of the same rounds: the median of b's time divided by a's, which is how many times as fast a is. */
export function timesFaster(a, b) {
  const ratios =
    a?.seconds && b?.seconds
      ? a.seconds.map((seconds, round) => seconds && b.seconds[round] && b.seconds[round] / seconds).filter(Boolean)
      : [];
  if (ratios.length) return spread(ratios);
  return a?.milliseconds && b?.milliseconds ? spread([b.milliseconds.median / a.milliseconds.median]) : null;
}
