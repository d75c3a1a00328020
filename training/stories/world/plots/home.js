/** Stories in and around a house, where things are put here and there. */
import { end, lookAround, setTime } from '../phrases.js';

/**
 * @typedef {import('../telling.js').Telling} Telling
 * @typedef {import('../cast.js').Cast} Cast
 */

/** Two children tidy up before a visit. @param {Telling} t @param {Cast} cast */
export function tidying(t, cast) {
  const [A, B] = cast.pair();
  const [x, y] = cast.things(2);
  const [p, q, r] = cast.places(3, false);
  t.set({ A, B, x, y, p, q, r });
  setTime(t);
  t.say(
    '{when} Aunt Olga sent word to {A} and {B} that she would be there in ten minutes.',
    '{when} {A} and {B} looked at the mess and knew that it had to go before Aunt Olga came.',
    '{when} there was so much on the floor that {A} and {B} had to hop, ' +
      'and Aunt Olga was on her way.',
    '{when} Aunt Olga was coming, and the house of {A} and {B} looked as if a circus had left.',
  );
  t.perhaps(
    '"I will count to ten," said {A}, "and then we start."',
    '"You start," said {B}. "No, you," said {A}.',
    '{A} rolled up {A.his} sleeves. {B} rolled up {B.his} trousers.',
  );
  t.tell(
    [{ kind: 'put', who: A, thing: x, place: p }],
    '{A} put {x.a} {p}.',
    '{A} picked up {x.a} and put {x.it} {p}.',
    '{x.A} ended up {p}, because {A} threw well.',
  );
  if (t.random.chance(1, 2)) lookAround(t);
  t.tell(
    [{ kind: 'put', who: B, thing: y, place: q }],
    'There was also {y.a}. {B} put {y.it} {q} and shut {B.his} eyes.',
    '{B} found {y.a} and hid {y.it} {q}.',
    '{B} laid {y.a} {q}, very gently.',
    'Then there was {y.a}. Nobody knew the owner, so {B} put {y.it} {q}.',
    'After that {B} put {y.a} {q}.',
  );
  t.paragraph();
  if (t.random.chance(1, 2)) {
    t.say(
      'Then {B} had second thoughts about {x}.',
      '"Wait, not {x}!" said {B}.',
      'But {B} was not happy about {x}.',
    );
    t.tell(
      [{ kind: 'put', who: B, thing: x, place: r }],
      '{B} picked up {x} again and put {x.it} {r}.',
      '{B} moved {x} and left {x.it} {r}, where nobody would look.',
      '{B.He} carried {x} off and set {x.it} down {r}.',
      'So {B} put {x} {r}.',
      '{B} took one more look around and put {x} {r}.',
    );
  }
  t.say(
    'The door opened. "How tidy!" said Aunt Olga, and sat down on a trumpet.',
    'Soon the floor was so clean that a fly slipped on it.',
    '"Done," said {A}. "I can see the carpet. It is green!"',
    'Aunt Olga looked around. "Do you two really live here?" she asked.',
  );
  end(t);
}

/** A present has to be hidden. @param {Telling} t @param {Cast} cast */
export function present(t, cast) {
  const [A, B] = cast.pair();
  const [x] = cast.things(1);
  const [p, q] = cast.places(2, false);
  const [r] = cast.places(1, true);
  t.set({ A, B, x, p, q, r });
  t.say(
    'Soon {B} was going to be seven, and {A} had the best present in the world.',
    'In two days it would be the birthday of {B}. {A} could hardly wait.',
    'For weeks {A} had saved up to buy {B} a birthday present.',
    'Tomorrow was the birthday of {B}, and {A} was more excited than anyone.',
  );
  t.tell(
    [{ kind: 'hold', who: A, thing: x }],
    'The present was {x.a}, and {A} had painted a star on the wrapping.',
    '{A} had found {x.a} in a shop that smelled of peppermint.',
    '{A} took {x.a} and wrapped {x.it} in the Sunday newspaper.',
  );
  t.say(
    'But {B} was good at finding presents.',
    'But where do you hide a thing from someone with such sharp eyes?',
    'The trouble was that {B} looked into everything.',
  );
  t.tell(
    [{ kind: 'put', who: A, thing: x, place: p }],
    'So {A} hid {x} {p}.',
    'First {A} put {x} {p} and sat down in front of {x.it}.',
    '{A} waited for a quiet moment and hid {x} {p}.',
  );
  t.say(
    'Just then {B} came in and said that {B.he} smelled a secret.',
    'An hour later {B} was humming and looking for {B.his} glasses, much too close to the present.',
    '"Why are you whistling?" asked {B}. {A} had never whistled before.',
  );
  t.paragraph();
  t.tell(
    [{ kind: 'put', who: A, thing: x, place: q }],
    'So {A} crept back at night and moved {x} to a new place. Now {x.they} {x.was} {q}.',
    'When {B} was gone, {A} carried {x} away and hid {x.it} {q}.',
    'That was too close! {A} put {x} {q} and threw a coat over {x.it}.',
    'That was too close, so {A} hid {x} {q}.',
    'So {A} crept back at night and put {x} {q}.',
  );
  if (t.random.chance(1, 3)) lookAround(t);
  if (t.random.chance(1, 2))
    t.tell(
      [{ kind: 'put', who: A, thing: x, place: r }],
      'Even the new place felt unsafe, so in the end {A} took {x} outside and hid {x.it} {r}.',
      'Even the new place felt unsafe, so in the end {A} hid {x} {r}.',
      'But {B} wanted to dust the whole house. So {A} hid {x} {r}.',
    );
  t.say(
    'On {B.his} birthday {B} unwrapped the present and was speechless for a whole minute.',
    '"You never guessed?" asked {A} on the great day. "Never," said {B}, who was good at fibbing.',
    'And {B}? {B.He} had hidden a present too, and it was for {A}.',
    'When the candles were lit, {A} could not remember where the present was. {B} knew.',
  );
  end(t);
}

/** A pet that takes what it likes. @param {Telling} t @param {Cast} cast */
export function thief(t, cast) {
  const [A, B] = cast.pair();
  const C = cast.pet();
  const [x, y] = cast.things(2);
  const [p, q] = cast.places(2);
  t.set({ A, B, C, x, y, p, q });
  t.say(
    'Once {A} and {B} had {C.a}, and {C.he} took things.',
    'In a house with a crooked chimney lived {A}, {B} and {C.a}.',
    'Everybody in the street knew {C.full}. {A} and {B} loved {C.him} all the same.',
    'All year {A} and {B} shared one bicycle, one sledge and {C.a}.',
  );
  setTime(t);
  t.tell(
    [{ kind: 'hold', who: C, thing: x }],
    '{when} {C} ran past the window with {x.a}.',
    '{when} {C} came home with {x.a}, and nobody knew from where.',
    '{when} {A} put down {x.a} for one second, and {C} had {x.it}.',
  );
  t.say(
    '"Stop!" cried {A}. {C} did not know that word.',
    '"Bring that back!" called {B}. {C} ran faster.',
    '{B} ran after {C.him} and fell into the parsley.',
    '"That is not yours," said {A}. {C} looked at the sky.',
  );
  t.tell(
    [{ kind: 'put', who: C, thing: x, place: p }],
    'Round and round they went, until {C} dropped {x} {p}.',
    'A minute later {C} had hidden {x} {p} and was washing {C.his} face.',
    '{C} left {x} {p} and went to see about lunch.',
  );
  if (t.random.chance(1, 2)) lookAround(t);
  t.paragraph();
  t.tell(
    [{ kind: 'put', who: C, thing: y, place: q }],
    'Later it was {y.a}. {C} dragged {y.it} along and left {y.it} {q}.',
    'Then {C} found {y.a}, which was even better, and put {y.it} {q}.',
    'Next {C} stole {y.a} from the neighbours. {C.He} hid {y.it} {q}.',
    'Later {C} hid {y.a} {q}.',
    'Next {C} dragged {y.a} along. In the end {C} left {y} {q}.',
  );
  if (t.random.chance(1, 2))
    t.tell(
      [{ kind: 'hold', who: B, thing: x }],
      'But {B} had been watching, and now {B} had {x}.',
      'While {C} was away, {B} crept up and took {x}.',
      '{B} found {x} and would not let go of {x.it}.',
    );
  t.say(
    '"Oh, {C} only wants to play," said {A}, and patted {C.him} on the head.',
    '"We need a lock," said {B}. {C} was already looking at the key.',
    'You could not be angry with {C} for long.',
    'Then {C} fell asleep on a stolen sock and looked like an angel.',
  );
  end(t);
}
