/** A text is recognised where a plot could have told it, and not where a word of it is changed. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Choices } from '../../training/stories/evaluation/choices.js';
import { recognise } from '../../training/stories/evaluation/recognise.js';
import { sample } from '../../training/stories/evaluation/samples.js';
import { PLOTS, tellStory } from '../../training/stories/world/index.js';
import { repeats } from '../support/campaign.js';

const COUNT = repeats(10, 1000);
const stories = Array.from({ length: COUNT }, (_, index) =>
  tellStory(3, index, { open: index % 2 > 0, questions: 8 }),
);
/** A story of each plot. */
const each = Object.keys(PLOTS).map((plot) => {
  for (let index = 0; ; index++) {
    const story = tellStory(4, index);
    if (story.plot === plot) return story;
  }
});

describe('the choices', () => {
  /** All that a function returns, with every choice. @param {(choices: Choices) => unknown} f */
  function all(f) {
    const choices = new Choices();
    const results = [];
    do results.push(f(choices));
    while (choices.next());
    return results;
  }

  test('are all made once, also where one hangs on another', () => {
    const made = all((choices) => (choices.chance() ? choices.below(3) : choices.pick(['a', 'b'])));
    assert.deepEqual(made, [0, 1, 2, 'a', 'b']);
  });

  test('of an order are made when an element is taken', () => {
    const orders = all((choices) => [...choices.shuffled([1, 2, 3])].join(''));
    assert.deepEqual(orders.sort(), ['123', '132', '213', '231', '312', '321']);
    assert.equal(all((choices) => choices.shuffled([1, 2, 3, 4, 5, 6, 7, 8, 9]).pop()).length, 9);
  });
});

describe('a story', () => {
  test('of any plot is recognised', () => {
    for (const { text, plot } of [...each, ...stories]) {
      const found = recognise(text);
      assert.ok(found.whole && found.plot === plot, `${plot}: ${JSON.stringify(found)}\n${text}`);
    }
  });

  test('in the README is one of the world', () => {
    const readme = readFileSync(
      new URL('../../training/stories/README.md', import.meta.url),
      'utf8',
    );
    const [, quoted] = /^## A story\n\n((?:>.*\n)+)/m.exec(readme);
    const [body, questions] = quoted
      .replace(/^> ?/gm, '')
      .trim()
      .split(/\n\n(?=Where)/);
    const paragraphs = body.split('\n\n').map((lines) => lines.replaceAll('\n', ' '));
    const text = [...paragraphs, questions.replaceAll(' \\', '')].join('\n\n');
    assert.ok(recognise(text, ['thief']).whole, text);
  });

  test('with one more word is not, and the place is found', () => {
    for (const { body, text, plot } of each) {
      const middle = body.indexOf(' ', body.length >> 1);
      const { whole, at } = recognise(`${text.slice(0, middle)} really${text.slice(middle)}`, [
        plot,
      ]);
      assert.equal(whole, false);
      // a word that begins like “really” fits for some letters more
      assert.ok(at > middle && at < middle + 4, `${at}, not ${middle}`);
    }
  });

  test('that ends early, has no questions, or goes on, is not', () => {
    for (const { body, text, plot } of each) {
      const early = body.slice(0, body.lastIndexOf(' ')) + text.slice(body.length);
      for (const part of [early, body, text.slice(0, -1), ''])
        assert.equal(recognise(part, [plot]).whole, false, part);
    }
    for (const { text, plot } of each)
      assert.equal(recognise(`${text} And so on.`, [plot]).whole, false);
  });

  const market =
    'One Tuesday, the market came to town, and Mia ran there without Leo. Mia bought a red cup, ' +
    'then a blue bell, and with the last of the money a green kite. A man with a beard gave her ' +
    'a plum for the way.\n\nAt home Leo wanted to know everything. "I bought the red cup, the ' +
    'blue bell and the green kite," said Mia. Mia gave the blue bell to Leo, because she was in ' +
    'a good mood. And that was that.\n\nWho has the blue bell? Leo does.\n' +
    'What did Mia buy last? The green kite.';

  test('without an end is told as far as it fits', () => {
    const loop = market.slice(0, market.indexOf('a blue bell')) + 'a blue a blue a blue';
    const { whole, at } = recognise(loop, ['market']);
    assert.deepEqual([whole, loop.slice(at)], [false, 'a blue a blue a blue']);
  });

  test('has right answers', () => {
    assert.equal(recognise(market, ['market']).whole, true);
    const wrong = 'What did Mia buy last? The red cup.';
    const found = recognise(market.replace(/[^\n]*$/, wrong), ['market']);
    assert.deepEqual([found.whole, found.wrong], [false, [wrong]]);
  });

  for (const [fault, from, to] of [
    ['another name', 'green kite," said Mia', 'green kite," said Ella'],
    ['a name of the wrong sex', /Leo/g, 'Anna'],
    ['a wrong pronoun', 'because she was', 'because he was'],
    ['another thing', 'Mia gave the blue bell', 'Mia gave the red cup'],
    ['a colour that changes', 'and the green kite," said', 'and the white kite," said'],
    ['the same noun twice', /green kite/g, 'green cup'],
    ['a word that nobody knows', /green kite/g, 'green kitten'],
    ['a thing that cannot be', /green kite/g, 'wooden scarf'],
  ])
    test(`with ${fault} is not recognised`, () => {
      const changed = market.replace(from, to);
      assert.notEqual(changed, market);
      assert.equal(recognise(changed, ['market']).whole, false, changed);
    });
});

test('samples are counted, and those that are broken are told with their seed', async () => {
  const texts = [stories[0].text, `${stories[1].text} No.`, stories[2].text];
  const asked = [];
  const model = {
    async *generate(prompt, options) {
      asked.push([prompt, options.tau, options.seed]);
      for (const word of texts[options.seed - 1].split(/(?= )/)) yield { text: word };
    },
  };
  const { whole, total, broken } = await sample(model, { count: 3, tau: 0.7 });
  assert.deepEqual([whole, total], [2, 3]);
  assert.deepEqual(
    broken.map(({ seed, text, plot }) => [seed, text, plot]),
    [[2, texts[1], stories[1].plot]],
  );
  assert.deepEqual(
    asked,
    [1, 2, 3].map((seed) => ['', 0.7, seed]),
  );
});
