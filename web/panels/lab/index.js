/**
 * The lab: heads are taken away, words are hidden or the model is pushed, and it tells its story
 * again. Each head can be tried alone, and each word of the story is explained. A model of the
 * reader's own takes the place of the page's.
 */
import { busy } from '../../page/chrome.js';
import { button, numberField, options, slider } from '../../page/controls.js';
import { onFrame } from '../../page/frames.js';
import { textField } from '../../page/text-field.js';
import { html, setText } from '../../plot/dom.js';
import { percent } from '../look/words.js';
import { Checks } from './checks.js';
import { codeOf } from './code.js';
import { change, meanChance, NONE } from './compute.js';
import { ledgerTable, leadSentence, lensTable, sumSentence } from './explained-view.js';
import { HeadSwitches } from './heads.js';
import { ownFile } from './own-file.js';
import { LENGTH, Session } from './session.js';
import { lost, StoryWords, words, WordSwitches } from './words.js';

/** @typedef {import('../../../src/js/worker/client.d.ts').RemoteModel} RemoteModel */

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
const TRY = 'Try each head alone';
const STOP = 'Stop';
const key = (/** @type {string} */ text) => html('p', { class: 'look-key' }, text);

/**
 * @param {HTMLElement} root
 * @param {import('../../page/panels.js').Context} context
 */
export function build(root, { state, model }) {
  root.classList.add('lab');
  const checks = new Checks();
  const session = new Session(state, checks);
  let seen = false;
  let failed = false;

  const switches = new HeadSwitches((name) => flip(state.heads, name));
  const hiding = new WordSwitches((i) => flip(state.hidden, i));
  const before = new StoryWords((i) => state.word.set(i));
  /** @type {AbortController | undefined} */
  let trying;
  const tryAll = button(TRY, () => (trying ? trying.abort() : void tryEach()));
  tryAll.classList.add('primary');
  const own = ownFile(root, model);
  const none = button('As it was', () => {
    state.heads.set([]);
    state.hidden.set([]);
    state.push.set(0);
  });
  const said = html('p', { class: 'look-said' });
  const after = html('p', { class: 'lab-story' });
  const status = html('p', { class: 'look-status', role: 'status' });
  const lead = html('p', { class: 'look-said' });
  const sum = html('p', { class: 'look-key', 'data-depth': 'understand' });
  const lens = html('div');
  const ledger = html('div', { class: 'lab-scroll' });
  const strength = slider(state.push, { label: 'Strength', min: 0, max: 1, step: 0.05 });
  const layerOf = numberField(state.pushLayer, { label: 'Behind layer', min: 0 });
  layerOf.dataset.depth = 'understand';
  root.replaceChildren(
    own.line,
    html(
      'div',
      { class: 'look-below' },
      html(
        'div',
        { class: 'look-left' },
        textField(state.prompt, 'It begins'),
        key('Press heads to take them away.'),
        options(state.how, 'A pressed head is', { off: 'off', blind: 'blind: all words alike' }),
        switches.element,
        html('div', { class: 'look-buttons' }, tryAll, none),
        status,
        key('Press words to hide them from all heads.'),
        hiding.element,
        key('Push the model from one text towards another.'),
        html(
          'div',
          { class: 'lab-push' },
          textField(state.from, 'From'),
          textField(state.towards, 'towards'),
        ),
        html('div', { class: 'controls' }, strength.element, layerOf),
      ),
      html(
        'div',
        { class: 'look-side' },
        said,
        html('h3', {}, 'As it was. Press a word to explain it below.'),
        before.element,
        html('h3', {}, 'With your changes'),
        after,
      ),
    ),
    html(
      'div',
      { class: 'lab-why' },
      html('h3', {}, 'How the model came to one word'),
      lead,
      options(state.against, 'Its score', { next: 'against the next best word', none: 'alone' }),
      html('div', { class: 'lab-pictures' }, lens, ledger),
      sum,
    ),
    own.element,
    html('div', { class: 'statements' }, ...checks.all.map(({ element }) => element)),
  );

  /** @param {(remote: RemoteModel, signal: AbortSignal) => Promise<void>} act */
  async function run(act) {
    failed = false;
    try {
      await model.use(async (remote, signal) => {
        try {
          if (await session.prepare(remote, signal)) arrived(remote);
          if (!signal.aborted) await act(remote, signal);
        } finally {
          await change(remote, NONE);
        }
      });
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      setText(status, model.phase === 'absent' ? 'The model is not here.' : message);
      failed = true;
    }
    draw();
  }
  const retell = (/** @type {RemoteModel} */ remote, /** @type {AbortSignal} */ signal) =>
    session.retell(remote, signal);
  const explain = (/** @type {RemoteModel} */ remote, /** @type {AbortSignal} */ signal) =>
    session.changed ? session.explain(remote, signal) : session.retell(remote, signal);

  /** A story is there. @param {RemoteModel} remote */
  function arrived({ config }) {
    if (!session.original) return;
    setText(status, '');
    const { prompt, story } = session.original;
    switches.build(config);
    hiding.build(prompt);
    before.build(prompt, story);
  }

  /** Each head alone, until the reader stops it or another turn begins. */
  async function tryEach() {
    const stop = new AbortController();
    trying = stop;
    setText(tryAll, STOP);
    await run((remote, signal) => sweep(remote, AbortSignal.any([signal, stop.signal])));
    trying = undefined;
    setText(tryAll, TRY);
  }

  /** @param {RemoteModel} remote @param {AbortSignal} signal */
  async function sweep(remote, signal) {
    const { without } = session;
    const names = [...switches.buttons.keys()];
    const tried = () => `${without.size} of ${names.length} heads tried`;
    await session.sweep(remote, signal, names, () => {
      setText(status, tried());
      draw();
    });
    if (signal.aborted) return setText(status, `Stopped: ${tried()}.`);
    const [worst] = [...without].sort(([, a], [, b]) => a - b);
    setText(
      status,
      `Head ${worst[0]} matters most here. Without it a word has a chance of ` +
        `${percent(worst[1])} instead of ${percent(session.whole)}, on average.`,
    );
  }

  const draw = onFrame([state.heads], () => {
    const { without, whole, original, changed, explained } = session;
    for (const each of [tryAll, none]) each.disabled = !original;
    busy(root, !original && !failed);
    switches.show(state.heads.value, without, whole);
    root.dataset.tried = String(without.size);
    root.dataset.told = String(changed !== undefined);
    if (!original) return setText(said, failed ? '' : model.waiting);
    hiding.show((i) => state.hidden.value.includes(i));
    before.show((i) => i === session.word);
    const made = {
      heads: state.heads.value.length,
      hidden: state.hidden.value.length,
      pushed: state.push.value > 0,
    };
    const told = made.heads || made.hidden || made.pushed ? changed : original;
    after.replaceChildren(...(told ? words(original.prompt, told.story, original.story) : []));
    before.element.classList.toggle('cut', original.story.length === LENGTH);
    after.classList.toggle('cut', told?.story.length === LENGTH);
    const now = meanChance(told?.logs ?? original.logs);
    said.replaceChildren(...lost({ ...made, now, all: whole }));
    root.dataset.explained = String(explained?.word.token);
    if (!explained) return [lead, lens, ledger, sum].forEach((each) => each.replaceChildren());
    lead.replaceChildren(...leadSentence(explained));
    lens.replaceChildren(lensTable(explained));
    ledger.replaceChildren(ledgerTable(explained));
    setText(sum, sumSentence(explained));
  });
  const { prompt, heads, hidden, push, pushLayer, towards, from, word, against } = state;
  // other words stand at the places
  prompt.on(() => {
    hidden.set([]);
    word.set(-1);
    if (seen) void run(retell);
  });
  for (const signal of [heads, hidden, push]) signal.on(() => seen && void run(retell));
  for (const signal of [pushLayer, towards, from])
    signal.on(() => seen && push.value > 0 && void run(retell));
  for (const signal of [word, against]) signal.on(() => seen && void run(explain));
  state.how.on(() => {
    session.without.clear();
    if (seen) void run(retell);
  });
  model.on(() => {
    draw();
    if (seen && model.phase === 'ready' && session.original) void run(retell);
  });
  new IntersectionObserver((entries) => {
    if (seen || !entries[entries.length - 1].isIntersecting) return;
    seen = true;
    void run(retell);
  }).observe(root);
  return {
    reset: own.restore,
    code: () => codeOf(state, session.word, model),
    state: () => ({
      heads: heads.value,
      how: state.how.value,
      hidden: hidden.value,
      push: push.value,
      chances: Object.fromEntries(session.without),
      explained: session.explained,
    }),
  };
}
