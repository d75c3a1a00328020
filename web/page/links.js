/**
 * The address: the state it holds, the section it points at, and the steps of its history.
 *
 * A link of the page makes a step, and so does a button with `data-step`, which changes several
 * settings or goes to an end. Any other change is written into the step at hand. Back and Forward
 * bring a reader to the settings, the place and the focus that were left there.
 */
import { notify, settle } from './notice.js';
import { bringBack } from './place.js';
import { unknownPreferences, writeDepth } from './preferences.js';

/** @typedef {import('./state.js').Store} Store */

/** Milliseconds between two changes of the address. Safari throttles faster writers. */
const PAUSE = 500;

/**
 * @typedef {object} Left what a reader left at a step
 * @property {Element} section at which the window was
 * @property {number} top of the section in the window
 * @property {Element | null} focus
 * @property {string | undefined} fragment if the last changes are not in the address yet
 */

/** @param {Store} store */
function readLink(store) {
  const notices = [...unknownPreferences(), ...store.read(location.hash)];
  if (store.section && !document.getElementById(store.section)) {
    notices.push(`there is no section “${store.section.slice(0, 40)}”`);
    store.section = '';
  }
  if (notices.length) notify('link', `Not all of the link could be used: ${notices.join('; ')}.`);
  else settle('link');
}

/** The section that the middle of the window shows, or else the whole page. */
function sectionInSight() {
  const above = (/** @type {Element} */ each) => {
    const { top, height } = each.getBoundingClientRect();
    return height > 0 && top < innerHeight / 2;
  };
  return [...document.querySelectorAll('main > section')].filter(above).at(-1) ?? document.body;
}

/** @param {Element | null | undefined} element */
function focusOn(element) {
  /** @type {HTMLElement | null | undefined} */ (element)?.focus({ preventScroll: true });
}

class Steps {
  /** @param {Store} store */
  constructor(store) {
    this.store = store;
    this.timer = 0;
    /** By the number of the step. @type {Map<number, Left>} */
    this.left = new Map();
    // greater than those from before a reload
    this.last = Date.now();
    /** @type {number} the step at hand */
    this.step = history.state?.step ?? this.enter();
  }

  /** A step that the reader has not been at gets a number, by which it is known again. */
  enter() {
    this.last++;
    history.replaceState({ step: this.last }, '');
    return this.last;
  }

  /** @param {string} fragment */
  url(fragment = this.store.fragment()) {
    return location.pathname + location.search + fragment;
  }

  /** A setting has changed. Its change is in the address soon. */
  change() {
    this.timer ||= window.setTimeout(() => this.write(), PAUSE);
  }

  forget() {
    clearTimeout(this.timer);
    this.timer = 0;
  }

  /** Writes the settings into the step at hand. */
  write() {
    this.forget();
    const url = this.url();
    if (url !== this.url(location.hash)) history.replaceState(history.state, '', url);
  }

  /** Makes a step, unless the reader is there already. @param {string} [fragment] */
  push(fragment) {
    this.forget();
    const url = this.url(fragment);
    if (url === this.url(location.hash)) return;
    this.step = ++this.last;
    history.pushState({ step: this.step }, '', url);
  }

  /** Keeps what a return to the step at hand needs. */
  leave() {
    const section = sectionInSight();
    this.left.set(this.step, {
      section,
      top: section.getBoundingClientRect().top,
      focus: document.activeElement,
      fragment: this.timer ? this.store.fragment() : undefined,
    });
  }

  /** To the section that the link names. */
  go() {
    if (this.store.section) document.getElementById(this.store.section)?.scrollIntoView();
  }

  /** A link without settings keeps those of the page. @param {string} fragment of a link */
  follow(fragment) {
    this.leave();
    if (fragment.includes('?')) {
      this.push(fragment);
      readLink(this.store);
    } else {
      this.store.section = fragment.slice(1);
      this.push();
    }
    this.go();
    const section = document.getElementById(this.store.section);
    // the line of a stop of the tour has the focus already
    if (section?.contains(document.activeElement)) return;
    const heading = section?.querySelector('h1, h2');
    heading?.setAttribute('tabindex', '-1');
    focusOn(heading);
  }

  /**
   * The address is another one. Back or Forward led to a step that has a number, or a reader wrote
   * the address.
   * @param {number | undefined} step
   */
  arrive(step) {
    this.leave();
    const waits = this.timer > 0;
    this.forget();
    this.step = step ?? this.enter();
    const left = this.left.get(this.step);
    if (left?.fragment !== undefined)
      history.replaceState(history.state, '', this.url(left.fragment));
    // the depth is a reader's preference, and stays
    if (step) writeDepth();
    readLink(this.store);
    // a link that was read a moment ago may have to be written with its version still
    if (waits) this.change();
    if (!step) this.go();
    if (!left) return; // after a reload, the browser alone knows the place
    focusOn(left.focus);
    bringBack({ element: left.section, top: left.top });
  }

  /** A press of one of the page's buttons with `data-step` is a step, once it is heard. */
  press() {
    this.leave();
    setTimeout(() => this.push());
  }
}

/** @param {Event} event @param {string} selector */
const pressed = ({ target }, selector) =>
  target instanceof Element ? target.closest(selector) : null;

/** Whether a click opens no other tab or window. @param {MouseEvent} event */
const isPlain = ({ altKey, ctrlKey, metaKey, shiftKey }) =>
  !altKey && !ctrlKey && !metaKey && !shiftKey;

/**
 * Reads the link now and whenever it changes, and writes the settings into it.
 * @param {Store} store
 * @returns {() => void} goes to the section of the link
 */
export function followLinks(store) {
  readLink(store);
  const steps = new Steps(store);
  for (const signal of store.signals.values())
    signal.on(() => {
      if (signal.section && !signal.following) store.section = signal.section;
      steps.change();
    });
  document.addEventListener(
    'click',
    (event) => {
      // at once, so that a file that is saved has the link of its own numbers
      if (steps.timer) steps.write();
      // a frame adds no steps to the page around it
      if (parent === window && pressed(event, '[data-step]')) steps.press();
    },
    { capture: true },
  );
  document.addEventListener('click', (event) => {
    const link = pressed(event, 'a[href^="#"]');
    if (!link || !isPlain(event)) return;
    event.preventDefault();
    steps.follow(link.getAttribute('href') ?? '');
  });
  addEventListener('popstate', ({ state }) => steps.arrive(state?.step));
  return () => steps.go();
}
