/**
 * Exercises: a few plain facts, and questions about them. A story has the same questions, but many
 * words about other things. The levels rise from one pattern of a sentence to all of them.
 */
import { createRandom, mixed } from '../random.js';
import { questionsOf, withQuestions } from './asking.js';
import { Cast } from './cast.js';
import { ADJECTIVES } from './entities.js';
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

/*
 * The patterns of each kind of sentence rise from plain ones to those with pronouns, with speech,
 * and with somebody or something else in between. B is a girl where A is a boy, and the other way
 * round.
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
  '{A} found {x.a} and kept {x.it}.',
  '{A} saw {x.a}. {A.He} picked {x.it} up.',
  '"Look, {x.a}!" said {A}, and took {x.it}.',
  '{A} came with {B}. {A.He} carried {x.a}.',
  'Grandma had {x.a} for {A}, and {A.he} took {x.it}.',
  '{B} showed {A} {x.a}. {A.He} got {x.it} in the end.',
];
/** It was another's. */
const HAS_NOW = [
  'Then {A} took {x}.',
  'Then {x} went to {A}.',
  '{A} got {x} in the end.',
  '{B} gave {x} to {A}.',
  '{A} took {x} from {B}.',
  '{B} gave {A} {x}.',
  '{B} was tired, so {A} took {x} from {B.him}.',
  '{B} threw {x} high, and {A} caught {x.it}.',
  '{A} came along. {B} gave {A.him} {x}.',
  '"Here," said {B}, and {A} took {x}.',
  '{B} put down {x} for one second, and {A} had {x.it}.',
  '{B} gave {x} to {A}, because {B.he} was in a good mood.',
  '"May I have {x}?" asked {A}, and {B} gave {x.it} to {A.him}.',
  '{B} looked at {x}. Then {B.he} gave {x.it} to {A}.',
  '"I have had {x} for long enough," said {B}. So {A} got {x.it}.',
];
/** It lay in a place. */
const FETCHED = [
  'Then {A} took {x}.',
  '{A} found {x} and kept {x.it}.',
  'But {A} fetched {x}.',
  'Now {A} had {x}.',
  '{A} picked up {x}.',
  '{A} went there and took {x}.',
  'While {B} was away, {A} took {x} back.',
  '{A} looked around. Then {A.he} took {x}.',
  'There {A} found {x}. {A.He} would not let go of {x.it}.',
];
const PUT = [
  '{A} put {x.a} {p}.',
  '{A} hid {x.a} {p}.',
  '{A} left {x.a} {p}.',
  '{A} picked up {x.a} and put {x.it} {p}.',
  '{p.At}, {A} laid down {x.a}.',
  '{A} found {x.a} and hid {x.it} {p}.',
  '{x.A} ended up {p}, because {A} threw well.',
  '{A} took {x.a}. {A.He} put {x.it} {p}.',
  '{A} had {x.a}, but {A.he} left {x.it} {p}.',
  '{A} and {B} found {x.a}. {A} put {x.it} {p}.',
  '"I hid {x.a} {p}," said {A}.',
  '{A} came with {B}. {A.He} left {x.a} {p}.',
  '{A} showed {B} {x.a}. {B} liked {x.it}, so {A.he} hid {x.it} {p}.',
  '{A} was busy with {x.a}. In the end {A.he} put {x.it} {p}.',
  '{B} gave {x.a} to {A}, and {A.he} hid {x.it} {p}.',
  '"And {x}?" asked {B}. "{p.At}," said {A}, who had put {x.it} there.',
];
/** Somebody had it, or it lay elsewhere. */
const PUT_NOW = [
  'Then {A} put {x} {p}.',
  '{A} moved {x}, and left {x.it} {p}.',
  '{A} took {x} out again and put {x.it} {p}.',
  '{A} carried {x} away and hid {x.it} {p}.',
  'In the hurry {A} left {x} {p}.',
  'Nobody wanted {x}, so {A} put {x.it} {p}.',
  'Then {A} came. {A.He} put {x} {p}.',
  'But {A} had second thoughts. {A.He} took {x} and put {x.it} {p}.',
  '{A} set {x} down {p}, and {B} ran.',
  'When {B} was gone, {A} carried {x} away and hid {x.it} {p}.',
  '{B} looked for {x}, but {A} had hidden {x.it} {p}.',
  '{A} began to laugh. {A.He} had put {x} {p}.',
  '"I borrowed {x}," said {A}, "and I left {x.it} {p}."',
  '{A} took {x} to a new place. Now {x.they} {x.was} {p}.',
  '{B} went red. "I know," said {A}. "I put {x} {p}."',
];
const LIES = ['{p.At} lay {x.a}.', 'There was {x.a} {p}.', 'They found {x.a} {p}.'];
const LISTS = [
  '{A} {did} {x.a}, {y.a} and {z.a}.',
  'First {A} {did} {x.a}, then {y.a}, and last of all {z.a}.',
  'First {A} {did} {x.a}. Then {A.he} {did} {y.a}. In the end {A.he} {did} {z.a}.',
];
const VERBS = [
  ['pack', 'packed'],
  ['buy', 'bought'],
  ['find', 'found'],
];
const COUNTED = ['"{x.The}, {y} and {z}," {A} counted.', '{B} looked at {x}, {y} and {z}.'];

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
    const last = this.telling.events.findLast((event) => 'thing' in event && event.thing === thing);
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
