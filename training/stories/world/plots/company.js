/** Stories of a whole village. */
import { end, lookAround, setTime } from '../phrases.js';
import { article } from '../entities.js';
import { capital } from '../telling.js';

/**
 * @typedef {import('../telling.js').Telling} Telling
 * @typedef {import('../cast.js').Cast} Cast
 */

/** Everybody has the same thing in another colour. @param {Telling} t @param {Cast} cast */
export function colours(t, cast) {
  const [A, B] = cast.pair();
  const C = cast.child();
  const [x, y, z] = cast.colours(3);
  const [p] = cast.places(1, true);
  const { noun } = x;
  const a = `${article(noun)} ${noun}`;
  t.set({ A, B, C, x, y, z, p });
  setTime(t);
  t.say(
    `{when} it was the great ${noun} festival. Everybody in the village met {p}.`,
    `{when} Grandma came back from the city with three parcels, and in each was ${a}.`,
    `{when} three children met {p}, and each of them had a new ${noun}.`,
  );
  t.tell(
    [
      { kind: 'hold', who: A, thing: x },
      { kind: 'hold', who: B, thing: y },
      { kind: 'hold', who: C, thing: z },
    ],
    '{A} had {x}, {B} had {y}, and {C} had {z}.',
    '{A} got {x}, {B} got {y}, and {z} was for {C}.',
    '{x.The} belonged to {A}, {y} to {B} and {z} to {C}.',
  );
  t.say(
    '"Mine is the best," said {A}. "No, mine," said {B}, and {C} just smiled.',
    'They showed them to each other, and then to the sheep.',
    '"They are all alike," said Father. He was never forgiven for that.',
    `Nobody had ever seen such ${a}, let alone three.`,
  );
  if (t.random.chance(1, 2)) lookAround(t);
  t.paragraph();
  t.set({ F: A, G: B });
  if (t.random.chance(2, 3)) {
    const [F, G] = t.random.shuffled([A, B, C]);
    const mine = F === A ? x : F === B ? y : z;
    const yours = G === A ? x : G === B ? y : z;
    t.set({ F, G, mine, yours });
    t.say(
      'But {F} had always liked {yours} more.',
      'But {F} was silent for a long time and looked at {yours}.',
      'Then {F} whispered something to {G}.',
    );
    t.tell(
      [
        { kind: 'hold', who: F, thing: yours },
        { kind: 'hold', who: G, thing: mine },
      ],
      '"Just ask," said {G}, and gave {F} {yours}. In return {F} gave {G} {mine}.',
      'So {F} and {G} swapped. {F} took {yours}, and {G} took {mine}.',
    );
    t.say(
      'Now everybody was happy, even Father.',
      'It was done in the time that a hen needs to sneeze.',
      'And nobody else ever noticed.',
    );
  } else
    t.say(
      'They played until the street lamps came on.',
      'They made up a game with so many rules that it is still going on.',
      'In the evening they painted their names on them, to be safe.',
    );
  end(t);
}

const RACES = ['snail race', 'sack race', 'three-legged race', 'pancake race', 'race to the river'];

/** A race, and its prize. @param {Telling} t @param {Cast} cast */
export function race(t, cast) {
  const [A, B] = cast.pair();
  const C = cast.child();
  const [x] = cast.things(1);
  const [p, q] = cast.places(2, true);
  const kind = t.random.pick(RACES);
  t.set({ A, B, C, x, p, q, race: kind });
  setTime(t);
  t.say(
    '{when} the whole village came to see the {race}.',
    '{when} {B} had an idea, and the idea was a {race}.',
    '{when} it was time for the {race}, which is held every year.',
  );
  t.say(
    '{A}, {B} and {C} stood ready {p}.',
    '{A} had practised for weeks. {B} and {C} had practised eating.',
    'There were {A}, {B} and {C}, and a goose that had not been asked.',
  );
  t.tell(
    [{ kind: 'put', thing: x, place: q }],
    'The prize was waiting {q}. It was {x.a}.',
    '{q.At} was the prize, {x.a}.',
    'Father had left {x.a} {q}, and that was the prize.',
  );
  t.say(
    '"Ready, steady, go!" cried Grandma.',
    '"One, two, three!" they counted, and off they went.',
  );
  t.say(
    '{C} slipped on a leaf, and {A} went the wrong way around a tree.',
    'The goose was in front for quite a while.',
    '{B} stopped to pat a dog, as anybody would.',
  );
  if (t.random.chance(1, 2)) lookAround(t);
  t.paragraph();
  const [F, G, H] = t.random.shuffled([A, B, C]);
  t.set({ F, G, H });
  t.tell(
    [{ kind: 'order', people: [F, G, H] }],
    '{F} came first, {G} came second, and {H} came last.',
    'In the end it was {F} who won, just before {G}. {H} came last and waved to everybody.',
    'First over the line was {F}. Then came {G}, and then, after some time, {H}.',
  );
  t.tell(
    [{ kind: 'hold', who: F, thing: x }],
    'So {F} got {x}, and everybody clapped.',
    'Grandma gave {x} to {F}, with a kiss on each cheek.',
    '"Well done, {F}," said Grandma, and {F} took {x} home.',
  );
  if (t.random.chance(1, 2))
    t.tell(
      [{ kind: 'hold', who: H, thing: x }],
      'But {F} looked at {H} for a moment. Then {F} gave {x} to {H}.',
      'But the next day {F} gave {x} to {H}, who had been the bravest.',
    );
  t.say(
    'The goose got a bun and seemed to think that it had won.',
    `"${capital(kind)} or no ${kind}," said {G}, "now we eat."`,
    'Next year they will do it backwards.',
  );
  end(t);
}
