/** Rotary positions: makes their tables, and rotates queries and keys by them. */
import { LAYOUTS, word } from '../attention/options.js';
import { lengthOf } from '../arrays.js';
import { int32s, integer, read, rows, yes } from '../check.js';
import { arrayOf, checkAlias } from '../engine/alias.js';
import { F32 } from '../engine/tensor.js';
import { describe, refuse } from '../errors.js';
import { inLayout, shaped } from '../engine/shapes.js';
import { floats, written } from './call.js';
import { above, readScaling } from './rope-scaling.js';
import { writeFrequencies, writeTable } from './rotary-table.js';

/**
 * @typedef {import('../engine/memory.js').Memory} Memory
 * @typedef {import('../engine/tensor.js').Floats} Floats
 */

/**
 * Layers.ropeTable.
 * @param {Memory} memory
 * @param {import('./types.d.ts').RopeTableOptions} options
 * @returns {import('./types.d.ts').MadeRopeTable}
 */
export function ropeTable(memory, options) {
  const {
    dim,
    positions,
    from = 0,
    base = 10000,
    interleaved,
    scaling,
  } = read('options', options, ['dim', 'positions', 'from', 'base', 'interleaved', 'scaling']);
  if (integer('dim', dim, 2) % 2) refuse('RANGE', 'dim', dim, 'an even number');
  integer('positions', positions, 0);
  integer('from', from, 0, 0x7fffffff - positions);
  above('base', base, 1);
  const isInterleaved = yes('interleaved', interleaved) === 1;
  const half = dim / 2;
  const checked = readScaling(scaling, dim);
  return memory.scope(() => {
    const frequencies = memory.pushArray('float64', half);
    const cos = memory.pushArray(F32, positions * half);
    const sin = memory.pushArray(F32, positions * half);
    const at = { cos, sin, frequencies };
    writeFrequencies(memory, frequencies, dim, base, checked);
    const attentionFactor = writeTable(memory, at, dim, checked, from, positions);
    return Object.freeze({
      cos: memory.copy(F32, cos, positions * half),
      sin: memory.copy(F32, sin, positions * half),
      dim,
      interleaved: isInterleaved,
      frequencies: memory.copy('float64', frequencies, half),
      attentionFactor,
    });
  });
}

/**
 * A table as an argument.
 * @param {Memory} memory
 * @param {string} name
 * @param {import('./types.d.ts').RopeTable} table
 * @param {number} headDim
 * @param {string} [size]
 */
export function readTable(memory, name, table, headDim, size = 'headDim') {
  const { cos, sin, dim, interleaved } = read(name, table, [
    'cos',
    'sin',
    'dim',
    'interleaved',
    'frequencies',
    'attentionFactor',
  ]);
  if (integer(`${name}.dim`, dim, 2) % 2 || dim > headDim)
    refuse('SHAPE', `${name}.dim`, dim, `even, at most ${headDim} = ${size}`);
  const positions = rows(`${name}.cos`, memory.floats(`${name}.cos`, cos, F32), dim / 2, 'dim/2');
  floats(memory, `${name}.sin`, sin, lengthOf(cos), 'as cos');
  shaped(`${name}.cos`, cos, { positions, pairs: dim / 2 });
  shaped(`${name}.sin`, sin, { positions, pairs: dim / 2 });
  return { cos, sin, dim, positions, interleaved: yes(`${name}.interleaved`, interleaved) };
}

/**
 * Rows of a table for `count` positions. They are checked, since C trusts them. A copy is used,
 * since another thread may write to shared memory.
 * @param {unknown} given
 * @param {number} count
 * @param {number} tableRows
 * @returns {Int32Array}
 */
export function readPositions(given, count, tableRows) {
  const own = int32s('positions', given);
  if (own.length !== count)
    refuse('SHAPE', 'positions', `${own.length} long`, `${count} = batch*m`);
  for (const x of own)
    if (!(x >= 0 && x < tableRows))
      refuse('RANGE', 'positions', x, `from 0 to ${tableRows - 1}, the rows of the table`);
  return own;
}

/**
 * Layers.rope.
 * @param {Memory} memory
 * @param {Floats} x
 * @param {import('./types.d.ts').RopeTable} table
 * @param {import('./types.d.ts').RopeOptions} options
 */
export function rope(memory, x, table, options) {
  const {
    headDim,
    heads = 1,
    batch = 1,
    layout,
    positions,
    offset = 0,
    out,
  } = read('options', options, [
    'headDim',
    'heads',
    'batch',
    'layout',
    'positions',
    'offset',
    'out',
  ]);
  for (const [name, size] of Object.entries({ headDim, heads, batch })) integer(name, size, 1);
  const t = readTable(memory, 'table', table, headDim);
  const first = word('layout', layout, LAYOUTS);
  const m = rows('x', memory.floats('x', x, F32), batch * heads * headDim, 'batch*heads*headDim');
  shaped('x', x, inLayout(layout, { batch, heads, positions: m, size: headDim }));
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
  if (out !== undefined) {
    floats(memory, 'out', out, lengthOf(x), 'x');
    checkAlias('out', out, { 'table.cos': t.cos, 'table.sin': t.sin, positions });
  }
  return written(memory, out, x, 'x', (to) => {
    memory.view(F32, to, lengthOf(x)).set(arrayOf(x));
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
