/** Stories with several things in an order that matters. */
import { end, lookAround, setTime } from '../phrases.js';

/**
 * @typedef {import('../telling.js').Telling} Telling
 * @typedef {import('../cast.js').Cast} Cast
 */

/** A bag is packed, and unpacked in the same order. @param {Telling} t @param {Cast} cast */
export function packing(t, cast) {
  const [A, B] = cast.pair();
  const [x, y, z] = cast.things(3);
  t.set({ A, B, x, y, z });
  setTime(t);
  t.say(
    '{when} {A} told {B} that {A.he} was going to see Grandpa.',
    '{when} {A} told {B} that {A.he} would stay with Grandma for a night.',
    '{when} {A} told {B} that {A.he} would travel around the world, ' +
      'or at least to the next village.',
    '{when} {A} asked {B} what to pack for the seaside.',
  );
  t.perhaps(
    '"Do not forget your toothbrush," said {B}. It was the first thing that {A} forgot.',
    '{B} sat on the bed and gave advice.',
    'A good traveller needs only three things.',
  );
  t.tell(
    [{ kind: 'list', who: A, verb: 'pack', things: [x, y, z] }],
    'Into the bag went {x.a}, {y.a} and {z.a}.',
    '{A.He} packed {x.a}, {y.a} and {z.a}, in that order.',
    'First {A.he} packed {x.a}, then {y.a}, and last of all {z.a}.',
    '{A} packed {x.a}, {y.a} and {z.a}, in that order.',
    'First {A} packed {x.a}, then {y.a}, and last of all {z.a}.',
  );
  t.say(
    '"Is that all?" asked {B}. "It is all that I can carry," said {A}.',
    'The bag would not shut until {B} sat on it.',
    'There was even space for a sandwich.',
    'The bag was now rounder than {A}.',
  );
  t.paragraph();
  t.say(
    'The train was late, and so was the bus.',
    'It was a long way, with two hills and a goose in it.',
    'On the way a ticket inspector wanted to see everything.',
  );
  t.say(
    'At every stop {A} counted: {x}, {y} and {z}.',
    '"{x.The}, {y} and {z}," {A} said to {A.himself}. "Good."',
    'When {A} arrived, out came {x}, {y} and {z}.',
  );
  if (t.random.chance(1, 2)) lookAround(t);
  t.say(
    'Can you guess which of the three was needed first? {y.The}!',
    'In the evening {A} wrote a postcard. "I have everything," it said. "Please send socks."',
    'All three things were there, and {A} was rather proud.',
    'Only a toothbrush was missing.',
  );
  t.say(
    'That night {A} slept in a bed that smelled of lavender.',
    'When it was over, {A} went home again, with mud on both shoes.',
    '"Next time I will bring {B}," said {A}, "and a bigger bag."',
    'Then it was time for soup.',
    'It was the best place in the world, apart from home.',
    'At home {B} looked out of the window and counted the days.',
  );
}

/** Errands in the town, one after the other. @param {Telling} t @param {Cast} cast */
export function market(t, cast) {
  const [A, B] = cast.pair();
  const [x, y, z] = cast.things(3);
  t.set({ A, B, x, y, z });
  setTime(t);
  t.say(
    '{when} {A} went to the market with one big coin, and {B} stayed behind.',
    '{when} Grandma sent {A} to the market, and {B} told {A.him} to choose well.',
    '{when} the market came to town, and {A} ran there without {B}.',
  );
  t.tell(
    [{ kind: 'list', who: A, verb: 'buy', things: [x, y, z] }],
    'First {A.he} bought {x.a}. Next {A.he} bought {y.a}. In the end {A.he} bought {z.a} too.',
    '{A.He} bought {x.a}, then {y.a}, and with the last of the money {z.a}.',
    'At the first stall {A.he} bought {x.a}, at the second {y.a} and at the third {z.a}.',
    '{A} bought {x.a}, then {y.a}, and with the last of the money {z.a}.',
    'At the first stall {A} bought {x.a}, at the second {y.a} and at the third {z.a}.',
  );
  t.say(
    '"You have an eye for fine things," said a woman with curls.',
    'A man with a beard gave {A.him} a plum for the way.',
    'A parrot tried to sell {A.him} a used ladder, but {A} was firm.',
    'There was no money left for lemonade, so {A.he} drank from the pump.',
  );
  if (t.random.chance(1, 2)) lookAround(t);
  t.paragraph();
  t.say(
    'At home {B} wanted to know everything.',
    'On the way back {A} met {B}, who was curious, as always.',
    'At the corner {B} was waiting. "Show me!" {B.he} said.',
  );
  t.say(
    '"{x.The}, {y} and {z}," said {A}, and counted them on {A.his} fingers.',
    'So {A} took out {x}, {y} and {z}, and put them in a row.',
    '"I bought {x}, {y} and {z}," said {A}.',
  );
  t.tell(
    [{ kind: 'hold', who: B, thing: y }],
    '"For me?" asked {B}, and {A} let {B.him} have {y}. {B} was as proud as a king.',
    '{A} gave {y} to {B}, because {A.he} was in a good mood.',
    '{B} liked {y} best, so {A} gave {y.it} to {B.him}.',
  );
  end(t);
}

/** Everybody carries something up a hill. @param {Telling} t @param {Cast} cast */
export function picnic(t, cast) {
  const [A, B] = cast.pair();
  const C = cast.pet();
  const [x, y] = cast.things(2);
  const [p, q] = cast.places(2, true);
  t.set({ A, B, C, x, y, p, q });
  setTime(t);
  t.say(
    '{when} {A}, {B} and {C.full} set out for a picnic.',
    '{when} there was to be a picnic. {A} and {B} made sandwiches, and {C.full} tasted them.',
    '{when} {A} said the word picnic, and {B} and {C.full} were at the door before {A.him}.',
  );
  t.tell(
    [
      { kind: 'hold', who: A, thing: x },
      { kind: 'hold', who: B, thing: y },
    ],
    '{A} carried {x.a}, {B} carried {y.a}, and {C} carried the news.',
    '{A} took {x.a} and {B} took {y.a}. {C} took {C.his} time.',
    '"I will bring {x.a}," said {A}. {B} brought {y.a}, because one never knows.',
  );
  if (t.random.chance(1, 2)) lookAround(t);
  t.tell(
    [{ kind: 'put', who: A, thing: x, place: p }],
    'They had a rest, and {A} put {x} down {p}.',
    'It was a long way, so {A} left {x} {p}, to be fetched later.',
    '{x.The} became a nuisance, and {A} hid {x.it} {p}.',
  );
  t.say(
    'The sandwiches were cheese, or had been before {C} found them.',
    'They ate everything, and {C} ate the rest.',
    'A wasp came to eat with them and was very hard to please.',
    '{B} told the one about the bear and the bagpipes.',
  );
  t.paragraph();
  t.say(
    'Then big drops began to fall.',
    'Then there was thunder, not far away.',
    'Then the sun went behind a cloud the size of a whale.',
    'Then somebody looked at the time. It was late already!',
  );
  const kept = t.random.chance(1, 2);
  if (kept)
    t.tell(
      [{ kind: 'hold', who: C, thing: y }],
      '{B} dropped {y}, but {C} picked {y.it} up and ran.',
      '{C} took {y} from {B} and was the first to run.',
    );
  else
    t.tell(
      [{ kind: 'put', who: B, thing: y, place: q }],
      '{B} set {y} down {q}, and everybody ran.',
      'In the hurry {B} left {y} {q}.',
    );
  t.say(
    'Only at home did {A} think of {x}. "Tomorrow," {A.he} said, and rubbed {A.his} feet.',
    'At home they sat down. "We forgot {x}," said {A}. "Then we must go again," said {B}.',
    'They got home out of breath, and very tired.',
  );
  end(t);
}
