/** Stories in which something is not where it should be. */
import { end, lookAround, setTime } from '../phrases.js';

/**
 * @typedef {import('../telling.js').Telling} Telling
 * @typedef {import('../cast.js').Cast} Cast
 */

/** A child has lost a thing that a friend moved. @param {Telling} t @param {Cast} cast */
export function lost(t, cast) {
  const [A, B] = cast.pair();
  const [x] = cast.things(1);
  const [p, r] = cast.places(2);
  t.set({ A, B, x, p, r });
  setTime(t);
  t.say(
    '{when} {A} asked {B} for help. Where {x.was} {A.his} {x.bare}?',
    'Something was wrong, and {A} and {B} both knew it. {A} had lost {A.his} {x.bare}.',
    '{when} {A} and {B} could not find {x}. {A} had already looked in the butter dish.',
    '{when} {x} {x.was} gone, and {A} and {B} turned the whole house upside down.',
    '{when} {A} told {B} that {A.his} {x.bare} {x.was} nowhere to be seen.',
    'Together {A} and {B} looked for {x}. {A} had even asked a cat, who would not talk about it.',
  );
  t.tell(
    [{ kind: 'put', who: A, thing: x, place: p }],
    '"I know I left {x.it} {p}," {A.he} told {B}.',
    '"But I always keep {x.it} {p}!" {A.he} cried.',
    'Last night {A.he} had left {x.it} {p}, as {A.he} always did.',
    '{A.He} was sure that {A.he} had put {x.it} {p} before bed.',
    'Last night {A} had put {x} {p}.',
    '"But I left {x} {p}!" cried {A}.',
  );
  t.perhaps('{B} helped to look.', '{B} looked at {B.his} shoes.', '{B} scratched {B.his} nose.');
  t.say(
    'But now there was nothing there, or nothing but crumbs.',
    '{A} went to look, and all that {A.he} found was one very surprised beetle.',
    'They looked there together, and then once more, but no.',
  );
  t.paragraph();
  t.tell(
    [{ kind: 'put', who: B, thing: x, place: r }],
    'Then {B} went red. "I borrowed {x}," {B.he} said, "and I put {x.it} {r}."',
    '"Oh dear," said {B}. "I was tidying up, and I put {x} {r}."',
    'Then {B} began to laugh. {B.He} had put {x} {r} only an hour before.',
    'Now {B} coughed. "Do not be cross," {B.he} said. "I hid {x} {r}, and then I forgot."',
    'Then {B} went red. {B} had put {x} {r}.',
  );
  t.say(
    '{A} ran to look, and there {x.they} {x.was}, only a little dusty.',
    '{A} went to see, and it was true.',
    'Off they ran, and there {x.they} {x.was}.',
    '"Why there?" asked {A}. {B} had no idea.',
  );
  if (t.random.chance(1, 2)) lookAround(t);
  if (t.random.chance(2, 3)) end(t);
  else
    t.say(
      'From then on {A} wrote everything down in a notebook. Then {A.he} lost the notebook.',
      'From that day on {A} stuck a label on everything.',
      '"Next time," said {A}, "I will look {r} first."',
    );
}

/** A treasure hunt from clue to clue. @param {Telling} t @param {Cast} cast */
export function treasure(t, cast) {
  const [A, B] = cast.pair();
  const [x, y] = cast.things(2);
  const [p, q] = cast.places(2, true);
  t.set({ A, B, x, y, p, q });
  setTime(t);
  t.say(
    '{when} {A} and {B} found a note in a bottle.',
    '{when} {A} and {B} saw a piece of paper under the door.',
    '{when} there was a very old note on the doormat, for {A} and {B}.',
  );
  t.say(
    '"The treasure hunt begins {p}," it said.',
    'It said only this: "Start {p}, and bring a sandwich."',
    '"Clever children should look {p}," it said in green ink.',
  );
  t.paragraph();
  t.tell(
    [{ kind: 'put', thing: y, place: p }],
    '{p.At} they found {y.a} and another note.',
    'So they went to look, and {p} they found {y.a} with a second note.',
    'Of course {A} got there first. {p.At} lay {y.a} and one more note.',
  );
  t.say(
    '"You are getting warm," said the note, "and mind the nettles."',
    'This one was harder to read, because a snail had eaten most of it. ' +
      'But {B} could read the rest.',
    'On the back somebody had drawn an arrow and a very happy worm.',
  );
  t.perhaps(
    '{B} wanted a biscuit first.',
    '{A} hopped all the way.',
    'They left {y} {p} and ran.',
    '{A} fell over a hedgehog and said sorry.',
  );
  t.tell(
    [{ kind: 'put', thing: x, place: q }],
    'They looked and looked, and {q} they found {x.a}. That was the treasure!',
    'They looked and looked, and at last they found {x.a} {q}. That was the treasure!',
    'At last they found the treasure, {x.a} {q}.',
    'The treasure was {x.a}, and it had been {q} all the time.',
  );
  t.say(
    '"Just what I always wanted," said {A}.',
    '"It is not gold," said {B}, "but I like it better."',
    '{B} laughed so much that {B.he} had to sit down.',
    '"Grandma wrote those notes," said {A}. "They smell of her soup."',
  );
  if (t.random.chance(1, 3)) lookAround(t);
  end(t);
}

/** A strange sound at night, and the pet that made it. @param {Telling} t @param {Cast} cast */
export function noise(t, cast) {
  const [A, B] = cast.pair();
  const C = cast.pet();
  const [x, y] = cast.things(2);
  const [p, q] = cast.places(2, false);
  t.set({ A, B, C, x, y, p, q });
  t.say(
    'In the middle of the night {A} and {B} sat up in bed. Something went bump.',
    'It was long past midnight when {A} and {B} heard it. Thump, thump, squeak!',
    'One night {A} and {B} could not sleep, because something was rattling.',
    'Late at night something in the house went clang, and {A} and {B} woke up.',
  );
  t.say(
    '"I was dreaming of cake," said {B}.',
    '"Did you hear that?" asked {A}. "No," said {B}, and pulled up the blanket.',
    '{B} held on to {A} with both hands.',
  );
  t.tell(
    [{ kind: 'hold', who: A, thing: y }],
    '{A} took {y.a}, just in case, and they crept out.',
    'So {A} picked up {y.a} to feel braver, and out they went.',
    '{A.He} held {y.a} in front of {A.him} like a sword, and they tiptoed along.',
  );
  t.say(
    'First they looked {p}, but nobody was there.',
    '{p.At} there was only the dark, and a moth.',
    'The noise did not come from {p.the}. All was quiet there.',
  );
  t.perhaps('An owl hooted.', 'The floor creaked.', 'The moon looked in through the keyhole.');
  t.paragraph();
  t.tell(
    [{ kind: 'put', who: C, thing: x, place: q }],
    'Then they heard {C.full}. All by {C.himself}, {C.he} had put {x.a} {q}.',
    'It was only {C.full}, who lived with them. {C.He} had stolen {x.a}, ' +
      'and now {x.they} {x.was} {q}.',
    'There, {q}, sat {C.full}. {C.He} had dragged {x.a} across the floor and left {x.it} {q}.',
    'Then they heard {C.full}. {C} had put {x.a} {q}.',
    'It was only {C.full}, who lived with them. {C} had put {x.a} {q}.',
  );
  t.say(
    '"Oh, {C}!" said {B}. "It is two in the morning!"',
    '{C} looked as if {C.he} had been there all along.',
    '{B} laughed out loud, and {C} took a bow.',
    '{A} let out a long breath. "I was not afraid," {A.he} said, "only very awake."',
  );
  t.say(
    'They gave {C} something to eat and went back to bed.',
    'After that {C} was allowed to sleep at the end of the bed, and it was quiet at last.',
    '"No more noise after midnight," said {A}, and {C} seemed to nod.',
    'In the morning nobody believed a word of it.',
  );
}
