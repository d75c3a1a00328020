/** Stories in which things go from hand to hand. */
import { end, lookAround, setTime } from '../phrases.js';

/**
 * @typedef {import('../telling.js').Telling} Telling
 * @typedef {import('../cast.js').Cast} Cast
 * @typedef {import('../entities.js').Entity} Entity
 */

/** One of these ways that x goes from F to G. */
const GIVING = [
  'So {F} gave {x} to {G}.',
  'Soon {F} handed {x} to {G} and ate a biscuit.',
  '"Hold {x.this} for a moment," said {F}, and {G} took {x}.',
  'Then {F} had to sneeze, so {G} took {x}.',
  'After a while {G} took {x} from {F}.',
  'By now {F} was tired and passed {x} on to {G}.',
  '"My turn," said {G}, and took {x} from {F}.',
  'Then {F} threw {x} high into the air, and it was {G} who caught {x.it}.',
  'But {F} had a stone in {F.his} shoe, and so {G} carried {x}.',
  '"You carry {x.it}, I have sticky fingers," said {F}, and {G} took {x}.',
];

/**
 * A function that hands x on, each time in another way.
 * @param {Telling} t
 * @param {Entity} x
 * @returns {(F: Entity, G: Entity) => void}
 */
function handing(t, x) {
  const ways = t.random.shuffled(GIVING);
  return (F, G) => {
    t.set({ F, G });
    t.tell([{ kind: 'hold', who: G, thing: x }], ways.pop() ?? GIVING[0]);
  };
}

/** A thing goes round. @param {Telling} t @param {Cast} cast */
export function round(t, cast) {
  const [A, B] = cast.pair();
  const C = cast.child();
  const [x] = cast.things(1);
  const [p] = cast.places(1, true);
  t.set({ A, B, C, x, p });
  setTime(t);
  t.tell(
    [{ kind: 'hold', who: A, thing: x }],
    '{when} {A} came outside with {x.a}.',
    '{when} {A} found {x.a} in a puddle and dried {x.it} on {A.his} sleeve.',
    '{when} {A} brought {x.a} to show to the others.',
    '{when} {A} got {x.a} from {A.his} uncle, who sails ships.',
  );
  t.say(
    '{B} and {C} wanted to try {x.it} at once.',
    '{B} and {C} had never seen anything so fine.',
    '"Ooh," said {B}, and "Aah," said {C}.',
    '{B} and {C} came running.',
  );
  const give = handing(t, x);
  let holder = t.random.pick([B, C]);
  give(A, holder);
  if (t.random.chance(1, 2)) lookAround(t);
  t.paragraph();
  for (let hops = 1 + t.random.below(2); hops > 0; hops--) {
    const next = t.random.pick([A, B, C].filter((one) => one !== holder));
    give(holder, next);
    holder = next;
    if (hops === 2)
      t.perhaps(
        'So it went on for a while.',
        'A cloud came and went.',
        'They looked for a place to sit and found one {p}.',
      );
  }
  t.say(
    'By now even the wind wanted to try {x}.',
    'By then it was nearly time for tea.',
    'There they sat, {p}, and were content.',
    'And there, for the moment, the matter rested.',
  );
  end(t);
}

/** Two friends exchange what they have. @param {Telling} t @param {Cast} cast */
export function swap(t, cast) {
  const [A, B] = cast.pair();
  const [x, y] = cast.things(2);
  t.set({ A, B, x, y });
  setTime(t);
  t.tell(
    [
      { kind: 'hold', who: A, thing: x },
      { kind: 'hold', who: B, thing: y },
    ],
    '{when} {A} had {x.a}, and {B} had {y.a}.',
    '{when} {A} went to market with {x.a}, and {B} went with {y.a}.',
    '{when} {A} was playing with {x.a} while {B} was busy with {y.a}.',
    'For {A.his} birthday {A} got {x.a}. On the same day {B} got {y.a}.',
  );
  t.say(
    'Each of them looked at the other one and sighed.',
    'It is a well known fact that other people have better things.',
    '"Yours {y.is} nicer than mine," said {A}. "No, yours {x.is}," said {B}.',
    '"I am bored with {x.this}," said {A}.',
  );
  if (t.random.chance(1, 3)) lookAround(t);
  t.tell(
    [
      { kind: 'hold', who: B, thing: x },
      { kind: 'hold', who: A, thing: y },
    ],
    'So they swapped. {A} gave {x} to {B}, and {B} gave {y} to {A}.',
    '"Let us trade," they said. So {A} gave {x} to {B}, and {B} gave {y} to {A}.',
    'They counted to three. Then {A} gave {x} to {B}, and {B} gave {y} to {A}.',
  );
  t.paragraph();
  t.say(
    'After ten minutes everything was still perfect.',
    'Both of them were so happy that they forgot to eat.',
    'That day {A} went home with a song, and {B} went home with a bigger one.',
    'Both were sure that they had made the better deal.',
  );
  t.say(
    'And so it stayed.',
    'Neither of them wanted to swap back.',
    'And that made them the best of friends.',
  );
  end(t);
}

/** A word that must be passed on. @param {Telling} t @param {Cast} cast */
export function secret(t, cast) {
  const [A, B] = cast.pair();
  const W = cast.invented();
  const [p] = cast.places(1, true);
  t.set({ A, B, W, p });
  setTime(t);
  t.say(
    '{when} {A} and {B} started a club that met {p}.',
    '{when} {A} and {B} had an idea. They would have a secret club {p}.',
    '{when} {A} and {B} sat {p}, and {A} said that every club needs a secret word.',
  );
  t.tell(
    [{ kind: 'word', asks: 'What was the secret word?', word: W }],
    '"The secret word is {W}," whispered {A} to {B}. "Tell nobody."',
    '{A} thought hard. "Our secret word is {W}," {A.he} said at last.',
    '{A} wrote the secret word on a leaf. It said {W}.',
  );
  t.say(
    '"What does {W} mean?" asked {B}. "Nothing at all," said {A}. "Nobody will guess it."',
    '{B} said it over and over. {W}, {W}, {W}.',
    '{B} whispered it back. It was fun to say {W}, because it tickled.',
  );
  if (t.random.chance(1, 2)) lookAround(t);
  t.paragraph();
  t.say(
    'Then {B} went for a walk and came back. "Stop! Who is there?" asked {A}.',
    'Then {B} went away, and soon there were steps. "Say the secret word," called {A}.',
    'Then {B} went away and came back with cake. "First the secret word," said {A}.',
  );
  t.say(
    '"It is {W}!" said {B}, and was welcome.',
    '{B} looked left, looked right and whispered that it was {W}.',
    '"Is it pudding?" asked {B}. It was not. "Then it is {W}," said {B}, and was welcome.',
  );
  t.say(
    'It was the best club in the whole street.',
    'They ate cake and made a law against washing.',
    'Nobody else ever found out, though a cat had its ideas.',
    'The club had only one rule, and they forgot it at once.',
  );
  end(t);
}
