/** Exercises that tell a girl's name from a boy's: each sentence has one, and a pronoun for it. */
import { createRandom, mixed } from '../random.js';
import { Cast } from './cast.js';
import { Telling } from './telling.js';

const PATTERNS = [
  '{A} lost {A.his} {x.bare}.',
  '{A} found {A.his} {x.bare}.',
  '{A} had {x.a} in {A.his} hand.',
  '{A} took {x.a}, because {A.he} liked {x.it}.',
  '{A} said that {A.he} had {x.a}.',
  '{A} left {x.a} {p} when {A.he} went home.',
  '{A} looked at {x} until {A.he} fell asleep.',
  '{A} was by {A.himself}, {p}.',
  '{A} sat {p}, and somebody gave {A.him} {x.a}.',
];
const MIN = 4;
const SPREAD = 3;

/**
 * @param {number} seed
 * @param {number} index
 * @returns {{ text: string, pronouns: import('./telling.js').Span[] }}
 */
export function tellPronouns(seed, index) {
  const random = createRandom(mixed(seed, index, 6));
  const telling = new Telling(random);
  const cast = new Cast(random, false);
  const things = cast.things(2);
  const [p] = cast.places(1);
  for (let more = MIN + random.below(SPREAD); more > 0; more--) {
    telling.set({ A: cast.child(), x: random.pick(things), p });
    telling.say(...PATTERNS);
  }
  return { text: telling.text, pronouns: telling.pronouns };
}
