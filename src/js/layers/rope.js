import { overlap } from '../attention/attention.js';
import { array, choice, integer, number, read, rows, yes } from '../check.js';
import { describe, refuse } from '../errors.js';
import { F32 } from '../engine/memory.js';
import { floats, written } from './operations.js';

/** @typedef {import('../engine/memory.js').Memory} Memory */

/** @param {string} name @param {any} x @param {number} least exclusive */
const above = (name, x, least) =>
  number(name, x) > least && x < Infinity ? x : refuse('RANGE', name, x, `finite, above ${least}`);

/** Far beyond any model's, and what keeps the factor finite. */
const MOST_MSCALE = 1e6;

/** What each kind of scaling is told. @type {Record<string, string>} */
const SCALINGS = {
  none: '',
  linear: 'factor',
  ntk: 'factor',
  dynamic: 'factor length original',
  llama3: 'factor original lowFreqFactor highFreqFactor',
  yarn: 'factor original betaFast betaSlow truncate attentionFactor mscale mscaleAllDim',
};

/** The options of scaling: its type, and no others than that has. @param {any} scaling */
function readScaling(scaling) {
  if (scaling === undefined) return { type: 'none' };
  const o = read('scaling', scaling, `type length lowFreqFactor highFreqFactor ${SCALINGS.yarn}`);
  const types = Object.keys(SCALINGS);
  if (!types.includes(o.type))
    refuse('ARG', 'scaling.type', describe(o.type), types.map(describe).join(' or '));
  for (const [name, x] of Object.entries(o))
    if (x !== undefined && name !== 'type' && !SCALINGS[o.type].split(' ').includes(name))
      refuse('ARG', `scaling.${name}`, describe(x), `none with type "${o.type}"`);
  return o;
}

/** Layers.ropeTable. @param {Memory} memory @param {any} options @returns {any} */
export function ropeTable(memory, options) {
  const {
    dim,
    positions,
    from = 0,
    base = 10000,
    interleaved,
    scaling,
  } = read('options', options, 'dim positions from base interleaved scaling');
  if (integer('dim', dim, 2) % 2) refuse('RANGE', 'dim', dim, 'an even number');
  integer('positions', positions, 0);
  integer('from', from, 0, 0x7fffffff - positions);
  above('base', base, 1);
  const neighbours = yes('interleaved', interleaved) === 1;
  const half = dim / 2;
  const how = readScaling(scaling);
  return memory.scope(() => {
    const f = memory.pushArray('float64', half);
    const attentionFactor = frequencies(memory, f, dim, base, how);
    const cos = memory.pushArray(F32, positions * half);
    const sin = memory.pushArray(F32, positions * half);
    memory.c.attn_rope_table(cos, sin, f, dim, from, positions, attentionFactor);
    return Object.freeze({
      cos: memory.copy(F32, cos, positions * half),
      sin: memory.copy(F32, sin, positions * half),
      dim,
      interleaved: neighbours,
      frequencies: memory.copy('float64', f, half),
      attentionFactor,
    });
  });
}

/**
 * Writes the frequencies, and gives what cos and sin are multiplied by.
 * @param {Memory} memory
 * @param {number} f
 * @param {number} dim
 * @param {number} base
 * @param {any} o scaling, as read
 */
function frequencies(memory, f, dim, base, o) {
  const kind = o.type;
  /** @param {string} name @param {number} [otherwise] @param {number} [least] */
  const value = (name, otherwise, least = 0) =>
    above(`scaling.${name}`, o[name] === undefined ? otherwise : o[name], least);
  const factor = kind === 'none' ? 1 : value('factor');
  if (/ntk|dynamic/.test(kind) && dim < 4) refuse('RANGE', 'dim', dim, 'at least 4');
  if (kind === 'ntk') base = memory.c.attn_rope_ntk_base(dim, base, factor);
  if (kind === 'dynamic')
    base = memory.c.attn_rope_ntk_base(
      dim,
      base,
      memory.c.attn_rope_dynamic_factor(factor, value('length'), value('original')),
    );
  memory.c.attn_rope_frequencies(f, dim, base);
  if (kind === 'linear') memory.c.attn_rope_linear(f, dim, factor);
  if (kind === 'llama3') {
    const low = value('lowFreqFactor', 1);
    memory.c.attn_rope_llama3(
      f,
      dim,
      factor,
      low,
      value('highFreqFactor', 4, low),
      value('original'),
    );
  }
  if (kind !== 'yarn') return 1;
  const slow = value('betaSlow', 1);
  memory.c.attn_rope_yarn(
    f,
    dim,
    base,
    factor,
    value('betaFast', 32, slow),
    slow,
    value('original'),
    1 - choice('scaling.truncate', o.truncate, true, false),
  );
  return yarnFactor(memory, factor, o);
}

/**
 * What YaRN multiplies cos and sin by.
 * @param {Memory} memory
 * @param {number} factor
 * @param {any} o
 */
function yarnFactor(memory, factor, { attentionFactor, mscale, mscaleAllDim }) {
  if (mscale === undefined && mscaleAllDim === undefined)
    return attentionFactor === undefined
      ? memory.c.attn_rope_yarn_attention(factor, 0, 0)
      : above('scaling.attentionFactor', attentionFactor, 0);
  if (attentionFactor !== undefined)
    refuse(
      'ARG',
      'scaling.attentionFactor',
      describe(attentionFactor),
      'none beside mscale and mscaleAllDim',
    );
  // one alone is read in two ways: as 1 by transformers, as it stands by DeepSeek's own code
  for (const [name, x] of Object.entries({ mscale, mscaleAllDim }))
    if (!(number(`scaling.${name}`, x) >= 0 && x <= MOST_MSCALE))
      refuse('RANGE', `scaling.${name}`, x, `from 0 to ${MOST_MSCALE}`);
  return memory.c.attn_rope_yarn_attention(factor, mscale, mscaleAllDim);
}

/**
 * A table as an argument.
 * @param {Memory} memory
 * @param {string} name
 * @param {any} table
 * @param {number} headDim
 * @param {string} [size]
 */
export function readTable(memory, name, table, headDim, size = 'headDim') {
  const { cos, sin, dim, interleaved } = read(
    name,
    table,
    'cos sin dim interleaved frequencies attentionFactor',
  );
  if (integer(`${name}.dim`, dim, 2) % 2 || dim > headDim)
    refuse('SHAPE', `${name}.dim`, dim, `even, at most ${headDim} = ${size}`);
  const positions = rows(`${name}.cos`, memory.floats(`${name}.cos`, cos, F32), dim / 2, 'dim/2');
  floats(memory, `${name}.sin`, sin, cos.length, 'as cos');
  return { cos, sin, dim, positions, interleaved: yes(`${name}.interleaved`, interleaved) };
}

/**
 * Rows of a table for `count` positions; checked, for C trusts them, and copied, since another
 * thread may write to what is shared.
 * @param {any} given
 * @param {number} count
 * @param {number} most
 * @returns {any}
 */
export function readPositions(given, count, most) {
  const own = array('positions', given, 'Int32Array').slice();
  if (own.length !== count)
    refuse('SHAPE', 'positions', `${own.length} long`, `${count} = batch*m`);
  for (const x of own)
    if (!(x >= 0 && x < most))
      refuse('RANGE', 'positions', x, `from 0 to ${most - 1}, the rows of the table`);
  return own;
}

/** Layers.rope. @param {Memory} memory @param {any} x @param {any} table @param {any} options */
export function rope(memory, x, table, options) {
  const {
    headDim,
    heads = 1,
    batch = 1,
    layout,
    positions,
    offset = 0,
    out,
  } = read('options', options, 'headDim heads batch layout positions offset out');
  for (const [name, size] of Object.entries({ headDim, heads, batch })) integer(name, size, 1);
  const t = readTable(memory, 'table', table, headDim);
  const first = choice('layout', layout, 'bhsd', 'bshd');
  const m = rows('x', memory.floats('x', x, F32), batch * heads * headDim, 'batch*heads*headDim');
  const at = positions === undefined ? undefined : readPositions(positions, batch * m, t.positions);
  if (at) {
    if (offset !== 0) refuse('ARG', 'offset', describe(offset), 'none beside positions');
  } else if (integer('offset', offset, 0) + m > t.positions)
    refuse(
      'RANGE',
      'offset',
      `${offset}, with ${m} positions in x`,
      `at most ${t.positions} together, the rows of the table`,
    );
  const [row, head] = first ? [heads * headDim, headDim] : [headDim, m * headDim];
  if (out !== undefined) floats(memory, 'out', out, x.length, 'x');
  for (const [name, y] of Object.entries({ 'table.cos': t.cos, 'table.sin': t.sin, positions }))
    if (out !== undefined && overlap(out, y))
      refuse('ALIAS', 'out', `in the memory of ${name}`, 'memory of its own');
  return written(memory, out, x.length, 'x', (to) => {
    memory.view(F32, to, x.length).set(x.data ?? x);
    const skip = at ? 0 : 4 * offset * (t.dim / 2);
    const cos = memory.put(t.cos, F32) + skip;
    const sin = memory.put(t.sin, F32) + skip;
    const list = at ? memory.put(at, 'int32') : 0;
    for (let b = 0; b < batch; b++)
      memory.c.attn_rope(
        to + 4 * b * heads * m * headDim,
        m,
        heads,
        row,
        head,
        cos,
        sin,
        list && list + 4 * b * m,
        t.dim,
        t.interleaved,
      );
  });
}
