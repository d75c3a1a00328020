/** Stories of somebody new, whose name nobody has heard before. */
import { end, lookAround, setTime } from '../phrases.js';

/**
 * @typedef {import('../telling.js').Telling} Telling
 * @typedef {import('../cast.js').Cast} Cast
 */

const GUESTS = ['dragon', 'giant', 'wizard', 'robot', 'ghost', 'troll', 'snail', 'penguin', 'elf'];
const SIZES = ['very small', 'polite', 'rather wet', 'tired', 'shy', 'cheerful', 'hungry'];

/** Somebody with a strange name comes to stay. @param {Telling} t @param {Cast} cast */
export function visitor(t, cast) {
  const [A, B] = cast.pair();
  const N = cast.invented(t.random.chance(1, 2) ? 'she' : 'he');
  const [x] = cast.things(1);
  const [p] = cast.places(1);
  const guest = t.random.pick(GUESTS);
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
    [{ kind: 'word', asks: `What was the ${guest} called?`, word: N }],
    '"Good day, my name is {N}," said the {guest}.',
    '"I am {N}," said the {guest}, "and I have come a long way."',
    'The {guest} was called {N}, and {N.he} had a cold.',
    '"Please call me {N}," said the {guest} with a bow.',
  );
  t.say(
    '"{N}?" said {B}. "I have never met anyone called {N}."',
    '"Come in, {N}," said {A}. "{B} has just made tea."',
    '"Hello, {N}," said {A} and {B}, and tried not to stare.',
    '{A} had to practise. "{N}, {N}," {A.he} said. "Is that right?"',
  );
  if (t.random.chance(1, 2)) lookAround(t);
  t.paragraph();
  t.say(
    'That day {N} drank eleven cups of tea and was still thirsty.',
    'It turned out that {N} could sing, and also that {N.he} could not stop.',
    'Over tea {N} told them about a land where the rain falls up.',
    'As {N} was afraid of forks, they ate with their fingers.',
    'All day {N} helped in the house and broke only one plate.',
  );
  t.tell(
    [{ kind: 'put', who: N, thing: x, place: p }],
    'At last it was time to go. {N} left {x.a} {p} to say thank you.',
    'In the evening {N} was gone, but {p} there was a present from {N}. It was {x.a}.',
    'Before bed {N} put {x.a} {p}. "For luck," {N.he} said.',
  );
  t.say(
    '"Come back soon, {N}!" they called.',
    '{A} drew a picture of {N}, and {B} wrote the name under it.',
    'From then on {B} left the door open, in case {N} came by.',
    'If you ever meet {N}, say hello from {A} and {B}.',
  );
  end(t);
}

/** A young animal needs a name. @param {Telling} t @param {Cast} cast */
export function naming(t, cast) {
  const [A, B] = cast.pair();
  const N = cast.invented(t.random.chance(1, 2) ? 'she' : 'he');
  const [x] = cast.things(1);
  const [p] = cast.places(1);
  const young = t.random.pick(['kitten', 'puppy', 'lamb', 'duckling', 'calf', 'fox cub']);
  t.set({ A, B, N, x, p, young });
  setTime(t);
  t.say(
    '{when} {A} and {B} found a {young} {p}. It was no bigger than a teacup.',
    '{when} Father opened his coat, and there was a {young} inside. {A} and {B} forgot to breathe.',
    '{when} something sneezed {p}. It was a {young}, and it looked at {A} and {B}.',
  );
  t.say(
    '"We must give it a name," said {A}. "Not Bob," said {B}.',
    'All morning they argued about a name.',
    'They tried forty names, and the {young} yawned at every one.',
  );
  t.tell(
    [{ kind: 'word', asks: `What was the ${young} called?`, word: N }],
    'Then {B} sneezed, and it sounded like {N}. So that was the name.',
    '"How about {N}?" asked {A} at last. The {young} wagged all over, and {N} it was.',
    'In the end they called the {young} {N}, because nobody else has that name.',
  );
  t.say(
    '"{N}!" called {B}, and the {young} came running.',
    'From then on {N} went everywhere with them.',
    '{N} drank a saucer of milk and fell asleep in it.',
  );
  t.paragraph();
  if (t.random.chance(1, 2)) lookAround(t);
  t.tell(
    [{ kind: 'hold', who: N, thing: x }],
    'Of all things in the world {N} loved {x.a}, and {N.he} would not let go of {x.it}.',
    'The next day {N} found {x.a}. From then on {x} belonged to {N}.',
  );
  if (t.random.chance(1, 2))
    t.tell(
      [{ kind: 'put', who: N, thing: x, place: p }],
      'At night {N} put {x} {p} and slept beside {x.it}.',
      'When visitors came, {N} hid {x} {p}.',
    );
  t.say(
    'When {A} writes the name, {A.he} always has to think. But {N} cannot read anyway.',
    '"Good night, {N}," said {A}, and {B} said it too.',
    'By winter {N} was as big as the stove, and just as warm.',
  );
  end(t);
}
