/** Sentences that any story may have: its beginning, something to look at, and its end. */

/** @typedef {import('./telling.js').Telling} Telling */

const WHEN = [
  'One windy morning,',
  'One bright morning,',
  'On the first warm day of spring,',
  'One grey afternoon,',
  'On Monday,',
  'On a slow Sunday,',
  'Just after breakfast,',
  'Early one morning,',
  'One afternoon in June,',
  'On the last day of the holidays,',
  'One frosty morning,',
  'After a week of rain,',
  'Late one summer day,',
  'The day after the fair,',
  'On a day with nothing to do,',
  'Before anyone else was awake,',
];

/** @param {Telling} t */
export const setTime = (t) => t.set({ when: t.random.pick(WHEN) });

/**
 * Subjects that a noun of the other number follows before their verb. Living things have moods of
 * their own.
 */
const CREATURES = {
  was: [
    'The cat between the flowerpots',
    'The snail on the cabbages',
    'The crow above the chimneys',
    'The old man behind the newspapers',
    'The beetle among the pebbles',
  ],
  were: [
    'The hens behind the fence',
    'The sheep beside the river',
    'The bees around the apple tree',
    'The frogs in the ditch',
    'The neighbours across the road',
  ],
};
const THINGS = {
  was: [
    'The painting above the chairs',
    'The scarecrow between the fields',
    'The chimney above the houses',
    'The sign near the trees',
  ],
  were: [
    'The pictures in the corner',
    'The plates near the sink',
    'The flowers beside the path',
    'The pumpkins behind the wall',
  ],
};
const MOODS = [
  'in no hurry at all.',
  'as quiet as could be.',
  'louder than usual.',
  'still half asleep.',
  'not interested.',
  'busy with other things.',
  'very pleased about something.',
];
const LOOKS = [
  'a little crooked, as always.',
  'a wonderful sight.',
  'covered with dust.',
  'a little older than last year.',
];
const MUSINGS = [
  'Somewhere a door banged.',
  'It smelled of toast.',
  'A spider watched from the ceiling.',
  'The kettle began to sing.',
  'Nobody said anything for a while.',
  'Far away a dog barked twice.',
  'The sun came out to have a look.',
  'A bee flew past, turned around and flew past again.',
  'A cloud in the shape of a whale went by.',
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
  'And then, because it was late, they all had pancakes.',
  'That night everyone slept very well, except the owl.',
  'They laughed about it all the way home.',
  'It had been a good day, and tomorrow would be another.',
  'The moon came up to see why there was such a noise.',
  'They ate the last of the plum cake and did not leave a crumb.',
  'Outside it began to rain, but nobody minded any more.',
  'Then it was time for soup.',
  'Nobody could remember a better day, and nobody tried.',
  'In the end there was cocoa, and there were two cups each.',
  'The stars came out one by one, as if to count everybody.',
  'After that they did nothing at all, and did it very well.',
  'Supper was late that day, but there was more of it.',
  'Even the wind held its breath, so as not to disturb them.',
  'The rest of the day was for lying in the grass.',
  'And that is the whole story, apart from the jam.',
  'Somebody began to sing, and soon everybody did.',
  'When they told Grandpa about it, he laughed until he got the hiccups.',
];
const ENDS_OF_TWO = [
  '"Same again tomorrow?" asked {B}. "Of course," said {A}.',
  '"What a day," said {A}, and {B} could only agree.',
  '{A} yawned, {B} yawned, and soon the whole house was asleep.',
  '"I will tell this story for years," said {A}. "You tell it now," said {B}.',
  '{A} and {B} shook hands on it, very seriously, and then they giggled.',
  '"You are a good friend," said {A}. {B} went as pink as a radish.',
  '"Is there any cake?" asked {A}. There was.',
  '{B} said that it had been the best part of the week, and it was only the middle.',
  '"Let us never grow up," said {B}. "Not before supper," said {A}.',
];

/** @param {Telling} t whose cast has A and B */
export const end = (t) => t.say(...ENDS, ...ENDS_OF_TWO);
