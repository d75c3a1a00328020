/**
 * A statement with its verdict: the claim, the measurement and the difference that rounding allows.
 * Readers can open the code that it is checked by, its oracles. The verdict is a word, a glyph and
 * a colour; `data-*` attributes carry every number in full.
 */
import { copy } from './chrome.js';
import { html, setAttributes, setText } from '../plot/dom.js';
import { scientific, short } from '../plot/format.js';

/**
 * @typedef {'holds' | 'slack' | 'vacuous' | 'none' | 'off' | 'violated' | 'waiting'} Verdict
 *   `slack` is a bound that is kept, `vacuous` one that says nothing, `off` a difference that is
 *   there because an assumption is not, and `none` a comparison of nothing
 */

export const WORDS = {
  holds: '✓ holds',
  slack: '≤ within its bound',
  vacuous: '○ vacuous',
  none: '– nothing to check',
  off: '◌ assumption off',
  violated: '✗ violated',
  waiting: '… checking',
};

/** The meaning of each word, for a reader who meets it first. */
export const MEANINGS = {
  holds: 'The two numbers differ by no more than rounding allows, or chance in a random sample.',
  slack: 'The statement is a limit, called a bound. The number is not above it, maybe far below.',
  vacuous: 'The limit is so large that no number could break it. So the check says nothing.',
  none: 'In a panel, there is no number to compare.',
  off: 'In a panel, you took a condition of the statement away. Its numbers should differ, and do.',
  violated: 'The numbers break the statement by more than that, which points to a bug.',
};

const SHOW = 'show how it is checked';
const HIDE = 'hide how it is checked';

/** An allowance of more than this share of the numbers themselves allows anything. */
const MEANINGLESS = 0.01;

/**
 * @typedef {object} Finding
 * @property {Verdict} [verdict] instead of the one that follows from the numbers
 * @property {string} [claim] replaces the standing claim
 * @property {number} measured
 * @property {number} allowed
 * @property {boolean} [bound] allowed is a bound, and measured may lie far below
 * @property {number} [rounding] beyond a bound
 * @property {number} [cap] a limit that holds without the bound
 * @property {boolean} [broken] the reader took the assumption away, so the sides must differ
 * @property {number} [size] of the numbers compared
 * @property {number} [ratio] the largest measured/allowed over the elements, where each has an
 *   allowance of its own
 * @property {string} [text] instead of “measured 1e−16, allowed 2e−15”
 * @property {string} [detail] shown with the oracle
 * @property {Record<string, string | number>} [data] more numbers, as data- attributes
 */

/**
 * The verdict of a finding. Without a number it is violated. Where the assumption is off, a
 * difference within rounding is a violation: the sides have to differ.
 * @param {Finding} finding
 * @returns {Verdict}
 */
export function verdictOf({
  verdict,
  measured,
  allowed,
  bound,
  rounding = 0,
  cap = Infinity,
  broken,
  size = Infinity,
  ratio = ratioOf(measured, allowed),
}) {
  if (verdict) return verdict;
  if (broken) return ratio > 1 ? 'off' : 'violated';
  if (bound)
    return !(measured <= allowed + rounding) ? 'violated' : allowed >= cap ? 'vacuous' : 'slack';
  if (!(measured <= allowed && ratio <= 1)) return 'violated';
  return allowed > MEANINGLESS * size ? 'vacuous' : 'holds';
}

/** @param {number} measured @param {number} allowed */
const ratioOf = (measured, allowed) => (measured <= 0 ? 0 : measured / allowed);

/**
 * Where a violated statement finds the surroundings of its report.
 * @type {{ environment: () => string }}
 */
export const report = { environment: () => '' };

export class Statement {
  /**
   * @param {object} options
   * @param {string} options.id e.g. C1-f64, stable for tests and links
   * @param {string} options.claim in words
   * @param {string} options.allowance how the allowed value comes about, shown with the oracle
   * @param {readonly Function[]} options.oracles shown as they stand
   */
  constructor({ id, claim, allowance, oracles }) {
    this.id = id;
    this.claim = claim;
    this.word = html('span', { class: 'verdict' }, WORDS.waiting);
    this.text = html('span', { class: 'claim' }, claim);
    this.numbers = html('span', { class: 'measured' });
    this.button = html(
      'button',
      { type: 'button', class: 'link', 'aria-expanded': 'false', 'aria-controls': `oracle-${id}` },
      SHOW,
    );
    this.copy = html('button', { type: 'button', class: 'link', hidden: true }, 'copy a report');
    this.detail = html('p');
    const code = oracles.map((oracle) => html('pre', {}, html('code', {}, oracle.toString())));
    this.oracle = html(
      'div',
      { class: 'oracle', id: `oracle-${id}`, hidden: true },
      html('p', {}, allowance),
      this.detail,
      ...code,
    );
    this.element = html(
      'div',
      {
        class: 'statement',
        id: `statement-${id}`,
        'data-statement': id,
        'data-verdict': 'waiting',
      },
      html(
        'p',
        { class: 'statement-line' },
        this.word,
        ' ',
        this.text,
        ' ',
        this.numbers,
        ' ',
        this.button,
        this.copy,
      ),
      this.oracle,
    );
    this.button.addEventListener('click', () => {
      this.oracle.hidden = !this.oracle.hidden;
      this.button.setAttribute('aria-expanded', String(!this.oracle.hidden));
      this.button.textContent = this.oracle.hidden ? SHOW : HIDE;
    });
    this.copy.addEventListener('click', () => this.copyReport());
  }

  /** The inputs have changed and the answer is not there yet. */
  wait() {
    this.element.dataset.verdict = 'waiting';
    setText(this.word, WORDS.waiting);
    setText(this.numbers, '');
    this.tell();
  }

  /** @param {Finding} finding */
  show(finding) {
    const {
      claim = this.claim,
      measured,
      allowed,
      bound,
      ratio = ratioOf(measured, allowed),
      text,
      detail = '',
      data = {},
    } = finding;
    const state = verdictOf(finding);
    setAttributes(this.element, {
      'data-verdict': state,
      'data-measured': measured,
      'data-allowed': allowed,
      'data-ratio': ratio,
    });
    for (const [name, value] of Object.entries(data))
      this.element.setAttribute(`data-${name}`, String(value));
    setText(this.word, WORDS[state]);
    setText(this.text, claim);
    setText(
      this.numbers,
      text ??
        (bound
          ? `measured ${short(measured)}, at most ${short(allowed)}`
          : `measured ${scientific(measured)}, allowed ${scientific(allowed)}`),
    );
    setText(this.detail, detail);
    this.copy.hidden = state !== 'violated';
    this.tell();
  }

  /** There is nothing to compare. @param {string} text why */
  nothing(text) {
    this.show({ verdict: 'none', measured: 0, allowed: 0, text });
  }

  /** The counts of the panel and of the page follow. */
  tell() {
    this.element.dispatchEvent(new Event('verdict', { bubbles: true }));
  }

  copyReport() {
    const numbers = [...this.element.attributes]
      .filter((a) => a.name.startsWith('data-'))
      .map((a) => `${a.name.slice(5)} = ${a.value}`);
    const text = [
      `Statement ${this.id}: ${this.text.textContent}`,
      ...numbers,
      location.href,
      report.environment(),
      navigator.userAgent,
    ].join('\n');
    return copy(this.copy, text);
  }
}
