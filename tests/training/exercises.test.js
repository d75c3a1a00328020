/** The exercises are good English, and their answers are right. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LEVELS, tellExercise } from '../../training/stories/world/exercises.js';
import { repeats } from '../support/campaign.js';
import { grammarFaults } from '../support/training/grammar.js';
import { answersTo } from '../support/training/replay.js';

const COUNT = repeats(2500, 5000);

describe('an exercise', () => {
  const exercises = Array.from({ length: COUNT }, (_, i) => tellExercise(1, i, i % (LEVELS + 1)));

  test('has no fault of grammar', () => {
    for (const { text } of exercises) assert.deepEqual(grammarFaults(text), [], text);
  });

  test('has questions with one answer each, which a replay of its events gives', () => {
    for (const { text, body, events, questions, answers } of exercises) {
      assert.ok(questions.length >= 2, text);
      assert.ok(text.startsWith(`${body}\n\n${questions[0].text} ${questions[0].answer}`));
      assert.equal(answers.length, questions.length);
      questions.forEach(({ text: question, answer }, i) => {
        assert.deepEqual(answersTo(events, question), [answer.slice(0, -1)], text);
        assert.equal(text.slice(...answers[i]).trim(), answer);
      });
    }
  });

  test('tells with more patterns, the higher its level is', () => {
    const openings = (level) => {
      const texts = Array.from({ length: 400 }, (_, i) =>
        tellExercise(2, i, level).body.replace(/^Once /, ''),
      );
      const sentences = texts.flatMap((body) => body.split(/(?<=\.) /));
      return new Set(sentences.map((sentence) => sentence.replace(/[A-Z]\w+/g, '').slice(0, 6)));
    };
    assert.equal(openings(0).size, 1, 'had a');
    const sizes = [0, 1, 4, LEVELS].map((level) => openings(level).size);
    assert.deepEqual(
      [...sizes].sort((a, b) => a - b),
      sizes,
    );
    assert.equal(new Set(sizes).size, 4);
  });

  test('mostly has things that share an adjective or a noun', () => {
    const shared = exercises.filter(({ questions }) => {
      const things = new Set(
        questions.flatMap(({ text }) => text.match(/the (\w+ \w+)/)?.[1] ?? []),
      );
      const words = [...things].flatMap((thing) => thing.split(' '));
      return new Set(words).size < words.length;
    });
    const share = shared.length / exercises.length;
    assert.ok(share > 0.6 && share < 0.95, `${share}`);
  });
});
