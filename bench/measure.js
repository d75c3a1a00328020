/**
 * Taking turns. In each round every contender is timed once, and the next round begins with the
 * next one. Other work of the machine then falls on all.
 *
 * A share of a limit is taken within a turn, in which the limit runs again and again (side.js). Its
 * fastest run counts, and the median of the shares of all rounds. A share above 1 would mean that
 * the limit is none, so the run fails (limits/check.js). Two of ours are compared turn by turn too,
 * because neighbours on the machine slow a busy kernel for a while (tuning.md#neighbours).
 */
import { bytes, flops, speed } from './cases.js';
import { APART, DOTS, FUSED, READ, onThreads } from './limits/names.js';
import { reason } from './side.js';
import { spread } from './spread.js';

/**
 * @param {any[]} sides
 * @param {import('./cases.js').Case} c
 * @param {{ rounds: number, slice: number, budget: number, warm: number, pause?: number }} how
 *   seconds: slice of one turn, budget of all turns of one contender, warm before the first. A
 *   pause follows each turn, because threads spin for a while when their work is done.
 * @returns {Promise<any[]>} rows: { name, engine, role, why } or { …, error, seconds, limits,
 *   times }, each by round. seconds are null where the budget was used up. limits has, for each
 *   limit that ran beside it, the share of those seconds that the limit would need. times: how many
 *   times as fast it is as the one it is compared with.
 */
export async function measureCase(sides, c, { rounds, slice, budget, warm, pause = 0 }) {
  const rows = [];
  const samplings = [];
  try {
    for (const side of sides) {
      const lost = (error) => [{ name: 'all', engine: side.engine, why: reason(error) }];
      for (const { at, first, ...row } of await side.prepare(c.id, warm).catch(lost)) {
        rows.push(row);
        if (row.why) continue;
        row.seconds = [];
        row.limits = {};
        row.times = [];
        // A contender that is too slow for the budget is judged by the call that was checked.
        if (first > budget) row.seconds.push(first);
        else samplings.push({ row, side, at, remaining: budget });
      }
    }
    for (const sampling of samplings)
      sampling.others =
        sampling.row.role === 'limit' ? [] : samplings.filter((other) => isBeside(sampling, other));
    for (let round = 0; round < rounds; round++)
      for (let i = 0; i < samplings.length; i++) {
        await measureOnce(c, samplings[(i + round) % samplings.length], slice);
        if (pause) await new Promise((done) => setTimeout(done, 1000 * pause));
      }
  } finally {
    for (const side of sides) await side.release();
  }
  return rows.map((row) => summary(c, row));
}

/** The limit of a row's own build. */
const ownLimit = (name) => (/ simd\b/.test(name) ? APART : FUSED);

/**
 * Whether the other runs between the batches of the one. It does if the two are compared, or if it
 * is a limit of one thread. Limits of integers run beside rows that multiply them. So does the
 * limit of the row's own threads and build, which takes long.
 */
function isBeside({ row, side }, { row: other, side: there }) {
  if (side !== there) return false;
  if (other.role !== 'limit') return other.name === row.against;
  if (DOTS.includes(other.name) && !row.integers) return false;
  return (
    other.threads === 1 ||
    (other.threads === row.threads && other.name.startsWith(ownLimit(row.name)))
  );
}

async function measureOnce(c, sampling, slice) {
  const { row, side, at, others } = sampling;
  if (sampling.remaining <= 0 || row.why) return row.seconds?.push(null);
  try {
    const sample = await side.sample(
      at,
      slice,
      others.map((other) => other.at),
    );
    sampling.remaining -= Math.max(sample.seconds, slice);
    row.seconds.push(sample.seconds);
    others.forEach(({ row: other }, x) => {
      if (other.role === 'limit')
        (row.limits[other.name] ??= []).push(sample.others[x] * callsOf(c, row, other));
      else row.times.push(sample.others[x]);
    });
  } catch (error) {
    row.why = `failed when repeated: ${reason(error)}`;
    delete row.seconds;
  }
}

/** How many calls of a limit do as much as the row needs: of multiply-adds, or of bytes read. */
const callsOf = (c, { stored = 1 }, limit) =>
  (limit.unit === 'GB/s' ? stored * bytes(c) : flops(c)) / limit.amount;

/** Adds speeds and shares of the limit. */
function summary(c, row) {
  if (row.why) return row;
  const speeds = row.seconds.filter(Boolean).map((seconds) => speedOf(c, row, seconds));
  const within = sharesOf(row);
  return {
    ...row,
    speed: spread(speeds),
    milliseconds: spread(
      row.seconds.filter(Boolean).map((x) => 1000 * x),
      false,
    ),
    ...(within.length && { share: spread(within) }),
  };
}

const speedOf = (c, row, seconds) =>
  row.role === 'limit' ? row.amount / seconds / 1e9 : speed(c, seconds);

/**
 * Shares of the machine's limit, by round. The limit that ends last counts: in decoding K and V are
 * read once and used by several heads, so it may be either. Multiply-adds are those of the row's
 * own build unless another limit is given. Where the engine has no fused ones, they are those it
 * has.
 */
export function sharesOf({ name, threads, limits }, limit = ownLimit(name)) {
  if (/float64/.test(name)) return []; // the loops are of float32
  const of = (loop) => limits[onThreads(loop, threads)];
  const madd = of(limit) ?? of(APART) ?? [];
  const read = limits[READ];
  return madd.map((share, round) => Math.max(share, read?.[round] ?? 0));
}

/**
 * Rows a and b of the same rounds: the median of b's time divided by a's, which is how many times
 * as fast a is.
 */
export function timesFaster(a, b) {
  if (a?.times?.length && a.against === b?.name) return spread(a.times);
  if (b?.times?.length && b.against === a?.name) return spread(b.times.map((x) => 1 / x));
  const ratios =
    a?.seconds && b?.seconds
      ? a.seconds
          .map((seconds, round) => seconds && b.seconds[round] && b.seconds[round] / seconds)
          .filter(Boolean)
      : [];
  if (ratios.length) return spread(ratios);
  return a?.milliseconds && b?.milliseconds
    ? spread([b.milliseconds.median / a.milliseconds.median])
    : null;
}
