/** Sentences that any story may have: its beginning, something to look at, and its end. */

/** @typedef {import('./telling.js').Telling} Telling */

const WHEN = [
  'One windy morning,',
  'One bright morning,',
  'On the first warm day of spring,',
  'One grey afternoon,',
  'One Saturday,',
  'On a slow Sunday,',
  'Just after breakfast,',
  'Early one morning,',
  'One afternoon in June,',
  'On the last day of the holidays,',
  'One fine morning,',
  'After a week of rain,',
  'Late one summer day,',
  'The day after the fair,',
  'One Tuesday,',
  'One Thursday,',
];

/** @param {Telling} t */
export const setTime = (t) => t.set({ when: t.random.pick(WHEN) });

/**
 * Subjects that a noun of the other number follows before their verb. Living things have moods of
 * their own.
 */
const CREATURES = {
  was: [
    'Somewhere a cat between the flowerpots',
    'Far away a snail on the cabbages',
    'Far away a crow above the chimneys',
    'Somewhere an old man behind the newspapers',
    'Somewhere a beetle among the pebbles',
  ],
  were: [
    'Far away the hens behind the fence',
    'Far away the sheep beside the river',
    'Somewhere the bees around the apple tree',
    'Somewhere the frogs in the ditch',
    'Somewhere the neighbours across the road',
  ],
};
const THINGS = {
  was: [
    'In some house the painting above the chairs',
    'Far away a scarecrow between the fields',
    'Far away a chimney above the houses',
    'Somewhere a sign near the trees',
  ],
  were: [
    'In some house the pictures in the corner',
    'Somewhere the plates near the sink',
    'Far away the flowers beside the path',
    'Far away the pumpkins behind the wall',
  ],
};
const MOODS = [
  'in no hurry at all.',
  'as quiet as could be.',
  'louder than usual.',
  'in a good mood.',
  'not interested.',
  'busy with other things.',
  'very pleased about something.',
];
const LOOKS = [
  'a little crooked, as always.',
  'a wonderful sight.',
  'the pride of the village.',
  'a little prettier than last year.',
];
const MUSINGS = [
  'Somewhere a door banged.',
  'From somewhere came a smell of toast.',
  'A spider watched and said nothing.',
  'Somewhere somebody laughed.',
  'Far away a dog barked twice.',
  'Somewhere a leaf came down, in no hurry.',
  'A moth flew past, turned around and flew past again.',
  'Somewhere a cloud in the shape of a shoe went by.',
  'It was the kind of day on which such things happen.',
];

/** Something at the side, whose verb agrees with a subject some words back. @param {Telling} t */
export function lookAround(t) {
  const { random } = t;
  if (random.chance(1, 3)) t.say(...MUSINGS);
  else {
    const verb = random.chance(1, 2) ? 'was' : 'were';
    const [subjects, rests] = random.chance(1, 2) ? [CREATURES, MOODS] : [THINGS, LOOKS];
    t.say(`${random.pick(subjects[verb])} ${verb} ${random.pick(rests)}`);
  }
}

const ENDS = [
  'And then, because nobody had a better idea, there were pancakes.',
  'That night everyone slept very well, except the owls.',
  'It had been a good day, and tomorrow would be another.',
  'In the evening the moon came up and looked pleased.',
  'Then there was plum cake, and nobody left a crumb.',
  'The wind began to howl, but nobody minded.',
  'There was soup that day, and everybody had two plates.',
  'Nobody could remember a better day, and nobody tried.',
  'In the end there was cocoa, and there were two cups each.',
  'In the evening the stars came out, as if to count everybody.',
  'After that everybody did nothing at all, and did it very well.',
  'Supper was late that day, but there was more of it.',
  'Even the wind held its breath, so as not to disturb anybody.',
  'And that was that.',
  'And that is the whole story, apart from the jam.',
  'Somebody began to sing, and soon everybody did.',
  'When Grandpa heard about it, he laughed until he got the hiccups.',
];
const ENDS_OF_TWO = [
  '"That was good," said {B}. "It was," said {A}.',
  '{A} and {B} laughed about it for a week.',
  '"What a day," said {A}, and {B} could only agree.',
  '{A} yawned, {B} yawned, and that night everybody slept like a stone.',
  '"I will tell this story for years," said {A}. "You tell it now," said {B}.',
  '{A} and {B} shook hands, very seriously, and then they giggled.',
  '"You are a good friend," said {A}. {B} went as pink as a radish.',
  '"Is there any cake?" asked {A}. There was.',
  '{B} said that it had been the best part of the week, and there had been pudding twice.',
  '"Let us never grow up," said {B}. "Not before supper," said {A}.',
];

/** @param {Telling} t whose cast has A and B */
export const end = (t) => t.say(...ENDS, ...ENDS_OF_TWO);
