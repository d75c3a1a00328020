/** Builds whose look is wrong in one way each, and the statements that must say so. */
import { edit } from './changes.js';

const BESIDE = '{ ...head, head: (head.head + 1) % story.heads }';

/** `at` is the state to look at, where it is not that of the beginning. */
export const WRONG_LOOK = [
  {
    name: 'a square of the head beside',
    change: edit(
      'web/panels/look/wall.js',
      'story.sharpness(head, i, rest)',
      `story.sharpness(${BESIDE}, i, rest)`,
    ),
    red: ['look-drawn'],
  },
  {
    name: 'a square that is darker than its number',
    change: edit(
      'web/panels/look/wall.js',
      "colourAt('weights', dark, value)",
      "colourAt('weights', dark, Math.sqrt(value))",
    ),
    red: ['look-drawn'],
  },
  {
    name: 'a map of the head beside',
    change: edit(
      'web/panels/look/wall.js',
      'paintRows(canvas, story, head, size, this.painted)',
      `paintRows(canvas, story, ${BESIDE}, size, this.painted)`,
    ),
    red: ['look-drawn'],
  },
  {
    name: 'a shade without its root',
    change: edit('web/panels/look/text-view.js', 'place(weight).toFixed(3)', 'weight.toFixed(3)'),
    red: ['look-drawn'],
  },
  {
    name: 'a sentence about the word that gets least',
    change: edit('web/panels/look/words.js', 'row[j] > row[best]', 'row[j] < row[best]'),
    red: ['look-drawn'],
  },
  {
    name: 'a count of the other heads',
    change: edit('web/panels/look/words.js', 'i, rest) > 0.5', 'i, rest) < 0.5'),
    red: ['look-drawn'],
  },
  {
    name: 'others that do not add up to one without the start',
    change: edit(
      'web/panels/look/writing/story.js',
      'return rest.map((p) => p / sum);',
      'return sum > 0 ? rest : [];',
    ),
    at: '&lookRest=1',
    red: ['look-drawn'],
  },
  {
    name: 'squares that forget to leave out the start',
    change: edit(
      'web/panels/look/writing/story.js',
      'if (rest) return rowSharpness',
      'if (rest && i < 0) return rowSharpness',
    ),
    at: '&lookRest=1',
    red: ['look-drawn'],
  },
  {
    name: 'a row that is checked as that of the head beside',
    change: edit(
      'web/panels/look/send.js',
      'const shown = story.row(head, i);',
      `const shown = story.row(${BESIDE}, i);`,
    ),
    red: ['look-row'],
  },
  {
    name: 'a sharpness that is that of the head beside',
    change: edit(
      'web/panels/look/send.js',
      'head.layer * story.heads + head.head)',
      'head.layer * story.heads + ((head.head + 1) % story.heads))',
    ),
    red: ['look-budget'],
  },
  {
    name: 'a surprise in nats',
    change: edit('web/panels/look/writing/bits.js', 'Math.log(sum)) / Math.LN2', 'Math.log(sum))'),
    red: ['look-surprise'],
  },
];
