/**
 * Draws the people, things and places of a story. In training none of them are combinations that
 * are kept for the evaluation (unseen.js).
 */
import {
  ANIMALS,
  BOYS,
  COLOURS,
  GIRLS,
  INDOORS,
  NOUNS,
  OUTDOORS,
  PET_NAMES,
  PLURALS,
  SOFT,
  adjectivesOf,
  inventedName,
  pet,
  thing,
  word,
} from './entities.js';
import { isUnseenName, isUnseenPair } from './unseen.js';

/** @typedef {import('./entities.js').Entity} Entity */

const SINGULAR = NOUNS.split(' ');
const ALL_NOUNS = [...SINGULAR, ...SINGULAR, ...PLURALS.map(([noun]) => noun)];
const LIMIT = 1000;
/** After this number of draws any that is allowed is taken, preferred or not. */
const PATIENCE = 100;
/** After this number of draws a place may have the preposition of another number. */
const PATIENCE_OF_ORDER = 50;

/** Of the first place of a story, of the second and of the third. */
const PREPOSITIONS = ['in', 'on by', 'under behind'].map((words) => words.split(' '));

/** “in” of “in the kitchen”. @param {Entity} place */
const prepositionOf = ({ forms }) => forms.at.split(' ')[0];

export class Cast {
  /** @type {Entity[]} */
  chosen = [];

  /**
   * @param {import('../random.js').Random} random
   * @param {boolean} open whether combinations that training never shows may come
   * @param {boolean} [ordered] whether several places come in the order of their prepositions
   */
  constructor(random, open, ordered = false) {
    this.random = random;
    this.open = open;
    this.ordered = ordered;
  }

  /**
   * Draws until nothing that was drawn before forbids it.
   * @param {() => Entity} draw
   * @param {(one: Entity, tries: number) => boolean} [preferred]
   */
  #draw(draw, preferred = () => true) {
    for (let tries = 0; tries < LIMIT; tries++) {
      const one = draw();
      const isNew = this.chosen.every(({ noun }) => noun !== one.noun);
      if (!preferred(one, tries) && tries < PATIENCE) continue;
      if (isNew && (this.open || !this.chosen.some((other) => isUnseenPair(one, other)))) {
        this.chosen.push(one);
        return one;
      }
    }
    throw new Error('no combination is left');
  }

  girl = () => this.#draw(() => this.random.pick(GIRLS));
  boy = () => this.#draw(() => this.random.pick(BOYS));
  child = () => (this.random.chance(1, 2) ? this.girl() : this.boy());
  /** A girl and a boy, so that a pronoun can mean only one of them. */
  pair = () => (this.random.chance(1, 2) ? [this.girl(), this.boy()] : [this.boy(), this.girl()]);
  pet = () =>
    this.#draw(() => {
      const [name, animal] = [this.random.pick(PET_NAMES), this.random.pick(ANIMALS)];
      return pet(name, animal, this.random.chance(1, 2));
    });

  /** @param {number} count @param {string[]} [adjectives] default: to each those of its number */
  things(count, adjectives) {
    return Array.from({ length: count }, (_, number) =>
      this.#draw(() => {
        const noun = this.random.pick(ALL_NOUNS);
        const adjective = this.random.pick(adjectives ?? adjectivesOf(number));
        return thing(noun, SOFT.has(noun) && adjective === 'wooden' ? 'striped' : adjective);
      }),
    );
  }

  /** The same thing in several colours. @param {number} count */
  colours(count) {
    const first = this.#draw(() => thing(this.random.pick(SINGULAR), 'red'));
    const colours = this.random.shuffled(COLOURS).slice(0, count);
    return colours.map((colour) => thing(first.noun, colour));
  }

  /**
   * No two have the same preposition, as long as there are others.
   * @param {number} count
   * @param {boolean} [outdoors] else indoors; left out, either
   */
  places(count, outdoors) {
    const list = [...(outdoors === true ? [] : INDOORS), ...(outdoors === false ? [] : OUTDOORS)];
    const isOther = (/** @type {Entity} */ one) =>
      this.chosen.every(
        (before) => before.kind !== 'place' || prepositionOf(before) !== prepositionOf(one),
      );
    const inOrder = (/** @type {Entity} */ one, /** @type {number} */ number) =>
      !this.ordered || count === 1 || PREPOSITIONS[number].includes(prepositionOf(one));
    return Array.from({ length: count }, (_, number) =>
      this.#draw(
        () => this.random.pick(list),
        (one, tries) => isOther(one) && (inOrder(one, number) || tries >= PATIENCE_OF_ORDER),
      ),
    );
  }

  /** A name or word of our own. @param {'she' | 'he' | 'it'} [pronoun] */
  invented(pronoun) {
    const draw = () => word(inventedName(this.random), pronoun);
    for (;;) {
      const one = this.#draw(draw);
      if (this.open || !isUnseenName(one.key)) return one;
    }
  }
}
