/** Play, step and start again; the prompt; two temperatures; and a line about the model. */
import { button, toggle } from '../../page/controls.js';
import { setFromText } from '../../page/text-field.js';
import { html, setText } from '../../plot/dom.js';
import { BOLDNESS, heatSlider, temperatureText } from './ends.js';
import { HINT } from './words.js';

const BEGINS = 'How the story begins';

/**
 * @typedef {object} Now
 * @property {import('./writer.js').Writer} writer
 * @property {import('../../page/model.js').SharedModel} model
 * @property {boolean} fast
 */

/**
 * @param {ReturnType<typeof import('./state.js').state>} state
 * @param {object} actions
 * @param {() => void} actions.play
 * @param {() => void} actions.step
 * @param {() => void} actions.restart
 * @param {(on: boolean) => void} actions.fast
 * @param {() => void} actions.retry
 */
export function controls(state, actions) {
  const play = button('▶ Write', actions.play);
  play.classList.add('primary');
  const step = button('One step more', actions.step);
  const restart = button('Start again', actions.restart);
  const field = html('input', {
    type: 'text',
    class: 'look-prompt',
    'aria-label': BEGINS,
    autocomplete: 'off',
  });
  field.value = state.prompt.value;
  state.prompt.on((text) => void (field.value = text));
  const form = html(
    'form',
    { class: 'look-form' },
    field,
    html('button', { type: 'submit', class: 'quiet' }, 'Begin with this'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    setFromText(state.prompt, field.value, BEGINS);
    field.value = state.prompt.value;
    actions.restart();
  });
  const status = html('p', { class: 'look-status', role: 'status' });
  const retry = button('try again', actions.retry);
  retry.hidden = true;
  const speed = {
    value: false,
    range: 'on or off',
    set(/** @type {boolean} */ on) {
      this.value = on;
      actions.fast(on);
    },
    on() {},
  };
  const T = heatSlider(state.T, {
    label: 'How focused its looks are: temperature',
    ends: ['0 one word only', 'all words equally ∞'],
    say: (t) => (t === 1 ? '1, as trained' : temperatureText(t)),
  });
  const tau = heatSlider(state.tau, {
    label: 'How boldly it picks a word',
    ends: ['0 the likeliest', 'wildly 2'],
    say: temperatureText,
    scale: BOLDNESS,
  });
  const boxes = html(
    'div',
    { class: 'controls' },
    toggle(state.rest, 'leave out the start of the text'),
    toggle(speed, 'as fast as it can'),
  );
  return {
    bar: html(
      'div',
      { class: 'look-bar' },
      html('div', { class: 'look-buttons' }, play, step, restart),
      html('div', { class: 'look-heats' }, T, tau),
    ),
    more: html('div', { class: 'look-more' }, form, boxes),
    status: html('div', { class: 'look-state' }, status, retry),
    hint: html(
      'p',
      { class: 'look-hint' },
      html('span', { class: 'hover' }, HINT.hover),
      html('span', { class: 'touch' }, HINT.touch),
      ` ${HINT.start}`,
    ),
    caption: html('p', { class: 'look-caption' }),
    key: html(
      'p',
      { class: 'look-key' },
      'The same heads once more. Faint: it looks at all words alike. Strong: at one. Choose a ' +
        'head here or among the squares. Until then the page shows one that looks far back.',
    ),
    /** @param {Now} now */
    show({ writer, model, fast }) {
      setText(
        play,
        writer.playing ? '❚❚ Pause' : writer.phase === 'over' ? '▶ Once more' : '▶ Write',
      );
      retry.hidden = !['absent', 'failed'].includes(model.phase);
      setText(status, words(writer, model, fast));
    },
  };
}

/**
 * @param {import('./writer.js').Writer} writer
 * @param {import('../../page/model.js').SharedModel} model
 * @param {boolean} fast
 */
function words(writer, model, fast) {
  if (model.phase === 'absent') return 'The model is not here, so the picture stands still.';
  if (model.phase === 'failed') return `The model could not be loaded: ${model.error?.message}`;
  if (model.phase === 'loading') return model.waiting;
  if (writer.error) return writer.error.message;
  if (fast && writer.rate.value > 0)
    return `Here, now: ${Math.round(writer.rate.value)} tokens a second, with all rows of each.`;
  if (writer.cut) return 'This text is too long for the story, so only its beginning is read.';
  if (writer.story?.text.includes('\ufffd'))
    return 'The model does not know some of these letters. It reads them in pieces.';
  return writer.phase === 'over' ? 'The end.' : '';
}
