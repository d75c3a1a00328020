/**
 * The frame that every panel has: one line of verdicts for readers who only look, and a quiet line
 * with reset, link, embedding and files. The masthead counts the statements of them all.
 */
import { button } from './controls.js';
import { onceAfter } from './frames.js';
import { FILES, save } from './files.js';
import { html, setText } from '../plot/dom.js';

/** @typedef {import('./panels.js').Panel} Panel */
/** @typedef {{ panel: Panel, reset: () => void, fragment: () => string }} Frame */

/** @param {string} label @param {(element: HTMLButtonElement) => void} act */
function action(label, act) {
  const element = button(label, () => act(element), 'link');
  return element;
}

/**
 * Puts a text on the clipboard, or shows it where that is refused.
 * @param {HTMLButtonElement} button @param {string} text
 */
export async function copy(button, text) {
  // pressed again, it may say “copied” still
  const label = (button.dataset.label ??= button.textContent ?? '');
  const shown = button.parentElement?.nextElementSibling;
  if (shown instanceof HTMLTextAreaElement) shown.remove();
  try {
    await navigator.clipboard.writeText(text);
    setText(button, 'copied');
    setTimeout(() => setText(button, label), 1500);
  } catch {
    const field = html('textarea', { readonly: true, rows: 3, 'aria-label': label }, text);
    button.parentElement?.after(field);
    field.select();
  }
}

/** The address of this page at its depth, with a fragment. @param {string} fragment */
function address(fragment, embed = '') {
  const { depth } = document.documentElement.dataset;
  const query = [embed && `embed=${embed}`, depth && `depth=${depth}`].filter(Boolean).join('&');
  return location.origin + location.pathname + (query && `?${query}`) + fragment;
}

/** @param {string} id */
const frameOf = (id, fragment = '') =>
  `<iframe src="${address(fragment, id)}" ` +
  'width="640" height="480" loading="lazy" title="Clearhead"></iframe>';

/** From a frame of another page to this page. @param {() => string} fragment */
function whole(fragment) {
  const link = html('a', { target: '_blank', href: address('') }, 'the whole page');
  link.addEventListener('click', () => void (link.href = address(fragment())));
  return link;
}

/** Leaves a button to readers who want to understand. @param {HTMLElement} button */
function later(button) {
  button.dataset.depth = 'understand';
  return button;
}

/** The quiet line under a panel. @param {string} id @param {Frame} frame */
export function tools(id, { panel, reset, fragment }) {
  const kinds = /** @type {import('./files.js').Kind[]} */ (Object.keys(FILES));
  const files = kinds
    .filter((kind) => panel.exports?.[kind])
    .map((kind) => {
      const button = action(kind.toUpperCase(), () => save(id, kind, panel));
      return kind === 'png' ? button : later(button);
    });
  const { code } = panel;
  const copied = code && action('copy as JavaScript', (button) => copy(button, code()));
  const back = action('reset', reset);
  back.dataset.step = '';
  return html(
    'p',
    { class: 'tools' },
    document.documentElement.dataset.embed && whole(fragment),
    back,
    action('copy link', (button) => {
      panel.sign?.();
      void copy(button, address(fragment()));
    }),
    action('embed', (button) => copy(button, frameOf(id, fragment()))),
    copied && later(copied),
    ...files,
  );
}

const GOOD = new Set(['holds', 'slack', 'vacuous', 'off', 'none']);

/** @param {number} n */
const checks = (n) => (n === 1 ? '1 check' : `${n} checks`);

/**
 * The verdicts of some statements in one line.
 * @param {Iterable<HTMLElement>} statements
 * @param {(passed: number, all: number, vacuous: number) => string} say where some passed and none
 *   failed
 * @param {string} nothing said where no statement has anything to check
 */
function summary(statements, say, nothing) {
  const verdicts = [...statements].map((each) => each.dataset.verdict ?? 'waiting');
  const count = (/** @type {string} */ verdict) => verdicts.filter((v) => v === verdict).length;
  const wrong = verdicts.filter((v) => v !== 'waiting' && !GOOD.has(v)).length;
  if (!verdicts.length) return { state: 'waiting', text: '' };
  if (wrong) return { state: 'violated', text: `✗ ${checks(wrong)} of ${verdicts.length} failed` };
  if (count('waiting')) return { state: 'waiting', text: '… checking' };
  const passed = count('holds') + count('slack');
  const all = verdicts.length;
  if (passed) return { state: 'holds', text: `✓ ${say(passed, all, count('vacuous'))}` };
  return { state: 'off', text: count('off') ? '◌ an assumption is off' : nothing };
}

/** @param {number} passed @param {number} all @param {number} vacuous limits that say nothing */
function ofPanel(passed, all, vacuous) {
  const other = all - passed - vacuous;
  const rest = [
    passed === all ? (all === 1 ? 'their check' : `all ${checks(all)}`) : checks(passed),
    other && `${other} more ${other === 1 ? 'does' : 'do'} not apply here`,
    vacuous &&
      `${vacuous} ${vacuous === 1 ? 'is a limit that says' : 'are limits that say'} nothing`,
  ];
  return `these numbers pass ${rest.filter(Boolean).join('; ')}`;
}

/** @param {number} passed @param {number} all */
const ofPage = (passed, all) =>
  `${passed === all && all > 1 ? 'all ' : ''}${checks(passed)} so far ` +
  (passed === 1 ? 'holds' : 'hold');

/** Whether a panel has nothing to say yet. @param {HTMLElement} root @param {boolean} on */
export function busy(root, on) {
  if (root.getAttribute('aria-busy') === String(on)) return;
  root.setAttribute('aria-busy', String(on));
  root.dispatchEvent(new Event('verdict', { bubbles: true }));
}

/** The one line of verdicts of a section. @param {HTMLElement} section */
export function tick(section) {
  const element = html('p', { class: 'tick', 'data-depth': 'look' });
  const show = () => {
    const { state, text } = section.querySelector('.panel[aria-busy="true"]')
      ? { state: 'waiting', text: '… loading' }
      : summary(
          section.querySelectorAll('[data-statement], [data-proof]'),
          ofPanel,
          '– nothing to check yet',
        );
    element.dataset.state = state;
    setText(element, text);
  };
  section.addEventListener('verdict', onceAfter(show));
  show();
  return element;
}

/** The statements of the whole page in one number. @param {HTMLElement} place in the masthead */
export function counter(place) {
  const show = onceAfter(() => {
    const { state, text } = summary(
      document.querySelectorAll('main :is([data-statement], [data-proof])'),
      ofPage,
      'statements to check',
    );
    if (!text) return;
    place.dataset.state = state;
    setText(place.querySelector('a') ?? place, text);
  });
  document.addEventListener('verdict', show);
  document.addEventListener('panel', show);
}
