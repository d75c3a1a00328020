/**
 * One head, large: its axes, what each query commits (ρ) and leaves open (H), and the row of the
 * query pointed at.
 */
import { Heatmap } from '../../plot/heatmap.js';
import { html, svg } from '../../plot/dom.js';
import { fixed, short } from '../../plot/format.js';
import { linear, niceStep } from '../../plot/scale.js';
import { budgetBars } from './budgets.js';
import { habitOf } from './habit.js';
import { meanRow, namesOf } from './several.js';
import { describe, hint } from './words.js';

/** @typedef {import('../../plot/heatmap.js').MapData} MapData */
/**
 * @typedef {object} Row what is known of one query of one head
 * @property {number} n @property {number} entropy @property {number} kl @property {number} lse
 * @property {number} sum of its weights times the lengths of their values
 * @property {number} output the length of its output
 */

const LEFT = 46;
const TOP = 44;
const PROFILE = 132;
const LARGEST = 512; // cells are whole pixels: less would draw 256 positions at half of it

export class Pinned {
  /**
   * @param {import('../../plot/heatmap.js').MapActions} actions
   * @param {import('./several.js').Several} several
   */
  constructor(actions, several) {
    this.several = several;
    this.map = new Heatmap('Pinned head', actions);
    several.map = this.map.cursor;
    this.picture = svg('svg', { class: 'pinned-axes', 'aria-hidden': 'true' });
    this.element = html('div', { class: 'pinned' }, this.picture, this.map.element);
    this.margin = 104;
    this.readout = html('div', { class: 'readout' });
    /** Where the head mostly looks. */
    this.habit = '';
  }

  /**
   * @param {MapData} data @param {string} label @param {readonly Row[]} rows @param {number} width
   * @param {{ i: number, j: number }} cell @param {boolean} locked
   */
  show(data, label, rows, width, cell, locked) {
    this.map.setLabel(label);
    this.margin = width < 420 ? 72 : 104; // for the budgets of the rows
    this.map.show(data, Math.max(96, Math.min(LARGEST, width - LEFT - this.margin)));
    this.data = data;
    this.rows = rows;
    this.label = label;
    this.habit = habitOf(data, label.replace(/,.*/, ''));
    this.point(cell, locked);
  }

  /** @param {{ i: number, j: number }} cell @param {boolean} locked */
  point(cell, locked) {
    const { data, rows, map } = this;
    if (!data || !rows) return;
    const i = Math.min(cell.i, data.rows - 1);
    const j = Math.min(cell.j, data.cols - 1);
    map.cross({ i, j }, locked);
    const W = map.side * data.cols;
    const H = map.side * data.rows;
    const width = LEFT + W + this.margin;
    const height = TOP + H + PROFILE;
    this.picture.setAttribute('width', String(width));
    this.picture.setAttribute('height', String(height));
    this.element.style.width = `${width}px`;
    this.element.style.minHeight = `${height}px`;
    this.picture.replaceChildren(
      this.axes(data, W),
      budgetBars(rows, {
        products: Boolean(data.of),
        at: { left: LEFT + W + 14, top: TOP, width: this.margin - 24, height: H, side: map.side },
        current: i,
      }),
      this.profile(data, i, j, W, H),
    );
    this.read(i, j, locked);
    this.several.show(data, i, j);
  }

  /** @param {MapData} data @param {number} W */
  axes({ rows, cols }, W) {
    const group = svg('g');
    const side = this.map.side;
    const every = (/** @type {number} */ count) => Math.max(1, niceStep((44 * count) / W));
    for (let j = 0; j < cols; j += every(cols)) {
      group.append(
        svg('text', { x: LEFT + (j + 0.5) * side, y: TOP - 7, 'text-anchor': 'middle' }, String(j)),
      );
    }
    for (let i = 0; i < rows; i += every(rows)) {
      group.append(
        svg(
          'text',
          { x: LEFT - 7, y: TOP + (i + 0.5) * side + 4, 'text-anchor': 'end' },
          String(i),
        ),
      );
    }
    for (const i of this.several.of(rows))
      group.append(
        svg('rect', { x: LEFT - 4, y: TOP + i * side, width: 3, height: side, class: 'kept-row' }),
      );
    const names = svg(
      'text',
      { x: LEFT, y: TOP - 26, class: 'axis-name' },
      'a query (down) looks at keys (across)',
    );
    group.append(names);
    if (W < 250) names.replaceChildren('query ↓, key →');
    return group;
  }

  /**
   * The weights of the row pointed at, under the columns they belong to.
   * @param {MapData} data @param {number} i @param {number} j @param {number} W @param {number} H
   */
  profile(data, i, j, W, H) {
    const { counts, of } = data;
    const side = this.map.side;
    const top = TOP + H + 34;
    const bottom = top + PROFILE - 58;
    const kept = this.several.of(data.rows);
    const queries = kept.length ? kept : [i];
    const row = meanRow(data, queries);
    const largest = Math.max(...row.filter(isFiniteNumber), 0) || 1;
    const y = linear([0, largest], [bottom, top]);
    const group = svg('g');
    row.forEach((p, c) => {
      if (!isFiniteNumber(p)) return;
      const gap = side > 4 ? 1 : 0;
      group.append(
        svg('rect', {
          x: LEFT + c * side + gap / 2,
          width: Math.max(0.5, side - gap),
          y: y.at(p),
          height: bottom - y.at(p),
          class: c === j ? 'bar here' : 'bar',
        }),
      );
    });
    group.append(svg('line', { x1: LEFT, x2: LEFT + W, y1: bottom, y2: bottom, class: 'axis' }));
    group.append(
      svg('text', { x: LEFT - 7, y: top + 5, 'text-anchor': 'end' }, short(largest, 2)),
      svg('text', { x: LEFT - 7, y: bottom + 4, 'text-anchor': 'end' }, '0'),
    );
    if (counts[i] > 0 && !of && !kept.length) {
      const u = y.at(1 / counts[i]);
      if (u >= top - 1)
        group.append(
          svg('line', { x1: LEFT, x2: LEFT + W, y1: u, y2: u, class: 'uniform-line' }),
          svg('text', { x: LEFT + W + 5, y: u + 4 }, `1/${counts[i]}`),
        );
    }
    group.append(
      svg(
        'text',
        { x: LEFT, y: bottom + 19, class: 'axis-name' },
        `${kept.length > 1 ? 'mean ' : ''}weights${of ? ' × lengths' : ''} of ${namesOf(queries)}`,
      ),
    );
    return group;
  }

  /** @param {number} i @param {number} j @param {boolean} locked */
  read(i, j, locked) {
    const { data, rows, label } = this;
    if (!data || !rows || !label) return;
    const row = rows[i];
    const { cols, of } = data;
    const p = (of ?? data).weights[i * cols + j];
    const masked = data.masked(i, j);
    const entry = (
      /** @type {string} */ name,
      /** @type {string} */ text,
      /** @type {number} */ exact,
      depth = '',
    ) =>
      html(
        'div',
        { 'data-depth': depth || null },
        html('dt', {}, name),
        html('dd', { 'data-value': exact, 'data-name': name }, text),
      );
    this.readout.replaceChildren(
      html('h3', {}, label, html('span', {}, ` · ${hint(locked)}`)),
      html('p', { class: 'habit' }, this.habit, ...spending(rows)),
      html('p', {}, describe(data, i, j)),
      html(
        'dl',
        {},
        entry('weight', masked ? 'masked' : short(p), p),
        ...(of
          ? [
              entry('length of the value', short(of.lengths[j]), of.lengths[j]),
              entry(
                'weight × length',
                masked ? 'masked' : short(p * of.lengths[j]),
                p * of.lengths[j],
              ),
              entry('sum of the row', short(row.sum), row.sum),
              entry('largest of the row', short(largestOf(data, i)), largestOf(data, i)),
              entry('length of the output', short(row.output), row.output),
            ]
          : []),
        entry('times an even share', masked ? 'masked' : short(p * row.n), p * row.n),
        entry('keys in reach', String(row.n), row.n),
        entry('ρ of the row', `${fixed(row.kl, 3)} nats`, row.kl, 'understand'),
        entry('H of the row', `${fixed(row.entropy, 3)} nats`, row.entropy, 'understand'),
        entry(
          'as wide as equal shares for',
          `${short(Math.exp(row.entropy))} keys`,
          Math.exp(row.entropy),
        ),
        entry('log-sum-exp', fixed(row.lse, 3), row.lse, 'understand'),
      ),
    );
  }
}

/** @param {unknown} x @returns {x is number} */
const isFiniteNumber = (x) => Number.isFinite(x);

/** The commitment of all rows of a head together. @param {readonly Row[]} rows */
function spending(rows) {
  const sum = (/** @type {(row: Row) => number} */ of) => rows.reduce((all, r) => all + of(r), 0);
  const spent = sum(({ kl }) => kl) / rows.length;
  const budget = sum(({ n }) => Math.log(Math.max(1, n))) / rows.length;
  if (!Number.isFinite(spent)) return [];
  const text = ` A row spends ${fixed(spent, 2)} of ${fixed(budget, 2)} nats, on average.`;
  return [html('span', { 'data-depth': 'understand', 'data-value': spent }, text)];
}

/** @param {MapData} data @param {number} i */
function largestOf({ cols, weights, masked }, i) {
  let largest = 0;
  for (let j = 0; j < cols; j++)
    if (!masked(i, j) && !(weights[i * cols + j] <= largest)) largest = weights[i * cols + j];
  return largest;
}
