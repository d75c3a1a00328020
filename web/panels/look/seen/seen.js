/** Reads the screen back: are the marks of the look those of its rows? */
import { inParts } from '../../../page/frames.js';
import { isDark, table } from '../../../plot/colour.js';
import { Statement } from '../../../page/statement.js';
import { compareDrawn, lineOf, restOf, sharpnessOf } from './compare.js';

const MOVING = 'it is read back when the story rests';

/** @typedef {import('./compare.js').Drawn} Drawn */
/**
 * @typedef {object} Screen
 * @property {import('../text-view.js').TextView} text
 * @property {import('../wall.js').Board} board
 * @property {import('../wall.js').Wall} wall
 * @property {import('../said.js').Said} said
 *
 * @typedef {object} Look
 * @property {import('../writing/writer.js').Writer} writer
 * @property {import('../selection.js').Selection} selection
 * @property {{ changes: number }} checking changes of the story, counted
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
    /** The screen that was looked at last, or the reason why it is not compared. */
    this.asked = '';
    this.none(MOVING);
  }

  /** @param {string} why not */
  none(why) {
    if (this.asked !== why) this.statement.nothing(why);
    this.asked = why;
  }

  /** Compares a screen that is new and rests. @param {Screen & Look} look */
  look(look) {
    const { writer, selection, wall, checking } = look;
    const { story, settings, phase } = writer;
    const { head, word: i, state } = selection;
    const rests = ['paused', 'over'].includes(phase) && story && i >= 0;
    if (!rests) return this.none(MOVING);
    const rest = state.rest.value;
    const dark = isDark();
    const row = [head.layer, head.head, i, rest, settings.T, checking.changes];
    const asked = JSON.stringify([dark, wall.pixels, row]);
    if (asked === this.asked) return;
    this.asked = asked;
    this.statement.wait();
    const { changes } = checking;
    const parts = compareDrawn(readBack(look, i), {
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
    void this.compare(parts, () => asked === this.asked && changes === checking.changes);
  }

  /**
   * @param {ReturnType<typeof compareDrawn>} parts
   * @param {() => boolean} current whether these rows are on the screen still
   */
  async compare(parts, current) {
    const { asked } = this;
    const found = await inParts(parts, current);
    if (found) {
      const { marks, wrong, first } = found;
      this.statement.show({
        measured: wrong,
        allowed: 0,
        text: `${wrong} of ${marks} marks differ`,
        data: { marks, first },
      });
    } else if (asked === this.asked) this.none(MOVING);
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
