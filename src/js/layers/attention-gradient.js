/** The gradient of a call of attention, with respect to its queries, keys and values. */
import { checkAxes, readShape } from '../attention/attention.js';
import { OF_ATTENTION, readOptions, setOptions } from '../attention/options.js';
import { placeOutput } from '../attention/results.js';
import { kindOf, lengthOf } from '../arrays.js';
import { read, sized, yes } from '../check.js';
import { checkAlias } from '../engine/alias.js';
import { shaped } from '../engine/shapes.js';
import { checkStatus } from '../engine/status.js';
import { together } from '../engine/team.js';
import { F32 } from '../engine/tensor.js';
import { refuse } from '../errors.js';

/**
 * @typedef {import('../engine/memory.js').Memory} Memory
 * @typedef {import('../engine/tensor.js').Floats} Floats
 * @typedef {import('../types.d.ts').DType} DType
 * @typedef {import('./gradient.d.ts').AttentionGradient} AttentionGradient
 * @typedef {import('./gradient.d.ts').AttentionGradientOptions} AttentionGradientOptions
 */
/**
 * Options as read.
 * @typedef {Omit<AttentionGradientOptions, 'out' | 'want'> &
 *   { want: import('./gradient.d.ts').WantGradient }} Read
 */

const GRADIENTS = /** @type {const} */ (['dq', 'dk', 'dv']);
const WANTS = ['dKeyScale', 'dSinks', 'dBias', 'dScale', 'dTemperature'];
const OPTIONS = [...OF_ATTENTION, 'output', 'lse'];

/**
 * Layers.attentionGradient.
 * @param {Memory} memory
 * @param {Floats} q
 * @param {Floats} k
 * @param {Floats} v
 * @param {Floats} dOutput
 * @param {AttentionGradientOptions} options
 * @returns {AttentionGradient}
 */
export function attentionGradient(memory, q, k, v, dOutput, options) {
  const { out: given, ...o } = /** @type {Read & Pick<AttentionGradientOptions, 'out'>} */ (
    /** @type {unknown} */ (readOptions(/** @type {{}} */ (options), OPTIONS, WANTS))
  );
  // before the sizes: where it is left out, the options stand in its place
  memory.floats('dOutput', dOutput);
  const out = read('out', given, GRADIENTS, '{ dq, dk, dv }');
  const { type, shape } = readShape(memory, o, q, k, v);
  const { batch, heads, m, valueDim } = shape;
  const rows = batch * heads * m;
  const forward = (/** @type {string} */ name, /** @type {Floats | undefined} */ x) => {
    sized(name, memory.floats(name, x, type), rows * valueDim, 'batch*heads*m*valueDim');
    checkAxes(shape, o.layout, 'out', x, name);
  };
  forward('dOutput', dOutput);
  if (o.output !== undefined || o.lse !== undefined) {
    forward('output', o.output);
    sized('lse', memory.floats('lse', o.lse, type), rows, 'batch*heads*m');
    shaped('lse', o.lse, { batch, heads, m });
  }
  const inputs = { q, k, v, dOutput };
  checkAxes(shape, o.layout, 'q', q);
  checkAxes(shape, o.layout, 'k', k);
  checkAxes(shape, o.layout, 'v', v);
  /** @type {Record<string, unknown>} */
  const others = { ...o, ...inputs, mask: o.mask?.data };
  GRADIENTS.forEach((name, at) => {
    const x = out[name];
    if (x === undefined) return;
    const like = [q, k, v][at];
    sized(
      `out.${name}`,
      memory.floats(`out.${name}`, x, type),
      lengthOf(like),
      `the length of ${name[1]}`,
    );
    checkAxes(shape, o.layout, /** @type {'q' | 'k' | 'v'} */ (name[1]), x, `out.${name}`);
    checkAlias(`out.${name}`, x, others);
    others[`out.${name}`] = x;
  });
  return run(memory, type, shape, o, inputs, out);
}

/**
 * @param {Memory} memory
 * @param {DType} type
 * @param {import('../attention/options.js').Shape} shape
 * @param {Read} o
 * @param {{ q: Floats, k: Floats, v: Floats, dOutput: Floats }} inputs
 * @param {{ dq?: Floats, dk?: Floats, dv?: Floats }} out
 * @returns {AttentionGradient}
 */
function run(memory, type, shape, o, inputs, out) {
  const { c } = memory;
  const single = type === F32;
  const done = memory.scope(() => {
    const p = setOptions(memory, type, shape, { ...o, want: undefined });
    const g = memory.push(c.attn_gradient_bytes());
    const float = o.precision !== 'int8';
    checkStatus(
      c.attn_gradient_init(g, p),
      float ? 'temperature' : 'precision',
      float ? String(o.temperature) : 'int8',
      float ? 'above 0 and finite, or it has no gradient' : 'float, since bytes have no gradient',
    );
    const results = wantGradients(memory, type, shape, o, g);
    const put = (/** @type {Floats | undefined} */ x) => (x ? memory.put(x, type) : 0);
    const [q, k, v, output, lse, dOutput] = [
      ...[inputs.q, inputs.k, inputs.v, o.output, o.lse, inputs.dOutput].map(put),
    ];
    const [dq, dk, dv] = [
      placeOutput(memory, type, out.dq, lengthOf(inputs.q)),
      placeOutput(memory, type, out.dk, lengthOf(inputs.k)),
      placeOutput(memory, type, out.dv, lengthOf(inputs.v)),
    ];
    const scratch = single
      ? c.attn_gradient_scratch_bytes_f32(g)
      : c.attn_gradient_scratch_bytes_f64(g);
    const whole = together(memory, below4(scratch), c.attn_gradient_size(g), (team) => {
      if (single) {
        const shared = memory.push(below4(c.attn_gradient_shared_bytes_f32(g, team)));
        c.attn_gradient_f32(
          ...[g, team, dq.at, dk.at, dv.at, q, k, v, output, lse, dOutput, shared],
        );
      } else {
        const shared = memory.push(below4(c.attn_gradient_shared_bytes_f64(g, team)));
        c.attn_gradient_f64(g, team, dq.at, dk.at, dv.at, q, k, v, dOutput, shared);
      }
    });
    return whole ? { dq: dq.output(), dk: dk.output(), dv: dv.output(), ...results() } : undefined;
  });
  // a lost thread may still write to this memory, so the call is done again in other memory
  return done ?? run(memory, type, shape, o, inputs, out);
}

/** Bytes as C counts them, 0 where they are too many. @param {number} bytes */
const below4 = (bytes) =>
  bytes ? bytes >>> 0 : refuse('LIMIT', 'k', 'too long', 'memory of a gradient below 4 GiB');

/**
 * Reserves memory for the gradients of options; the function it returns hands them over.
 * @param {Memory} memory
 * @param {DType} type
 * @param {import('../attention/options.js').Shape} shape
 * @param {Read} o
 * @param {number} g the attn_gradient
 */
function wantGradients(memory, type, { heads, n }, o, g) {
  const { c } = memory;
  /** @type {(() => Partial<AttentionGradient>)[]} */
  const copies = [];
  /**
   * @param {'dKeyScale' | 'dSinks' | 'dBias'} name
   * @param {string} option
   * @param {number} length
   * @param {(g: number, at: number) => number} want returns a status
   */
  const array = (name, option, length, want) => {
    if (!yes(`want.${name}`, o.want[name])) return;
    const at = memory.pushArray(type, length);
    checkStatus(want(g, at), `want.${name}`, 'true', `false, or ${option} in the call`);
    copies.push(() => ({ [name]: memory.copy(type, at, length) }));
  };
  const length = o.mask && kindOf(o.mask.data) !== 'Uint8Array' ? lengthOf(o.mask.data) : 0;
  array('dKeyScale', 'keyScale', n, c.attn_gradient_want_key_scale);
  array('dSinks', 'sinks', heads, c.attn_gradient_want_sinks);
  array('dBias', 'a float mask', length, c.attn_gradient_want_mask);
  const [dScale, dTemperature] = /** @type {const} */ (['dScale', 'dTemperature']).map((name) => {
    if (!yes(`want.${name}`, o.want[name])) return 0;
    const at = memory.pushArray('float64', heads);
    copies.push(() => ({
      [name]: memory.view('float64', at, heads).reduce((sum, x) => sum + x, 0),
    }));
    return at;
  });
  c.attn_gradient_want_scalars(g, dScale, dTemperature);
  return () => Object.assign({}, ...copies.map((each) => each()));
}
