/** The settings of the lab. */
import { addNotice } from '../../page/notice.js';
import { Signal } from '../../page/signal.js';
import { LONGEST as LONGEST_PROMPT, PROMPT } from '../look/state.js';

/** The longest text of a direction, in characters. */
const LONGEST = 100;

/** @type {import('../../page/signal.js').Codec<number>} */
const COUNT = { parse: Number, format: String, clamp: Number, range: 'a number' };

/** Layers of a model that is not here yet. A link may name any of them. */
const LAYERS = 1000;

/** @param {import('../../page/state.js').Store} store */
export function state(store) {
  const layers = new Signal('', LAYERS, COUNT);
  return { ...settings(store, () => layers.value - 1), /** Of the model; in no link. */ layers };
}

/** @param {import('../../page/state.js').Store} store @param {() => number} lastLayer */
const settings = (store, lastLayer) => ({
  prompt: text(store, 'labPrompt', PROMPT, LONGEST_PROMPT),
  /** Heads that are changed, as layer.head joined by _. */
  heads: store.add('labHeads', /** @type {readonly string[]} */ ([]), {
    parse: (text) => {
      const list = text.split('_').filter(Boolean);
      return list.every((each) => /^\d{1,3}\.\d{1,3}$/.test(each)) ? list : undefined;
    },
    format: (list) => list.join('_'),
    clamp: (list) => [...new Set(list)].slice(0, 1024),
    range: 'a list of heads such as 1.3_2.0',
  }),
  how: store.choice('labHow', 'off', ['off', 'blind']),
  /** Words of the prompt that are hidden, as positions joined by _. */
  hidden: store.add('labHidden', /** @type {readonly number[]} */ ([]), {
    parse: (text) => (/^\d{1,3}(_\d{1,3})*$/.test(text) ? text.split('_').map(Number) : undefined),
    format: (list) => list.join('_'),
    clamp: (list) => [...new Set(list)].slice(0, 256),
    range: 'a list of positions such as 3_4',
  }),
  /** The push goes from one text to the other; 1 is their whole difference. */
  towards: text(store, 'labTowards', 'Pickle had a red puppet'),
  from: text(store, 'labFrom', 'Pickle had a yellow puppet'),
  push: store.number('labPush', 0, { min: 0, max: 2 }),
  pushLayer: store.number('labLayer', 3, { min: 0, max: lastLayer, integer: true }),
  /** Whether the changed story is told by the model with shuffled weights. */
  shuffle: store.flag('labShuffle', false),
  seed: store.number('labSeed', 1, { min: 0, max: 2 ** 32 - 1, integer: true }),
  /** The story whose word is explained: the first one, or the one with the changes. */
  whose: store.choice('labWhose', 'first', ['first', 'changed']),
  /** The word of that story; −1: the one whose chance is nearest to a half. */
  word: store.number('labWord', -1, { min: -1, max: 999, integer: true }),
  against: store.choice('labAgainst', 'next', ['next', 'none']),
});

/**
 * @param {import('../../page/state.js').Store} store
 * @param {string} key @param {string} initial
 */
const text = (store, key, initial, longest = LONGEST) =>
  store.add(key, initial, {
    parse: (given) => given,
    format: (given) => given,
    clamp: (given) => given.slice(0, longest) || initial,
    range: `a text of 1 to ${longest} characters`,
  });

/**
 * A word that is not in the changed story is named. Another one is explained then.
 * @param {any} state @param {number} count of its words
 */
export function fitWord({ whose, word }, count) {
  if (whose.value === 'first' || word.value < count) return;
  addNotice('link', `The lab has no word ${word.value} in the story with the changes.`);
  for (const signal of [whose, word]) signal.set(signal.initial);
}
