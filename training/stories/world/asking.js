/**
 * Asks questions about a story that was told, each with its answer and the words that tell it.
 */
import { COLOURS } from './entities.js';
import { form } from './telling.js';
import { isUnseenName, isUnseenPair } from './unseen.js';

/** Between the body of a text and its questions. */
export const GAP = '\n\n';

/**
 * @typedef {import('./entities.js').Entity} Entity
 * @typedef {import('./telling.js').Telling} Telling
 * @typedef {import('./telling.js').Event} Event
 * @typedef {import('./telling.js').Span} Span
 *
 * @typedef {object} Question
 * @property {'where' | 'has' | 'by' | 'first' | 'last' | 'list' | 'won' | 'colour' | 'word'} kind
 * @property {string} text
 * @property {string} answer
 * @property {string} core the word of the answer that must be known
 * @property {Span[]} sources mentions of that word that tell it, by characters of the story
 * @property {boolean} unseen whether training never shows this combination
 */

/** The last event of each thing. @param {Event[]} events */
function fates(events) {
  /** @type {Map<Entity, Event & { kind: 'put' | 'hold' }>} */
  const last = new Map();
  for (const event of events)
    if (event.kind === 'put' || event.kind === 'hold') last.set(event.thing, event);
  return [...last.values()];
}

/** @param {Event} event @param {Entity} entity @returns {Span[]} */
function sourceOf(event, entity) {
  const span = event.sources.get(entity);
  return span ? [span] : [];
}

/** @param {Event & { kind: 'put' | 'hold' }} event @returns {Question} */
function aboutFate(event) {
  const { thing } = event;
  if (event.kind === 'put')
    return {
      kind: 'where',
      text: `Where ${form(thing, 'is')} ${form(thing, '')}?`,
      answer: `${form(event.place, 'At')}.`,
      core: event.place.core,
      sources: sourceOf(event, event.place),
      unseen: isUnseenPair(thing, event.place),
    };
  return {
    kind: 'has',
    text: `Who has ${form(thing, '')}?`,
    answer: `${event.who.core} does.`,
    core: event.who.core,
    sources: sourceOf(event, event.who),
    unseen: isUnseenPair(event.who, thing),
  };
}

/** Who put things where they are or were. @param {Event[]} events @returns {Question[]} */
function aboutDeeds(events) {
  const deeds = events.filter((event) => event.kind === 'put');
  return deeds.flatMap((event) => {
    const { who, thing, place } = event;
    const same = deeds.filter((other) => other.thing === thing && other.place === place);
    if (!who || same.length > 1) return [];
    return [
      {
        kind: 'by',
        text: `Who put ${form(thing, '')} ${form(place, '')}?`,
        answer: `${who.core} did.`,
        core: who.core,
        sources: sourceOf(event, who),
        unseen: isUnseenPair(who, thing),
      },
    ];
  });
}

/**
 * @param {Telling} t
 * @param {Event & { kind: 'list' }} event
 * @returns {Question[]}
 */
function aboutList(t, event) {
  const { who, verb, things } = event;
  const [first, second, last] = things;
  const question = `What did ${who.core} ${verb}`;
  /** @param {Entity} thing */
  const rest = (thing) => ({
    core: thing.core,
    sources: t.mentionsFrom(thing, event.sources.get(thing)?.[0] ?? 0),
    unseen: isUnseenPair(who, thing),
  });
  const all = `${form(first, 'A')}, ${form(second, 'a')} and ${form(last, 'a')}.`;
  return [
    { kind: 'first', text: `${question} first?`, answer: `${form(first, 'The')}.`, ...rest(first) },
    { kind: 'last', text: `${question} last?`, answer: `${form(last, 'The')}.`, ...rest(last) },
    { kind: 'list', text: `${question}?`, answer: all, ...rest(first) },
  ];
}

/** @param {Event & { kind: 'hold' }} event @returns {Question[]} */
function aboutColour(event) {
  const { who, thing } = event;
  const colour = form(thing, 'adjective');
  const [start] = event.sources.get(thing) ?? [0];
  if (!COLOURS.includes(colour)) return [];
  return [
    {
      kind: 'colour',
      text: `Which ${thing.noun} does ${who.core} have?`,
      answer: `The ${colour} one.`,
      core: colour,
      sources: [[start - colour.length - 1, start - 1]],
      unseen: isUnseenPair(who, thing),
    },
  ];
}

/**
 * A body with questions behind it, a line each, and the characters of their answers. The end of the
 * line belongs to the answer.
 * @param {string} body
 * @param {Question[]} questions
 */
export function withQuestions(body, questions) {
  let text = body + GAP;
  const answers = questions.map(({ text: question, answer }, i) => {
    const start = text.length + question.length;
    text += `${question} ${answer}${i < questions.length - 1 ? '\n' : ''}`;
    return /** @type {Span} */ ([start, text.length]);
  });
  return { text, answers };
}

/** All questions that the events of a story answer. @param {Telling} t @returns {Question[]} */
export function questionsOf(t) {
  const { events } = t;
  const ends = fates(events);
  const alike = ends.filter(({ thing }) =>
    ends.some((o) => o.thing !== thing && o.thing.noun === thing.noun),
  );
  return [
    ...ends.map(aboutFate),
    ...aboutDeeds(events),
    ...alike.flatMap((event) => (event.kind === 'hold' ? aboutColour(event) : [])),
    ...events.flatMap((event) => {
      if (event.kind === 'list') return aboutList(t, event);
      if (event.kind === 'word') return [aboutWord(t, event)];
      return event.kind === 'order' ? [aboutOrder(event)] : [];
    }),
  ];
}

/** @param {Telling} t @param {Event & { kind: 'word' }} event @returns {Question} */
function aboutWord(t, event) {
  const { word, asks } = event;
  return {
    kind: 'word',
    text: asks,
    answer: `${word.core}.`,
    core: word.core,
    sources: t.mentionsFrom(word, 0),
    unseen: isUnseenName(word.core),
  };
}

/** @param {Event & { kind: 'order' }} event @returns {Question} */
function aboutOrder(event) {
  const [first] = event.people;
  return {
    kind: 'won',
    text: 'Who came first?',
    answer: `${first.core} did.`,
    core: first.core,
    sources: sourceOf(event, first),
    unseen: false,
  };
}
