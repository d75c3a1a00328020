/**
 * Answers the question of a story from its events alone, by a replay in plain words. It shares no
 * code with the stories, and reads the question as its text has it.
 */

/** The place or holder of each thing after these events; things by their full name. */
function replay(events) {
  const state = { places: {}, holders: {}, deeds: [], lists: {}, words: {}, winner: null };
  for (const event of events) {
    const name = event.thing?.forms[''];
    if (event.kind === 'put') {
      delete state.holders[name];
      state.places[name] = event.place.forms.at;
      if (event.who) state.deeds.push([event.who.core, name, event.place.forms.at]);
    }
    if (event.kind === 'hold') {
      delete state.places[name];
      state.holders[name] = event.who.core;
    }
    if (event.kind === 'list') state.lists[event.who.core] = event.things;
    if (event.kind === 'word') state.words[event.asks] = event.word.core;
    if (event.kind === 'order') state.winner = event.people[0].core;
  }
  return state;
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Each pattern of a question with its answers; a good question has one. */
const WAYS = [
  [/^Where (?:is|are) (.*)\?$/, ({ places }, name) => [places[name]].map((at) => capital(at))],
  [/^Who has (.*)\?$/, ({ holders }, name) => [`${holders[name]} does`]],
  [
    /^Who put (the \w+ \w+) (.*)\?$/,
    ({ deeds }, name, at) =>
      deeds.filter((deed) => deed[1] === name && deed[2] === at).map(([who]) => `${who} did`),
  ],
  [
    /^What did (\w+) \w+ (first|last)\?$/,
    ({ lists }, who, which) => [capital(lists[who].at(which === 'first' ? 0 : -1).forms[''])],
  ],
  [
    /^What did (\w+) \w+\?$/,
    ({ lists }, who) => {
      const [a, b, c] = lists[who].map((thing) => thing.forms.a);
      return [capital(`${a}, ${b} and ${c}`)];
    },
  ],
  [
    /^Which (\w+) does (\w+) have\?$/,
    ({ holders }, noun, who) =>
      Object.keys(holders)
        .filter((name) => holders[name] === who && name.endsWith(` ${noun}`))
        .map((name) => `The ${name.split(' ')[1]} one`),
  ],
  [/^Who came first\?$/, ({ winner }) => [`${winner} did`]],
  [/^What was .*\?$/, ({ words }, _, question) => [words[question]]],
];

/** All answers, without their full stop. @returns {string[]} */
export function answersTo(events, question) {
  const state = replay(events);
  for (const [pattern, answers] of WAYS) {
    const match = question.match(pattern);
    if (match)
      return answers(state, ...match.slice(1), ...(match.length > 1 ? [] : ['', question]));
  }
  return [];
}
