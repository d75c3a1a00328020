/**
 * The lab: heads are taken away or words are hidden, and the model tells its story again. Each head
 * can be tried alone. A model of the reader's own takes the place of the page's.
 */
import { button, options } from '../../page/controls.js';
import { onFrame } from '../../page/state.js';
import { Statement } from '../../page/statement.js';
import { html, setText } from '../../plot/dom.js';
import { tokensOf } from '../look/pieces.js';
import { PROMPT } from '../look/state.js';
import { percent } from '../look/words.js';
import { chances, change, meanChance, NONE, tell } from './compute.js';
import { HeadSwitches } from './heads.js';
import { ownFile } from './own-file.js';
import { lost, words, WordSwitches } from './words.js';

/** @typedef {import('../look/story.js').Token} Token */
/** @typedef {import('../../../src/js/worker/client.d.ts').RemoteModel} RemoteModel */

/** Tokens that are told. */
const LENGTH = 40;

/** @param {string} name */
const headOf = (name) => {
  const [layer, head] = name.split('.').map(Number);
  return { layer, head };
};

/**
 * @param {HTMLElement} root
 * @param {import('../../page/panels.js').Context} context
 */
export function build(root, { state, model }) {
  root.classList.add('lab');
  /** @type {{ of: RemoteModel, prompt: Token[], story: Token[], logs: number[] } | undefined} */
  let original;
  /** @type {{ story: Token[], logs: number[] } | undefined} */
  let changed;
  /** @type {Map<string, number>} */
  const harm = new Map();
  let seen = false;

  const switches = new HeadSwitches((name) => {
    const { value } = state.heads;
    state.heads.set(
      value.includes(name)
        ? value.filter((/** @type {string} */ each) => each !== name)
        : [...value, name],
    );
  });
  const tryAll = button('Try each head alone', () => void run(sweep));
  const hiding = new WordSwitches((i) => {
    const { value } = state.hidden;
    state.hidden.set(
      value.includes(i) ? value.filter((/** @type {number} */ each) => each !== i) : [...value, i],
    );
  });
  const none = button('As it was', () => {
    state.heads.set([]);
    state.hidden.set([]);
  });
  tryAll.classList.add('primary');
  const said = html('p', { class: 'look-said' });
  const before = html('p', { class: 'lab-story' });
  const after = html('p', { class: 'lab-story' });
  const status = html('p', { class: 'look-status', role: 'status' });
  const statement = new Statement({
    id: 'lab-same',
    claim: 'heads that are multiplied by 1 change no bit',
    allowance: 'Nothing is allowed: the same numbers are computed in the same order.',
    oracles: [meanChance],
  });
  root.replaceChildren(
    html(
      'div',
      { class: 'look-below' },
      html(
        'div',
        { class: 'look-left' },
        html('p', { class: 'look-key' }, 'Press heads to take them away.'),
        options(state.how, 'A pressed head is', { off: 'off', blind: 'blind: all words alike' }),
        switches.element,
        html('div', { class: 'look-buttons' }, tryAll, none),
        status,
        html('p', { class: 'look-key' }, 'Press words to hide them from all heads.'),
        hiding.element,
        ownFile(root, model),
      ),
      html(
        'div',
        { class: 'look-side' },
        said,
        html('h3', {}, 'With all heads'),
        before,
        html('h3', {}, 'With your changes'),
        after,
        html('div', { class: 'statements' }, statement.element),
      ),
    ),
  );
  statement.show({ verdict: 'none', measured: 0, allowed: 0, text: 'no head is pressed' });

  /** @param {(remote: RemoteModel, signal: AbortSignal) => Promise<void>} act */
  async function run(act) {
    try {
      await model.use(async (remote, signal) => {
        try {
          await prepare(remote, signal);
          if (!signal.aborted) await act(remote, signal);
        } finally {
          await change(remote, NONE);
        }
      });
    } catch (error) {
      setText(
        status,
        model.phase === 'absent' ? 'The model is not here.' : /** @type {Error} */ (error).message,
      );
    }
    draw();
  }

  /** The story of all heads. @param {RemoteModel} remote @param {AbortSignal} signal */
  async function prepare(remote, signal) {
    if (original?.of === remote) return;
    harm.clear();
    changed = undefined;
    const prompt = await tokensOf(remote, PROMPT, remote.info.context - LENGTH);
    await change(remote, NONE);
    const story = await tell(remote, signal, prompt, LENGTH);
    await remote.cache.clear();
    const logs = await chances(remote, signal, prompt, story);
    if (signal.aborted) return;
    original = { of: remote, prompt, story, logs };
    switches.build(remote.config);
    const fitting = state.heads.value.filter((/** @type {string} */ name) => {
      const { layer, head } = headOf(name);
      return layer < remote.config.layers && head < remote.config.heads;
    });
    state.heads.set(fitting);
    hiding.build(prompt);
    state.hidden.set(state.hidden.value.filter((/** @type {number} */ i) => i < prompt.length));
  }

  /** The story without the chosen heads. @param {RemoteModel} remote @param {AbortSignal} signal */
  async function retell(remote, signal) {
    if (!original) return;
    const changes = {
      heads: state.heads.value.map(headOf),
      how: state.how.value,
      hidden: state.hidden.value,
    };
    const { prompt, story, logs: before } = original;
    await change(remote, changes);
    const told = await tell(remote, signal, prompt, LENGTH);
    await remote.cache.clear();
    const logs = await chances(remote, signal, prompt, story);
    await change(remote, { ...changes, how: 'same', hidden: [] });
    const same = await chances(remote, signal, prompt, story);
    if (signal.aborted) return;
    changed = { story: told, logs };
    const measured = Math.max(...same.map((log, i) => Math.abs(log - before[i])));
    if (changes.heads.length) statement.show({ measured, allowed: 0 });
    else statement.show({ verdict: 'none', measured: 0, allowed: 0, text: 'no head is pressed' });
  }

  /** Each head alone. @param {RemoteModel} remote @param {AbortSignal} signal */
  async function sweep(remote, signal) {
    if (!original) return;
    const { prompt, story, logs } = original;
    const whole = meanChance(logs);
    for (const name of switches.buttons.keys()) {
      await change(remote, { heads: [headOf(name)], how: state.how.value, hidden: [] });
      const found = await chances(remote, signal, prompt, story);
      if (signal.aborted) return;
      harm.set(name, 1 - meanChance(found) / whole);
      setText(status, `${harm.size} of ${switches.buttons.size} heads tried`);
      draw();
    }
    const [worst] = [...harm].sort(([, a], [, b]) => b - a);
    const lost = percent(Math.max(0, worst[1]));
    setText(
      status,
      `Head ${worst[0]} matters most here. Without it a word loses ${lost} of its chance.`,
    );
  }

  const draw = onFrame([state.heads], () => {
    switches.show(state.heads.value, harm);
    root.dataset.tried = String(harm.size);
    root.dataset.told = String(changed !== undefined);
    if (!original) return;
    const all = meanChance(original.logs);
    before.replaceChildren(...words(original.prompt, original.story, original.story));
    hiding.show(state.hidden.value);
    const heads = state.heads.value.length;
    const hidden = state.hidden.value.length;
    const told = heads || hidden ? changed : original;
    after.replaceChildren(...(told ? words(original.prompt, told.story, original.story) : []));
    const now = meanChance(told?.logs ?? original.logs);
    said.replaceChildren(...lost({ heads, hidden, now, all }));
  });
  for (const signal of [state.heads, state.hidden]) signal.on(() => seen && void run(retell));
  state.how.on(() => {
    harm.clear();
    if (seen) void run(retell);
  });
  model.on(() => {
    if (seen && model.phase === 'ready' && original) void run(retell);
  });
  new IntersectionObserver((entries) => {
    if (seen || !entries[entries.length - 1].isIntersecting) return;
    seen = true;
    void run(retell);
  }).observe(root);
  return {
    state: () => ({
      heads: state.heads.value,
      how: state.how.value,
      hidden: state.hidden.value,
      harm: Object.fromEntries(harm),
    }),
  };
}
