/** Reads the screen back: are the marks of the look those of its rows? */
import { isDark, table } from '../../../plot/colour.js';
import { Statement } from '../../../page/statement.js';
import { compareDrawn, lineOf, restOf, sharpnessOf } from './compare.js';

/** @typedef {import('./compare.js').Drawn} Drawn */
/**
 * @typedef {object} Screen
 * @property {import('../text-view.js').TextView} text
 * @property {import('../wall.js').Board} board
 * @property {import('../wall.js').Wall} wall
 * @property {import('../said.js').Said} said
 *
 * @typedef {object} Look
 * @property {import('../writer.js').Writer} writer
 * @property {import('../selection.js').Selection} selection
 */

export class Seen {
  constructor() {
    this.statement = new Statement({
      id: 'look-drawn',
      claim: 'the shades, the squares, the maps and the counts are those of these rows',
      allowance:
        'Read back from the screen: the shade of each word and the share in the sentence. So are ' +
        'the square of each head, the count of sharp ones, and this row of all maps. A colour ' +
        'may be one step of 255 off, and a shade half of its last digit. The number of a square ' +
        'may be u·(n + 32)·(1 + H)/log n off, as weights are in float32, with u = 2⁻²⁴.',
      oracles: [sharpnessOf, restOf, lineOf],
    });
    /** The screen that was compared last. */
    this.compared = '';
    this.none();
  }

  none() {
    this.statement.nothing('it is read back when the story rests');
  }

  /** Compares a screen that is new and rests. @param {Screen & Look} look */
  look(look) {
    const { writer, selection, wall } = look;
    const { story, settings, phase } = writer;
    const { head, word: i, state } = selection;
    const calm = ['paused', 'over'].includes(phase);
    const rest = state.rest.value;
    const dark = isDark();
    const row = [head.layer, head.head, i, rest, settings.T, story?.text];
    const now = JSON.stringify([calm, dark, wall.pixels, row]);
    if (now === this.compared) return;
    this.compared = now;
    if (!calm || !story || i < 0) return this.none();
    const { marks, wrong, first } = compareDrawn(readBack(look, i), {
      row: (each, other) => story.row(each, other),
      rows: story.rows,
      heads: story.all(),
      head,
      i,
      rest,
      side: wall.side,
      pixels: wall.pixels,
      colours: table('weights', dark),
    });
    this.statement.show({
      measured: wrong,
      allowed: 0,
      text: `${wrong} of ${marks} marks differ`,
      data: { marks, first },
    });
  }
}

/** @param {Screen} screen @param {number} i the word that looks @returns {Drawn} */
function readBack({ text, board, wall, said }, i) {
  const line = Math.floor((i * wall.pixels) / wall.side);
  const share = said.sentence.querySelector('[data-value]');
  return {
    shades: text.spans.map((span) =>
      span.classList.contains('read') ? span.style.getPropertyValue('--w') : '',
    ),
    share: share?.textContent ?? '',
    squares: board.cells.map(({ cell }) => ({
      value: Number(cell.dataset.value),
      colour: (cell.style.background.match(/\d+/g) ?? []).map(Number),
    })),
    count: said.count.textContent ?? '',
    lines: wall.maps.map(({ canvas }) => {
      const context = canvas.getContext('2d');
      return context?.getImageData(0, line, wall.pixels, 1).data ?? new Uint8ClampedArray();
    }),
  };
}
