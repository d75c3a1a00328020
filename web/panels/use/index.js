/** Code to copy: the numbers of the panel that was touched last, a model, or the terminal. */
import { button, options } from '../../page/controls.js';
import { copy } from '../../page/chrome.js';
import { controlsRow, onSight, status } from '../../page/layout.js';
import { html, setText } from '../../plot/dom.js';
import { ATTENTION, INSTALL, MODEL, TERMINAL } from './snippets.js';

/** @type {import('../../page/panels.js').Build} */
export async function build(root, { state, code }) {
  const text = html('code');
  const about = status('use-about');
  const copies = button('copy', () => void copy(copies, text.textContent ?? ''));
  const show = () => {
    const told = code();
    const kinds = {
      here: [
        `${INSTALL}\n${told?.text ?? ATTENTION}`,
        told
          ? `This code computes the numbers of “${told.title}” again, with its present settings.`
          : '',
      ],
      model: [MODEL, 'This code reads a model of your own, and prints every look of every head.'],
      terminal: [
        TERMINAL,
        'These commands build the package and run the page’s model, in a terminal with Node.',
      ],
    };
    const [shown, words] = kinds[/** @type {keyof typeof kinds} */ (state.kind.value)];
    setText(text, shown);
    setText(about, words);
  };
  root.replaceChildren(
    controlsRow(
      options(state.kind, 'Code', { here: 'this page', model: 'a model', terminal: 'terminal' }),
      copies,
    ),
    about,
    html('pre', { class: 'code', tabindex: 0, 'aria-label': 'Code' }, text),
  );
  state.kind.on(show);
  onSight(root, show);
  document.addEventListener('panel', show);
  document.addEventListener('code', show);
  show();
  return {};
}
