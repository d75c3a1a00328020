/** Stories of somebody new, whose name nobody has heard before. */
import { GUESTS, YOUNG, word } from '../entities.js';
import { end, lookAround, setTime } from '../phrases.js';

/**
 * @typedef {import('../telling.js').Telling} Telling
 * @typedef {import('../cast.js').Cast} Cast
 */

const SIZES = ['very small', 'polite', 'rather wet', 'tired', 'shy', 'cheerful', 'hungry'];

/** Somebody with a strange name comes to stay. @param {Telling} t @param {Cast} cast */
export function visitor(t, cast) {
  const [A, B] = cast.pair();
  const N = cast.invented(t.random.chance(1, 2) ? 'she' : 'he');
  const [x] = cast.things(1);
  const [p] = cast.places(1);
  const guest = word(t.random.pick(GUESTS));
  const size = t.random.pick(SIZES);
  t.set({ A, B, N, x, p, guest, size });
  setTime(t);
  t.say(
    '{when} {A} and {B} heard a knock at the door, and there stood a {size} {guest}.',
    '{when} {A} and {B} met a {size} {guest} on the road.',
    '{when} a {size} {guest} got off the bus and asked {A} and {B} the way.',
    '{when} a {size} {guest} moved in next door to {A} and {B}.',
  );
  t.tell(
    [{ kind: 'word', asks: `What was the ${guest.key} called?`, word: N }],
    '"Good day, my name is {N}," said the {guest}.',
    '"I am {N}," said the {guest}, "and I have come a long way."',
    'The {guest} was called {N}, and {N.he} had a cold.',
    '"Please call me {N}," said the {guest} with a bow.',
  );
  t.say(
    '"So you are {N}?" said {B}. "I have never met anyone called {N}."',
    '"You must be thirsty, {N}," said {A}. {B} put the kettle on.',
    '"Welcome, {N}," said {A} and {B}, and tried not to stare.',
    '{A} had to practise. "Hello, {N}," {A.he} said. "Is that right?"',
  );
  if (t.random.chance(1, 2)) lookAround(t);
  t.paragraph();
  t.say(
    'That day {N} drank eleven cups of tea and was still thirsty.',
    'It turned out that {N} could sing, and also that {N.he} could not stop.',
    'Over tea {N} told them about a land where the rain falls up.',
    'As {N} was afraid of forks, they ate with their fingers.',
    'Then {N} helped in the house and broke only one plate.',
  );
  t.tell(
    [{ kind: 'put', who: N, thing: x, place: p }],
    'At last it was time to go. {N} left {x.a} {p} to say thank you.',
    'In the evening {N} was gone, but {p} there was a present from {N}. It was {x.a}.',
    'Before leaving, {N} put {x.a} {p}. "For luck," {N.he} said.',
  );
  t.say(
    '"I hope that {N} comes back soon," said {B}.',
    '{A} drew a picture of {N}, and {B} wrote the name under it.',
    'And {B} left the door open, in case {N} came by again.',
    'If you ever meet {N}, say hello from {A} and {B}.',
  );
  end(t);
}

/** A young animal needs a name. @param {Telling} t @param {Cast} cast */
export function naming(t, cast) {
  const [A, B] = cast.pair();
  const N = cast.invented(t.random.chance(1, 2) ? 'she' : 'he');
  const [x] = cast.things(1);
  const [p] = cast.places(1, true);
  const young = word(t.random.pick(YOUNG));
  t.set({ A, B, N, x, p, young });
  setTime(t);
  t.say(
    '{when} {A} and {B} found a {young} {p}. It was no bigger than a teacup.',
    '{when} Father opened his coat, and there was a {young} inside. {A} and {B} forgot to breathe.',
    '{when} something sneezed {p}. It was a {young}, and it looked at {A} and {B}.',
  );
  t.say(
    '"We must give it a name," said {A}. "Not Bob," said {B}.',
    'For an hour they argued about a name.',
    'They tried forty names, and the {young} yawned at every one.',
  );
  t.tell(
    [{ kind: 'word', asks: `What was the ${young.key} called?`, word: N }],
    'Then {B} sneezed, and it sounded like {N}. So that was the name.',
    '"How about {N}?" asked {A} at last. The {young} jumped for joy, and {N} it was.',
    'In the end they called the {young} {N}, because nobody else had that name.',
  );
  t.say(
    '"Come here, {N}!" called {B}, and the {young} came running.',
    'From then on {N} went everywhere with them.',
    '{N} drank a saucer of milk and fell asleep in it.',
  );
  t.paragraph();
  if (t.random.chance(1, 2)) lookAround(t);
  t.tell(
    [{ kind: 'hold', who: N, thing: x }],
    'Of all things in the world {N} loved {x.a} most, and {N.he} would not let go of {x.it}.',
    'The next day {N} found {x.a}. After that {x} belonged to {N}.',
  );
  if (t.random.chance(1, 2))
    t.tell(
      [{ kind: 'put', who: N, thing: x, place: p }],
      'Soon {N} put {x} {p} and slept beside {x.it}.',
      'When visitors came, {N} hid {x} {p}.',
    );
  t.say(
    'When {A} wrote the name, {A.he} had to think. But {N} could not read anyway.',
    '"Well done, {N}," said {A}, and {B} said it too.',
    'In a year {N} would be as big as the stove, and just as warm.',
  );
  end(t);
}
