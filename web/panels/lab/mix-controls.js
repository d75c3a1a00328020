/** The button that shuffles the weights and takes them back, and the words about it. */
import { button, numberField } from '../../page/controls.js';
import { block, controlsRow, paragraph, status } from '../../page/layout.js';
import { setText } from '../../plot/dom.js';
import { whole } from '../../plot/format.js';

const SHUFFLE = 'Shuffle the weights';
const BACK = 'Back to the trained weights';

export class MixControls {
  /**
   * @param {ReturnType<typeof import('./state.js').state>} state
   * @param {import('../../page/model.js').SharedModel} model
   */
  constructor({ shuffle, seed }, model) {
    this.button = button(SHUFFLE, () => shuffle.set(!shuffle.value), 'quiet');
    this.button.dataset.step = '';
    this.status = status('lab-mixed');
    const field = numberField(seed, { label: 'seed', min: 0, max: 4294967295 });
    field.dataset.depth = 'understand';
    this.element = block(
      'lab-mix',
      paragraph(
        'look-key',
        'A model is mostly tables of numbers, called matrices. You can also put the numbers of ' +
          'each in another order. The model keeps them all, and loses nearly all that it learned.',
      ),
      controlsRow(this.button, field),
      this.status,
    );
    const show = () => {
      setText(this.button, shuffle.value ? BACK : SHUFFLE);
      this.button.disabled = Boolean(model.source);
    };
    shuffle.on(show);
    model.on(show);
    show();
    this.model = model;
  }

  /** @param {import('./twin.js').Mix | undefined} mix of the story on show */
  show(mix) {
    setText(
      this.status,
      this.model.source
        ? 'Only the page’s own model can be shuffled.'
        : mix
          ? `Shuffled with seed ${mix.seed}: ${mix.matrices} matrices with ` +
            `${whole(mix.numbers)} numbers. A �, if there is one, is a piece that is no whole ` +
            'letter.'
          : '',
    );
  }
}
