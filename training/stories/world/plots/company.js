/** Stories of a whole village. */
import { end, lookAround, setTime } from '../phrases.js';

/**
 * @typedef {import('../telling.js').Telling} Telling
 * @typedef {import('../cast.js').Cast} Cast
 */

/** Two have got something new, and may swap it. @param {Telling} t @param {Cast} cast */
export function festival(t, cast) {
  const [A, B] = cast.pair();
  const [x, y] = cast.things(2);
  const [p] = cast.places(1, true);
  t.set({ A, B, x, y, p });
  setTime(t);
  t.say(
    '{when} {A} and {B} went to the great village festival. Everybody met {p} and got a surprise.',
    '{when} Grandma had two parcels for {A} and {B}.',
    '{when} {A} and {B} met {p}, and each of them got a surprise.',
  );
  t.tell(
    [
      { kind: 'hold', who: A, thing: x },
      { kind: 'hold', who: B, thing: y },
    ],
    '{A} had {x.a}, and {B} had {y.a}.',
    '{A} got {x.a}, and for {B} there was {y.a}.',
    'There was {x.a} for {A}, and {y.a} for {B}.',
  );
  t.say(
    '"Just for me!" cried {A}. "And this is for me!" cried {B}.',
    'They showed them to each other, and then to a sheep.',
    '"I would rather have a cake," said Father, but nobody had asked him.',
    'Nobody had ever seen anything so fine.',
  );
  if (t.random.chance(1, 2)) lookAround(t);
  t.paragraph();
  if (t.random.chance(2, 3)) {
    t.say(
      'But {B} liked {x} more.',
      'But {B} was silent for a long time and looked at {x}.',
      'Then {B} looked from {y} to {x}.',
    );
    t.tell(
      [
        { kind: 'hold', who: B, thing: x },
        { kind: 'hold', who: A, thing: y },
      ],
      '"Just ask," said {A}, and gave {x} to {B}. In return {B} gave {y} to {A}.',
      'So they swapped. {A} gave {x} to {B}, and {B} gave {y} to {A}.',
    );
    t.say(
      'Now both of them were as happy as larks.',
      'It was done in the time that a hen needs to sneeze.',
      'And nobody else ever noticed.',
    );
  } else
    t.say(
      'After that {A} and {B} played until it was too dark to see.',
      'Then {A} and {B} made up a game with so many rules that it is still going on.',
      'In the evening {A} and {B} painted their names on {x} and {y}, to be safe.',
    );
  end(t);
}

const RACES = ['hopping race', 'sack race', 'potato race', 'pancake race', 'race to the river'];

/** A race, and its prize. @param {Telling} t @param {Cast} cast */
export function race(t, cast) {
  const [A, B] = cast.pair();
  const [x] = cast.things(1);
  const [p, q] = cast.places(2, true);
  t.set({ A, B, x, p, q, race: t.random.pick(RACES) });
  setTime(t);
  t.say(
    '{when} the whole village came to see {A} and {B} in the {race}.',
    '{when} {A} and {B} had an idea, and the idea was a {race}.',
    '{when} it was time for {A} and {B} to run the {race}, which is held every year.',
  );
  t.say(
    'They stood ready {p}.',
    '{A} was good at running. {B} was good at eating.',
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
    'A duck was in front for quite a while.',
    '{B} stopped to smell a flower, as anybody would.',
  );
  if (t.random.chance(1, 2)) lookAround(t);
  t.paragraph();
  const [F, G] = t.random.shuffled([A, B]);
  t.set({ F, G });
  t.tell(
    [{ kind: 'order', people: [F, G] }],
    'After all that {F} came first, and {G} came last.',
    'In the end it was {F} who won, just before {G}, who waved to everybody.',
    'First over the line was {F}. Then, after some time, came {G}.',
  );
  t.tell(
    [{ kind: 'hold', who: F, thing: x }],
    'So {F} got {x}, and everybody clapped.',
    'Grandma gave {x} to {F}, with a kiss on each cheek.',
    '"Well done, {F}," said Grandma, and {F} took {x} with both hands.',
  );
  if (t.random.chance(1, 2))
    t.tell(
      [{ kind: 'hold', who: G, thing: x }],
      'But {F} looked at {G} for a moment. Then {F} gave {x} to {G}.',
      'But a little later {F} gave {x} to {G}, who had been so brave.',
    );
  t.say(
    'A hen got a bun and seemed to think that it had won.',
    '"That was only practice," said {G}.',
    '"Next year we will do it backwards," said {G}.',
  );
  end(t);
}
