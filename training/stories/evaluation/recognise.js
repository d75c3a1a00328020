/**
 * Whether a plot could have told a text. Each plot runs again, and every choice of its patterns
 * is tried. Its names, things and places are read from the text. A story is whole where each of
 * them is one that the plot allows there, and where its answers are right. Groups of adjectives
 * and the order of places are not asked for.
 */
import { GAP, questionsOf } from '../world/asking.js';
import {
  ADJECTIVES,
  ANIMALS,
  BOYS,
  GIRLS,
  INDOORS,
  INVENTED,
  NOUNS,
  OUTDOORS,
  PET_NAMES,
  PLURALS,
  SOFT,
  pet,
  thing,
  word,
} from '../world/entities.js';
import { PLOTS } from '../world/index.js';
import { Telling, form } from '../world/telling.js';
import { Choices } from './choices.js';

/**
 * @typedef {import('../world/entities.js').Entity} Entity
 * @typedef {Entity & { candidates: Entity[] }} Unread candidates: all that it may be, as far as the
 *   text was read
 *
 * @typedef {object} Recognised
 * @property {boolean} whole
 * @property {string} plot that fits, or fits longest
 * @property {number} at the characters that fit
 * @property {string[]} wrong lines behind the body that are not right, if all of the body fits
 */

const ALL_NOUNS = [...NOUNS.split(' '), ...PLURALS.map(([noun]) => noun)];
const THINGS = [...new Set(ADJECTIVES)].flatMap((adjective) =>
  ALL_NOUNS.filter((noun) => adjective !== 'wooden' || !SOFT.has(noun)).map((noun) =>
    thing(noun, adjective),
  ),
);
const PETS = PET_NAMES.flatMap((name) =>
  ANIMALS.flatMap((animal) => [true, false].map((she) => pet(name, animal, she))),
);
const WORDS = {
  it: INVENTED.map((text) => word(text)),
  she: INVENTED.map((text) => word(text, 'she')),
  he: INVENTED.map((text) => word(text, 'he')),
};

/** Thrown where the text is not of this plot, or not with these choices. */
const MISFIT = new Error('the plot says something else here');

/** Stands where a plot draws its people, things and places. */
class UnknownCast {
  /** @type {Unread[]} */
  chosen = [];

  /** @param {Choices} choices */
  constructor(choices) {
    this.choices = choices;
  }

  /** @param {Entity[]} candidates */
  #one(candidates) {
    const one = { ...candidates[0], candidates };
    this.chosen.push(one);
    return one;
  }

  girl = () => this.#one(GIRLS);
  boy = () => this.#one(BOYS);
  child = () => this.#one([...GIRLS, ...BOYS]);
  pair = () => (this.choices.chance() ? [this.girl(), this.boy()] : [this.boy(), this.girl()]);
  pet = () => this.#one(PETS);
  things = (/** @type {number} */ count) => Array.from({ length: count }, () => this.#one(THINGS));
  /** @param {number} count @param {boolean} [outdoors] */
  places(count, outdoors) {
    const list = [...(outdoors === true ? [] : INDOORS), ...(outdoors === false ? [] : OUTDOORS)];
    return Array.from({ length: count }, () => this.#one(list));
  }
  invented = (/** @type {keyof typeof WORDS} */ pronoun = 'it') => this.#one(WORDS[pronoun]);
}

/** Tells a story that is there already. */
class Rereading extends Telling {
  /** @param {Choices} choices @param {UnknownCast} cast @param {string} source */
  constructor(choices, cast, source) {
    super(/** @type {any} */ (choices));
    this.chosen = cast.chosen;
    this.source = source;
  }

  /** @override @param {string} words */
  write(words) {
    if (this.#comes(words)) return super.write(words);
    while (!this.#comes(words)) words = words.slice(0, -1);
    super.write(words);
    throw MISFIT;
  }

  #comes = (/** @type {string} */ words) => this.source.startsWith(words, this.text.length);

  /** @override @param {Entity} entity @param {string} name */
  mention(entity, name) {
    const unread = /** @type {Unread} */ (entity);
    if (unread.candidates?.length > 1) this.#read(unread, name);
    super.mention(entity, name);
  }

  /** @param {Unread} unread @param {string} name of a form */
  #read(unread, name) {
    const candidates = unread.candidates.filter((one) => this.#comes(form(one, name)));
    Object.assign(unread, candidates[0], { candidates });
    const known = (/** @type {Unread} */ one) => one.candidates.every(({ key }) => key === one.key);
    const others = this.chosen.filter((one) => one !== unread && known(one));
    const twice = known(unread) && others.some(({ noun }) => noun === unread.noun);
    if (!candidates.length || twice) throw MISFIT;
  }
}

/**
 * @param {string} text a story with its questions and answers
 * @param {string[]} [plots] that may have told it, default all
 * @returns {Recognised}
 */
export function recognise(text, plots = Object.keys(PLOTS)) {
  const end = text.lastIndexOf(GAP);
  const body = end < 0 ? text : text.slice(0, end);
  const lines = text.slice(body.length + GAP.length).split('\n');
  /** @type {Recognised} */
  let best = { whole: false, plot: '', at: -1, wrong: [] };
  for (const plot of plots) {
    const choices = new Choices();
    do {
      const cast = new UnknownCast(choices);
      const telling = new Rereading(choices, cast, body);
      const fits = attempt(() => PLOTS[plot](telling, /** @type {any} */ (cast)));
      const at = telling.text.length;
      const wrong = fits && at === body.length ? wrongLines(lines, questionsOf(telling)) : [];
      const whole = fits && at === body.length && !wrong.length;
      if (whole || at > best.at) best = { whole, plot, at, wrong };
      if (whole) return best;
    } while (choices.next());
  }
  return best;
}

/** @param {string[]} lines @param {import('../world/asking.js').Question[]} questions */
function wrongLines(lines, questions) {
  const right = questions.map(({ text, answer }) => `${text} ${answer}`);
  return lines.filter((line) => !right.includes(line));
}

/** Whether it comes to its end. @param {() => void} telling */
function attempt(telling) {
  try {
    telling();
    return true;
  } catch (error) {
    if (error === MISFIT) return false;
    throw error;
  }
}
