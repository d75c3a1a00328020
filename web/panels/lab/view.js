/** The lab as the reader sees it: switches, two stories, and the pictures of one word. */
import { button, options } from '../../page/controls.js';
import { block, columns, paragraph, status, verdicts } from '../../page/layout.js';
import { textField } from '../../page/text-field.js';
import { html, setText } from '../../plot/dom.js';
import { meanChance } from './compute.js';
import { ledgerTable, leadSentence, lensTable, sumSentence, WHOSE } from './explained-view.js';
import { Heading } from './heading.js';
import { HeadSwitches } from './heads.js';
import { ownFile } from './own-file.js';
import { LENGTH } from './session.js';
import { MixControls } from './mix-controls.js';
import { PushControls } from './push-controls.js';
import { lost, StoryWords, WordSwitches } from './words.js';

/** @typedef {ReturnType<typeof import('./state.js').state>} State */
/** @typedef {import('./session.js').Session} Session */

const TRY = 'Take each head away in turn';
const STOP = 'Stop';
/** As in the style sheet. */
const ONE_COLUMN = '(max-width: 899px)';

/**
 * @template T
 * @param {import('../../page/controls.js').Bindable<readonly T[]>} signal @param {T} one
 */
const flip = (signal, one) =>
  signal.set(
    signal.value.includes(one)
      ? signal.value.filter((each) => each !== one)
      : [...signal.value, one],
  );

/** @param {string} text */
const key = (text) => paragraph('look-key', text);

export class View {
  /**
   * @param {HTMLElement} root @param {State} state
   * @param {import('../../page/model.js').SharedModel} model
   * @param {{ tryAll: () => void, again: () => void }} actions
   */
  constructor(root, state, model, { tryAll, again }) {
    this.root = root;
    this.state = state;
    this.switches = new HeadSwitches((name) => flip(state.heads, name));
    this.hiding = new WordSwitches((i) => flip(state.hidden, i));
    const choose = (/** @type {'first' | 'changed'} */ whose) => (/** @type {number} */ i) => {
      state.whose.set(whose);
      state.word.set(i);
    };
    this.before = new StoryWords('Words of the story', choose('first'));
    this.after = new StoryWords('Words of the story with your changes', choose('changed'));
    this.tryAll = button(TRY, tryAll, 'quiet primary');
    this.none = button('As it was', () => {
      state.heads.set([]);
      state.how.set('off');
      state.hidden.set([]);
      state.push.set(0);
      state.shuffle.set(false);
    });
    this.none.dataset.step = '';
    this.mix = new MixControls(state, model);
    this.own = ownFile(root, model);
    this.push = new PushControls(state, model);
    /** The story with the changes. On a phone it stays in the window with the buttons. */
    this.told = block('lab-told');
    this.first = block('lab-first');
    this.why = block('lab-why');
    this.said = paragraph('look-said');
    this.status = status('look-status');
    this.again = button('try again', again);
    this.again.hidden = true;
    this.lead = paragraph('look-said');
    this.heading = new Heading(() => this.why.scrollIntoView());
    this.whose = key('');
    this.sum = key('');
    this.sum.dataset.depth = 'understand';
    this.lens = html('div');
    this.ledger = block('lab-scroll');
  }

  /** @param {import('./checks.js').Checks} checks */
  laidOut(checks) {
    const { state, own, said, before, after } = this;
    const changed = 'The story with your changes. Its words can be pressed, too.';
    this.first.append(this.heading.element, before.element);
    this.told.append(said, html('h3', {}, changed), after.element);
    this.why.append(...this.explanation());
    const controls = [
      textField(state.prompt, 'It begins'),
      ...this.headControls(),
      key('Press words to hide them from all heads.'),
      this.hiding.element,
      ...this.push.parts,
      this.mix.element,
    ];
    const below = columns(controls, [this.told]);
    const [, side] = below.children;
    const narrow = matchMedia(ONE_COLUMN);
    const place = () => putFirst(this.first, narrow.matches ? below : side);
    place();
    narrow.addEventListener('change', place);
    return [own.line, below, this.why, own.element, verdicts(checks.all)];
  }

  headControls() {
    const { state, switches, tryAll, none } = this;
    return [
      key('Press heads to take them away.'),
      options(state.how, 'A pressed head is', { off: 'off', blind: 'blind: all words alike' }),
      switches.element,
      block('look-buttons', tryAll, none),
      block('look-state', this.status, this.again),
      key(
        'The model reads the first story again after each change. A head that was tried has a ' +
          'colour: the stronger, the less likely that story is without it.',
      ),
    ];
  }

  explanation() {
    return [
      html('h3', {}, 'How the model came to one word'),
      this.whose,
      key(
        'The model gives each word that could come next a score, in points. A word leads ' +
          'another if its score is higher, and trails it if lower. A point more makes a word ' +
          '2.7 times as likely beside the other.',
      ),
      this.lead,
      options(this.state.against, 'Its score', {
        next: 'against the next best word',
        none: 'alone',
      }),
      block('lab-pictures', this.lens, this.ledger),
      this.sum,
    ];
  }

  /** @param {string} text about the work with the model */
  tell(text, failed = false) {
    setText(this.status, text);
    this.again.hidden = !failed;
  }

  /** @param {boolean} on whether each head is being tried */
  trying(on) {
    setText(this.tryAll, on ? STOP : TRY);
  }

  /**
   * A story is there.
   * @param {{ layers: number, heads: number }} config @param {Session['original']} original
   */
  arrived(config, original) {
    if (!original) return;
    const { prompt, story } = original;
    this.tell('');
    this.push.fit(config.layers);
    this.switches.build(config);
    this.hiding.build(prompt);
    this.before.build(prompt, story);
  }

  /**
   * @param {Session} session
   * @param {{ told: boolean, explained: boolean, waiting: string }} now whether the story and the
   *   explanation are those of the present settings, and the words while they are not. None: the
   *   model does not answer
   */
  show(session, { told, explained, waiting }) {
    const { without, whole, original } = session;
    const { state, root } = this;
    for (const each of [this.tryAll, this.none]) each.disabled = !original;
    this.switches.show(state.heads.value, { how: state.how.value, without, whole });
    root.dataset.tried = String(without.size);
    root.dataset.told = String(told);
    for (const each of [this.first, this.told]) isOld(each, !told, waiting);
    isOld(this.why, !explained, waiting);
    if (!told) setText(this.said, waiting);
    if (!original) return;
    this.hiding.show((i) => state.hidden.value.includes(i));
    this.mix.show(told ? session.twin.mix : undefined);
    if (told) this.showStory(session, original);
    const { whose, at } = session.asked;
    this.before.show((i) => whose === 'first' && i === at);
    this.after.show((i) => whose === 'changed' && i === at);
    this.explain(session.explained, explained);
  }

  /** @param {Session} session @param {NonNullable<Session['original']>} original */
  showStory({ changed, whole, asked, twin }, original) {
    const { heads, how, hidden, push } = this.state;
    const made = {
      heads: heads.value.length,
      how: how.value,
      hidden: hidden.value.length,
      pushed: push.value > 0,
      shuffled: twin.wanted,
    };
    const isChanged = Boolean(made.heads || made.hidden || made.pushed || made.shuffled);
    this.told.classList.toggle('changed', isChanged);
    const told = isChanged ? changed : original;
    const { prompt, story } = original;
    if (told) this.after.build(prompt, told.story, story);
    this.before.element.classList.toggle('cut', story.length === LENGTH);
    this.after.element.classList.toggle('cut', told?.story.length === LENGTH);
    const now = meanChance(told?.logs ?? original.logs);
    setText(this.whose, told === original ? '' : WHOSE[asked.whose]);
    const ids = (/** @type {typeof story} */ tokens) => tokens.map(({ id }) => id).join();
    const same = told !== undefined && ids(told.story) === ids(story);
    this.said.replaceChildren(...lost({ ...made, now, all: whole, same }));
  }

  /** @param {Session['explained']} explained @param {boolean} now */
  explain(explained, now) {
    const { root, lead, lens, ledger, sum } = this;
    root.dataset.explained = String(now ? explained?.word.token : undefined);
    this.heading.name(explained?.word.text);
    if (!explained) return [lead, lens, ledger, sum].forEach((each) => each.replaceChildren());
    lead.replaceChildren(...leadSentence(explained));
    lens.replaceChildren(lensTable(explained));
    ledger.replaceChildren(ledgerTable(explained));
    setText(sum, sumSentence(explained));
  }
}

/**
 * Numbers of other settings are greyed until the new ones are there.
 * @param {HTMLElement} element @param {boolean} old
 * @param {string} waiting empty: no new ones will come
 */
function isOld(element, old, waiting) {
  element.classList.toggle('old', old);
  element.setAttribute('aria-busy', String(old && waiting !== ''));
}

/**
 * Puts an element at the beginning of another. If the focus is in it, it stays there.
 * @param {HTMLElement} element @param {Element} place
 */
function putFirst(element, place) {
  const focused = document.activeElement;
  place.prepend(element);
  if (element.contains(focused)) /** @type {HTMLElement} */ (focused).focus();
}
