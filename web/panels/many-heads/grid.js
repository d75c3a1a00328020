/** All heads at once, in one colour ramp, under a line for each key/value head that they share. */
import { Heatmap } from '../../plot/heatmap.js';
import { html, setText } from '../../plot/dom.js';
import { fixed, percent } from '../../plot/format.js';
import { rove } from '../../plot/rove.js';

/** @typedef {import('../../plot/heatmap.js').MapData} MapData */
/**
 * @typedef {{ maps: MapData[], G: number, rho: readonly number[], entropy: readonly number[],
 *   moved: readonly number[] }} Heads
 */

const THUMB = 128;
const LARGEST = 192;
const WITHIN = 6;
const BETWEEN = 8;
const FAR = 26;

/**
 * How many columns of one size, with a gap between them, fit into a width: at least one and at most
 * maxColumns.
 */
const fitting = (
  /** @type {number} */ width,
  /** @type {number} */ size,
  /** @type {number} */ gap,
  /** @type {number} */ maxColumns,
) => Math.max(1, Math.min(maxColumns, Math.floor((width + gap) / (size + gap))));

export class HeadsGrid {
  /**
   * @param {object} actions
   * @param {(h: number, i: number, j: number) => void} actions.move
   * @param {(h: number, i: number, j: number) => void} actions.lock
   * @param {() => void} actions.release
   * @param {() => boolean} actions.locked
   * @param {(h: number, i: number, j: number) => string} actions.describe
   * @param {HTMLElement} actions.tableHost
   */
  constructor(actions) {
    this.actions = actions;
    this.element = html('div', { class: 'heads' });
    /** @type {(Record<'figure' | 'caption' | 'moved', HTMLElement> & { map: Heatmap })[]} */
    this.heads = [];
    this.arranged = '';
  }

  /** @param {number} h */
  make(h) {
    const { move, lock, release, locked, describe, tableHost } = this.actions;
    const map = new Heatmap(`Head ${h}`, {
      move: (i, j) => move(h, i, j),
      lock: (i, j) => lock(h, i, j),
      release,
      locked,
      describe: (i, j) => describe(h, i, j),
      page: (step) => {
        const next = this.heads[(h + step + this.heads.length) % this.heads.length].map;
        next.cell = { ...map.cell };
        next.cursor.focus();
        move(
          this.heads.findIndex((each) => each.map === next),
          map.cell.i,
          map.cell.j,
        );
        next.say();
      },
      tableHost,
    });
    const caption = html('figcaption', { 'data-depth': 'understand' });
    const moved = html('p', { class: 'moved' });
    const figure = html('figure', { class: 'head' }, map.element, moved, caption);
    return { map, moved, caption, figure };
  }

  /** Brackets: the same heads, regrouped. @param {number} H @param {number} G */
  arrange(H, G) {
    if (this.arranged === `${H} ${G}`) return;
    this.arranged = `${H} ${G}`;
    this.heads.length = Math.min(this.heads.length, H);
    while (this.heads.length < H) this.heads.push(this.make(this.heads.length));
    const share = H / G;
    const groups = Array.from({ length: G }, (_, g) => {
      const members = Array.from({ length: share }, (_, i) => g * share + i);
      members.forEach((h) => this.heads[h].map.setLabel(`Head ${h}, set ${g} of keys`));
      const names =
        share === 1
          ? `head ${members[0]}`
          : share <= 4
            ? `heads ${members.join(', ')}`
            : `heads ${members[0]}–${members[share - 1]}`;
      const label = html(
        'h3',
        {},
        html('span', { class: 'group-name' }, `keys ${g}`),
        ` · ${names}`,
      );
      return html(
        'section',
        {
          class: `group${share === 1 ? ' own' : ''}`,
          'aria-label': `set ${g} of keys, ${names}`,
          'data-group': g,
        },
        label,
        html('div', { class: 'group-heads' }, ...members.map((h) => this.heads[h].figure)),
      );
    });
    this.element.replaceChildren(...groups);
    rove(this.heads.map(({ map }) => map));
  }

  /** @param {Heads} heads @param {number} width */
  show({ maps, G, rho, entropy, moved }, width) {
    const H = maps.length;
    this.arrange(H, G);
    // As many to a row as fit at the least size; then as large as fills the row.
    const heads = fitting(width, THUMB, WITHIN, H / G);
    const groups = fitting(width, heads * (THUMB + WITHIN) - WITHIN, BETWEEN, G);
    const available = (width - (groups - 1) * BETWEEN) / groups;
    const side = Math.min(LARGEST, (available + WITHIN) / heads - WITHIN);
    maps.forEach((data, h) => {
      const { map, figure, caption, moved: number } = this.heads[h];
      map.show(data, side);
      figure.style.width = map.box.style.width;
      const part = moved[h];
      number.hidden = Number.isNaN(part);
      number.style.setProperty('--part', String(part));
      number.dataset.value = String(part);
      setText(number, `${percent(part)} moved`);
      const lost = Number.isNaN(rho[h]) ? nanRows(data) : 0;
      setText(
        caption,
        lost
          ? `${lost} of ${data.rows} rows NaN`
          : `ρ ${fixed(rho[h], 2)} · H ${fixed(entropy[h], 2)}`,
      );
      caption.dataset.rho = String(rho[h]);
      caption.dataset.entropy = String(entropy[h]);
    });
    const used =
      groups * (heads * (parseFloat(this.heads[0].figure.style.width) + WITHIN) - WITHIN);
    const spare = Math.floor((width - used) / Math.max(1, groups - 1));
    this.element.style.setProperty('--between', `${Math.min(FAR, spare)}px`);
  }

  /**
   * The cross-hair on every head; the one shown large is framed.
   * @param {{ h: number, i: number, j: number }} cell
   * @param {boolean} locked
   */
  cross(cell, locked) {
    this.heads.forEach(({ map, figure }, h) => {
      map.cross(cell, locked);
      figure.classList.toggle('current', h === cell.h);
    });
  }
}

/** Rows that read a key holding NaN. @param {MapData} data */
function nanRows({ rows, cols, weights, masked }) {
  let lost = 0;
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) {
      if (!Number.isNaN(weights[i * cols + j]) || masked(i, j)) continue;
      lost++;
      break;
    }
  }
  return lost;
}
