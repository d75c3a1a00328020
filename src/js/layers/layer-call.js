/** The arguments and the call that multi-head and latent layers have in common. */
import { LAYOUTS, setOptions, without } from '../attention/options.js';
import { placeOutput, wantResults } from '../attention/results.js';
import { number } from '../check.js';
import { checkAlias } from '../engine/alias.js';
import { F32 } from '../engine/tensor.js';
import { checkStatus } from '../engine/status.js';
import { together } from '../engine/team.js';
import { refuse } from '../errors.js';
import { shaped } from '../engine/shapes.js';
import { optionalFloats } from './call.js';
import { readPositions, readTable } from './rope.js';

/**
 * @typedef {import('../engine/memory.js').Memory} Memory
 * @typedef {import('../engine/tensor.js').Floats} Floats
 * @typedef {import('./types.d.ts').ForwardOptions} ForwardOptions
 */

/** The options of `forward`. A layer has heads and a layout of its own. */
export const OF_FORWARD = [
  ...['batch', 'cache', 'positions', 'out', 'want'],
  ...without('layout', 'precision'),
];

/** @param {unknown} epsilon */
export function readEpsilon(epsilon = 1e-6) {
  const value = number('normEpsilon', epsilon);
  if (value >= 0 && value < Infinity) return value;
  return refuse('RANGE', 'normEpsilon', value, 'finite, at least 0');
}

/**
 * The table of a layer. It may be an object with getters, so it is read before any array is
 * checked.
 * @param {Memory} memory
 * @param {import('./types.d.ts').RopeTable | undefined} rope
 * @param {number} dim
 * @param {string} size
 */
export const tableOf = (memory, rope, dim, size) =>
  rope === undefined ? undefined : readTable(memory, 'rope', rope, dim, size);

/**
 * The same, copied into its memory.
 * @param {import('./storage.js').LayerStorage} storage
 * @param {ReturnType<typeof tableOf>} table
 */
export function storeTable(storage, table) {
  return (
    table && {
      dim: table.dim,
      positions: table.positions,
      interleaved: table.interleaved,
      cos: storage.vector(table.cos),
      sin: storage.vector(table.sin),
    }
  );
}

/**
 * Checks the arguments before a layer does anything.
 * @param {ForwardOptions} o
 * @param {number} batch
 * @param {number} m
 * @param {number} past
 * @param {number | undefined} positions of the table
 */
export function readPlaces(o, batch, m, past, positions) {
  if (o.positions !== undefined)
    return positions === undefined
      ? refuse('ARG', 'positions', 'given', 'none, since the layer has no rope')
      : readPositions(o.positions, batch * m, positions);
  if (positions !== undefined && past + m > positions)
    refuse(
      'RANGE',
      'x',
      `${past} + ${m} positions`,
      `at most ${positions}, the rows of the rope table`,
    );
}

/**
 * Checks that a cache can receive m positions of one sequence.
 * @param {{ capacity: number, length: number }} cache
 * @param {number} batch
 * @param {number} m
 */
export function checkFree({ capacity, length }, batch, m) {
  if (batch !== 1) refuse('SHAPE', 'batch', batch, '1 with a cache');
  if (length + m > capacity)
    refuse('LIMIT', 'cache', `${length} of ${capacity} full`, `space for ${m} more positions`);
}

/**
 * One call of a layer: checks the output, makes an attn_params, lets `body` compute with a team of
 * threads, and collects the results. Undefined if a thread was lost meanwhile.
 * @param {Memory} memory
 * @param {Floats} x
 * @param {import('../attention/options.js').Read<ForwardOptions>} o
 * @param {number} length of the output
 * @param {import('../attention/options.js').Shape} shape
 * @param {number} size multiply-adds beside attention's
 * @param {(team: number, p: number, out: number, x: number) => number} body returns a status
 */
export function layerCall(memory, x, o, length, shape, size, body) {
  const { batch, heads, m, n, headDim, valueDim } = shape;
  const given = optionalFloats(memory, 'out', o.out, length, 'batch*m*outputs');
  shaped('out', given, { batch, m, outputs: length / (batch * m || 1) });
  if (given) checkAlias('out', given, { x, ...o, mask: o.mask?.data, out: undefined });
  return memory.scope(() => {
    const p = setOptions(memory, F32, shape, o);
    memory.c.attn_set_layout(p, LAYOUTS.bshd);
    const results = wantResults(memory, F32, shape, o.want, p);
    const at = memory.put(x, F32);
    const { at: out, output } = placeOutput(memory, F32, given, length);
    const whole = together(
      memory,
      memory.c.attn_scratch_bytes_f32(p),
      size + batch * heads * m * n * (headDim + valueDim),
      (team) =>
        checkStatus(body(team, p, out, at), 'x', 'of another shape', 'what the layer takes'),
    );
    return whole ? { output: output(), ...results() } : undefined;
  });
}

/**
 * Memory for everything between input and output.
 * @param {Memory} memory
 * @param {number} bytes as C counts them, 0 where they are too many
 */
export function scratchFor(memory, bytes) {
  return bytes
    ? memory.push(bytes >>> 0)
    : refuse('LIMIT', 'x', 'too long', 'space below 4 GiB between input and output');
}
