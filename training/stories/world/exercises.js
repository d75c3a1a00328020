/**
 * Exercises: a few plain facts, and questions about them. A story has the same questions, but many
 * words about other things. The levels rise from one pattern of a sentence to all of them.
 */
import { createRandom, mixed } from '../random.js';
import { questionsOf, withQuestions } from './asking.js';
import { Cast } from './cast.js';
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

const HAS = [
  '{A} had {x.a}.',
  '{A} took {x.a}.',
  '{A} got {x.a}.',
  '{x.The} belonged to {A}.',
  '{x.The} {x.was} for {A}.',
  'There was {x.a} for {A}.',
  '{A} picked up {x.a}.',
  '{A} bought {x.a}.',
  '{A} carried {x.a}.',
  '{x.A} came to {A}.',
];
const HAS_NOW = [
  'Then {A} took {x}.',
  'Then {x} went to {A}.',
  '{A} got {x} in the end.',
  '{B} gave {x} to {A}.',
  '{A} took {x} from {B}.',
  '{B} gave {A} {x}.',
];
const PUT = [
  '{A} put {x.a} {p}.',
  '{A} hid {x.a} {p}.',
  '{A} left {x.a} {p}.',
  '{A} picked up {x.a} and put {x.it} {p}.',
  '{p.At}, {A} laid down {x.a}.',
  '{A} found {x.a} and hid {x.it} {p}.',
];
const PUT_NOW = [
  'Then {A} put {x} {p}.',
  '{A} moved {x}, and left {x.it} {p}.',
  '{A} took {x} out again and put {x.it} {p}.',
  '{A} carried {x} away and hid {x.it} {p}.',
];
const LIES = ['{p.At} lay {x.a}.', 'There was {x.a} {p}.', 'They found {x.a} {p}.'];

/** The highest level: all patterns. */
export const LEVELS = HAS.length;

/** Tells who has things and where they are. Then some of them change hands or places. */
class Teller {
  /** @param {import('../random.js').Random} random @param {number} patterns of each sentence */
  constructor(random, patterns) {
    this.random = random;
    this.patterns = patterns;
    this.telling = new Telling(random);
    this.cast = new Cast(random, false);
    const [girl, boy] = this.cast.pair();
    const others = [this.cast.child(), this.cast.child()].slice(0, random.below(3));
    this.people = [girl, boy, ...others];
  }

  /** @param {Entity} [not] */
  person = (not) => this.random.pick(this.people.filter((one) => one !== not));

  /** @param {string[]} all */
  among = (all) => this.random.pick(all.slice(0, this.patterns));

  /** @param {Entity} x @param {Entity} A @param {string[]} all @param {Entity} [B] has it before */
  hold(x, A, all, B = this.person(A)) {
    this.telling.set({ x, A, B });
    this.telling.tell([{ kind: 'hold', who: A, thing: x }], this.among(all));
  }

  /** @param {Entity} x @param {Entity} A @param {Entity} p @param {string[]} all */
  put(x, A, p, all) {
    this.telling.set({ x, A, p });
    const by = all === LIES ? {} : { who: A };
    this.telling.tell([{ kind: 'put', ...by, thing: x, place: p }], this.among(all));
  }

  /** @param {boolean} places whether things are in places, too */
  tell(places) {
    const { random, cast } = this;
    const count = 2 + random.below(4);
    const alike = places && count < 5 && random.chance(1, 4);
    const things = alike ? cast.colours(count) : cast.things(count);
    const spots = places ? cast.places(count) : [];
    const inPlaces = places ? random.below(3) : 0; // none, all, or each as it comes
    const owners = random.shuffled(things.map((_, i) => this.people[i % this.people.length]));
    things.forEach((x, i) => {
      const A = owners[i];
      if (inPlaces === 1 || (inPlaces === 2 && random.chance(1, 2)))
        this.put(x, A, spots[i], random.chance(Math.min(this.patterns - 1, 2), 8) ? LIES : PUT);
      else this.hold(x, A, HAS);
    });
    if (places) for (let more = random.below(3); more > 0; more--) this.#move(spots);
  }

  /** @param {Entity[]} spots */
  #move(spots) {
    const { events } = this.telling;
    const { thing } = /** @type {import('./telling.js').Put} */ (this.random.pick(events));
    const last = events.filter((event) => 'thing' in event && event.thing === thing).at(-1);
    if (last?.kind === 'hold') this.hold(thing, this.person(last.who), HAS_NOW, last.who);
    if (last?.kind !== 'put') return;
    const elsewhere = this.random.pick(spots.filter((spot) => spot !== last.place));
    this.put(thing, this.person(last.who), elsewhere, PUT_NOW);
  }
}

/**
 * Level 0 tells who has things, in one pattern. From level 1 on it tells where things are as well,
 * in at most as many patterns of a sentence as the level says.
 * @param {number} seed
 * @param {number} index
 * @param {number} level
 * @returns {Exercise}
 */
export function tellExercise(seed, index, level) {
  const random = createRandom(mixed(seed, index, 3));
  const teller = new Teller(random, 1 + random.below(Math.max(level, 1)));
  teller.tell(level > 0);
  const { text: body, events } = teller.telling;
  const all = questionsOf(teller.telling);
  const clear = all.filter(({ text }, i) =>
    all.every((other, j) => i === j || other.text !== text),
  );
  const questions = random.shuffled(clear);
  return { body, events, questions, ...withQuestions(body, questions) };
}
