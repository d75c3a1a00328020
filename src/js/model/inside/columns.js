import { refuse } from '../../errors.js';
import { widthOf } from './points.js';

/**
 * The columns of a point that heads have; only z has heads.
 * @param {unknown} head as given
 * @param {import('./points.js').Point} point
 * @param {import('./entries.js').Span} heads
 * @param {string} name
 * @param {import('../types.d.ts').ModelConfig} config
 * @returns {import('./entries.js').Span}
 */
export function columnsOf(head, point, [first, count], name, config) {
  if (point === 'z') return [first * config.headDim, count * config.headDim];
  if (head !== undefined) refuse('ARG', `${name}.head`, `given with ${point}`, 'it with z alone');
  return [0, widthOf(config, point)];
}
