/** The push: two texts, its strength, and the layer behind which it is added. */
import { numberField, slider } from '../../page/controls.js';
import { block, controlsRow, paragraph } from '../../page/layout.js';
import { textField } from '../../page/text-field.js';
import { setText } from '../../plot/dom.js';

const PUSH = 'Push the model from one text towards another.';
const STRONG = 'A strong push can break its words.';
/** Of the page's own model, where the push is the only change. */
const FIRST = 'From a strength of 0.25 to 0.75, the yellow puppet of this story becomes a red one.';

export class PushControls {
  /**
   * @param {ReturnType<typeof import('./state.js').state>} state
   * @param {import('../../page/model.js').SharedModel} model
   */
  constructor(state, model) {
    const { prompt, from, towards, push, pushLayer, heads, how, hidden, shuffle } = state;
    this.layer = numberField(pushLayer, { label: 'Behind layer', min: 0 });
    this.layer.dataset.depth = 'understand';
    const words = paragraph('look-key');
    this.parts = [
      words,
      block('lab-push', textField(from, 'From'), textField(towards, 'towards')),
      controlsRow(
        slider(push, { label: 'Strength', min: 0, max: 1, step: 0.05 }).element,
        this.layer,
      ),
    ];
    const told = [prompt, from, towards, pushLayer, heads, how, hidden, shuffle];
    const show = () => {
      const first = !model.source && told.every(({ isDefault }) => isDefault);
      setText(words, `${PUSH} ${first ? FIRST : STRONG}`);
    };
    for (const signal of told) signal.on(show);
    model.on(show);
    show();
  }

  /** @param {number} layers of the model */
  fit(layers) {
    this.layer.querySelector('input')?.setAttribute('max', String(layers - 1));
  }
}
