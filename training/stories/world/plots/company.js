/** Stories of a whole village. */
import { end, lookAround, setTime } from '../phrases.js';
import { article } from '../entities.js';
import { capital } from '../telling.js';

/**
 * @typedef {import('../telling.js').Telling} Telling
 * @typedef {import('../cast.js').Cast} Cast
 */

/** Two have the same thing in another colour. @param {Telling} t @param {Cast} cast */
export function colours(t, cast) {
  const [A, B] = cast.pair();
  const [x, y] = cast.colours(2);
  const [p] = cast.places(1, true);
  const { noun } = x;
  const a = `${article(noun)} ${noun}`;
  t.set({ A, B, x, y, p });
  setTime(t);
  t.say(
    `{when} {A} and {B} went to the great ${noun} festival. Everybody in the village met {p}.`,
    `{when} Grandma had two parcels for {A} and {B}, and in each was ${a}.`,
    `{when} {A} and {B} met {p}, and each of them had a new ${noun}.`,
  );
  t.tell(
    [
      { kind: 'hold', who: A, thing: x },
      { kind: 'hold', who: B, thing: y },
    ],
    '{A} had {x}, and {B} had {y}.',
    '{A} got {x}, and {y} was for {B}.',
    '{x.The} belonged to {A}, and {y} to {B}.',
  );
  t.say(
    '"Mine is the best," said {A}. "No, mine," said {B}.',
    'They showed them to each other, and then to the sheep.',
    '"They look the same to me," said Father. He was never forgiven for that.',
    `Nobody had ever seen such ${a}, let alone two.`,
  );
  if (t.random.chance(1, 2)) lookAround(t);
  t.paragraph();
  if (t.random.chance(2, 3)) {
    const [F, G] = t.random.shuffled([A, B]);
    const [mine, yours] = F === A ? [x, y] : [y, x];
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
  const [x] = cast.things(1);
  const [p, q] = cast.places(2, true);
  const kind = t.random.pick(RACES);
  t.set({ A, B, x, p, q, race: kind });
  setTime(t);
  t.say(
    '{when} the whole village came to see {A} and {B} in the {race}.',
    '{when} {A} and {B} had an idea, and the idea was a {race}.',
    '{when} it was time for {A} and {B} to run the {race}, which is held every year.',
  );
  t.say(
    'They stood ready {p}.',
    '{A} had practised for weeks. {B} had practised eating.',
    'There was also a goose, which had not been asked.',
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
    '{B} slipped on a leaf, and {A} went the wrong way around a tree.',
    'The goose was in front for quite a while.',
    '{B} stopped to pat a dog, as anybody would.',
  );
  if (t.random.chance(1, 2)) lookAround(t);
  t.paragraph();
  const [F, G] = t.random.shuffled([A, B]);
  t.set({ F, G });
  t.tell(
    [{ kind: 'order', people: [F, G] }],
    'This time {F} came first, and {G} came last.',
    'In the end it was {F} who won, just before {G}, who waved to everybody.',
    'First over the line was {F}. Then, after some time, came {G}.',
  );
  t.tell(
    [{ kind: 'hold', who: F, thing: x }],
    'So {F} got {x}, and everybody clapped.',
    'Grandma gave {x} to {F}, with a kiss on each cheek.',
    '"Well done, {F}," said Grandma, and {F} took {x} home.',
  );
  if (t.random.chance(1, 2))
    t.tell(
      [{ kind: 'hold', who: G, thing: x }],
      'But {F} looked at {G} for a moment. Then {F} gave {x} to {G}.',
      'But the next day {F} gave {x} to {G}, who had been the bravest.',
    );
  t.say(
    'The goose got a bun and seemed to think that it had won.',
    `"${capital(kind)} or no ${kind}," said {G}, "now we eat."`,
    'Next year they will do it backwards.',
  );
  end(t);
}
