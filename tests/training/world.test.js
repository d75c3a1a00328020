/** The stories are good English, their answers are right, and training lacks what is asked. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRandom } from '../../training/stories/random.js';
import { Cast } from '../../training/stories/world/cast.js';
import {
  BOYS,
  GIRLS,
  INDOORS,
  NOUNS,
  OUTDOORS,
  PET_NAMES,
  PLURALS,
  adjectivesOf,
  pet,
  thing,
} from '../../training/stories/world/entities.js';
import { LEVELS, tellExercise } from '../../training/stories/world/exercises.js';
import { PLOTS, tellStory } from '../../training/stories/world/index.js';
import { isUnseenName, isUnseenPair } from '../../training/stories/world/unseen.js';
import { repeats } from '../support/campaign.js';
import { grammarFaults } from '../support/training/grammar.js';
import { answersTo } from '../support/training/replay.js';

/** Stories of training, and stories that have what training lacks. */
const COUNT = repeats(4000, 20000);
const OPEN = repeats(2500, 5000);
/** Exercises of training. */
const EXERCISES = repeats(2500, 5000);
const closed = Array.from({ length: COUNT }, (_, index) => tellStory(1, index));
const open = Array.from({ length: OPEN }, (_, index) => tellStory(2, index, { open: true }));
const all = [...closed, ...open];

describe('the words of a story', () => {
  test('have no fault that a pattern could make', () => {
    for (const { text, plot } of all) assert.deepEqual(grammarFaults(text), [], `${plot}: ${text}`);
  });

  test('would be caught with each such fault', () => {
    for (const bad of [
      'Mia had a old cup.',
      'Mia had an red cup.',
      'Mia had  a cup.',
      'Mia had a cup .',
      'Mia had a cup.Tom had none.',
      'Mia had a cup,.',
      'Mia had {x}.',
      'Mia had the the cup.',
      'The boots was wet.',
      'The cup were wet.',
      'Where is the red boots? In the hall.',
      'Where are the red cup? In the hall.',
      'Mia had a red boots.',
      'She were late.',
      'They was late.',
      'The hens behind the fence was loud.',
      'The old man behind the newspapers were loud.',
      'mia had a cup.',
      'Mia had a cup',
      'Mia said, "Good day.',
      'It rained. mia had a cup.',
      '"good day," said Mia.',
      '"Good day." said Mia.',
    ])
      assert.notDeepEqual(grammarFaults(bad), [], bad);
    for (const good of ['"Is it late?" asked Mia. "No," he said, "not yet."', 'It was a used cup.'])
      assert.deepEqual(grammarFaults(good), [], good);
  });

  test('have a space before every name', () => {
    const people = [...GIRLS, ...BOYS].map(({ core }) => core).concat(PET_NAMES);
    for (const { body, events } of all) {
      const names = new Set([...people, ...events.flatMap(({ word }) => word?.core ?? [])]);
      for (const [word] of body.matchAll(/(?<=^|[^ \w])\w+/g)) assert.ok(!names.has(word), body);
    }
  });

  test('name no two things with adjectives of one group', () => {
    for (const { body, events } of all) {
      const things = new Set(events.flatMap(({ thing, things }) => thing ?? things ?? []));
      const groups = [...things].map(({ forms }) =>
        [0, 1, 2].find((group) => adjectivesOf(group).includes(forms.adjective)),
      );
      assert.ok(!groups.includes(undefined), body);
      assert.equal(new Set(groups).size, groups.length, body);
      if (events.some(({ kind }) => kind === 'list')) assert.deepEqual(groups, [0, 1, 2], body);
    }
  });

  test('have places in the order of their prepositions', () => {
    for (let seed = 0; seed < 50; seed++) {
      const places = new Cast(createRandom(seed), false, true).places(3, seed % 2 > 0);
      const prepositions = places.map(({ forms }) => forms.at.split(' ')[0]).join(' ');
      assert.match(prepositions, /^in (on|by) (under|behind)$/);
    }
  });

  test('have places with different prepositions', () => {
    for (const { body, events } of all) {
      const places = new Set(events.flatMap(({ place }) => place?.forms.at ?? []));
      const prepositions = new Set([...places].map((at) => at.split(' ')[0]));
      assert.equal(prepositions.size, places.size, body);
    }
  });

  test('come in every plot, and hardly ever in the same order again', () => {
    const plots = new Set(closed.map(({ plot }) => plot));
    assert.deepEqual([...plots].sort(), Object.keys(PLOTS).sort());
    assert.ok(plots.size >= 20);
    assert.equal(new Set(closed.map(({ body }) => body)).size, COUNT);
    const sentences = new Set(closed.flatMap(({ body }) => body.match(/[^.!?]+[.!?]"?/g)));
    assert.ok(sentences.size > 2 * COUNT, `${sentences.size} sentences`);
  });
});

describe('the questions of a story', () => {
  test('have one answer, which a replay of its events gives', () => {
    for (const { text, events, questions } of all) {
      assert.ok(questions.length >= 1 && questions.length <= 3);
      for (const question of questions)
        assert.deepEqual(answersTo(events, question.text), [question.answer.slice(0, -1)], text);
    }
  });

  test('are of every kind', () => {
    const kinds = new Map();
    for (const { kind } of closed.flatMap(({ questions }) => questions))
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    const names = 'by first has last list where won word'.split(' ');
    assert.deepEqual([...kinds.keys()].sort(), names);
    for (const [kind, count] of kinds) assert.ok(count > COUNT / 50, `${kind}: ${count}`);
  });

  test('know where the story tells their answer', () => {
    for (const { body, events, questions } of all)
      for (const { core, sources, kind, text, answer } of questions) {
        assert.ok(sources.length > 0, text);
        assert.ok(answer.toLowerCase().includes(core.toLowerCase()), text);
        for (const [from, to] of sources)
          assert.equal(body.slice(from, to).toLowerCase(), core.toLowerCase(), text);
        if (kind !== 'where') continue;
        // the sentences of the last event of this thing
        const last = events.findLast((event) => text.includes(event.thing?.forms['']));
        assert.ok(sources[0][0] >= last.said[0] && sources[0][1] <= last.said[1], text);
      }
  });

  test('are about facts that their own sentences state', () => {
    for (const { body, events } of all)
      for (const event of events) {
        const said = body.slice(...event.said).toLowerCase();
        const names = (entity) =>
          [entity.core, ...Object.values(entity.forms)].some((form) =>
            new RegExp(`\\b${form.toLowerCase()}\\b`).test(said),
          );
        if (event.kind === 'put') assert.ok(said.includes(event.place.forms.at), said);
        if (event.kind === 'hold') assert.ok(names(event.who), said);
        if (event.thing) assert.ok(names(event.thing), said);
        for (const entity of event.things ?? event.people ?? []) assert.ok(names(entity), said);
      }
  });

  test('are mostly about facts that are told without a pronoun', () => {
    const facts = closed.flatMap(({ body, events }) =>
      events
        .filter(({ kind }) => kind === 'put' || kind === 'hold')
        .map(({ said }) => body.slice(...said)),
    );
    const share = facts.filter((said) => !/\b(he|she|it|they|them)\b/i.test(said)).length;
    assert.ok(share > 0.7 * facts.length && share < 0.9 * facts.length, `${share / facts.length}`);
  });
});

describe('combinations that are kept for the evaluation', () => {
  const named = new Map(
    [
      ...GIRLS,
      ...BOYS,
      ...INDOORS,
      ...OUTDOORS,
      ...PET_NAMES.map((name) => pet(name, 'dog', true)),
      ...[...NOUNS.split(' '), ...PLURALS.map(([noun]) => noun)].map((noun) => thing(noun, 'red')),
    ].map((entity) => [entity.noun, entity]),
  );
  /** Every person, thing and place whose word is in a text, whatever the story says of it. */
  const entitiesIn = (text) =>
    [...new Set(text.match(/\w+/g))].flatMap((word) => named.get(word) ?? []);
  const unseenIn = (text) => {
    const found = entitiesIn(text);
    return found.flatMap((a, i) =>
      found.slice(i + 1).flatMap((b) => (isUnseenPair(a, b) ? [`${a.noun}, ${b.noun}`] : [])),
    );
  };

  test('never meet in a story of training', () => {
    const exercises = Array.from({ length: EXERCISES }, (_, i) => tellExercise(1, i, LEVELS));
    for (const { text } of [...closed, ...exercises]) assert.deepEqual(unseenIn(text), [], text);
  });

  test('are some of all, and their stories have them', () => {
    const list = [...named.values()];
    const pairs = list.flatMap((a, i) =>
      list.slice(i + 1).flatMap((b) => (a.kind === b.kind ? [] : [isUnseenPair(a, b)])),
    );
    const share = pairs.filter(Boolean).length / pairs.length;
    assert.ok(share > 0.05 && share < 0.075, `${share}`);
    const asked = open.filter(({ questions }) =>
      questions.some(({ kind, unseen }) => unseen && kind !== 'word'),
    );
    assert.ok(asked.length > OPEN / 25);
    for (const { text } of asked) assert.notDeepEqual(unseenIn(text), [], text);
  });

  test('of invented names come in no story of training, and in others', () => {
    const names = (stories) =>
      stories.flatMap(({ events }) => events.flatMap((event) => event.word?.core ?? []));
    assert.ok(names(closed).every((name) => !isUnseenName(name)));
    const share = names(open).filter(isUnseenName).length / names(open).length;
    assert.ok(share > 0.09 && share < 0.16, `${share}`);
    for (const { questions } of closed) assert.ok(questions.every(({ unseen }) => !unseen));
  });
});
