/**
 * The story as text. Each token is shaded by the weight that one row puts on it. A mouse points, a
 * click or a tap locks, and a finger may be drawn along the line. The text is one tab stop: arrow
 * keys go from word to word, Enter locks, Escape lets go.
 */
import { html, setAttributes } from '../../plot/dom.js';
import { place } from './shade.js';
import { lineOf } from './surprise.js';
import { spaced } from './words.js';

/** @typedef {import('./writing/story.js').Story} Story */

const STORY = 'The story, word by word. Arrow keys move, Enter locks, Escape lets go.';

/**
 * @typedef {object} TextActions
 * @property {(i: number) => void} point
 * @property {(i: number) => void} lock
 * @property {() => void} leave mouse, finger or focus is elsewhere
 * @property {() => void} release
 */

export class TextView {
  /** @param {TextActions} actions @param {string} [label] */
  constructor(actions, label = STORY) {
    this.actions = actions;
    this.element = html('p', {
      class: 'look-text',
      tabindex: 0,
      role: 'slider',
      'aria-label': label,
      'aria-valuemin': 0,
      'aria-valuemax': 0,
      'aria-valuenow': 0,
    });
    /** @type {HTMLSpanElement[]} */
    this.spans = [];
    this.here = -1;
    this.listen();
  }

  /** Shows the tokens; those that are there already stay. @param {Story} story */
  show({ tokens }) {
    const { spans } = this;
    while (spans.length > tokens.length || !matches(spans, tokens)) spans.pop()?.remove();
    for (let i = spans.length; i < tokens.length; i++) {
      const { space, word } = spaced(tokens[i].text);
      const span = html(
        'span',
        { class: 'token', 'data-i': i },
        space,
        word && html('b', {}, word),
      );
      spans.push(span);
      this.element.append(span);
    }
  }

  /**
   * @param {ArrayLike<number>} row
   * @param {number} here whose row it is
   * @param {boolean} locked
   * @param {string} said the sentence, for assistive technology
   */
  shade(row, here, locked, said) {
    this.here = here;
    this.spans.forEach((span, j) => {
      const weight = j < row.length ? row[j] : 0;
      const shown = weight > 0.002 ? place(weight).toFixed(3) : '';
      if (span.dataset.weight !== String(weight)) span.dataset.weight = String(weight);
      // most words keep their shade, or have none
      if (span.style.getPropertyValue('--w') !== shown) {
        span.style.setProperty('--w', shown);
        span.classList.toggle('read', shown !== '');
      }
      span.classList.toggle('here', j === here);
      span.classList.toggle('locked', locked && j === here);
    });
    setAttributes(this.element, {
      'aria-valuemax': Math.max(0, this.spans.length - 1),
      'aria-valuenow': here,
      'aria-valuetext': said,
    });
  }

  /** A line under each token grows with its surprise. @param {ArrayLike<number>} [bits] */
  underline(bits) {
    this.element.classList.toggle('surprised', bits !== undefined);
    this.spans.forEach((span, i) => {
      const told = bits && !Number.isNaN(bits[i]) ? String(bits[i]) : '';
      if ((span.dataset.bits ?? '') === told) return;
      if (told) span.dataset.bits = told;
      else delete span.dataset.bits;
      span.style.setProperty('--line', told && `${lineOf(Number(told))}px`);
    });
  }

  /** @param {EventTarget | null} target */
  tokenAt(target) {
    const span = target instanceof Element ? target.closest('[data-i]') : null;
    return span instanceof HTMLElement && this.element.contains(span)
      ? Number(span.dataset.i)
      : undefined;
  }

  listen() {
    const { element, actions } = this;
    let finger = false;
    const under = (/** @type {PointerEvent} */ event) =>
      this.tokenAt(document.elementFromPoint(event.clientX, event.clientY));
    element.addEventListener('pointerdown', (event) => {
      finger = isFinger(event);
      const i = finger ? under(event) : undefined;
      if (i !== undefined) actions.point(i);
    });
    element.addEventListener('pointermove', (event) => {
      const i = finger || !isFinger(event) ? under(event) : undefined;
      if (i !== undefined) actions.point(i);
    });
    element.addEventListener('pointerup', (event) => {
      if (!isFinger(event)) return;
      finger = false;
      const i = under(event);
      if (i === undefined) actions.leave();
      else actions.lock(i);
    });
    // the page scrolls under the finger
    element.addEventListener('pointercancel', () => {
      finger = false;
      actions.leave();
    });
    element.addEventListener('blur', () => actions.leave());
    element.addEventListener('pointerleave', (event) => {
      if (!isFinger(event)) actions.leave();
    });
    element.addEventListener('click', (event) => {
      const i = this.tokenAt(event.target);
      if (!isFinger(event) && i !== undefined) actions.lock(i);
    });
    element.addEventListener('keydown', (event) => this.key(event));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.spans.length - 1;
    const to = {
      ArrowRight: this.here + 1,
      ArrowDown: this.here + 1,
      ArrowLeft: this.here - 1,
      ArrowUp: this.here - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (to !== undefined) {
      // two keys may come before the next frame
      this.here = Math.min(last, Math.max(0, to));
      this.actions.point(this.here);
    } else if (event.key === 'Enter' || event.key === ' ') this.actions.lock(this.here);
    else if (event.key === 'Escape') this.actions.release();
    else return;
    event.preventDefault();
  }
}

/** Or a pen: it cannot point without touching. @param {Event} event */
const isFinger = (event) =>
  event instanceof PointerEvent && ['touch', 'pen'].includes(event.pointerType);

/** @param {HTMLSpanElement[]} spans @param {readonly { text: string }[]} tokens */
const matches = (spans, tokens) => spans.every((span, i) => span.textContent === tokens[i].text);
