/**
 * The people, animals, things and places of the stories, with the forms that a sentence may need.
 * A form that is asked for with a capital letter gets one.
 *
 *     {A} Mia, {A.he} she, {x} the red cup, {x.a} a red cup, {p} in the kitchen
 *
 * @typedef {object} Entity
 * @property {'person' | 'thing' | 'place' | 'word'} kind
 * @property {string} key tells it from all others of a story
 * @property {string} noun the word by which combinations are counted
 * @property {string} core the word of a mention that names it
 * @property {Record<string, string>} forms '' is the usual one
 */

const SHE = { he: 'she', him: 'her', his: 'her', himself: 'herself', boy: 'girl' };
const HE = { he: 'he', him: 'him', his: 'his', himself: 'himself', boy: 'boy' };

/** @param {string} noun that follows */
export const article = (noun) => (/^[aeiou]/i.test(noun) ? 'an' : 'a');

/** @param {string} name @param {typeof SHE} pronouns @returns {Entity} */
const person = (name, pronouns) => ({
  kind: 'person',
  key: name,
  noun: name,
  core: name,
  forms: { '': name, ...pronouns },
});

/** @param {string} names @param {typeof SHE} pronouns */
const people = (names, pronouns) => names.split(' ').map((name) => person(name, pronouns));

export const GIRLS = people(
  'Mia Nora Ella Ruby Lily Anna Ivy Rosa Zoe Clara Hana Maya Tess Judy Ada Wren Lena Molly',
  SHE,
);
export const BOYS = people(
  'Tom Ben Leo Sam Max Finn Oscar Hugo Omar Jack Eli Theo Noah Ravi Kit Otto Arlo Felix',
  HE,
);

const ANIMALS = 'dog cat goat duck rabbit donkey goose pony hedgehog otter'.split(' ');
const PETS =
  'Biscuit Pickle Pepper Noodle Muffin Waffles Bramble Pudding Mango Turnip Domino Crumpet';

/**
 * A pet of a kind that is drawn with it.
 * @param {string} name
 * @param {string} animal
 * @param {boolean} she
 * @returns {Entity}
 */
export function pet(name, animal, she) {
  const own = person(name, she ? SHE : HE);
  const forms = {
    full: `${name} the ${animal}`,
    a: `${article(animal)} ${animal} called ${name}`,
    animal: `the ${animal}`,
  };
  return { ...own, forms: { ...own.forms, ...forms } };
}

export const PET_NAMES = PETS.split(' ');
export { ANIMALS };

/** Visitors and young animals, each with a name that nobody has heard before. */
export const GUESTS = 'dragon giant wizard robot ghost troll snail penguin elf'.split(' ');
export const YOUNG = 'kitten puppy lamb duckling piglet chick'.split(' ');

/** Adjectives that fit everything that is carried about. Those of colour may be asked for. */
export const COLOURS = 'red blue green yellow orange white purple'.split(' ');
const OTHERS = 'old tiny shiny striped wooden'.split(' ');
export const ADJECTIVES = [...COLOURS, ...COLOURS, ...OTHERS];

/**
 * The first thing that a plot draws has an adjective of the first group, and so on. So a small
 * model, which may forget what it named, knows which adjective comes next.
 */
const GROUPS = [
  'red yellow orange striped wooden',
  'blue purple shiny old',
  'green white tiny',
].map((words) => words.split(' '));

/** The adjectives of a story's things, of which the first has number 0. @param {number} number */
export const adjectivesOf = (number) => ADJECTIVES.filter((one) => GROUPS[number].includes(one));

/** Nouns in the singular. Kites and the like come in many colours. */
export const NOUNS =
  'ball bell boat bowl box bucket candle clock cup drum feather flute hat kite button lamp map ' +
  'puppet ribbon rope scarf spade spoon teapot top umbrella whistle basket';
/** Nouns in the plural, with the words that count them. */
export const PLURALS = [
  ['boots', 'a pair of'],
  ['mittens', 'a pair of'],
  ['skates', 'a pair of'],
  ['marbles', 'a bag of'],
  ['beads', 'a string of'],
  ['slippers', 'a pair of'],
];
/** These are never wooden, or nobody would believe it. */
export const SOFT = new Set(
  'feather map ribbon rope scarf candle boots mittens slippers umbrella'.split(' '),
);

/** @param {string} noun @param {string} adjective @returns {Entity} */
export function thing(noun, adjective) {
  const bare = `${adjective} ${noun}`;
  const plural = PLURALS.find(([one]) => one === noun);
  const number = plural
    ? { it: 'them', they: 'they', was: 'were', is: 'are', has: 'have', this: 'these' }
    : { it: 'it', they: 'it', was: 'was', is: 'is', has: 'has', this: 'this' };
  const forms = {
    '': `the ${bare}`,
    the: `the ${bare}`,
    a: plural ? `${plural[1]} ${bare}` : `${article(bare)} ${bare}`,
    bare,
    noun,
    adjective,
    ...number,
  };
  return { kind: 'thing', key: bare, noun, core: noun, forms };
}

/** @param {string} at "in the kitchen" @returns {Entity} */
function place(at) {
  const core = at.slice(at.lastIndexOf(' ') + 1);
  const the = `the ${core}`;
  return { kind: 'place', key: core, noun: core, core, forms: { '': at, at, the } };
}

/** Places that share a noun would make questions ambiguous, so none do. */
export const INDOORS = [
  'in the kitchen',
  'in the hall',
  'in the attic',
  'in the cellar',
  'in the pantry',
  'in the bathroom',
  'in the cupboard',
  'in the library',
  'on the shelf',
  'on the piano',
  'on the windowsill',
  'under the stairs',
  'under the bathtub',
  'under the table',
  'behind the sofa',
  'behind the curtain',
].map(place);
export const OUTDOORS = [
  'in the garden',
  'in the shed',
  'in the barn',
  'in the orchard',
  'in the greenhouse',
  'in the meadow',
  'on the porch',
  'on the roof',
  'on the bridge',
  'by the pond',
  'by the fountain',
  'by the gate',
  'behind the mill',
  'under the oak',
].map(place);

/** Every word that names somebody, something or some place, as in the middle of a text. */
export const NAMING_WORDS = [
  ...[...GIRLS, ...BOYS, ...INDOORS, ...OUTDOORS].map(({ core }) => core),
  ...[...PET_NAMES, ...ANIMALS, ...NOUNS.split(' '), ...PLURALS.map(([noun]) => noun)],
  ...[...new Set(ADJECTIVES), ...GUESTS, ...YOUNG],
  // answers begin with these
  ...'In On By Under Behind The'.split(' '),
];

/** A name that nobody has heard before has one of these, and then one of the ends. */
export const BEGINNINGS = (
  'Bix Brim Cor Dap Dib Fen Fip Flim Grim Gub Hum Jub Kip Lum Mip Nim Pib Quib Rab Rum Snib ' +
  'Tam Tib Vex Vor Wim Yab Yup Zab Zik'
).split(' ');
export const ENDS = 'bo da do fa go ka la lo mo na nu po ra ri ta vi zo zu'.split(' ');

/** All names that may be invented. */
export const INVENTED = BEGINNINGS.flatMap((begin) => ENDS.map((end) => begin + end));

/** A name or word that nobody has heard before. @param {import('../random.js').Random} random */
export const inventedName = (random) => random.pick(BEGINNINGS) + random.pick(ENDS);

/** @param {string} text @param {'she' | 'he' | 'it'} pronoun @returns {Entity} */
export const word = (text, pronoun = 'it') => ({
  kind: 'word',
  key: text,
  noun: text,
  core: text,
  forms: { '': text, ...(pronoun === 'it' ? {} : pronoun === 'she' ? SHE : HE) },
});
