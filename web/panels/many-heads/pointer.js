/** The cell that is pointed at or locked: on the maps of all heads, and on the large one. */
import { html } from '../../plot/dom.js';
import { Legend } from '../../plot/legend.js';
import { block } from '../../page/layout.js';
import { HeadsGrid } from './grid.js';
import { restingCell, rowsOf } from './maps.js';
import { Pinned } from './pinned.js';
import { Several } from './several.js';
import { describe } from './words.js';

/** @typedef {import('../../plot/heatmap.js').MapData} MapData */
/** @typedef {import('./compute.js').MachineState} MachineState */
/** @typedef {import('./worker.js').Heads} Heads */

export class Pointer {
  /** @param {MachineState} state */
  constructor(state) {
    this.state = state;
    this.cell = { h: state.head.value, i: 0, j: 0 };
    this.rested = false;
    /** @type {Heads | undefined} undefined while new ones are on their way */
    this.heads = undefined;
    /** @type {MapData[]} */
    this.maps = [];
    this.tableHost = html('div', { class: 'map-table', hidden: true });
    this.legend = new Legend();
    this.several = new Several(state);
    this.grid = this.makeGrid();
    this.pinned = this.makePinned();
    this.large = block('machine-left', this.pinned.element);
    state.head.on((h) => void (this.cell = { ...this.cell, h }));
  }

  /** For all maps. */
  common() {
    const { tableHost } = this;
    return { release: () => this.release(), locked: () => this.locked, tableHost };
  }

  /** @returns {HeadsGrid} */
  makeGrid() {
    return new HeadsGrid({
      ...this.common(),
      move: (h, i, j) => this.move(h, i, j),
      lock: (h, i, j) => this.lock(h, i, j),
      describe: (h, i, j) => this.say(h, i, j),
    });
  }

  /** @returns {Pinned} */
  makePinned() {
    /** @type {import('../../plot/heatmap.js').MapActions} */
    const actions = {
      ...this.common(),
      move: (i, j) => this.move(this.cell.h, i, j),
      lock: (i, j) => this.lock(this.cell.h, i, j),
      describe: (i, j) => this.say(this.cell.h, i, j),
      page: (step) => {
        const { h, i, j } = this.cell;
        const { length } = this.maps;
        this.move((h + step + length) % length, i, j);
        this.pinned.map.say();
      },
    };
    return new Pinned(actions, this.several);
  }

  get locked() {
    return this.state.at.value.length === 2;
  }

  /** @param {number} h @param {number} i @param {number} j */
  move(h, i, j) {
    if (!this.locked) this.point({ h, i, j });
  }

  /** @param {number} h @param {number} i @param {number} j */
  lock(h, i, j) {
    const { cell, state } = this;
    const same = this.locked && cell.h === h && cell.i === i && cell.j === j;
    state.head.set(h);
    state.at.set(same ? [] : [i, j]);
    this.point({ h, i, j });
  }

  release() {
    this.state.at.set([]);
    this.point(this.cell);
  }

  /** @param {number} h @param {number} i @param {number} j @returns {string} */
  say(h, i, j) {
    const map = this.maps[h];
    return map ? `${this.grid.heads[h].map.label}. ${describe(map, i, j)}` : '';
  }

  /** @param {Heads} heads @param {MapData[]} maps */
  show(heads, maps) {
    this.heads = heads;
    this.maps = maps;
    if (!this.rested) this.cell = restingCell(heads, this.cell.h);
    this.rested = true;
    const { head, at } = this.state;
    if (this.locked)
      this.cell = { h: Math.min(head.value, heads.H - 1), i: at.value[0], j: at.value[1] };
    this.point(this.cell);
  }

  /** @param {{ h: number, i: number, j: number }} next */
  point(next) {
    const { heads, maps, pinned, grid, legend, locked } = this;
    if (!heads) return;
    const { H, n, stats } = heads;
    const h = Math.min(next.h, H - 1);
    const i = Math.min(next.i, n - 1);
    const j = Math.min(next.j, n - 1);
    const fresh = h !== this.cell.h || pinned.data !== maps[h];
    const cell = { h, i, j };
    this.cell = cell;
    grid.cross(cell, locked);
    if (fresh) {
      const { label } = grid.heads[h].map;
      pinned.show(maps[h], label, rowsOf(heads, h), this.large.clientWidth, cell, locked);
    } else pinned.point(cell, locked);
    const { causal, reach } = this.state;
    legend.mark(
      { weight: maps[h].weights[i * n + j], count: stats.n[h * n + i] },
      causal.value || reach.value < n - 1 ? undefined : n,
    );
  }
}
