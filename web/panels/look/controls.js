/** Play, step and start again; the prompt; two temperatures; and a line about the model. */
import { button, toggle } from '../../page/controls.js';
import { BOLDNESS, heatSlider, temperatureText } from '../../page/heat.js';
import { block, controlsRow, paragraph, status } from '../../page/layout.js';
import { setFromText } from '../../page/text-field.js';
import { html, setText } from '../../plot/dom.js';
import { lineOf } from './surprise.js';
import { HINT } from './words.js';

const BEGINS = 'How the story begins';
const SURPRISE =
  'Surprise is −log₂ of the chance that the model’s own logits give to the token that came, at ' +
  'sampling temperature 1. How boldly it picks a word does not act on it. How focused its looks ' +
  'are does.';

/** @typedef {ReturnType<typeof import('./state.js').state>} State */
/**
 * @typedef {object} Now
 * @property {import('./writing/writer.js').Writer} writer
 * @property {import('../../page/model.js').SharedModel} model
 * @property {boolean} fast
 */
/**
 * @typedef {object} Actions
 * @property {() => void} play
 * @property {() => void} step
 * @property {() => void} restart
 * @property {() => void} retry
 */

export class Controls {
  /**
   * @param {State} state @param {import('../../page/signal.js').Signal<boolean>} fast
   * @param {Actions} actions
   */
  constructor(state, fast, actions) {
    this.play = button('▶ Write', actions.play, 'quiet primary');
    this.retry = button('try again', actions.retry);
    this.retry.hidden = true;
    this.said = status('look-status');
    this.status = block('look-state', this.said, this.retry);
    const step = button('One step more', actions.step);
    const restart = button('Start again', actions.restart);
    this.bar = block('look-bar', block('look-buttons', this.play, step, restart), heats(state));
    const boxes = controlsRow(
      toggle(state.rest, 'leave out the start of the text'),
      toggle(state.bits, 'underline surprising words'),
      toggle(fast, 'as fast as it can'),
    );
    const form = promptForm(state, actions.restart);
    this.more = block('look-more', form, html('div', {}, boxes, surpriseKey(state)));
    this.start = html('span', {}, ` ${HINT.start}`);
    this.hint = paragraph(
      'look-hint',
      html(
        'span',
        { class: 'look-hand' },
        html('span', { class: 'hover' }, HINT.hover),
        html('span', { class: 'touch' }, HINT.touch),
      ),
      ' ',
      html('span', { class: 'look-names' }, HINT.looks, this.start),
    );
    this.caption = paragraph('look-caption');
    this.key = paragraph(
      'look-key',
      'Each box is a head, coloured by how widely it looks from the framed word. Choose a head ' +
        'by its box or its square. Until then the page chooses one.',
    );
  }

  /** @param {Now} now */
  show({ writer, model, fast }) {
    const rest = writer.phase === 'over' ? '▶ Once more' : '▶ Write';
    setText(this.play, writer.playing ? '❚❚ Pause' : rest);
    this.retry.hidden = !['absent', 'failed'].includes(model.phase);
    // another model may have another habit
    this.start.hidden = Boolean(model.source);
    setText(this.said, words(writer, model, fast));
  }
}

/** The two temperatures. @param {State} state */
const heats = (state) =>
  block(
    'look-heats',
    heatSlider(state.T, {
      label: 'How focused its looks are: temperature',
      ends: ['0: on one word only', '∞ (no limit): on all alike'],
      say: (t) => (t === 1 ? '1, as trained' : temperatureText(t)),
    }),
    heatSlider(state.tau, {
      label: 'How boldly it picks a word:',
      ends: ['0: the likeliest', '2: often an unlikely one'],
      say: temperatureText,
      scale: BOLDNESS,
    }),
  );

/** The meaning of the lines under the words, while they are there. @param {State} state */
function surpriseKey({ bits }) {
  const samples = [1, 4, 8].map((each) => {
    const word = html('b', {}, `1 in ${2 ** each}`);
    word.style.setProperty('--line', `${lineOf(each)}px`);
    return html('span', {}, word, html('span', { 'data-depth': 'understand' }, ` ${each} bits`));
  });
  const element = block(
    'look-lines',
    paragraph(
      '',
      'The thicker the line, the less the model expected the word. It had a chance of:',
    ),
    block('look-samples', ...samples),
    html('p', { 'data-depth': 'doubt' }, SURPRISE),
  );
  const show = () => void (element.hidden = !bits.value);
  bits.on(show);
  show();
  return element;
}

/** The beginning of the story. @param {State} state @param {() => void} begin */
function promptForm({ prompt }, begin) {
  const field = html('input', {
    type: 'text',
    class: 'look-prompt',
    'aria-label': BEGINS,
    autocomplete: 'off',
  });
  field.value = prompt.value;
  prompt.on((text) => void (field.value = text));
  const form = html(
    'form',
    { class: 'look-form' },
    field,
    html('button', { type: 'submit', class: 'quiet' }, 'Begin with this'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    setFromText(prompt, field.value, BEGINS);
    field.value = prompt.value;
    begin();
  });
  return form;
}

/**
 * @param {import('./writing/writer.js').Writer} writer
 * @param {import('../../page/model.js').SharedModel} model
 * @param {boolean} fast
 */
function words(writer, model, fast) {
  if (model.phase === 'absent') return 'The model is not here, so the picture stands still.';
  if (model.phase === 'failed') {
    const what = model.error?.code === 'ENV' ? 'does not work' : 'could not be loaded';
    return `The model ${what}: ${model.error?.message}`;
  }
  if (model.phase === 'loading') return model.waiting;
  if (writer.error) return writer.error.message;
  if (fast && writer.rate.value > 0)
    return (
      `Here, now: ${Math.round(writer.rate.value)} words or pieces of words a second, each with ` +
      'all its looks.'
    );
  if (writer.cut) return 'This text is too long for the story, so only its beginning is read.';
  if (writer.story?.text.includes('\ufffd'))
    return 'The model does not know some of these letters. It reads them in pieces.';
  return writer.phase === 'over' ? 'The end.' : '';
}
