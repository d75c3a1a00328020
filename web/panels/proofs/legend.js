/** The meaning of every verdict, and of the units and the file of the sheet. */
import { block, paragraph } from '../../page/layout.js';
import { MEANINGS, WORDS } from '../../page/statement.js';
import { html } from '../../plot/dom.js';

/** Verdicts that last: all but the one of waiting. */
const VERDICTS = /** @type {const} */ (['holds', 'slack', 'vacuous', 'violated', 'off', 'none']);

export function legend() {
  const units = paragraph(
    'look-key',
    'A comparison has two numbers, left and right. Its measured number is their difference, or ' +
      'the left one where the right one is a bound. The unit u is that of rounding, about 10⁻¹⁶ ' +
      'of the size of the numbers. The unit σ is the standard deviation of a mean of random ' +
      'numbers. The button “JSON” saves all comparisons in a file that other programs can read.',
  );
  units.dataset.depth = 'understand';
  return block(
    'proof-key',
    html(
      'dl',
      {},
      ...VERDICTS.flatMap((verdict) => [
        html('dt', { class: 'verdict' }, WORDS[verdict]),
        html('dd', {}, MEANINGS[verdict]),
      ]),
    ),
    paragraph(
      'look-key',
      'In the statements, a logit is a score, and a row is one look. It has n keys, and T is its ' +
        'temperature.',
    ),
    units,
  );
}
