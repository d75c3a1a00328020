/**
 * Exercises: a few plain facts, and questions about them. A story has the same questions, but many
 * words about other things. The levels rise from one pattern of a sentence to all of them.
 */
import { createRandom, mixed } from '../random.js';
import { questionsOf, withQuestions } from './asking.js';
import { Cast } from './cast.js';
import { ADJECTIVES } from './entities.js';
import {
  COUNTED,
  FETCHED,
  HAS,
  HAS_NOW,
  LIES,
  LISTS,
  PUT,
  PUT_NOW,
  VERBS,
} from './exercise-patterns.js';
import { lookAround } from './phrases.js';
import { Telling } from './telling.js';

/**
 * @typedef {import('./entities.js').Entity} Entity
 * @typedef {import('./asking.js').Question} Question
 *
 * @typedef {object} Exercise
 * @property {string} body the facts
 * @property {string} text the body and its questions with their answers
 * @property {import('./telling.js').Event[]} events
 * @property {Question[]} questions
 * @property {import('./telling.js').Span[]} answers as those of a story
 */

/** The highest level: all patterns. */
export const LEVELS = HAS.length;
/** From this level on there are lists, things that are taken away, and other sentences. */
const MIXED = 8;
/** Behind an exercise. */
const MAX_QUESTIONS = 8;
/** Characters of a text. It keeps exercises within 250 tokens. */
const MAX_LENGTH = 800;

/** Tells who has things and where they are. Then some of them change hands or places. */
class Teller {
  /** @param {import('../random.js').Random} random @param {number} patterns of each sentence */
  constructor(random, patterns) {
    this.random = random;
    this.patterns = patterns;
    this.mixed = patterns > MIXED;
    this.telling = new Telling(random);
    this.cast = new Cast(random, false);
    const [girl, boy] = this.cast.pair();
    const others = Array.from({ length: random.below(3) }, () =>
      random.chance(1, 3) ? this.cast.pet() : this.cast.child(),
    );
    this.people = [girl, boy, ...others];
  }

  /** @param {Entity} [not] */
  person = (not) => this.random.pick(this.people.filter((one) => one !== not));

  /** Somebody with the other pronoun. @param {Entity} A */
  other = (A) => this.random.pick(this.people.filter(({ forms }) => forms.he !== A.forms.he));

  /** @param {string[]} all */
  among = (all) => this.random.pick(all.slice(0, this.patterns));

  /** @param {Entity} x @param {Entity} A @param {string[]} all @param {Entity} [B] has it before */
  hold(x, A, all, B = this.other(A)) {
    this.telling.set({ x, A, B });
    this.telling.tell([{ kind: 'hold', who: A, thing: x }], this.among(all));
  }

  /** @param {Entity} x @param {Entity} A @param {Entity} p @param {string[]} all */
  put(x, A, p, all) {
    this.telling.set({ x, A, B: this.other(A), p });
    const by = all === LIES ? {} : { who: A };
    this.telling.tell([{ kind: 'put', ...by, thing: x, place: p }], this.among(all));
  }

  /**
   * @param {boolean} places whether things are in places, too
   * @param {boolean} colours whether somebody has each thing, and they differ in colour alone
   */
  tell(places, colours) {
    const { random, cast } = this;
    if (this.mixed && random.chance(1, 4)) this.#list();
    const count = 2 + random.below(colours ? 3 : 4);
    const alike = colours || (places && count < 5 && random.chance(1, 2));
    // most share an adjective, so that no answer can be found by it alone
    const adjectives = random.chance(2, 3) ? this.#twoAdjectives() : ADJECTIVES;
    const things = alike ? cast.colours(count) : cast.things(count, adjectives);
    const spots = places ? cast.places(count) : [];
    // none, all, or each as it comes; colours are asked for where somebody has the things
    const inPlaces = places && !colours ? (alike ? 2 * random.below(2) : random.below(3)) : 0;
    const owners = random.shuffled(things.map((_, i) => this.people[i % this.people.length]));
    things.forEach((x, i) => {
      const A = owners[i];
      this.#pause();
      if (inPlaces === 1 || (inPlaces === 2 && random.chance(1, 2)))
        this.put(x, A, spots[i], random.chance(Math.min(this.patterns - 1, 2), 8) ? LIES : PUT);
      else this.hold(x, A, HAS);
    });
    for (let more = places ? random.below(4) : 0; more > 0; more--) this.#move(things, spots);
  }

  #twoAdjectives = () => [this.random.pick(ADJECTIVES), this.random.pick(ADJECTIVES)];

  /** Sometimes a sentence about something else. */
  #pause() {
    if (this.mixed && this.random.chance(1, 6)) lookAround(this.telling);
  }

  #list() {
    const A = this.person();
    const [x, y, z] = this.cast.things(3);
    const [verb, did] = this.random.pick(VERBS);
    this.telling.set({ A, B: this.other(A), x, y, z, did });
    this.telling.tell([{ kind: 'list', who: A, verb, things: [x, y, z] }], ...LISTS);
    this.telling.perhaps(...COUNTED);
  }

  /** @param {Entity[]} things @param {Entity[]} spots */
  #move(things, spots) {
    const { random } = this;
    const thing = random.pick(things);
    const last = this.telling.events
      .filter((event) => 'thing' in event && event.thing === thing)
      .at(-1);
    if (last?.kind !== 'hold' && last?.kind !== 'put') return;
    this.#pause();
    const other = this.mixed && random.chance(1, 3);
    if (last.kind === 'hold' && !other)
      return this.hold(thing, this.person(last.who), HAS_NOW, last.who);
    if (last.kind === 'put' && other) return this.hold(thing, this.person(last.who), FETCHED);
    const from = last.kind === 'put' ? last.place : undefined;
    const elsewhere = random.pick(spots.filter((spot) => spot !== from));
    this.put(thing, last.kind === 'hold' ? last.who : this.person(last.who), elsewhere, PUT_NOW);
  }
}

/**
 * Level 0 tells who has things, in one pattern. From level 1 on it tells where things are as well,
 * in at most as many patterns of a sentence as the level says.
 * @param {number} seed
 * @param {number} index
 * @param {number} level
 * @param {boolean} [colours] whether all things differ in colour alone, so colours are asked for
 * @returns {Exercise}
 */
export function tellExercise(seed, index, level, colours = false) {
  const random = createRandom(mixed(seed, index, 3));
  for (;;) {
    const teller = new Teller(random, 1 + random.below(Math.max(level, 1)));
    teller.tell(level > 0, colours);
    const { text: body, events } = teller.telling;
    const all = questionsOf(teller.telling);
    const clear = all.filter(({ text }, i) =>
      all.every((other, j) => i === j || other.text !== text),
    );
    const questions = random.shuffled(clear).slice(0, MAX_QUESTIONS);
    const { text, answers } = withQuestions(body, questions);
    if (text.length <= MAX_LENGTH) return { body, text, events, questions, answers };
  }
}
