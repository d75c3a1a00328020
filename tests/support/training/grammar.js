/** Faults of plain English that a pattern of the stories could make. */
import { NOUNS, PLURALS } from '../../../training/stories/world/entities.js';

const SINGULAR = NOUNS.split(' ').join('|');
const PLURAL = PLURALS.map(([noun]) => noun).join('|');
const PREPOSITIONS = 'above|across|among|around|behind|beside|between|in|near|on|over|under';
/** Words that may follow a question or a cry that is quoted. */
const SPEAKERS = /^(asked|called|cried|he|she|said|they|whispered)\b/;

/** Patterns that no sentence may have, each with its fault. @type {[RegExp, string][]} */
const NEVER = [
  [/\ba [aeio]|\ba u(?!se)/i, 'a before a vowel'],
  [/\ban (?!hour)[^aeiou]/i, 'an before a consonant'],
  [/ {2}| \n|\n |^\s|\s$/, 'spaces'],
  [/ [.,!?;]/, 'a space before a mark'],
  [/[.,!?][A-Za-z]/, 'no space behind a mark'],
  [/[,.!?]{2}/, 'two marks'],
  [/[{}]|undefined|\[object/, 'a slot'],
  [/\b(\w+) \1\b/i, 'a word twice'],
  [new RegExp(`\\b(${PLURAL}) (was|is|has)\\b`), 'a plural with a singular verb'],
  [new RegExp(`\\b(${SINGULAR}) (were|are|have)\\b`), 'a singular with a plural verb'],
  [new RegExp(`^Where is the \\w+ (${PLURAL})\\b`, 'm'), 'a plural with a singular verb'],
  [new RegExp(`^Where are the \\w+ (${SINGULAR})\\b`, 'm'), 'a singular with a plural verb'],
  [new RegExp(`\\ban? \\w+ (${PLURAL})\\b`), 'an article before a plural'],
  [/\b(she|he) (were|are|have)\b/i, 'a pronoun with a plural verb'],
  [/\b(they|we|you) (was|is|has)\b/i, 'a pronoun with a singular verb'],
];

/** Subjects at a distance from their verb: “The hens behind the fence were …”. */
const DISTANT = new RegExp(
  `\\bThe (?:old )?(\\w+) (?:${PREPOSITIONS}) the (?:\\w+ )?\\w+ (was|were) `,
  'g',
);
const isPlural = (noun) => noun === 'sheep' || noun.endsWith('s');

/** @param {string} text @returns {string[]} */
export function grammarFaults(text) {
  const faults = NEVER.filter(([pattern]) => pattern.test(text)).map(
    ([pattern, name]) => `${name}: ${text.match(pattern)?.[0]}`,
  );
  for (const [words, noun, verb] of text.matchAll(DISTANT))
    if ((verb === 'were') !== isPlural(noun)) faults.push(`agreement: ${words}`);
  for (const paragraph of text.split('\n')) {
    if (!paragraph) continue;
    if (!/^["A-Z]/.test(paragraph)) faults.push(`small letter: ${paragraph.slice(0, 20)}`);
    if (!/[.!?]"?$/.test(paragraph)) faults.push(`no end: ${paragraph.slice(-20)}`);
    if (paragraph.split('"').length % 2 === 0) faults.push(`quotation marks: ${paragraph}`);
    faults.push(...smallLetters(paragraph));
  }
  return faults;
}

/** Sentences that begin with a small letter. @param {string} paragraph */
function smallLetters(paragraph) {
  const starts = [...paragraph.matchAll(/([.!?])("?) (?=[a-z])/g)];
  const quoted = [...paragraph.matchAll(/(?:^| )"(?=[a-z])/g)];
  return [
    ...starts.filter(
      ({ 0: all, 1: mark, 2: quote, index }) =>
        !(quote && mark !== '.' && SPEAKERS.test(paragraph.slice(index + all.length))),
    ),
    // a quotation that goes on after “he said,”
    ...quoted.filter(
      ({ index }) => !/\b(?:began|said|wrote)(?: \w+){0,2},$/.test(paragraph.slice(0, index)),
    ),
  ].map(({ index }) => `small letter: ${paragraph.slice(index, index + 20)}`);
}
