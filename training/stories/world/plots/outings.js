/** Stories of small adventures, and of letters about them. */
import { end, lookAround, setTime } from '../phrases.js';

/**
 * @typedef {import('../telling.js').Telling} Telling
 * @typedef {import('../cast.js').Cast} Cast
 */

/** A walk on the beach, where things are found. @param {Telling} t @param {Cast} cast */
export function beach(t, cast) {
  const [A, B] = cast.pair();
  const [x, y, z] = cast.things(3);
  t.set({ A, B, x, y, z });
  setTime(t);
  t.say(
    '{when} {A} and {B} walked along the beach to see what the sea had left.',
    '{when} {A} and {B} went to the sea.',
    '{when} the tide was out, and {A} and {B} ran down to the sand.',
  );
  t.perhaps(
    'The gulls were shouting about fish.',
    '{B} took off {B.his} shoes and never saw them again.',
    'The waves said hush, hush, as they always do.',
  );
  t.tell(
    [{ kind: 'list', who: A, verb: 'find', things: [x, y, z] }],
    'First {A} found {x.a}. A little later {A.he} found {y.a}, and in the end {z.a}.',
    '{A} found {x.a} between two rocks, then {y.a}, and then {z.a} in the sand.',
    'In the seaweed {A} found {x.a}. Behind a rock {A.he} found {y.a}, and in a pool {z.a}.',
  );
  t.say(
    '"The sea is very forgetful," said {B}.',
    '"{x.The}, {y} and {z}," {A} counted. "We could open a shop!"',
    'A crab looked at all of it and shook its head.',
  );
  t.paragraph();
  if (t.random.chance(1, 2)) lookAround(t);
  t.tell(
    [{ kind: 'hold', who: B, thing: z }],
    'In the end {B} wanted {z} so much that {A} said yes. Now {B} carried {z}.',
    'Three things were too much for two hands, so {B} carried {z}.',
    '"May I have {z}?" asked {B}. "If you like," said {A}. So {B} got {z}.',
  );
  t.say(
    'They wrote their names in the sand and let the sea read them.',
    'They built a castle with a very good moat and a very bad tower.',
    '{A} wrote a message, put it in a bottle and threw it far out. It came straight back.',
  );
  end(t);
}

/** An orchestra of whatever is at hand. @param {Telling} t @param {Cast} cast */
export function band(t, cast) {
  const [A, B] = cast.pair();
  const [x, y] = cast.things(2);
  const [p] = cast.places(1, true);
  t.set({ A, B, x, y, p });
  setTime(t);
  t.say(
    '{when} {A} and {B} started a band. They had no instruments, but that did not stop them.',
    '{when} {A} and {B} were going to give a concert {p}, and nobody had told the neighbours.',
    '{when} {A} told {B} that anything can be music if you hit it right.',
  );
  t.tell(
    [
      { kind: 'hold', who: A, thing: x },
      { kind: 'hold', who: B, thing: y },
    ],
    '{A} played {x.a}, and {B} played {y.a}.',
    '{A} took {x.a}, and {B} had to be content with {y.a}.',
    'For {A} there was {x.a}, and for {B} {y.a}.',
  );
  t.say(
    'It sounded like a cow on a staircase.',
    'The first song was short, and the second was shorter.',
    'A mouse came out of its hole and asked for a quiet song.',
    'All the birds stopped to listen, and then they left.',
  );
  if (t.random.chance(1, 2)) lookAround(t);
  t.paragraph();
  const [F, G] = t.random.shuffled([A, B]);
  const mine = F === A ? x : y;
  t.set({ F, G, mine });
  t.tell(
    [{ kind: 'put', who: F, thing: mine, place: p }],
    'After the third song {F} needed a rest and left {mine} {p}.',
    'Then {F} put {mine} down {p} and began to dance instead.',
    'Then {F} bowed so deeply that {F.he} dropped {mine}. There {mine.they} lay, {p}.',
  );
  if (t.random.chance(1, 2))
    t.tell(
      [{ kind: 'hold', who: G, thing: mine }],
      'So {G} picked up {mine} and played on.',
      'But a band needs every note, and {G} took {mine} as well.',
    );
  t.say(
    'Grandma clapped and clapped, and then she put the cotton back into her ears.',
    'When it was over, the whole street was silent, and somebody cried, "Thank you!"',
    '"We are getting better," said {G}. It was hard to say how {G.he} knew.',
    'They were paid with plums, which is not bad for a first concert.',
  );
  end(t);
}

/** The wind or a bird takes something away. @param {Telling} t @param {Cast} cast */
export function stuck(t, cast) {
  const [A, B] = cast.pair();
  const [x, y] = cast.things(2);
  const [p, q] = cast.places(2, true);
  t.set({ A, B, x, y, p, q });
  setTime(t);
  t.tell(
    [{ kind: 'hold', who: A, thing: x }],
    '{when} {A} went for a walk with {x.a}, although {B} had warned {A.him} about the wind.',
    '{when} {A} asked {B} whether {x.a} could fly, and tried it.',
    '{when} {A} had {x.a} on {A.his} head, and {B} was counting the seconds.',
  );
  t.tell(
    [{ kind: 'put', thing: x, place: p }],
    'Whoosh! A gust of wind came, and {x} landed {p}.',
    'Then a magpie took {x} in its beak and dropped {x.it} {p}.',
    'One, two, three, and {x} flew through the air and came down {p}.',
  );
  t.say(
    '{A} could not get at {x.it}, because an angry goose was in the way.',
    '"Come back!" cried {A}, but it was no use.',
    '"I will never get {x.it} back," said {A}, and {A.his} lip began to tremble.',
  );
  t.paragraph();
  t.tell(
    [{ kind: 'hold', who: B, thing: y }],
    'After a moment {B} fetched {y.a}.',
    'But {B} always has a plan. {B.He} went away and came back with {y.a}.',
    '"Wait here," said {B}, and took {y.a} from {B.his} bag.',
  );
  if (t.random.chance(1, 2)) lookAround(t);
  t.say(
    '{B} had a good plan, and it was very loud.',
    'Nobody could explain afterwards how {B} did it.',
    'It took four tries, two bruises and a bad word that is only used by sailors.',
  );
  t.tell(
    [{ kind: 'hold', who: B, thing: x }],
    'Now {B} had {x}, and mud on {B.his} nose.',
    'And there stood {B}, as calm as a cow, with {x} in {B.his} hand.',
  );
  if (t.random.chance(1, 2))
    t.tell(
      [{ kind: 'hold', who: A, thing: x }],
      '{B} gave {x} back to {A}, who jumped for joy.',
      '"Here," said {B}, and {A} took {x} and hugged {x.it}.',
    );
  if (t.random.chance(1, 2))
    t.tell(
      [{ kind: 'put', who: B, thing: y, place: q }],
      'On the way home {B} forgot {y}, and left {y.it} {q}.',
      'On the way home {B} left {y} {q}.',
    );
  end(t);
}

/** A letter with news from home. @param {Telling} t @param {Cast} cast */
export function letter(t, cast) {
  const [A, B] = cast.pair();
  const C = cast.pet();
  const [x, y] = cast.things(2);
  const [p, q] = cast.places(2);
  t.set({ A, B, C, x, y, p, q });
  setTime(t);
  t.say(
    '{when} {A} sat down and wrote a letter to {B}, who was at the seaside.',
    '{when} {A} wrote a letter to {B}, who had been at the seaside for three whole days.',
    '{when} {A} wrote a letter to {B} at the seaside and got jam on the stamp.',
  );
  t.say(
    '"Dear {B}," it said, "it is very quiet here without you.',
    '"Dear {B}," it began, "everything is fine, apart from the ceiling.',
    '"Dear {B}," it said, "please do not be angry before you reach the end.',
  );
  t.tell(
    [{ kind: 'put', thing: x, place: p }],
    'I have put your {x.bare} {p}, so that nothing happens to {x.it}.',
    'I borrowed your {x.bare} and left {x.it} {p}.',
    'Your {x.bare} {x.is} {p} now, because I tidied up.',
  );
  t.tell(
    [{ kind: 'hold', who: C, thing: y }],
    '{C.Full} has {y} and will not give {y.it} back.',
    'Do you remember {y}? {C.Full} has {y.it} now.',
    '{C.Full} got {y} and sleeps with {y.it} every night.',
    '{C.Full} has {y} now, and nobody knows why.',
    'And {C.full} has {y}, of all things.',
  );
  t.say(
    'Come home soon. There is cake, but I cannot say for how long."',
    'I am writing this upside down, and it makes me dizzy."',
    'I miss you more than I miss the biscuits, and you know what that means."',
  );
  t.paragraph();
  t.say(
    'At the seaside {B} read it twice and laughed three times.',
    'At once {B} showed it to everybody on the beach.',
    'Far away {B} read it, and then had to sit down.',
  );
  if (t.random.chance(2, 3)) {
    t.tell(
      [{ kind: 'put', who: C, thing: y, place: q }],
      'When {B} came home at last, {C} had hidden {y} {q}.',
      '{B} packed at once. At home {C} had already lost interest and dropped {y} {q}.',
    );
    end(t);
  } else
    t.say(
      'The answer came on a postcard. "I am not angry," it said. "Bake me a cake."',
      'Then {B} wrote back. "I am coming home, and I have a shell for you."',
      'Then {B} thought for a long time that home was not so bad either.',
    );
}
